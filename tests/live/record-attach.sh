# Attaching to a server under load: the blocking call and its caller, names, threads and their roles,
# nothing lost at 999 Hz.
set -euo pipefail
. "$TICKFLAME_SOURCE/tests/live/lib.bash"
need_nodes
need_sampling
command -v ab >/dev/null || skip_case 'ab is missing (apache2-utils)'
server=$TICKFLAME_SOURCE/tests/live/record-server.js
for node in "${nodes[@]}"; do
    version=$("$node" --version)
    start_node "$node" "${named[@]}" --interpreted-frames-native-stack "$server"
    url=$(grep -m 1 '^http' node.txt)
    ab -q -k -c 4 -t 20 -n 1000000 "$url" >ab.txt 2>&1 </dev/null &
    load=$!
    started+=("$load")
    sleep 0.3
    tickflame record -p "$process" -F 999 -d 1.6 -o "$version.tickflame.gz" >out.txt 2>err.txt </dev/null &
    recorder=$!
    sleep 0.4
    # The worker is younger than the recording.
    ab -n 1 "${url}worker" >/dev/null 2>&1 </dev/null
    wait "$recorder" || { cat err.txt; exit 1; }
    kill "$load" "$process"
    says out.txt '`readFileSync`' 'handleRequest' 'record-server.js:'
    says err.txt "wrote $version.tickflame.gz"
    [ "$(stat -c %a "$version.tickflame.gz")" = 600 ]
    echo "$version"
    look "$version.tickflame.gz" '
sampling = report["sampling"]
print({key: sampling[key] for key in ("delivered_hz", "lost", "named_share", "complete_share")}, roles())
assert sampling["route"] == "perf_event" and sampling["asked_hz"] == 999
assert sampling["lost"] == 0, "samples were lost"
assert abs(sampling["delivered_hz"] - 999) < 10
# Not all: Node 18 begins its map anew for the worker, and functions of a later node that come
# from its snapshot are in no map until they are compiled.
assert sampling["named_share"] > 0.8
call = report["blocking"]["calls"][0]
caller = call["callers"][0]
print(call["call"], round(call["share"], 3), caller["name"], caller["file"], caller["line"])
assert call["call"] == "readFileSync" and call["share"] > 0.02
assert caller["name"] == "handleRequest" and caller["file"].endswith("/record-server.js") and caller["line"] == 21
assert row("handleRequest")["total_share"] > call["share"]
assert row("spinInWorker")["self"] > 0, "the young worker was not sampled"
weights = roles()
for role in ("main", "worker", "libuv"):
    assert weights.get(role, 0) > 50, f"no thread with the role {role}: {weights}"
assert "v8" in weights, weights
print(report["off_main"])
assert any("pbkdf2" in part["what"].lower() or "crypto" in part["what"].lower() or "libuv" in part["what"].lower() for part in report["off_main"])
assert any(counter["name"] == "rss" and counter["readings"] > 1 for counter in report["counters"])'
    gives 0 tickflame fold "$version.tickflame.gz"
    says out.txt 'handleRequest' 'spinInWorker'
    gives 0 tickflame flame "$version.tickflame.gz" -o "$version.svg"
    xmllint --noout --nonet "$version.svg"
    says "$version.svg" 'readFileSync'
done
