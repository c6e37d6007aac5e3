# As an ordinary user: one's own process without frames of the kernel, and that is said; another
# user's process is refused, with what would help.
set -euo pipefail
. "$TICKFLAME_SOURCE/tests/live/lib.bash"
need_nodes 22
need_root 'running as another user needs root'
need_sampling
paranoid=$(cat /proc/sys/kernel/perf_event_paranoid)
user_id=54321
while getent passwd "$user_id" >/dev/null; do user_id=$((user_id + 1)); done
# The checkout may lie where others cannot read.
folder=$(mktemp -d /tmp/tickflame-user.XXXXXX)
trap 'end_started; rm -rf "$folder"' EXIT
cp "$(readlink -f "$TICKFLAME")" "$folder/tickflame"
cp "$node" "$folder/node"
cp "$TICKFLAME_SOURCE/tests/live/record-work.js" "$folder"
chmod 755 "$folder/tickflame" "$folder/node"
chmod 644 "$folder/record-work.js"
chown "$user_id" "$folder"
cd "$folder"
as_user=(setpriv --reuid "$user_id" --regid "$user_id" --clear-groups)

start_node "${as_user[@]}" ./node "${named[@]}" record-work.js 300
own=$process
if [ "$paranoid" -le 2 ]; then
    gives 0 "${as_user[@]}" ./tickflame record -p "$own" -F 999 -d 0.6 -o own.tickflame.gz
    says out.txt turnTen
    [ "$(stat -c '%u %a' own.tickflame.gz)" = "$user_id 600" ]
    look own.tickflame.gz '
assert own("turnTen") > 0.2 and report["sampling"]["lost"] == 0 and abs(report["sampling"]["delivered_hz"] - 999) < 60'
    if [ "$paranoid" -eq 2 ]; then
        says err.txt 'kernel.perf_event_paranoid = 2'
        says out.txt 'perf_event_paranoid'
        look own.tickflame.gz 'assert not any(row["kind"] == "kernel" for row in report["functions"])'
        gives 4 "${as_user[@]}" ./tickflame record -p "$own" --kernel yes -d 0.3 -o kernel.tickflame.gz
        says err.txt 'perf_event_paranoid' 'sysctl'
    fi
    # What it starts itself.
    gives 0 "${as_user[@]}" ./tickflame record -F 999 -o started.tickflame.gz -- ./node record-work.js 0.5
    look started.tickflame.gz 'assert own("turnTen") > 0.1'
fi

# root's.
start_node ./node "${named[@]}" record-work.js 300
gives 4 "${as_user[@]}" ./tickflame record -p "$process" -d 0.3 -o other.tickflame.gz
says err.txt 'belongs to root' 'cap_perfmon'
[ ! -e other.tickflame.gz ]
# And root may sample everybody's, with the names in their maps.
gives 0 tickflame record -p "$own" -F 999 -d 0.4 -o by-root.tickflame.gz
look by-root.tickflame.gz 'assert own("turnTen") > 0.2'
