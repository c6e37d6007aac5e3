"""Reads recordings (.tickflame.gz), perf maps and what perf script prints, for tests and benchmarks.

Written from tickflame-format(5) alone and without tickflame, so that what the program says of a
recording can be checked with it.
"""
import bisect
import gzip
import re
import zlib
from collections import namedtuple

Frame = namedtuple("Frame", "name kind tier file line column module inlined")
# Frames of a stack go from the outermost to the innermost.
Sample = namedtuple("Sample", "thread time weight frames")
KINDS = ("unknown", "javascript", "builtin", "regexp", "wasm", "bytecode", "cpp", "addon", "library", "kernel", "gc", "compiler",
         "waiting", "unaccounted")


class Recording:
    """`samples`, `threads` (number: (id, role, name)) and `meta` of a recording."""

    def __init__(self, path):
        self.strings, self.frames, self.stacks = [""], [None], [()]
        self.threads, self.meta, self.samples = {}, {}, []
        before = {}
        thread = 0
        for line in self.lines(path):
            word, *fields = line.split("\t")
            if word == "string":
                self.strings.append(fields[0] if fields else "")
            elif word == "frame":
                self.frames.append(self.frame(fields))
            elif word == "stack":
                parent = int(fields[0] or 0)
                for field in fields[1:]:
                    self.stacks.append((parent, int(field)))
                    parent = len(self.stacks) - 1
            elif word == "thread":
                fields += [""] * (5 - len(fields))
                self.threads[int(fields[0] or 0)] = (int(fields[1] or 0), fields[3] or "main", self.strings[int(fields[4] or 0)])
            elif word == "sample":
                fields += [""] * (4 - len(fields))
                thread = int(fields[0]) if fields[0] else thread
                stack, time, weight = before.get(thread, (0, 0, 1))
                stack = int(fields[1]) if fields[1] else stack
                step = fields[2]
                time += int(step) if step else before.get((thread, "step"), 0)
                before[thread, "step"] = int(step) if step else before.get((thread, "step"), 0)
                weight = float(fields[3]) if fields[3] else weight
                before[thread] = (stack, time, weight)
                self.samples.append(Sample(thread, time, weight, stack))
            elif word == "meta":
                self.meta[fields[0]] = fields[1] if len(fields) > 1 else ""
        whole = {0: ()}

        def frames_of(stack):
            path = []
            while stack not in whole:
                path.append(stack)
                stack = self.stacks[stack][0]
            frames = whole[stack]
            for stack in reversed(path):
                frames = frames + (self.frames[self.stacks[stack][1]],)
                whole[stack] = frames
            return frames
        self.samples = [sample._replace(frames=frames_of(sample.frames)) for sample in self.samples]

    def frame(self, fields):
        fields = fields + [""] * (8 - len(fields))
        number = [int(field) if field.isdigit() else 0 for field in fields]
        return Frame(self.strings[number[0]], fields[1] or KINDS[0], fields[2] or "none", self.strings[number[3]], number[4], number[5],
                     self.strings[number[6]], fields[7] == "yes")

    @staticmethod
    def lines(path):
        try:
            with gzip.open(path, "rt", encoding="utf-8", errors="replace", newline="\n") as file:
                for line in file:
                    if line.endswith("\n"):
                        yield line[:-1]
        except (EOFError, zlib.error):
            return


# What V8 writes before the names of JavaScript functions in a perf map, by version; then the tier
# (`o`: entered in the middle of a loop). The column is there since Node 22.
MAP_NAME = re.compile(r"^(?:LazyCompile|Function|Script|Eval|JS):(o?[~^+*]'?)(.*)$", re.S)
PLACE = re.compile(r"^(?:(.*) )?([^ ]*?):(\d+)(?::(\d+))?$", re.S)

# How functions without a name are printed.
UNNAMED = ("(anonymous)", "(eval)")


def function_of_map(text):
    """(name, file, line) of a perf map's name; None: not JavaScript of a script."""
    found = MAP_NAME.match(text)
    if not found:
        return None
    place = PLACE.match(found[2])
    if not place:
        return None
    return place[1] or "", place[2].removeprefix("file://"), int(place[3])


def function_of_frame(frame):
    """The same of a frame of a recording."""
    return "" if frame.name in UNNAMED else frame.name, frame.file, frame.line


class PerfMap:
    """The lines of a perf map; a line takes the place of those before it that it overlaps."""

    def __init__(self, path):
        self.functions = set()
        self.starts, self.entries = [], []
        with open(path, encoding="utf-8", errors="replace", newline="\n") as file:
            for line in file:
                try:
                    start, size, name = line.rstrip("\n").split(" ", 2)
                    start, size = int(start, 16), int(size, 16)
                except ValueError:  # threads of workers write into each other's lines
                    continue
                function = function_of_map(name)
                if function:
                    self.functions.add(function)
                self.put(start, start + size, name)

    def put(self, start, end, name):
        first = bisect.bisect_right(self.starts, start)
        if first > 0 and self.entries[first - 1][0] > start:
            first -= 1
        last = bisect.bisect_left(self.starts, end)
        self.starts[first:last] = [start]
        self.entries[first:last] = [(end, name)]

    def at(self, address):
        """The name at an address, or None."""
        place = bisect.bisect_right(self.starts, address) - 1
        if place < 0 or address >= self.entries[place][0]:
            return None
        return self.entries[place][1]
