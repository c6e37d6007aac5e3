# The demonstration as a newcomer runs it, with autocannon: the report names the blocking call.
set -euo pipefail
. "$TICKFLAME_SOURCE/tests/live/lib.bash"
run_demo
check_demo read-sync readFileSync handleRequest
