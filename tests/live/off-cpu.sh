# With --off-cpu a call that waits is found where it is, for as long as it took; without, the report
# says that such a call cannot be seen. The event loop's own waiting is idle time, not waiting.
set -euo pipefail
. "$TICKFLAME_SOURCE/tests/live/lib.bash"
need_nodes 20 22 24 26
need_sampling

for node in "${nodes[@]}"; do
    rm -f answers.txt
    start_blocking_server "$node" exec-long fsync
    record_while waits.tickflame.gz -F 499 --off-cpu -- ask exec-long fsync
    says out.txt 'execSync' 'handleExecLong' 'Waiting' 'wall clock'
    hides out.txt 'is not in this profile' 'Stacks of waits are those of the last sample'
    tickflame fold waits.tickflame.gz >waits.tickflame.gz.folded
    look waits.tickflame.gz '
took, = answers("exec-long")
waited = folded("handleExecLong", "(waiting)") / 1e6
seen = folded("handleExecLong") / 1e6
print(f"execSync took {took} ms, seen {seen:.1f} ms, of which {waited:.1f} waiting")
assert 1000 < took and 950 < waited <= took + 5, "the wait is there"
assert abs(seen - took) < 0.05 * took, "and all of the call"
call = blocking_call("execSync")
assert report["blocking"]["calls"][0] == call and call["callers"][0]["name"] == "handleExecLong"
assert abs(call["total"] / 1e6 - took) < 0.05 * took, call

took, = answers("fsync")
waited = folded("handleFsync", "fsync", "(waiting)") / 1e6
seen = folded("handleFsync") / 1e6
print(f"20 fsyncs took {took} ms, seen {seen:.1f} ms, of which {waited:.1f} waiting")
assert waited > 1 and 0.25 * took < seen < took + 10'
    kill "$process"
done

# The same without: no more than the start of the child is seen, and that is said.
rm -f answers.txt
start_blocking_server "${nodes[1]}" exec-long
record_while none.tickflame.gz -F 499 -- ask exec-long
says out.txt 'Time spent waiting is not in this profile' 'execSync' '--off-cpu'
hides out.txt 'Waiting '
look none.tickflame.gz '
assert "waiting-missing" in [note["kind"] for note in report["notes"]]
assert report["totals"]["busy"] < 0.5e9'

# A server that has next to nothing to do.
start_blocking_server "${nodes[2]}" nothing
record_while idle.tickflame.gz -F 4999 --off-cpu -- ask nothing 0.7 nothing
tickflame fold --idle idle.tickflame.gz >idle.tickflame.gz.folded
look idle.tickflame.gz '
print("idle", folded("(idle)") / 1e6, "waiting", folded("(waiting)") / 1e6)
assert folded("(idle)") > 0.6e9 and folded("epoll", "(idle)") > 0.6e9
assert folded("(waiting)") < 0.02 * folded("(idle)") and folded("epoll", "(waiting)") == 0'
