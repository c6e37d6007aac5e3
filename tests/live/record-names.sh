# Names that come and go while a process is sampled: functions made later are named, and code that
# takes the place of other code has the name that was right at the time.
set -euo pipefail
. "$TICKFLAME_SOURCE/tests/live/lib.bash"
need_nodes
need_sampling
cat >phases.js <<'JS'
// Makes functions all the time: first some named phaseA..., then some named phaseB... Old ones die.
'use strict';
const length = Number(process.argv[2]) * 1000;
const start = Date.now();
let serial = 0;
let sum = 0;
console.log('begun');
for (let now = start; now < start + 2 * length; now = Date.now()) {
  const name = `phase${now < start + length ? 'A' : 'B'}${serial++}`;
  const made = new Function(`return function ${name}(x) { for (let i = 0; i < 300; i++) x = (x * 16807 + ${serial}) % 2147483647; return x; }`)();
  const end = Date.now() + 8;
  if (serial % 25 === 0) gc(); // room for others
  while (Date.now() < end) for (let i = 0; i < 50; i++) sum += made(i);
}
JS
for node in "${nodes[@]}"; do
    version=$("$node" --version)
    start_node "$node" "${named[@]}" --interpreted-frames-native-stack --expose-gc phases.js 0.9
    gives 0 tickflame record -p "$process" -F 999 -o "$version.tickflame.gz"
    echo "$version"
    look "$version.tickflame.gz" '
made_a = own_by(lambda name: name.startswith("phaseA"))
made_b = own_by(lambda name: name.startswith("phaseB"))
unknown = own("[js unknown]")
print("A", made_a, "B", made_b, "unknown", unknown, "functions", sum(row["name"].startswith("phase") for row in report["functions"]))
assert unknown < 0.05 and made_a > 0.08 and made_b > 0.08
assert sum(row["name"].startswith("phaseB") for row in report["functions"]) > 20
print(report["totals"]["duration_seconds"], file=open("seconds.txt", "w"))'
    # The phases have 0.9 s each; the recording began in the first of them and ended with the second.
    end=$(cat seconds.txt)
    for part in A:0:0.4 "B:$(python3 -c "print($end - 0.5)"):$end"; do
        tickflame fold --time "${part#*:}" "$version.tickflame.gz" >part.txt
        python3 - "${part%%:*}" <<'PYTHON'
import re, sys
right = wrong = 0
for line in open("part.txt", encoding="utf-8"):
    stack, weight = line.rsplit(" ", 1)
    for name in re.findall(r"phase([AB])\d", stack):
        if name == sys.argv[1]:
            right += float(weight)
        else:
            wrong += float(weight)
print(f"phase {sys.argv[1]}: {right / 1e6:.0f} ms named right, {wrong / 1e6:.0f} ms named wrong")
assert right > 5e7 and wrong < 0.03 * right
PYTHON
    done
done
