"""Reads results as `kedge reproduce` and `kedge demo` write them."""

import json
import math
import pathlib
import re
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
NUMERICS = dict(re.findall(r"int (\w+)_version = (\d+);",
                           (ROOT / "kedge/jobs/numerics.h").read_text(encoding="utf-8")))  # of today, by kind
LINE = 120  # characters that fit a line of a page


class Absent(Exception):
    """A result that a page needs is not there; the message says how to make it."""


class Result:
    """A file of results: its cells by (row, column, preset, split)."""

    def __init__(self, name, data):
        self.name, self.data = name, data
        self.cells = {(c["row"], c["column"], c["preset"], c["split"]): c for c in data.get("cells", [])}
        self.rows = list(dict.fromkeys(c["row"] for c in data.get("cells", [])))
        self.presets = list(dict.fromkeys(c["preset"] for c in data.get("cells", [])))

    @property
    def is_full(self):
        """Whether it holds the paper's whole search."""
        words = self.data.get("command", "").split()
        return "--full" in words and "--widths" not in words

    def find(self, row, column, preset="default", split="oos"):
        return self.cells.get((row, column, preset, split))

    def cell(self, row, column, preset="default", split="oos"):
        found = self.find(row, column, preset, split)
        if found is None:
            place = ", ".join(part for part in (row, column, preset, split) if part)
            raise Absent(f"{self.name}.json has no cell of {place}; make it again: {self.data['command']}")
        return found


class Results:
    def __init__(self, folder):
        self.folder = folder

    def has(self, name):
        return (self.folder / f"{name}.json").exists()

    def has_whole(self, name):
        """Whether the paper's whole search is there, in its own folder or in place of a part of it."""
        return any(self.has(place) and self.read(place).is_full for place in (f"full/{name}", name))

    def read(self, name):
        path = self.folder / f"{name}.json"
        if not path.exists():
            others = {"demo": "kedge demo --seeds 3 --json", "tour": "bench/peers/tour.py", "real": "bench/peers/real.py"}
            how = others.get(name, f"kedge reproduce {name}")
            raise Absent(f"{self.folder.name}/{name}.json is missing; {how} makes it")
        return Result(name, json.loads(path.read_text(encoding="utf-8")))

    def demo(self):
        """The demo's scores as cells of a result."""
        demo = self.read("demo")
        demo.data["cells"] = [
            {"row": r["domain"], "column": r["model"], "preset": "default", "split": split, "ours": r[key]}
            for r in demo.data["results"] for split, key in (("oos", "oos_rmse"), ("in", "in_rmse"))]
        return Result(demo.name, demo.data)


def mean_of(cell):
    """None where there is no number: no cell, or every fit diverged."""
    mean = cell["ours"]["mean"] if cell else None
    return mean if mean is not None and math.isfinite(mean) else None


def ratio_of(cell):
    """Ours over the published mean; None where one of them is missing."""
    mean = mean_of(cell)
    return None if mean is None or not cell.get("published") else mean / cell["published"]["mean"]


def wrapped(text, width=LINE):
    return textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False)


def item(text):
    """An entry of a list."""
    return [("  " if i else "- ") + line for i, line in enumerate(wrapped(text, LINE - 2))]


def counted(numbers):
    return ", ".join(str(number) for number in numbers)


def holds_today(data):
    """Whether the program of today finds the same: by the versions of numerics alone, as kedge/jobs/numerics.h says."""
    told = data.get("numerics", "")
    device = re.search(r", cuda numerics (\d+)$", told)
    return told.startswith(f"numerics {NUMERICS['numerics']}, ") and (
        not device or device[1] == NUMERICS["cuda_numerics"])


def validity(data):
    """In a sentence."""
    told = data.get("numerics", "")
    if holds_today(data):
        return f"Holds today: {told}."
    return f"Of {told or 'a program before numerics 1'}; not compared with the program of today."


def origin(*results):
    """Commands, version, build, machines, seeds and whether they hold; results that differ in nothing but the command
    share a sentence."""
    commands = {}
    for result in results:
        data = result.data
        machines = data.get("machines", [data["machine"]] if "machine" in data else [])
        build = f"build {data['build']}"
        seeds = f"seed{'s' if len(data['seeds']) > 1 else ''} {counted(data['seeds'])}"
        about = f"kedge {data['version']}, {build}; {' and '.join(machines)}{'; ' if machines else ''}{seeds}. {validity(data)}"
        listed = commands.setdefault(about, [])
        if f"`{data['command']}`" not in listed:
            listed.append(f"`{data['command']}`")
    return wrapped(" ".join(f"{', '.join(listed)}: {about}" for about, listed in commands.items()))
