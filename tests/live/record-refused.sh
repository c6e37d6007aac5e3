# Where perf_event_open is refused: a process cannot be sampled, and the reason and a cure are said; a
# program that is started is recorded by V8's own profiler, on every version.
set -euo pipefail
. "$TICKFLAME_SOURCE/tests/live/lib.bash"
need_nodes
"${CC:-cc}" -Wall -Wextra -Werror -o deny "$TICKFLAME_SOURCE/tests/live/record-deny.c"
./deny true || skip_case 'seccomp filters are refused here'

for node in "${nodes[@]}"; do
    version=$("$node" --version)
    mkdir "$version"
    cd "$version"
    gives 0 env TMPDIR="$PWD" ../deny tickflame record -F 999 -o ../"$version.tickflame.gz" -- \
        "$node" "$TICKFLAME_SOURCE/tests/live/record-work.js" 1
    says err.txt "V8's own profiler" 'perf_event_open'
    says out.txt 'begun' 'turnTen' "V8's own profiler"
    rm out.txt err.txt
    [ -z "$(ls -A)" ] || { echo "left behind: $(ls -A)"; exit 1; }
    cd ..
    look "$version.tickflame.gz" '
order = sorted(("turnTen", "turnSeven", "turnFive", "turnThree", "turnTwo"), key=lambda name: -own(name))
print(report["sampling"], [(name, own(name)) for name in order])
assert report["sampling"]["route"] == "cpu-prof"
assert order[0] == "turnTen" and own("turnTen") > 0.2 and row("turnTen")["line"] == 4'
done

# Ended by time, by a signal; its status; a program that is no node.
work=$TICKFLAME_SOURCE/tests/live/record-work.js
cat >serve.js <<'JS'
require('http').createServer(() => {}).listen(0);
setInterval(function serveSpin() { let s = 0; for (let i = 0; i < 3e6; i++) s += Math.sqrt(i); return s; }, 3);
JS
gives 0 ./deny tickflame record -d 0.8 -o time.tickflame.gz -- "$node" serve.js
look time.tickflame.gz 'assert own("serveSpin") > 0.2'
gives 3 ./deny tickflame record --exit-status -o status.tickflame.gz -- "$node" -e 'process.exitCode = 3; const end = Date.now() + 300; while (Date.now() < end);'
gives 4 ./deny tickflame record -o none.tickflame.gz -- sleep 0.1
says err.txt 'no node'
[ ! -e none.tickflame.gz ]

# A process that runs.
start_node "$node" "${named[@]}" "$work" 300
gives 4 ./deny tickflame record -p "$process" --call-graph fp -d 0.3 -o attach.tickflame.gz
says err.txt 'perf_event_open' 'seccomp' 'PERFMON'
[ ! -e attach.tickflame.gz ]
# Nothing is shown of what may not be sampled.
sleep 30 &
started+=("$!")
gives 4 ./deny tickflame record -p "$!" -d 0.3 -o attach.tickflame.gz
hides err.txt 'are shown'
gives 4 ./deny tickflame doctor -p "$process" --format json
python3 -c '
import json
doctor = json.load(open("out.txt"))
gate = {gate["name"]: gate for gate in doctor["gates"]}["perf_event_open"]
print(doctor["route"], gate)
assert doctor["route"] == "none" and not gate["open"] and "seccomp" in gate["value"] + gate["fix"]'
gives 0 ./deny tickflame doctor --format json
says out.txt '"route": "cpu-prof"'
gives 0 ./deny tickflame doctor
says out.txt 'tickflame record -- node app.js'
