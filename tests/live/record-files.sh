# Where the result goes: kinds of files, files that exist, limits, full disks.
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
says err.txt 'give another place with -o'

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
assert report["totals"]["duration_seconds"] < 12 and row("wanderA")["total_share"] > 0.5'
[ "$(stat -c %s limit.tickflame.gz)" -le 1048576 ]
gives 5 bash -c 'ulimit -f 900; exec tickflame record -p "$1" -F 20000 -d 15 -o full.tickflame.gz' - "$process"
says err.txt 'full.tickflame.gz'
says out.txt wanderA
[ "$(stat -c %s full.tickflame.gz)" -le 921600 ]
gives 0 tickflame report full.tickflame.gz
says out.txt wanderA 'could not be written'
