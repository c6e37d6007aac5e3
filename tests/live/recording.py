"""What the live cases of `record` ask of a report (see `look` in lib.bash)."""
import json
import os

with open(os.environ["REPORT"], encoding="utf-8") as file:
    report = json.load(file)


def own(name, kind="self_share"):
    """The share of a function, by its bare name; several with one name count together."""
    return sum(row[kind] for row in report["functions"] if row["name"] == name)


def own_by(test, kind="self_share"):
    return sum(row[kind] for row in report["functions"] if test(row["name"]))


def row(name):
    rows = [row for row in report["functions"] if row["name"] == name]
    assert rows, f"no function {name}; the first: {[row['name'] for row in report['functions'][:10]]}"
    return rows[0]


def roles():
    """Weight by role of threads, in milliseconds."""
    weights = {}
    for thread in report["threads"]:
        weights[thread["role"]] = weights.get(thread["role"], 0) + thread["weight"] / 1e6
    return weights


def warning_kinds():
    return [warning["kind"] for warning in report["warnings"]]


def folded(*texts):
    """Nanoseconds, or samples, of the stacks in `<recording>.folded` that have each of the texts."""
    total = 0
    with open(os.environ["REPORT"].removesuffix(".json") + ".folded", encoding="utf-8") as file:
        for line in file:
            stack, count = line.rsplit(" ", 1)
            if all(text in stack for text in texts):
                total += int(count)
    return total


def answers(route):
    """Milliseconds that each call of a route of blocking-server.js took, as it measured them."""
    with open("answers.txt", encoding="utf-8") as file:
        rows = [line.split() for line in file]
    return [float(row[2]) for row in rows if row and row[0] == route]


def blocking_call(name):
    calls = [call for call in report["blocking"]["calls"] if call["call"] == name]
    assert calls, f"no {name} among {[call['call'] for call in report['blocking']['calls']]}"
    return calls[0]
