# The twin without the mistake: no blocking call below the handler.
set -euo pipefail
. "$TICKFLAME_SOURCE/tests/live/lib.bash"
run_demo --sample read-async
tickflame report --format json out/read-async.tickflame.gz >report.json
python3 - <<'PYTHON'
import json
blocking = json.load(open("report.json"))["blocking"]
print(blocking)
callers = [caller["name"] for call in blocking["calls"] if call["total"] > 0 for caller in call["callers"]]
assert "handleRequest" not in callers, "a blocking call in the async handler"
assert blocking["share"] < 0.01, "expected next to no blocking calls"
PYTHON
