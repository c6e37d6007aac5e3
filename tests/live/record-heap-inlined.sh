# Functions that were expanded into optimised code, of a node without any flag: those on the way to a
# call are told, and no others that were expanded into the same code.
set -euo pipefail
. "$TICKFLAME_SOURCE/tests/live/lib.bash"
need_nodes
need_sampling
cat >callers.js <<'JS'
'use strict';
// sameWord and hasWord are expanded into handle, and call nothing. emit is expanded too, and calls the
// handlers, which are too many to be expanded there.
function sameWord(a, b) {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) {
    const x = a.charCodeAt(i) | 32, y = b.charCodeAt(i) | 32;
    if (x !== y) return false;
  }
  return true;
}
function hasWord(list, word) {
  for (let i = 0; i < list.length; i += 2) if (list[i].length === word.length && sameWord(list[i], word)) return true;
  return false;
}
const handlers = [1, 2, 3, 4, 5, 6].map((k) => new Function('n', 'x', `for (let i = n; i > 0; i--) x = (x * 16807 + ${k}) % 2147483647; return x;`));
let turn = 0;
function emit(n) { return handlers[turn++ % 6](n, 7); }
const lists = [['Accept', 'x', 'HOST', 'y'], ['Connection', 'close', 'host', 'z'], ['User-Agent', 'q', 'Host', 'w']];
let sum = 0;
function handle(i) {
  if (!hasWord(lists[i % 3], 'host')) return false;
  sum = (sum + emit(1000)) % 65521;
  return true;
}
for (let i = 0, end = Date.now() + 1000; Date.now() < end;) for (let j = 0; j < 100; j++) handle(i++);
console.log('begun');
for (let i = 0, end = Date.now() + 20000; Date.now() < end;) for (let j = 0; j < 100; j++) handle(i++);
JS
for node in "${nodes[@]}"; do
    start_node "$node" callers.js
    gives 0 tickflame record -p "$process" -F 999 -d 0.8 --force -o inlined.tickflame.gz
    kill "$process"
    "$node" --version
    tickflame fold --weight samples --no-tiers inlined.tickflame.gz >inlined.folded
    python3 - <<'PYTHON'
import collections, re
# What stands above handle in the stacks where something called from it works.
above = collections.Counter()
for line in open("inlined.folded", encoding="utf-8"):
    stack, count = line.rsplit(" ", 1)
    names = [re.sub(r" \S*:\d+:\d+$", "", frame) for frame in stack.split(";")]
    if "handle" in names:
        rest = names[names.index("handle") + 1:]
        known = [name for name in rest if name in ("emit", "hasWord", "sameWord", "(anonymous)")]
        above[" > ".join(known)] += int(count)
print(above)
whole = sum(above.values())
assert whole > 300 and above["emit > (anonymous)"] > 0.95 * whole
assert all(path in ("", "emit", "emit > (anonymous)", "hasWord", "hasWord > sameWord") for path in above)
PYTHON
done
