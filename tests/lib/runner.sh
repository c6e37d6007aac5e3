# shellcheck shell=bash
# Sourced by the test runners written in bash (tests/KIND/run). What a runner is given and what it
# prints: tests/README.md.

TEST_KIND=$(basename "$(dirname "${BASH_SOURCE[1]}")")
: "${TICKFLAME_SOURCE:=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)}"
# Without tests/run: its ordinary build.
: "${TICKFLAME_BUILD:=$TICKFLAME_SOURCE/build/test}"
: "${TICKFLAME:=$TICKFLAME_BUILD/tickflame}"
export TICKFLAME_SOURCE TICKFLAME_BUILD TICKFLAME

# Whether the test NAME of this kind is asked for.
selected() {
    # The filter is a shell pattern that may match anywhere in KIND/NAME.
    # shellcheck disable=SC2053
    [[ "$TEST_KIND/$1" == *${FILTER:-}* ]]
}

# A fresh folder, removed when the runner ends.
new_scratch() {
    if [ -z "${SCRATCH_ROOT:-}" ]; then
        SCRATCH_ROOT=$(mktemp -d "${TMPDIR:-/tmp}/tickflame-test.XXXXXX")
        trap 'rm -rf "$SCRATCH_ROOT"' EXIT
    fi
    scratch=$(mktemp -d "$SCRATCH_ROOT/XXXXXX")
}

ok() {
    echo "ok $1"
}

skip() {
    echo "skip $1: $2"
}

# not_ok NAME: standard input tells what differed, in at most 60 lines.
not_ok() {
    echo "not ok $1"
    awk 'NR <= 60 { print "    " substr($0, 1, 300) } END { if (NR > 60) print "    (" NR - 60 " more lines)" }'
}

# Runs COMMAND as the test NAME with its output in a file. Status 0 is a pass; 77 a skip, whose
# reason is the last line printed; anything else a failure.
run_as_test() {
    local name=$1 output status=0
    shift
    selected "$name" || return 0
    new_scratch
    output=$SCRATCH_ROOT/output
    (cd "$scratch" && "$@") >"$output" 2>&1 </dev/null || status=$?
    case $status in
    0) ok "$name" ;;
    77) skip "$name" "$(tail -n 1 "$output")" ;;
    *) { cat "$output"; echo "(status $status)"; } | not_ok "$name" ;;
    esac
}
