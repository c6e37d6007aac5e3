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
    tickflame report --format json "out/$1.tickflame.gz" >report.json
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
    local server
    server=$(awk '$1 == "process" { print int($2) }' demo.txt)
    if kill -0 "$server" 2>/dev/null || [ -e "/tmp/perf-$server.map" ]; then
        echo 'the demo left its server running, or its perf map'
        exit 1
    fi
}

# What follows is for the cases of `record`.

# Sets `nodes`, the binaries of all versions that are tested or of those named, and `node`, the first.
need_nodes() {
    local version path
    [ $# -gt 0 ] || set -- 18 20 22 24 26
    nodes=()
    for version in "$@"; do
        path=$TICKFLAME_SOURCE/tests/lib/nodes/node_modules/node$version/bin/node
        [ -x "$path" ] || skip_case "node $version is missing (npm ci in tests/lib/nodes, x86-64)"
        nodes+=("$path")
    done
    # shellcheck disable=SC2034
    node=${nodes[0]}
}

# Packages of tests/lib/addons.
need_addons() {
    local package
    for package in "$@"; do
        [ -d "$addons/$package" ] || skip_case "$package is missing (npm ci in tests/lib/addons)"
    done
}
addons=$TICKFLAME_SOURCE/tests/lib/addons/node_modules

# Skips where the kernel lets nobody sample.
need_sampling() {
    local route
    route=$(tickflame doctor --format json | sed -n 's/.*"route": "\(.*\)".*/\1/p') || true
    [ "$route" = perf_event ] || skip_case 'perf events are refused here (tickflame doctor)'
}

need_root() {
    [ "$(id -u)" -eq 0 ] || skip_case "$1"
}

# Whatever a case leaves running ends with it, its perf maps too.
started=()
end_started() {
    local process
    for process in "${started[@]}"; do
        kill -KILL "$process" 2>/dev/null || true
        rm -f "/tmp/perf-$process.map"
    done
    wait 2>/dev/null || true
}
trap end_started EXIT

# start_node NODE ARGUMENTS...: in the background, its output in node.txt; waits until it printed
# a line. Sets `process`.
start_node() {
    : >node.txt
    "$@" >node.txt 2>&1 </dev/null &
    process=$!
    started+=("$process")
    wait_until test -s node.txt
}

# The options with which node writes a perf map; its log goes to the scratch folder.
# shellcheck disable=SC2034
named=(--perf-basic-prof --no-logfile-per-isolate --logfile=v8.log)

# start_blocking_server NODE ROUTE...: blocking-server.js with names. Sets `process` and `url`.
start_blocking_server() {
    local binary=$1
    shift
    export ADDONS=$addons SCRATCH=$PWD
    start_node "$binary" "${named[@]}" --interpreted-frames-native-stack "$TICKFLAME_SOURCE/tests/live/blocking-server.js" "$@"
    url=$(head -n 1 node.txt)
}

# keep_asking ROUTE...: for these, in turns, in the background, until the case ends; the answers go
# to answers.txt.
keep_asking() {
    python3 -u -c '
import itertools, sys, urllib.request
for route in itertools.cycle(sys.argv[2:]):
    print(urllib.request.urlopen(sys.argv[1] + route, timeout=30).read().decode(), end="")
' "$url" "$@" >answers.txt 2>/dev/null &
    asking=$!
    started+=("$asking")
    wait_until test -s answers.txt
}

# ask ROUTE|SECONDS...: for these, one after the other over one connection, resting so long where a
# number stands; the answers go to answers.txt.
ask() {
    python3 -c '
import http.client, sys, time
connection = http.client.HTTPConnection(sys.argv[1].split("/")[2], timeout=30)
for word in sys.argv[2:]:
    if word[0].isdigit():
        time.sleep(float(word))
        continue
    connection.request("GET", "/" + word)
    print(connection.getresponse().read().decode(), end="")
' "$url" "$@" >>answers.txt
}

# record_while FILE [OPTION...] -- COMMAND...: a recording of $process that begins before the command
# and ends after it; its output in out.txt and err.txt. Sets `began`, the milliseconds of
# CLOCK_MONOTONIC at which the command began.
record_while() {
    local options=(-o "$1") status=0
    shift
    while [ "$1" != -- ]; do
        options+=("$1")
        shift
    done
    shift
    "${record_as[@]}" tickflame record -p "$process" --force "${options[@]}" >out.txt 2>err.txt </dev/null &
    recorder=$!
    started+=("$recorder")
    wait_until samples "$recorder"
    # shellcheck disable=SC2034
    began=$(python3 -c 'import time; print(1000 * time.monotonic())')
    "$@"
    sleep 0.1
    kill -INT "$recorder" 2>/dev/null || true
    wait "$recorder" || status=$?
    if [ "$status" -ne 0 ]; then
        echo "status $status of record ${options[*]}"
        cat out.txt err.txt
        exit 1
    fi
}
# Who records, and with what.
record_as=()
# Whether a recorder samples already, or will in a moment; or has ended.
samples() {
    kill -0 "$1" 2>/dev/null || return 0
    [[ $(readlink "/proc/$1"/fd/* 2>/dev/null) == *'anon_inode:[perf_event]'* ]] && sleep 0.3
}

# wait_until COMMAND...: asks for ten seconds until the command succeeds.
wait_until() {
    local end=$((SECONDS + 10))
    while [ "$SECONDS" -lt "$end" ]; do
        "$@" >/dev/null 2>&1 && return 0
        sleep 0.05
    done
    echo "waited in vain for: $*"
    exit 1
}

# gives STATUS COMMAND...: runs the command, its output in out.txt and err.txt, and fails the case
# with both if the status is another.
gives() {
    local expected=$1 status=0
    shift
    "$@" >out.txt 2>err.txt </dev/null || status=$?
    if [ "$status" -ne "$expected" ]; then
        echo "status $status instead of $expected of: $*"
        cat out.txt err.txt
        exit 1
    fi
}

# says FILE TEXT...: each text stands in the file.
says() {
    local file=$1 text
    shift
    for text in "$@"; do
        if ! grep -qF -- "$text" "$file"; then
            echo "'$text' is not in $file:"
            cat "$file"
            exit 1
        fi
    done
}

# hides FILE TEXT...: none of the texts stands in the file.
hides() {
    local file=$1 text
    shift
    for text in "$@"; do
        if grep -F -- "$text" "$file"; then
            echo "'$text' is in $file"
            exit 1
        fi
    done
}

# look FILE PYTHON: the recording's JSON report is `report`; helpers are those of recording.py.
look() {
    tickflame report --format json "$1" >"$1.json"
    REPORT=$1.json PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$TICKFLAME_SOURCE/tests/live python3 -c "from recording import *
$2"
}
