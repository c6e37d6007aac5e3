# How a recording ends: by time, by signals, with the target, by a kill, when nobody reads.
set -euo pipefail
. "$TICKFLAME_SOURCE/tests/live/lib.bash"
need_nodes 24
need_sampling
work=$TICKFLAME_SOURCE/tests/live/record-work.js
start_node "$node" "${named[@]}" "$work" 300
busy=$process

gives 0 tickflame record -p "$busy" -d 0.5 -F 999 -o time.tickflame.gz
look time.tickflame.gz 'assert 0.45 < report["totals"]["duration_seconds"] < 1.5'

for signal in INT TERM HUP; do
    # A shell starts what is in the background with SIGINT ignored.
    env --default-signal=INT tickflame record -p "$busy" -F 999 -o "$signal.tickflame.gz" >out.txt 2>err.txt &
    recorder=$!
    wait_until test -s "$signal.tickflame.gz"
    sleep 0.7
    kill -s "$signal" "$recorder"
    wait "$recorder" || { echo "status $? after SIG$signal"; exit 1; }
    says out.txt turnTen
    look "$signal.tickflame.gz" 'assert report["totals"]["duration_seconds"] > 0.3 and own("turnTen") > 0.2'
done

# A kill: what was sampled up to a second before is there.
tickflame record -p "$busy" -F 999 -o kill.tickflame.gz >out.txt 2>err.txt &
recorder=$!
wait_until test -s kill.tickflame.gz
sleep 3.5
kill -KILL "$recorder"
wait "$recorder" 2>/dev/null || true
tickflame report kill.tickflame.gz >out.txt 2>err.txt
look kill.tickflame.gz '
print("killed after 3.5 s:", report["totals"]["duration_seconds"], report["warnings"])
assert 2.3 < report["totals"]["duration_seconds"] < 3.8 and own("turnTen") > 0.2
main = [thread for thread in report["threads"] if thread["role"] == "main"][0]'
gives 0 tickflame fold kill.tickflame.gz
says out.txt turnTen

# Nobody reads the report: the recording is there.
status=0
tickflame record -p "$busy" -F 999 -d 0.3 -o pipe.tickflame.gz 2>err.txt | true || status=$?
[ "$status" -eq 0 ] || [ "$status" -eq 141 ]
gives 0 tickflame report pipe.tickflame.gz
gives 5 bash -c 'tickflame record -p "$1" -F 999 -d 0.3 -o closed.tickflame.gz >&-' - "$busy"
gives 0 tickflame report closed.tickflame.gz
kill "$busy"

# The target ends meanwhile: by itself, and killed.
start_node "$node" "${named[@]}" "$work" 0.6
gives 0 tickflame record -p "$process" -F 999 -d 20 -o ends.tickflame.gz
look ends.tickflame.gz 'assert report["totals"]["duration_seconds"] < 10 and own("turnTen") > 0.2'
start_node "$node" "${named[@]}" "$work" 300
(sleep 0.6 && kill -KILL "$process") &
gives 0 tickflame record -p "$process" -F 999 -d 20 -o killed.tickflame.gz
look killed.tickflame.gz 'assert report["totals"]["duration_seconds"] < 10 and own("turnTen") > 0.2'

# A program that does not end when it is told to: the seconds of waiting for it are not recorded.
gives 0 tickflame record -F 999 -d 0.5 -o ignores.tickflame.gz -- "$node" -e "
    process.on('SIGTERM', () => {});
    setInterval(() => { for (let i = 0; i < 1e6; i++); }, 1);"
look ignores.tickflame.gz 'assert report["totals"]["duration_seconds"] < 1.5'
# One that is ended by us has not ended by itself.
gives 4 tickflame record -d 0.3 -o sleeps.tickflame.gz -- sleep 30
says err.txt 'used no CPU time'

# The recorder is killed: what it has started ends too.
tickflame record -o orphan.tickflame.gz -- "$node" -e '
    require("fs").writeFileSync("pid", String(process.pid));
    for (const end = Date.now() + 60000; Date.now() < end;);' >out.txt 2>err.txt &
recorder=$!
for ((tries = 0; tries < 100; tries++)); do
    [ ! -s pid ] || break
    sleep 0.1
done
kill -KILL "$recorder"
wait "$recorder" 2>/dev/null || true
for ((tries = 0; tries < 50; tries++)); do
    kill -0 "$(cat pid)" 2>/dev/null || break
    sleep 0.1
done
kill -0 "$(cat pid)" 2>/dev/null && { echo 'the program goes on without its recorder'; exit 1; }

# A thread of the kernel has no program, no arguments and no files.
if [ "$(cat /proc/2/comm 2>/dev/null)" = kthreadd ] && [ "$(id -u)" -eq 0 ]; then
    gives 4 tickflame record -p 2 -d 0.3 -o kernel.tickflame.gz
    says err.txt 'no samples'
fi
