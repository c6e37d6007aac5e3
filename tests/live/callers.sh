# Calls whose native code keeps no frame pointer show the handler that made them, in node 20 to 26,
# and where that cannot be (libvips has no unwinding tables) the stack is marked, counted and said.
set -euo pipefail
. "$TICKFLAME_SOURCE/tests/live/lib.bash"
need_nodes 20 22 24 26
need_addons bcrypt sharp
need_sampling
stacks=("$TICKFLAME_SOURCE/tests/bench/stacks" --tickflame "$TICKFLAME")

gives 0 "${stacks[@]}" --mode auto --seconds 2 --warm 0.5 --least 95 --samples 20 --cases compare pbkdf2 scrypt gzip query
cat out.txt
missing=$(grep -o '^node[0-9]*: query is skipped.*' err.txt || true)

# With frame pointers only pbkdf2Sync loses its caller, which is what the above is for.
gives 1 "${stacks[@]}" --node node22 --mode fp --seconds 1 --warm 0.5 --least 95 --samples 20 --cases pbkdf2
says err.txt 'node22, fp: pbkdf2Sync shows handlePbkdf2 in'

start_blocking_server "${nodes[1]}" image
keep_asking image
gives 0 tickflame record -p "$process" -F 999 -d 1.5 -o image.tickflame.gz
says out.txt 'libvips'
tickflame fold --weight samples image.tickflame.gz >image.folded
[ "$(grep -c '^libuv-worker;\[truncated\];.*vips' image.folded)" -gt 0 ]
look image.tickflame.gz '
cut = report["sampling"]["cut"]
print("cut", cut, "complete", report["sampling"]["complete_share"])
assert cut > 100, cut
assert report["sampling"]["complete_share"] < 0.6, report["sampling"]'
[ -z "$missing" ] || skip_case "all but better-sqlite3: $missing"
