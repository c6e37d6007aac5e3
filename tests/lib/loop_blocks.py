# SPDX-License-Identifier: MIT
"""The blocks of the event loop in a .cpuprofile, by other means than the program: prints a line
`START_S MS STARTUP` for each of 10 ms or longer, longest first.

    python3 loop_blocks.py FILE.cpuprofile.gz
"""
import gzip
import json
import sys

FROM_LOOP = {"onconnection", "parserOnHeaders", "parserOnHeadersComplete", "parserOnBody", "parserOnMessageComplete",
             "onParserExecute", "onStreamRead", "onWriteComplete", "afterConnect", "processTimers", "processImmediate"}
LOADERS = ("node:internal/modules/", "node:internal/main/", "node:internal/process/pre_execution",
           "node:internal/process/esm_loader")

profile = json.load(gzip.open(sys.argv[1]))
nodes = {node["id"]: node for node in profile["nodes"]}
parents = {child: node["id"] for node in profile["nodes"] for child in node.get("children", [])}


def frames(identity):
    """Function name and script, outermost first, without the root."""
    found = []
    while identity in parents:
        frame = nodes[identity]["callFrame"]
        found.append((frame["functionName"], frame["url"]))
        identity = parents[identity]
    return found[::-1]


def loads(stack):
    """Whether the program is being loaded: a loader, and nothing of the program around it."""
    for name, script in stack:
        if script.startswith(LOADERS):
            return True
        if script and not script.startswith("node:"):
            return False
    return False


# Who ran from when to when.
time, stretches = 0, []
for identity, delta in zip(profile["samples"], profile["timeDeltas"]):
    time += delta
    stretches.append([time, 0, frames(identity)])
for one, other in zip(stretches, stretches[1:]):
    one[1] = other[0]
stretches[-1][1] = profile["endTime"] - profile["startTime"]

blocks, block, entry, seen = [], None, None, False
for start, end, stack in stretches:
    scripts = [frame for frame in stack if frame[1]]
    outermost = scripts[0] if scripts else None
    alone = stack[0][0] if len(stack) == 1 and not scripts else None
    if alone == "(garbage collector)" or not stack:
        kind = "neutral"
    elif alone == "(idle)":
        kind = "idle"
    elif not scripts:
        kind = "program"
    else:
        kind = "script"
    if block and (kind != block["kind"] and "neutral" not in (kind, block["kind"]) or kind == "idle" or
                  kind == "script" and entry and outermost != entry and outermost[0] in FROM_LOOP and
                  outermost[1].startswith("node:")):
        blocks.append(block)
        block = None
    if kind == "idle":
        seen, entry = True, None
        continue
    if block is None:
        block = {"kind": kind, "start": start, "loading": 0, "all": 0, "first": not seen}
        entry = None
    if block["kind"] == "neutral":
        block["kind"] = kind
    block["end"] = end
    block["all"] += end - start
    block["loading"] += end - start if loads(stack) else 0
    entry = outermost or entry
    seen = seen or kind == "script"
if block:
    blocks.append(block)

rows = []
for block in blocks:
    length = block["end"] - block["start"]
    startup = 2 * block["loading"] >= block["all"] or block["kind"] == "program" and block["first"]
    if length >= 10000:
        rows.append((startup, -length, block["start"]))
for startup, length, start in sorted(rows):
    print(f"{start / 1e6:.6f} {-length / 1000:.3f} {'startup' if startup else '-'}")
