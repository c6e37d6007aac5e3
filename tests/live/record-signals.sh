# Signals during a recording: what comes twice at once is one Ctrl-C, later ones quit.
set -euo pipefail
. "$TICKFLAME_SOURCE/tests/live/lib.bash"
need_nodes 24
need_sampling
start_node "$node" "${named[@]}" "$TICKFLAME_SOURCE/tests/live/record-work.js" 300

# record FILE OPTIONS...: in the background, with SIGINT as a terminal's programs have it, behind the
# command `prefix`. Sets `recorder`.
prefix=()
record() {
    env --default-signal=INT "${prefix[@]}" tickflame record -F 499 -o "$@" >out.txt 2>err.txt &
    recorder=$!
}

# ends STATUS: what the recorder ended with.
ends() {
    local status=0
    wait "$recorder" || status=$?
    [ "$status" -eq "$1" ] || { echo "status $status instead of $1"; cat err.txt; exit 1; }
}

# The same Ctrl-C from the terminal, from npm and from docker.
record twice.tickflame.gz -p "$process"
wait_until test -s twice.tickflame.gz
sleep 0.7
for signal in INT INT TERM; do
    kill -s "$signal" "$recorder" 2>/dev/null || true
done
ends 0
says out.txt turnTen
gives 0 tickflame report twice.tickflame.gz

# A program that does not end, sampled and with V8's own profiler: the recorder waits for it; the second Ctrl-C ends both.
# shellcheck disable=SC2016
stubborn='process.on("SIGTERM", () => {}); process.on("SIGINT", () => {});
    require("fs").writeFileSync("pid", String(process.pid));
    setInterval(() => { for (let i = 0; i < 1e6; i++); }, 1);'
# stubborn_ends NAME: records it, and quits by the second Ctrl-C.
stubborn_ends() {
    rm -f pid
    record "$1" -- "$node" -e "$stubborn"
    wait_until test -s pid
    sleep 1.2
    kill -INT "$recorder"
    sleep 0.8
    kill -INT "$recorder"
    ends 130
    for ((tries = 0; tries < 50; tries++)); do
        kill -0 "$(cat pid)" 2>/dev/null || return 0
        sleep 0.1
    done
    echo 'the program goes on'
    exit 1
}
stubborn_ends quit.tickflame.gz
gives 0 tickflame report quit.tickflame.gz

"${CC:-cc}" -Wall -Wextra -Werror -o deny "$TICKFLAME_SOURCE/tests/live/record-deny.c"
if ./deny true; then
    prefix=(./deny)
    stubborn_ends fallback.tickflame.gz
fi
