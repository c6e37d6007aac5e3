# Functions that die and whose places in memory are taken by others, in a node without any flag: no
# name of one that is gone stands for one that took its place.
set -euo pipefail
. "$TICKFLAME_SOURCE/tests/live/lib.bash"
need_nodes
need_sampling
cat >reuse.js <<'JS'
// Four phases; in each one functions are made, used and dropped, named after the phase. All garbage is
// collected in between, also within the phases, so that objects and machine code take the places of
// others. "PHASE START END" is printed for each, in seconds of CLOCK_MONOTONIC.
'use strict';
const { performance } = require('perf_hooks');
const seconds = () => Number(process.hrtime.bigint()) / 1e9;
let serial = 0;
let sum = 0;
function makeOne(phase) {
  const name = `phase${phase}${serial++ % 40}`;
  // The same length in all phases, so that one fits where another was.
  return new Function(`return function ${name}(x) { for (let i = 0; i < 400; i++) x = (x * 16807 + ${1000 + (serial % 1000)}) % 2147483647; return x; }`)();
}
function usePhase(phase, length) {
  const start = seconds();
  while (seconds() < start + length) {
    let made = [];
    for (let i = 0; i < 10; i++) made.push(makeOne(phase));
    for (const one of made) for (const end = performance.now() + 3; performance.now() < end;) for (let i = 0; i < 30; i++) sum += one(i);
    made = null;
    gc();
  }
  return `${phase} ${start} ${seconds()}`;
}
console.log('begun');
setTimeout(() => {
  for (const phase of ['A', 'B', 'C', 'D']) {
    console.log(usePhase(phase, 0.55));
    gc();
  }
}, 400);
JS
for node in "${nodes[@]}"; do
    start_node "$node" --expose-gc reuse.js
    gives 0 tickflame record -p "$process" -F 999 --force -o reuse.tickflame.gz
    "$node" --version
    RECORDED=$TICKFLAME_SOURCE/tests/lib python3 - <<'PYTHON'
import gzip, re, sys
# Read here, since only the samples themselves tell when a name was given.
sys.dont_write_bytecode = True
sys.path.insert(0, __import__("os").environ["RECORDED"])
from recorded import Recording
recording = Recording("reuse.tickflame.gz")
phases = [line.split() for line in open("node.txt", encoding="utf-8") if line[:2] in ("A ", "B ", "C ", "D ")]
assert len(phases) == 4, phases
of_phase = [(sample.time / 1e6, frame.name[5]) for sample in recording.samples for frame in sample.frames
            if frame.kind == "javascript" and re.fullmatch(r"phase[A-D]\d+", frame.name)]
# The clock of the recording begins elsewhere: the first sample of the first phase is its start, but for
# some milliseconds.
shift = min(time for time, _ in of_phase) - float(phases[0][1])
right, faults = 0, []
for time, letter in of_phase:
    at = [phase for phase, start, end in phases if float(start) + 0.08 <= time - shift <= float(end) - 0.08]
    if at:
        right += letter == at[0]
        faults += [f"{letter} {time - shift - float(dict((phase, start) for phase, start, _ in phases)[at[0]]):.3f} s into {at[0]}"] * (letter != at[0])
named = [frame for sample in recording.samples for frame in sample.frames if frame.kind == "javascript"]
unknown = sum(frame.name == "[js unknown]" for frame in named)
wrong = len(faults)
print(*faults[:20], sep="\n")
print(f"right {right}, wrong {wrong}, unknown {unknown} of {len(named)}")
assert right > 300 and wrong <= 0.005 * right and unknown <= 0.02 * len(named)
PYTHON
done
