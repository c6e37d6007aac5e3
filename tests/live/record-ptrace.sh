# Where perf_event_open is refused a process that runs is sampled by stopping it: named, its route said, and
# nothing of it harmed, whatever ends first.
set -euo pipefail
. "$TICKFLAME_SOURCE/tests/live/lib.bash"
need_nodes
"${CC:-cc}" -Wall -Wextra -Werror -o deny "$TICKFLAME_SOURCE/tests/live/record-deny.c"
./deny true || skip_case 'seccomp filters are refused here'

# runs_on PROCESS: it uses processor time, and nobody traces it.
runs_on() {
    python3 - "$1" <<'PYTHON'
import sys, time
def look():
    status = dict(line.split(":", 1) for line in open(f"/proc/{sys.argv[1]}/status") if ":" in line)
    times = open(f"/proc/{sys.argv[1]}/stat").read().rsplit(")", 1)[1].split()
    return status["State"].strip()[0], int(status["TracerPid"]), int(times[11]) + int(times[12])
for tries in range(50):
    before = look()
    time.sleep(0.2)
    after = look()
    if after[1] == 0 and after[2] > before[2]:
        break
else:
    raise SystemExit(f"it does not run on: {before} {after}")
PYTHON
}

for node in "${nodes[@]}"; do
    start_node "$node" "$TICKFLAME_SOURCE/tests/live/record-work.js" 300
    gives 0 ./deny tickflame record -p "$process" -F 999 -d 2 -o work.tickflame.gz --force
    says err.txt 'ptrace' '199 times a second'
    says out.txt turnTen 'perf_event_open is blocked' PERFMON
    look work.tickflame.gz '
order = ("turnTen", "turnSeven", "turnFive", "turnThree", "turnTwo")
print(report["sampling"], [(name, round(own(name), 3)) for name in order])
sampling = report["sampling"]
assert sampling["route"] == "ptrace" and sampling["asked_hz"] == 199 and sampling["names"] == "heap"
assert sampling["named_share"] > 0.98 and sampling["node"].startswith("v")
assert 30 < sampling["delivered_hz"] < 220
assert own("turnTen") > 0.2 and row("turnTen")["line"] == 4 and sum(own(name) for name in order) > 0.8
assert abs(report["totals"]["busy"] / 1e9 - report["totals"]["duration_seconds"]) < 0.7'
    runs_on "$process"
    kill -KILL "$process"
done

# The recorder is killed.
start_node "$node" "$TICKFLAME_SOURCE/tests/live/record-work.js" 300
for tries in 1 2 3; do
    ./deny tickflame record -p "$process" -F 199 -o killed.tickflame.gz --force >out.txt 2>err.txt &
    recorder=$!
    wait_until test -s killed.tickflame.gz
    sleep "0.$tries"
    kill -KILL "$recorder"
    wait "$recorder" 2>/dev/null || true
    runs_on "$process"
    rm killed.tickflame.gz
done

# The target is stopped and goes on, as it is told.
./deny tickflame record -p "$process" -F 199 -d 3 -o stopped.tickflame.gz >out.txt 2>err.txt &
recorder=$!
wait_until test -s stopped.tickflame.gz
sleep 0.3
kill -STOP "$process"
sleep 0.5
case $(sed -n 's/^State:[[:space:]]*\(.\).*/\1/p' "/proc/$process/status") in
[Tt]) ;;
*) echo 'SIGSTOP has no effect'; exit 1 ;;
esac
kill -CONT "$process"
wait "$recorder"
runs_on "$process"
look stopped.tickflame.gz 'assert own("turnTen") > 0.2'
kill -KILL "$process"

# Signals reach it; it starts and ends threads, runs another program, and ends.
cat >lively.js <<'JS'
const { Worker, isMainThread } = require('worker_threads');
if (!isMainThread) {
    let s = 0;
    for (let i = 0; i < 2e6; i++) s += Math.sqrt(i);
} else {
    let signals = 0, workers = 0;
    process.on('SIGUSR2', () => signals++);
    const end = Date.now() + 2500;
    console.log('begun');
    (function next() {
        if (Date.now() > end) {
            console.log(`signals ${signals} workers ${workers}`);
            process.exit(signals > 10 && workers > 3 ? 0 : 1);
        }
        new Worker(__filename).on('exit', () => { workers++; next(); });
    })();
}
JS
start_node "$node" lively.js
(for ((i = 0; i < 40; i++)); do kill -USR2 "$process" 2>/dev/null || exit 0; sleep 0.05; done) &
gives 0 timeout 30 ./deny tickflame record -p "$process" -F 199 -o lively.tickflame.gz
wait "$process" || { cat node.txt; exit 1; }
cat node.txt

cat >execs.py <<'PYTHON'
import os, sys, time
print("begun", flush=True)
end = time.time() + 1.5
while time.time() < end:
    sum(range(1000))
os.execv(sys.argv[1], sys.argv[1:])
PYTHON
start_node python3 execs.py "$node" "$TICKFLAME_SOURCE/tests/live/record-work.js" 4
gives 0 timeout 30 ./deny tickflame record -p "$process" -F 199 -o execs.tickflame.gz
wait "$process"
look execs.tickflame.gz 'assert own("turnTen") > 0.1, report["functions"][:5]'
