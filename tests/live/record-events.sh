# What is sampled: events, and frames of the kernel.
set -euo pipefail
. "$TICKFLAME_SOURCE/tests/live/lib.bash"
need_nodes 24
need_sampling
start_node "$node" "${named[@]}" "$TICKFLAME_SOURCE/tests/live/record-work.js" 300
busy=$process
fast=(-p "$busy" -F 999 -d 0.4)

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

# Page faults of a program that allocates: it has 256 for each MB.
gives 0 tickflame record -F 500 --event page-faults -o faults.tickflame.gz -- "$node" -e '
    const kept = [];
    function allocateMuch() { for (let i = 0; i < 200; i++) kept.push(Buffer.alloc(1 << 20, 1)); }
    allocateMuch();'
says err.txt '-F has no effect'
says out.txt 'events counted'
look faults.tickflame.gz '
print(report["totals"])
assert report["totals"]["unit"] == "count" and report["sampling"]["asked_hz"] is None
assert 40000 < report["totals"]["weight"] < 100000
assert row("allocateMuch")["total_share"] > 0.5'

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
