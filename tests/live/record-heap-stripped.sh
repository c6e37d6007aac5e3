# A node without symbols, and one whose V8 is a library: names come from V8's heap all the same.
set -euo pipefail
. "$TICKFLAME_SOURCE/tests/live/lib.bash"
need_nodes 18 24
need_sampling
command -v strip >/dev/null || skip_case 'strip (binutils) is missing'
named_without_map() {
    gives 0 tickflame record -p "$process" -F 999 -d 0.8 -o "$1.tickflame.gz"
    look "$1.tickflame.gz" '
print(report["sampling"])
sampling = report["sampling"]
assert sampling["names"] == "heap" and sampling["named_share"] > 0.98
assert own("turnTen") > 0.2 and row("turnTen")["line"] == 4 and row("turnTen")["file"].endswith("record-work.js")'
    kill -KILL "$process"
}
for node in "${nodes[@]}"; do
    version=$("$node" --version)
    strip --strip-all -o "stripped-$version" "$node"
    start_node "./stripped-$version" "$TICKFLAME_SOURCE/tests/live/record-work.js" 300
    named_without_map "stripped-$version"
    rm "stripped-$version"
done
# Debian's own.
system=$(command -v nodejs || true)
if [ -n "$system" ] && ldd "$system" 2>/dev/null | grep -q libnode; then
    start_node "$system" "$TICKFLAME_SOURCE/tests/live/record-work.js" 300
    named_without_map debian
fi
