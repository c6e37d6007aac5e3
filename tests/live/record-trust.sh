# Anybody may put a map into /tmp: one that belongs to a third user is not used, unless asked for.
set -euo pipefail
. "$TICKFLAME_SOURCE/tests/live/lib.bash"
need_nodes 20
need_root 'giving files away needs root'
need_sampling
start_node "$node" "${named[@]}" "$TICKFLAME_SOURCE/tests/live/record-work.js" 300
map=/tmp/perf-$process.map
wait_until grep -q 'turnTwo' "$map"
chown 54321 "$map"
gives 0 tickflame record --names map -p "$process" -F 999 -d 0.5 -o refused.tickflame.gz
says err.txt "$map belongs to another user" "--map $process=" --trust-maps
look refused.tickflame.gz 'assert own("turnTen") == 0 and own("[js unknown]") > 0.8'
gives 0 tickflame record --names map --trust-maps -p "$process" -F 999 -d 0.5 -o trusted.tickflame.gz
look trusted.tickflame.gz 'assert own("turnTen") > 0.2'
# A link could lead anywhere.
chown 0 "$map"
mv "$map" real.map
ln -s "$PWD/real.map" "$map"
gives 0 tickflame record --names map -p "$process" -F 999 -d 0.5 -o link.tickflame.gz
says err.txt "$map is a symbolic link"
look link.tickflame.gz 'assert own("turnTen") == 0'
# Named by hand it is trusted.
gives 0 tickflame record --names map --map "$process=real.map" -p "$process" -F 999 -d 0.5 -o named.tickflame.gz
look named.tickflame.gz 'assert own("turnTen") > 0.2'
# One that is gzip'd grows no more, and is read all the same.
gzip -k real.map
gives 0 tickflame record --names map --map "$process=real.map.gz" -p "$process" -F 999 -d .5 -o packed.tickflame.gz
look packed.tickflame.gz 'assert own("turnTen") > 0.2'
# Nor does a program that is started write through a link: V8 would follow it.
if unshare --mount --pid --fork --mount-proc true 2>/dev/null; then
    gives 4 unshare --mount --pid --fork --mount-proc bash -c '
        mount -t tmpfs none /tmp
        mkdir /tmp/elsewhere
        ln -st /tmp elsewhere/perf-{1..99}.map
        status=0
        "$TICKFLAME" record --names map -o linked.tickflame.gz -- "$1" -e 0 || status=$?
        [ -z "$(ls /tmp/elsewhere)" ] || exit 1
        exit "$status"' - "$node"
    says err.txt 'is a symbolic link' '--names none'
fi
