# On a terminal the culprit is named two seconds after the start, in a line that is erased at the end.
set -euo pipefail
. "$TICKFLAME_SOURCE/tests/live/lib.bash"
need_nodes 24
need_sampling
command -v script >/dev/null || skip_case 'script is missing (bsdutils)'
cat >blocks.js <<'JS'
const crypto = require('crypto');
function hashPassword() { crypto.pbkdf2Sync('secret', 'salt', 20000, 64, 'sha512'); }
console.log('begun');
setInterval(hashPassword, 1);
JS
start_node "$node" "${named[@]}" blocks.js
start=$(date +%s%N)
# Each piece of the terminal with the time at which it came.
TERM=xterm script -qefc "stty cols 100; tickflame record -p $process -d 4.4 -o verdict.tickflame.gz" /dev/null </dev/null |
    python3 -c '
import os, sys, time
start = int(sys.argv[1])
while True:
    piece = os.read(0, 65536)
    if not piece: break
    print(f"{(time.time_ns() - start) / 1e9:.2f} {piece!r}")' "$start" >pieces.txt
cat pieces.txt | cut -c1-300
python3 - <<'PYTHON'
pieces = [line.split(" ", 1) for line in open("pieces.txt", encoding="utf-8")]
lines = [(float(when), text) for when, text in pieces if "s: " in text and "\\r" in text and "blocks the event loop" in text]
when, text = lines[0]
assert "`pbkdf2Sync` blocks the event loop" in text and "hashPassword blocks.js:2" in text, text
assert 1.9 < when < 3.6, f"the verdict came after {when} s"
assert len(lines) >= 2, "it is not refined"
everything = "".join(text for _, text in pieces)
report = everything.index("holds the event loop")
assert "\\r\\x1b[K" in everything[:report], "the line is not erased"
PYTHON
gives 0 tickflame report verdict.tickflame.gz
says out.txt pbkdf2Sync hashPassword
# Without a terminal, or with --quiet, there is no such line.
gives 0 tickflame record -p "$process" -d 2.3 -o quiet.tickflame.gz
hides err.txt 'blocks the event loop:'
