# Which processes are sampled: by port, several, children, any program; and those that are not there.
set -euo pipefail
. "$TICKFLAME_SOURCE/tests/live/lib.bash"
need_nodes 24
need_sampling
work=$TICKFLAME_SOURCE/tests/live/record-work.js

# A cluster: the port is that of its first process, and --children are its workers.
cat >cluster.js <<'JS'
const cluster = require('cluster');
const http = require('http');
function spinInCluster() { let s = 0; for (let i = 0; i < 1e6; i++) s += Math.sqrt(i); return s; }
if (cluster.isPrimary !== undefined ? cluster.isPrimary : cluster.isMaster) {
  let listening = 0;
  for (let i = 0; i < 2; i++) cluster.fork();
  cluster.on('listening', (worker, address) => { if (++listening === 2) console.log(address.port); });
} else {
  http.createServer((request, response) => response.end()).listen(0, '127.0.0.1');
  // With others beside it, so that the caller of timers does not inline it.
  for (const spin of [spinInCluster, () => 1, () => 2, () => 3, () => 4, () => 5]) setInterval(spin, 2);
}
JS
start_node "$node" "${named[@]}" cluster.js
cluster=$process
port=$(head -n 1 node.txt)
mapfile -t workers < <(pgrep -P "$cluster")
started+=("${workers[@]}")
gives 0 tickflame record --port "$port" --children -F 499 -d 0.8 -o cluster.tickflame.gz
CLUSTER=$cluster look cluster.tickflame.gz '
processes = {thread["process_id"] for thread in report["threads"] if thread["role"] == "main" and thread["weight"] > 5e7}
print("processes with CPU time:", len(processes))
assert len(processes) == 2 and int(os.environ["CLUSTER"]) not in processes
assert own("spinInCluster") > 0.5'
gives 4 tickflame record --port "$port" -F 499 -d 0.4 -o alone.tickflame.gz
says err.txt 'no samples'

# No target: the list.
gives 0 tickflame record
says out.txt "$cluster" "${workers[@]}" 'cluster.js' 'tickflame record -p'

# Two at once, each with its own names.
start_node "$node" "${named[@]}" "$work" 300
first=$process
gives 0 tickflame record -p "$first" -p "${workers[0]}" -F 499 -d 0.8 -o two.tickflame.gz
look two.tickflame.gz '
assert own("turnTen") > 0.1 and own("spinInCluster") > 0.1, (own("turnTen"), own("spinInCluster"))
assert len({thread["process_id"] for thread in report["threads"]}) == 2'
kill "$cluster" "${workers[@]}" 2>/dev/null || true

# Only the main thread.
gives 0 tickflame record -p "$first" --main-thread -F 499 -d 0.4 -o main.tickflame.gz
look main.tickflame.gz 'assert [thread["role"] for thread in report["threads"] if thread["weight"]] == ["main"]'
kill "$first"

# A program that is no node is sampled all the same.
python3 -c 'print("begun", flush=True)
while True: sum(range(1000))' >python.txt &
started+=("$!")
wait_until test -s python.txt
gives 0 tickflame record -p "$!" -F 499 -d 0.4 -o python.tickflame.gz
says err.txt 'does not run node'
kill "$!"

# A process that waits, and ones that are not there.
sleep 30 &
started+=("$!")
gives 4 tickflame record --quiet -p "$!" -d 0.3 -o waits.tickflame.gz
says err.txt 'no samples'
[ ! -e waits.tickflame.gz ]
sleep 0 &
gone=$!
wait "$gone"
gives 4 tickflame record -p "$gone" -o gone.tickflame.gz
says err.txt "$gone"
gives 4 tickflame record --port 1 -o port.tickflame.gz
says err.txt 'port 1'
