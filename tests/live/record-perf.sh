# With perf beside us: perf.data and its perf script text fold alike, and agree with what record sees.
set -euo pipefail
. "$TICKFLAME_SOURCE/tests/live/lib.bash"
command -v perf >/dev/null || skip_case 'perf is missing (linux-perf); tickflame itself does not need it'
need_nodes 20 24
need_sampling
for node in "${nodes[@]}"; do
    version=$("$node" --version)
    start_node "$node" "${named[@]}" "$TICKFLAME_SOURCE/tests/live/record-work.js" 300
    perf record -q -g -F 999 -p "$process" -o perf.data -- sleep 1.2 >perf.txt 2>&1 || skip_case "perf record fails here: $(tail -n 1 perf.txt)"
    gives 0 tickflame record -p "$process" -F 999 -d 1.2 --force -o ours.tickflame.gz
    perf script -i perf.data >script.txt 2>perf.txt
    gives 0 tickflame fold perf.data
    mv out.txt data.folded
    gives 0 tickflame fold script.txt
    mv out.txt script.folded
    kill "$process"
    echo "$version: $(wc -l <data.folded) stacks"
    grep -q 'turnTen' data.folded
    python3 - <<'PYTHON'
def stacks(path):
    weights = {}
    for line in open(path, encoding="utf-8"):
        stack, weight = line.rsplit(" ", 1)
        weights[stack] = weights.get(stack, 0) + int(weight)
    return weights
data, script = stacks("data.folded"), stacks("script.folded")
print(sum(data.values()), sum(script.values()))
assert sum(data.values()) == sum(script.values())
apart = sum(abs(data.get(stack, 0) - script.get(stack, 0)) for stack in data.keys() | script.keys()) / 2
for stack in sorted((data.keys() | script.keys()), key=lambda stack: -abs(data.get(stack, 0) - script.get(stack, 0)))[:4]:
    if data.get(stack, 0) != script.get(stack, 0):
        print(data.get(stack, 0), script.get(stack, 0), stack[-200:])
print(f"in other stacks: {apart / sum(data.values()):.4f}")
assert apart < 0.02 * sum(data.values())
PYTHON
    tickflame report --format json perf.data >perf.json
    look ours.tickflame.gz '
other = json.load(open("perf.json"))
def top(one):
    return [row["name"] for row in one["functions"][:5]]
def share(one, name):
    return sum(row["self_share"] for row in one["functions"] if row["name"] == name)
print([(name, round(share(report, name), 3), round(share(other, name), 3)) for name in top(report)])
assert set(top(report)) == set(top(other)) == {"turnTen", "turnSeven", "turnFive", "turnThree", "turnTwo"}
assert report["functions"][0]["name"] == other["functions"][0]["name"] == "turnTen"
for name in top(report):
    p = share(report, name)
    error = (p * (1 - p) * (1 / report["totals"]["samples"] + 1 / other["totals"]["samples"])) ** 0.5
    assert abs(p - share(other, name)) < 4 * error, name'
done
