# Names of JavaScript that a node without any flag runs: functions of every kind with the place where
# they are defined, tiers, what was expanded, threads, regular expressions, WebAssembly.
set -euo pipefail
. "$TICKFLAME_SOURCE/tests/live/lib.bash"
need_nodes
need_sampling
programs=$TICKFLAME_SOURCE/tests/bench/names-programs
export RECORDED=$TICKFLAME_SOURCE/tests/lib PROGRAMS=$programs PYTHONDONTWRITEBYTECODE=1
for node in "${nodes[@]}"; do
    "$node" --version
    start_node "$node" "$programs/cpu.js" 30
    gives 0 tickflame record -p "$process" -F 1999 -d 1.2 --force -o cpu.tickflame.gz
    kill "$process"
    [ ! -e "/tmp/perf-$process.map" ]
    look cpu.tickflame.gz '
print(report["sampling"])
assert report["sampling"]["named_share"] >= 0.98 and report["sampling"]["names"] == "heap"
assert report["sampling"]["names_compared"] == 0 and report["sampling"]["complete_share"] >= 0.93'
    python3 - <<'PYTHON'
import collections, os, re, sys
sys.path.insert(0, os.environ["RECORDED"])
from recorded import Recording
programs = os.environ["PROGRAMS"]
recording = Recording("cpu.tickflame.gz")
seen = collections.Counter(frame for sample in recording.samples for frame in sample.frames if frame.kind == "javascript")
names = collections.defaultdict(set)
for frame in seen:
    names[frame.name].add((frame.file, frame.line, frame.column))

def place(file, text, at="("):
    """Where a function begins: at its parameters, behind the text in the file."""
    path = os.path.join(programs, file)
    for number, line in enumerate(open(path, encoding="utf-8"), 1):
        if text in line:
            start = line.index(text) + len(text) if at == "(" else line.index(text) + text.index(at)
            return path, number, start + 1
    raise AssertionError(text)

expected = {
    "fib": place("cpu.js", "function fib"), "compareNumbers": place("cpu.js", "const compareNumbers = "), "multiply": place("cpu.js", "function multiply"),
    "byKey": place("cpu.js", "function byKey"), "convertJson": place("cpu.js", "function convertJson"), "useClasses": place("cpu.js", "function useClasses"),
    "get area": place("cpu.js", "get area"), "recurse": place("cpu.js", "function recurse"), "callSmall": place("cpu.js", "function callSmall"),
    "moduleWork": place("cpu-module.mjs", "function moduleWork"), "helper": place("cpu-module.mjs", "const helper = "),
    "inEval": ("", 1, len("(function inEval") + 1), "inOtherContext": ("other-context.js", 1, len("(function inOtherContext") + 1),
}
for name, where in expected.items():
    assert where in names[name], f"{name}: {sorted(names[name])} instead of {where}"
# Those that are called less are there too, not all of them in each run.
rare = ["count", "unite", "#measure", "#step", "set area", "toString", "Shape", "Square", "Point", "run", "moved", "awaitOne", "awaitMany", "generateNumbers", "numbers",
        "moduleAsync", "revive", "trap", "boundTarget", "thrower", "tagged", "méthode", "with spaces; and more", "絵文字🙂", "useTable", "sortRecords", "hash", "coldCode"]
found = [name for name in rare if name in names]
print(len(found), "of", len(rare), "others; missing:", set(rare) - set(found))
assert len(found) >= 0.6 * len(rare)
# A name stands for the place that has it: none is another's.
for frame in seen:
    if frame.file.startswith(programs) and frame.name and frame.line > 1:
        line = open(frame.file, encoding="utf-8").read().split("\n")[frame.line - 1]
        word = re.findall(r"[^\s.#]+", frame.name)[-1]
        assert word in line or frame.name in ("computedName", "Shape", "Square", "Counter") or frame.name.startswith("<"), f"{frame} is not in {line}"
tiers = collections.Counter()
for frame, count in seen.items():
    tiers[frame.tier] += count
print(dict(tiers))
assert tiers["optimised"] + tiers["maglev"] > 0.3 * sum(tiers.values()) and tiers["none"] < 0.05 * sum(tiers.values())
# V8 expands the steps of callSmall into it.
inlined = {frame.name for frame in seen if frame.inlined}
assert "addOne" in inlined or "addTwice" in inlined, inlined
kinds = collections.Counter(frame.kind for sample in recording.samples for frame in sample.frames)
assert kinds["regexp"] > 0, kinds
# Node's own scripts are told apart by their names.
assert any(frame.file.startswith("node:") for frame in seen)
PYTHON
done

# WebAssembly has its kind, and stands between the functions that it calls and is called by.
start_node "$node" "$programs/wasm.js" 30
gives 0 tickflame record -p "$process" -F 999 -d 0.6 --force -o wasm.tickflame.gz
kill "$process"
tickflame fold --no-tiers --weight samples wasm.tickflame.gz >wasm.tickflame.gz.folded
look wasm.tickflame.gz '
assert sum(row["self_share"] for row in report["functions"] if row["kind"] == "wasm") > 0.2
assert folded("callOut ", "calledFromWasm ") > 0 and folded("callSpin ", "[wasm]") > 0'

# Eight threads, each with objects of its own.
start_node "$node" "$programs/workers.js" 30
gives 0 tickflame record -p "$process" -F 999 -d 1 --force -o workers.tickflame.gz
kill "$process"
look workers.tickflame.gz '
workers = [thread for thread in report["threads"] if thread["role"] == "worker" and thread["weight"] > 0]
print(len(workers), report["sampling"]["named_share"])
assert len(workers) == 8 and report["sampling"]["named_share"] >= 0.98
assert own("spinInWorker", "total_share") > 0.1 and row("spinInWorker")["line"] == 5'
