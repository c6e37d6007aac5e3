# record --inspector: V8's own profiler of a process that runs. Its port is closed again, and nobody is harmed.
set -euo pipefail
. "$TICKFLAME_SOURCE/tests/live/lib.bash"
need_nodes
tickflame record --help | grep -q -- --inspector || skip_case 'built without libwebsockets'
python3 -c '
import socket
socket.create_connection(("127.0.0.1", 9229), 1)' 2>/dev/null && skip_case 'somebody listens on port 9229'

# closed: nobody listens any more.
closed() {
    for ((tries = 0; tries < 50; tries++)); do
        python3 -c '
import socket
socket.create_connection(("127.0.0.1", 9229), 1)' 2>/dev/null || return 0
        sleep 0.1
    done
    echo 'the inspector still listens'
    exit 1
}

cat >serve.js <<'JS'
function spinLong() { let s = 0; for (let i = 0; i < 3e6; i++) s += Math.sqrt(i); return s; }
function spinShort() { let s = 0; for (let i = 0; i < 1e6; i++) s += Math.sqrt(i); return s; }
let s = 0;
setInterval(() => { s += spinLong() + spinShort(); }, 1);
console.log('begun');
JS
for node in "${nodes[@]}"; do
    # V8 does not tell what it expanded before its profiler was started: nothing is expanded.
    start_node "$node" --max-inlined-bytecode-size=0 serve.js
    gives 0 timeout 60 tickflame record -p "$process" --inspector -F 999 -d 1.5 -o inspector.tickflame.gz --force
    says out.txt spinLong 'inspector'
    look inspector.tickflame.gz '
print(report["sampling"]["route"], own("spinLong"), own("spinShort"))
assert report["sampling"]["route"] == "inspector"
assert own("spinLong") > 0.4 and own("spinLong") > 1.5 * own("spinShort") > 0 and row("spinLong")["line"] == 1'
    closed
    kill -0 "$process"
    kill -KILL "$process"
done

# SIGUSR1 would end a program that is no node: it is not sent.
sleep 60 &
started+=("$!")
gives 4 timeout 60 tickflame record -p "$!" --inspector -d 0.3 -o sleep.tickflame.gz
says err.txt 'does not run node'
kill -0 "$!"

# Another process listens: neither is disturbed.
start_node "$node" --inspect=9229 serve.js
other=$process
start_node "$node" serve.js
gives 4 timeout 60 tickflame record -p "$process" --inspector -d 0.3 -o other.tickflame.gz
says err.txt 'another process'
kill -0 "$process"
kill -0 "$other"
# One that was open before stays open.
gives 0 timeout 60 tickflame record -p "$other" --inspector -d 0.5 -o open.tickflame.gz
python3 -c '
import socket
socket.create_connection(("127.0.0.1", 9229), 1)'
gives 2 tickflame record --inspector -- "$node" serve.js
