# The demonstration with ab instead of autocannon.
set -euo pipefail
. "$TICKFLAME_SOURCE/tests/live/lib.bash"
command -v ab >/dev/null || skip_case 'ab is missing (apache2-utils)'
run_demo --ab
check_demo read-sync readFileSync handleRequest
