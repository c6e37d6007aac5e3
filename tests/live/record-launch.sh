# `record -- node app.js`: names without any option, nothing left behind, the ends of the program.
set -euo pipefail
. "$TICKFLAME_SOURCE/tests/live/lib.bash"
need_nodes
need_sampling
mkdir work
cd work
for node in "${nodes[@]}"; do
    rm -f ./*.gz
    gives 0 tickflame record -F 999 -- "$node" "$TICKFLAME_SOURCE/tests/live/record-work.js" 1
    says out.txt begun 'turnTen' 'record-work.js:4'
    recording=$(echo tickflame-*.tickflame.gz)
    process=${recording//[!0-9]/}
    says err.txt "wrote $recording"
    look "$recording" '
print(report["sampling"])
assert own_by(lambda name: name.startswith("turn")) > 0.5
assert own("[js unknown]") < 0.05
rss = [counter for counter in report["counters"] if counter["name"] == "rss"][0]
assert rss["lowest"] > 2e6, "that is not the memory of a node"
assert report["sampling"]["lost"] == 0'
    rm -f "$recording" "$recording.json" out.txt err.txt
    [ -z "$(ls -A)" ] || { echo "left behind: $(ls -A)"; exit 1; }
    [ ! -e "/tmp/perf-${process%0}.map" ] && [ ! -e "/tmp/perf-$process.map" ]
done

# Its worker threads and child processes are named and cleaned up after, too.
cat >family.js <<'JS'
const { Worker, isMainThread } = require('worker_threads');
const end = Date.now() + 600;
function spinInChild() { let s = 0; for (let i = 0; i < 1e6; i++) s += Math.sqrt(i); return s; }
function spinInThread() { let s = 0; for (let i = 0; i < 1e6; i++) s += Math.cbrt(i); return s; }
if (process.argv[2] === 'child') {
  while (Date.now() < end) spinInChild();
} else if (isMainThread) {
  new Worker(__filename);
  require('child_process').fork(__filename, ['child']).on('exit', (status) => process.exit(status));
} else {
  while (Date.now() < end) spinInThread();
}
JS
for node in "${nodes[@]}"; do
    gives 0 tickflame record -F 999 --force -o family.tickflame.gz -- "$node" family.js
    look family.tickflame.gz '
print([(name, own(name)) for name in ("spinInChild", "spinInThread")], roles())
assert own("spinInChild") + own_by(lambda name: name == "Builtin:MathSqrt") > 0.1
assert own("spinInThread") + own_by(lambda name: name == "v8::base::ieee754::cbrt") > 0.1
assert row("spinInChild")["total"] > 0 and row("spinInThread")["total"] > 0
assert roles()["worker"] > 50'
    for process in $(python3 -c 'import json
print(*{thread["process_id"] for thread in json.load(open("family.tickflame.gz.json"))["threads"]})'); do
        [ ! -e "/tmp/perf-$process.map" ] || { echo "left behind: /tmp/perf-$process.map"; exit 1; }
    done
    [ "$(echo ./*.log)" = './*.log' ] || { echo "left behind: $(echo ./*.log)"; exit 1; }
done

# What a program says and is told passes through; its options are kept.
gives 0 env NODE_OPTIONS=--max-old-space-size=123 tickflame record --names map --quiet -o options.folded -- "$node" -e '
    console.error(process.env.NODE_OPTIONS, process.execArgv.join());
    for (let i = 0; i < 1e8; i++);'
says err.txt '--max-old-space-size=123 --perf-basic-prof'
gives 0 env NODE_OPTIONS=--max-old-space-size=123 tickflame record --quiet -o options.folded --force -- "$node" -e '
    console.error(process.env.NODE_OPTIONS, process.execArgv.join());
    for (let i = 0; i < 1e8; i++);'
says err.txt '--max-old-space-size=123 -e,'
echo 'let s = 0; for (let i = 0; i < 1e8; i++) s += i; console.log("sum", s);' >in.js
gives 0 bash -c 'tickflame record --quiet -o stdin.folded -- "$0" - <in.js' "$node"
says out.txt 'sum '

# A program that fails: the recording counts, unless its status is asked for.
busy='const end = Date.now() + 300; while (Date.now() < end); '
gives 0 tickflame record -F 999 -o fails.tickflame.gz -- "$node" -e "$busy process.exit(7)"
gives 7 tickflame record -F 999 --exit-status -o fails-7.tickflame.gz -- "$node" -e "$busy process.exit(7)"
gives 137 tickflame record -F 999 --exit-status -o killed.tickflame.gz -- "$node" -e "$busy process.kill(process.pid, 'SIGKILL')"
gives 0 tickflame report killed.tickflame.gz
gives 4 tickflame record -- ./no-such-program
says err.txt 'no-such-program'
gives 4 tickflame record -o exits.tickflame.gz -- true
says err.txt 'no samples' 'true'
gives 4 tickflame record -o sleeps.tickflame.gz -d 0.3 -- sleep 5
says err.txt 'no samples'
gives 0 tickflame record -F 999 -o duration.tickflame.gz -d 0.7 -- "$node" "$TICKFLAME_SOURCE/tests/live/record-work.js" 60
look duration.tickflame.gz 'assert 0.6 < report["totals"]["duration_seconds"] < 1.5'
if pgrep -f 'record-work.js 60' >/dev/null; then
    echo 'the program runs on'
    exit 1
fi
ls
[ ! -e no-such-program ] && [ ! -e exits.tickflame.gz ] && [ ! -e sleeps.tickflame.gz ]
