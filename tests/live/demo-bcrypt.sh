# A blocking call from a native add-on of a package.
set -euo pipefail
. "$TICKFLAME_SOURCE/tests/live/lib.bash"
run_demo --sample bcrypt-sync
check_demo bcrypt-sync compareSync handleLogin
