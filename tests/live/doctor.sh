# The gates of real processes: one's own, and one of another user.
set -euo pipefail
. "$TICKFLAME_SOURCE/tests/live/lib.bash"
command -v node >/dev/null || skip_case 'node is missing'

check_gates() {
    python3 -c '
import json, sys
doctor = json.load(open(sys.argv[1]))
gates = {gate["name"]: gate for gate in doctor["gates"]}
print(doctor["route"], {name: gate["open"] for name, gate in gates.items()})
assert all(gate["open"] or gate["fix"] for gate in gates.values()), "a closed gate says what opens it"
assert doctor["route"] == sys.argv[2]
exec(sys.argv[3])' "$@"
}

node -e 'setInterval(() => {}, 1000)' &
target=$!
trap 'kill -KILL $target 2>/dev/null || true' EXIT
sleep 0.5
tickflame doctor -p $target --format json >own.json || skip_case 'perf events are refused here (tickflame doctor)'
check_gates own.json perf_event '
assert gates["target-event"]["open"] and gates["target-files"]["open"]
assert gates["target-memory"]["open"] and gates["script-names"]["open"] and "heap" in gates["script-names"]["value"]
assert gates["sandbox"]["open"] and gates["target-owner"]["open"]'
tickflame doctor -p $target >own.txt
awk 'length > 80 { print; wrong = 1 } END { exit wrong }' own.txt

status=0
tickflame doctor -p 4194304 >nobody.txt || status=$?
[ "$status" -eq 4 ]
grep -q 'there is no process 4194304' nobody.txt

[ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null || skip_case "the rest needs root: another user's process"
# The checkout may lie where others cannot read.
other=$(mktemp -d /tmp/tickflame-doctor.XXXXXX)
trap 'kill -KILL $target 2>/dev/null || true; rm -rf "$other"' EXIT
cp "$(readlink -f "$TICKFLAME")" "$other/tickflame"
chmod 755 "$other" "$other/tickflame"
status=0
setpriv --reuid 65534 --regid 65534 --clear-groups "$other/tickflame" doctor -p $target --format json >other.json || status=$?
[ "$status" -eq 4 ]
check_gates other.json none '
assert not gates["target-event"]["open"] and "belongs to root" in gates["target-event"]["fix"]
assert "setcap cap_perfmon" in gates["target-event"]["fix"]'
