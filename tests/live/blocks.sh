# The longest blocks of the event loop are as long as the process itself measured, whether it rests
# in between or not, computes or waits; and one whose process had used up its CPU quota is labelled.
set -euo pipefail
. "$TICKFLAME_SOURCE/tests/live/lib.bash"
need_nodes 20 22 24 26
need_sampling

# Two connections at a time, so that one of them always waits already.
back_to_back() {
    ab -q -k -n 4 -c 2 "${url}busy" >/dev/null
    ab -q -k -n 4 -c 2 "${url}exec" >/dev/null
}
# What else runs here takes the processor from the server within a turn, beside what it measures.
hurry() {
    renice -n -10 -p "$1" >/dev/null 2>&1 || true
}

# same_lengths LEAST: the blocks in b.tickflame.gz are the long turns since it began, at least so many.
same_lengths() {
    rm -f answers.txt
    ask turns
    look b.tickflame.gz "
turns = [line.split() for line in open('answers.txt')]
turns = [(float(start), float(ms), calls) for calls, start, ms in turns if float(ms) > 100 and float(start) > $began]
blocks = sorted((block for block in report['blocks'] if block['ms'] > 100), key=lambda block: block['start_s'])
assert len(blocks) == len(turns) >= $1, (len(blocks), len(turns))
near = 0
for block, (start, ms, calls) in zip(blocks, turns):
    print(f'{calls:<9} {ms:8.1f} ms, block {block[\"ms\"]:8.1f} ms +- {block[\"error_ms\"]:.1f}, {block[\"evidence\"]}, {block[\"label\"]}, {block[\"call\"]}')
    near += abs(block['ms'] - ms) <= max(5, block['error_ms'])
    assert abs(block['ms'] - ms) <= 10 + block['error_ms'], 'far off'
    assert block['evidence'] in ('counters', 'switches')
    assert block['thread']['role'] == 'main' and not block['startup']
assert near >= 0.75 * len(blocks), f'only {near} within 5 ms'
${2:-}"
}

for node in "${nodes[@]}"; do
    start_blocking_server "$node" busy exec
    hurry "$process"
    ask busy exec nothing
    record_while b.tickflame.gz -F 199 -- ask 0.1 busy 0.1 exec 0.1 nothing
    same_lengths 2
    says out.txt 'Longest event-loop blocks'
    [ "$node" = "${nodes[2]}" ] || continue
    record_while b.tickflame.gz -F 199 --off-cpu -- back_to_back
    same_lengths 4 "
for block, (_, _, calls) in zip(blocks, turns):
    waits = calls.startswith('exec')
    assert not waits or (block['call'], block['label'], block['caller']['name']) == ('execSync', 'waiting', 'handleExec'), block
    assert not waits or abs(block['waiting_ms'] - block['ms']) < 0.2 * block['ms'], block"
done

# A control group that allows a fifth of a processor: version 1 or 2.
group=tickflame-test-$$
if mkdir "/sys/fs/cgroup/cpu/$group" 2>/dev/null; then
    group=/sys/fs/cgroup/cpu/$group
    limit() { echo 100000 >"$group/cpu.cfs_period_us" && echo 20000 >"$group/cpu.cfs_quota_us"; }
elif mkdir "/sys/fs/cgroup/$group" 2>/dev/null; then
    group=/sys/fs/cgroup/$group
    limit() { [ -e "$group/cpu.max" ] && echo '20000 100000' >"$group/cpu.max"; }
else
    skip_case 'all but throttling: no control group can be made here'
fi
trap 'end_started; rmdir "$group"' EXIT
limit 2>/dev/null || skip_case 'all but throttling: no CPU limit can be set here'
start_blocking_server "${nodes[2]}" busy
ask busy nothing
echo "$process" >"$group/cgroup.procs" || skip_case 'all but throttling: a process cannot be put into a control group here'
record_while b.tickflame.gz -F 199 -- ask busy busy
says out.txt 'throttled'
look b.tickflame.gz '
blocks = [block for block in report["blocks"] if block["ms"] > 100]
print([(block["ms"], block["cpu_ms"], block["throttled_ms"], block["label"]) for block in blocks])
assert any(block["label"] == "throttled" and block["throttled_ms"] > 60 for block in blocks)'
