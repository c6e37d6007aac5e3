# What is sampled and where it goes: events, kernel frames, kinds of files, limits, full disks.
set -euo pipefail
. "$TICKFLAME_SOURCE/tests/live/lib.bash"
need_nodes 24
need_sampling
work=$TICKFLAME_SOURCE/tests/live/record-work.js
start_node "$node" "${named[@]}" "$work" 300
busy=$process
fast=(-p "$busy" -F 999 -d 0.4)

gives 0 tickflame record "${fast[@]}" -o stacks.folded
says stacks.folded '*turnTen '
gives 0 tickflame report stacks.folded
gives 0 tickflame record "${fast[@]}" -o graph.svg
xmllint --noout --nonet graph.svg
says graph.svg turnTen
gives 2 tickflame record "${fast[@]}" -o stacks.txt
says err.txt '.tickflame.gz'
[ "$(stat -c %a stacks.folded graph.svg | sort -u)" = 600 ]
[ ! -e stacks.txt ]

# A file that exists is left alone, unless told otherwise.
for file in kept.tickflame.gz kept.folded kept.svg; do
    echo precious >"$file"
    gives 5 tickflame record "${fast[@]}" -o "$file"
    says err.txt "$file exists" '--force'
    [ "$(cat "$file")" = precious ]
    gives 0 tickflame record "${fast[@]}" -o "$file" --force
    gives 0 bash -c '! grep -q precious "$1"' - "$file"
done
gives 0 tickflame report kept.tickflame.gz
gives 5 tickflame record "${fast[@]}" -o no/such/folder.tickflame.gz

# Hardware cycles; most virtual machines have none, and then it says what is used instead.
gives 0 tickflame record "${fast[@]}" --event cycles -o cycles.tickflame.gz
open=$(tickflame doctor --format json | python3 -c 'import json, sys
print([gate["open"] for gate in json.load(sys.stdin)["gates"] if gate["name"] == "hardware-cycles"][0])')
if [ "$open" = True ]; then
    look cycles.tickflame.gz 'assert report["totals"]["unit"] == "count" and own("turnTen") > 0.2'
else
    says err.txt 'cycles' 'cpu-clock'
    look cycles.tickflame.gz 'assert report["totals"]["unit"] == "nanoseconds" and own("turnTen") > 0.2'
fi

# Page faults of a program that allocates.
gives 0 tickflame record -F 9999 --event page-faults -o faults.tickflame.gz -- "$node" -e '
    const kept = [];
    function allocateMuch() { for (let i = 0; i < 60; i++) kept.push(Buffer.alloc(1 << 20, 1)); }
    allocateMuch();'
look faults.tickflame.gz '
print(report["totals"])
assert report["totals"]["unit"] == "count"
assert row("allocateMuch")["total_share"] > 0.1'

# Frames in the kernel.
system='const fs = require("fs"); const end = Date.now() + 700; function readOften() { while (Date.now() < end) fs.readFileSync("/proc/self/status"); } readOften();'
gives 0 tickflame record -F 999 --kernel no -o user.tickflame.gz -- "$node" -e "$system"
look user.tickflame.gz 'assert not any(row["kind"] == "kernel" for row in report["functions"])'
if [ "$(id -u)" -eq 0 ] || [ "$(cat /proc/sys/kernel/perf_event_paranoid)" -le 1 ]; then
    gives 0 tickflame record -F 999 --kernel yes -o kernel.tickflame.gz -- "$node" -e "$system"
    look kernel.tickflame.gz '
share = sum(row["self_share"] for row in report["functions"] if row["kind"] == "kernel")
print("kernel", share)
assert share > 0.15'
fi

kill "$busy"

# A limit on the size, and a disk that is full: here a limit of the shell, in KB. Each stack is new.
cat >wander.js <<'JS'
let seed = 1;
const steps = [];
function random() { return (seed = (seed * 48271) % 2147483647); }
function wanderA(n) { random(); return n > 0 ? steps[random() % 4](n - 1) + 1 : 0; }
function wanderB(n) { random(); return n > 0 ? steps[random() % 4](n - 1) + 2 : 0; }
function wanderC(n) { random(); return n > 0 ? steps[random() % 4](n - 1) + 3 : 0; }
function wanderD(n) { random(); return n > 0 ? steps[random() % 4](n - 1) + 4 : 0; }
steps.push(wanderA, wanderB, wanderC, wanderD);
console.log('begun');
for (;;) wanderA(80);
JS
start_node "$node" "${named[@]}" wander.js
gives 0 tickflame record -p "$process" -F 20000 -d 15 --max-size 1 -o limit.tickflame.gz
says err.txt '--max-size'
look limit.tickflame.gz '
print(report["totals"])
assert report["totals"]["duration_seconds"] < 12 and own_by(lambda name: name.startswith("wander")) > 0.5'
[ "$(stat -c %s limit.tickflame.gz)" -le 1048576 ]
gives 5 bash -c 'ulimit -f 900; exec tickflame record -p "$1" -F 20000 -d 15 -o full.tickflame.gz' - "$process"
says err.txt 'full.tickflame.gz'
says out.txt wanderA
[ "$(stat -c %s full.tickflame.gz)" -le 921600 ]
gives 0 tickflame report full.tickflame.gz
says out.txt wanderA 'could not be written'
