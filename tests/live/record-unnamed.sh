# A node that writes no perf map, whose heap is not to be read: JavaScript is `[js unknown]`, and the report says what cures it.
set -euo pipefail
. "$TICKFLAME_SOURCE/tests/live/lib.bash"
need_nodes
need_sampling
for node in "${nodes[@]}"; do
    start_node "$node" "$TICKFLAME_SOURCE/tests/live/record-work.js" 20
    gives 0 tickflame record -p "$process" -F 999 -d 0.6 --names map -o "$process.tickflame.gz"
    says out.txt '[js unknown]' '--perf-basic-prof' 'NODE_OPTIONS'
    look "$process.tickflame.gz" '
print(report["sampling"]["named_share"], report["verdict"])
assert own("[js unknown]") > 0.8 and report["sampling"]["named_share"] < 0.2
assert row("[js unknown]")["kind"] == "javascript"'
    kill "$process"
done
# What is not to be read is not read.
start_node "$node" "${named[@]}" "$TICKFLAME_SOURCE/tests/live/record-work.js" 20
gives 0 tickflame record -p "$process" -F 999 -d 0.6 --names none -o none.tickflame.gz
look none.tickflame.gz 'assert own("[js unknown]") > 0.8'
