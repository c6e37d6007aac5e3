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
