# The same work seen by node's own --cpu-prof and by record agrees on the five hottest functions,
# within three standard errors of both. Both look at one process at the same time.
set -euo pipefail
. "$TICKFLAME_SOURCE/tests/live/lib.bash"
need_nodes
need_sampling
agrees() {
    rm -f ./*.cpuprofile ./*.gz
    start_node "$node" "${named[@]}" --cpu-prof --cpu-prof-interval 1000 --cpu-prof-name "$version.cpuprofile" \
        "$TICKFLAME_SOURCE/tests/live/record-work.js" 2.2
    gives 0 tickflame record -p "$process" -F 999 -o "$version.tickflame.gz"
    wait "$process"
    gives 0 tickflame report "$version.cpuprofile"
    says out.txt turnTen
    PROFILE=$version.cpuprofile look "$version.tickflame.gz" '
names = ["turnTen", "turnSeven", "turnFive", "turnThree", "turnTwo"]
# Hits, not times: a time is long where the machine had no processor to spare.
theirs = dict.fromkeys(names, 0)
with open(os.environ["PROFILE"], encoding="utf-8") as file:
    for node in json.load(file)["nodes"]:
        name = node["callFrame"]["functionName"]
        if name in theirs:
            theirs[name] += node["hitCount"]
hits = sum(theirs.values())
weight = sum(row(name)["self"] for name in names)
ours = {name: row(name)["self"] / weight for name in names}
theirs = {name: count / hits for name, count in theirs.items()}
print({name: (round(ours[name], 3), round(theirs[name], 3)) for name in names})
assert sorted(names, key=lambda name: -ours[name]) == names, "the order of record"
assert sorted(names, key=lambda name: -theirs[name]) == names, "the order of --cpu-prof"
own_functions = [row["name"] for row in report["functions"] if row["kind"] == "javascript"]
assert set(own_functions[:5]) == set(names), own_functions[:8]
assert sum(own(name) for name in names) > 0.8, sum(own(name) for name in names)
for name, share in ours.items():
    variance = share * (1 - share)
    error = (variance / (weight / 1001001) + variance / hits) ** 0.5
    difference = share - theirs[name]
    assert abs(difference) < 3 * error, f"{name}: {difference:.4f}, standard error {error:.4f}"
assert report["sampling"]["lost"] == 0'
}

for node in "${nodes[@]}"; do
    version=$("$node" --version)
    echo "$version"
    # Of so many comparisons one in fifteen runs would be beyond three standard errors by chance.
    agrees || agrees
done
