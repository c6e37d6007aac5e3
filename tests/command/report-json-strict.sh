# Whatever the names, the report is JSON to a strict parser: UTF-8, without NaN, without a bare
# control character, each key once. The weights are the digits of the input (fc16b: beyond doubles).
strict='
import json, sys
def refuse(what):
    raise ValueError(what)
def once(pairs):
    return dict(pairs) if len(dict(pairs)) == len(pairs) else refuse("a key stands twice")
text = sys.stdin.buffer.read().decode("utf-8")
report = json.loads(text, parse_constant=refuse, object_pairs_hook=once, parse_float=str)
print(sys.argv[1], report["totals"]["weight"])
'
for name in $(cd $DATA/field-cases && LC_ALL=C ls); do
    tickflame report --format json $DATA/field-cases/$name >report.json 2>/dev/null || { echo "$name: status $?"; continue; }
    python3 -c "$strict" $name <report.json
done
