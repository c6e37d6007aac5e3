# A process in namespaces of its own, as in a container: another PID and another /tmp.
set -euo pipefail
. "$TICKFLAME_SOURCE/tests/live/lib.bash"
need_nodes 20
need_root 'namespaces need root'
need_sampling
unshare -pmf true 2>/dev/null || skip_case 'namespaces are refused here'
mkdir container-tmp
# Mounts what is its own over /tmp, so the scratch folder is entered before that.
unshare -pmf --mount-proc bash -c 'mount --bind container-tmp /tmp && exec "$@"' - \
    "$node" "${named[@]}" "$TICKFLAME_SOURCE/tests/live/record-work.js" 300 >node.txt 2>&1 &
outer=$!
started+=("$outer")
wait_until grep -q begun node.txt
process=$(pgrep -P "$outer")
started+=("$process")
inner=$(awk '$1 == "NStgid:" { print $NF }' "/proc/$process/status")
echo "outside $process, inside $inner"
[ "$inner" != "$process" ]
[ -s "container-tmp/perf-$inner.map" ]
gives 0 tickflame record -p "$process" -F 999 -d 0.6 -o inside.tickflame.gz
look inside.tickflame.gz '
print(report["sampling"])
assert own("turnTen") > 0.2 and own("[js unknown]") < 0.02
assert any(row["name"].startswith("v8::") for row in report["functions"])'
# Without its perf map, from V8's heap.
gives 0 tickflame record -p "$process" -F 999 -d 0.6 --names heap -o heap.tickflame.gz
look heap.tickflame.gz '
print(report["sampling"])
sampling = report["sampling"]
assert own("turnTen") > 0.2 and sampling["names"] == "heap" and sampling["names_compared"] == 0
assert sampling["named_share"] > 0.98'
gives 0 tickflame doctor -p "$process"
says out.txt 'namespace' 'container'

# One that is started there.
mkdir second-tmp
gives 0 tickflame record -F 999 -o started.tickflame.gz -- unshare -mf bash -c 'mount --bind second-tmp /tmp && exec "$@"' - \
    "$node" "$TICKFLAME_SOURCE/tests/live/record-work.js" 0.6
look started.tickflame.gz 'assert own("turnTen") > 0.2'
