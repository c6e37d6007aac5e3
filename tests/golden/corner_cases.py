# SPDX-License-Identifier: MIT
"""The corner cases: what tests/golden/run and tests/golden/make-corner share.

corner/NAME.log is a hand-made log whose first line may be a place holder for the header of the
version under test. corner/NAME.tsv, where it is there, holds its C++ symbols. What each version of
`node --prof-process` prints of it stands in corner/expected/NAME.nMAJOR.gz: for each set of options
a line `OPTIONS<tab>SIZE`, then SIZE bytes and a newline.
"""
import glob
import gzip
import os

HERE = os.path.dirname(os.path.abspath(__file__))
CORNER = os.path.join(HERE, "corner")
EXPECTED = os.path.join(CORNER, "expected")


def headers():
    """{Node major: first line of a log that this version writes}"""
    with open(os.path.join(CORNER, "versions.tsv"), encoding="ascii") as file:
        return dict(line.rstrip("\n").split("\t") for line in file)


def names():
    return sorted(os.path.basename(path)[:-4] for path in glob.glob(os.path.join(CORNER, "*.log")))


def symbols(name):
    """The path of the log's symbols, or None: it has none."""
    path = os.path.join(CORNER, name + ".tsv")
    return path if os.path.exists(path) else None


def make_log(name, header):
    """(the log's bytes, whether it begins with the header of the version)"""
    with open(os.path.join(CORNER, name + ".log"), "rb") as file:
        text = file.read()
    fields = header.split(",")
    without_embedder = ",".join(fields[:5] + fields[6:])
    filled = text.replace(b"@VERSION@", header.encode(), 1).replace(b"@SIX@", without_embedder.encode(), 1)
    return filled, filled != text


def expected_path(name, major):
    return os.path.join(EXPECTED, f"{name}.n{major}.gz")


def write_expected(name, major, outputs):
    with open(expected_path(name, major), "wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=0) as file:
        for options, output in outputs.items():
            file.write(f"{options}\t{len(output)}\n".encode() + output + b"\n")


def read_expected(name, major):
    """{options: output}"""
    outputs = {}
    with gzip.open(expected_path(name, major)) as file:
        while line := file.readline():
            options, size = line.decode().rstrip("\n").split("\t")
            outputs[options] = file.read(int(size))
            file.read(1)
    return outputs
