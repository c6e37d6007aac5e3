# The blocks of CPU profiles are those that another program finds.
for name in crypto-sync.v20 work.v16 work.v20 work.v24; do
    file=$DATA/cpuprofile/$name.cpuprofile.gz
    tickflame report --format json "$file" >report.json || exit
    python3 - <<'PYTHON' >printed
import json
report = json.load(open("report.json"))
for block in report["blocks"]:
    print(f"{block['start_s']:.6f} {block['ms']:.3f} {'startup' if block['startup'] else '-'}")
PYTHON
    python3 "$DATA/../lib/loop_blocks.py" "$file" >expected
    [ -s printed ] || echo "$name: none"
    diff expected printed && echo "$name: $(wc -l <printed) blocks"
done
