# shellcheck shell=bash
# Sourced by the live cases.

skip_case() {
    echo "$1"
    exit 77
}

# run_demo OPTIONS...: samples/demo for 3 seconds into ./out, its output in demo.txt.
run_demo() {
    command -v node >/dev/null || skip_case 'node is missing'
    [ -d "$TICKFLAME_SOURCE/samples/node_modules/autocannon" ] || skip_case 'samples/node_modules is missing (npm ci)'
    "$TICKFLAME_SOURCE/samples/demo" --no-install --binary "$TICKFLAME" --seconds 3 -o out "$@" >demo.txt 2>&1 || {
        cat demo.txt
        exit 1
    }
}

# check_demo SAMPLE CALL HANDLER: the first blocking call and its first caller in our own code, the
# printed report, the picture.
check_demo() {
    tickflame report --format json "out/$1.v8.log" >report.json
    python3 - "$2" "$3" <<'PYTHON'
import json, sys
call, handler = sys.argv[1:]
report = json.load(open("report.json"))
first = report["blocking"]["calls"][0]
callers = [caller["name"] for caller in first["callers"]]
print("first blocking call:", first["call"], "from", callers, "share", first["share"])
assert first["call"] == call, f"expected {call}"
assert callers[0] == handler, f"expected the caller {handler}"
assert first["share"] > 0.05, "expected more than 5 % of busy time"
PYTHON
    grep -q "$2" demo.txt
    grep -q "$3" demo.txt
    xmllint --noout --nonet "out/$1.svg"
    grep -q "$2" "out/$1.svg"
    if pgrep -f "$PWD/out/$1.v8.log" >/dev/null; then
        echo 'the demo left its server running'
        exit 1
    fi
}
