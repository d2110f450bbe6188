"""The checklist of docs/paper.md: its items are those of docs/paper.json, its outcomes are computed from the results."""

import json
import pathlib
import re

from documents.results import Absent, counted, mean_of, wrapped
from documents.tables import agreement_sentence, agreements, error_text, may_win, plain_table

ITEMS = pathlib.Path(__file__).resolve().parent.parent.parent / "docs" / "paper.json"
PRESETS = ("paper", "released", "default")


def sections():
    return json.loads(ITEMS.read_text(encoding="utf-8"))


def agreement(results, wanted):
    """In how many cells a preset agrees with what was published."""
    result = results.read(wanted["agreement"])
    by_preset = agreements(result, wanted.get("presets", PRESETS), wanted.get("splits", ("oos",)), wanted.get("names"))
    rows = wanted.get("rows", result.rows)
    sentence = agreement_sentence({preset: [c for c in cells if c["row"] in rows] for preset, cells in by_preset.items()})
    return f"{wanted['as']}: {sentence}" if "as" in wanted else sentence


def least(results, wanted):
    """In how many problems bilinear errs least, out of support; every model that has no such preset takes part too."""
    result, preset = results.read(wanted["least"]), wanted["preset"]
    count = 0
    for row in result.rows:
        ours = result.cell(row, "bilinear", preset)
        others = [c for (name, column, other, split), c in result.cells.items()
                  if name == row and split == "oos" and column != "bilinear" and
                  (other == preset or (row, column, preset, "oos") not in result.cells)]
        count += may_win(ours) and all(mean_of(ours) < mean_of(c) for c in others if may_win(c))
    return f"{preset}: bilinear errs least on {count} of {len(result.rows)}"


def ranges(results, wanted):
    """Mean error within one data-width and in the next one."""
    result = results.read(wanted["ranges"])
    def middle(width):
        means = [mean_of(c) for (_, column, preset, _), c in result.cells.items()
                 if column.startswith(width) and preset == "default"]
        return sum(means) / len(means)
    return f"mean error over deviation {middle('0 to 1'):.2g} within one data-width, {middle('1 to 2'):.2g} in the next"


def error(results, wanted):
    name, *place = wanted["error"]
    return f"{wanted['as']}: {error_text(results.read(name).cell(*place), 4)}"


def charts(results, wanted):
    count = len(results.read(wanted["charts"]).data["charts"])
    return f"{wanted['charts']}: {count} chart{'' if count == 1 else 's'}"


def sizes(results, wanted):
    """Widths that were trained."""
    names = [name for name in (wanted["sizes"], f"full/{wanted['sizes']}") if results.has(name)]
    widths = {int(re.search(r"n = (\d+)", row)[1]) for name in names for row in results.read(name).rows}
    if not widths:
        raise Absent(f"{wanted['sizes']}.json is missing")
    return f"n = {counted(sorted(widths))} ran"


def seeds(results, wanted):
    return f"{wanted['seeds']}: seeds {counted(results.read(wanted['seeds']).data['seeds'])}"


def counts(results, wanted):
    """Tests behind a cell of the default preset."""
    result = results.read(wanted["counts"])
    return f"{wanted['counts']}: {result.cell(result.rows[0], 'Ours')['ours']['n']} tests out of support in a cell"


def tests(_, wanted):
    return f"tested: `{wanted['tests']}`"


OUTCOMES = {made.__name__: made for made in (agreement, least, ranges, error, charts, sizes, seeds, counts, tests)}


def as_made(results, item):
    """The item; with what it says of the paper's whole search, where the results that it names under `full` hold it."""
    full = item.get("full")
    if not full or not all(results.has_whole(name) for name in full["results"]):
        return item
    return {**item, "runs": "yes", **full}


def outcome(results, item):
    """Whether the item runs (`yes`, `part` or `no`), and what came of it. What has no result does not run."""
    texts, runs = [], item.get("runs", "yes")
    for wanted in item["outcome"]:
        try:
            texts.append(next(made for key, made in OUTCOMES.items() if key in wanted)(results, wanted))
        except Absent:
            texts.append("no result is here")
            runs = "no"
    return runs, "; ".join(texts)


def share(results):
    """How much of the checklist runs, and what does not."""
    items = [as_made(results, item) for section in sections() for item in section["items"]]
    found = [(item["item"], outcome(results, item)[0]) for item in items]
    tested = sum(bool(item["outcome"]) and all("tests" in wanted or "charts" in wanted for wanted in item["outcome"])
                 for item in items)
    count = lambda runs: sum(state == runs for _, state in found)
    lines = wrapped(f"{count('yes')} of {len(found)} items run ({100 * count('yes') / len(found):.0f} %). "
                    f"{count('part')} run in part. The outcome of {tested} is a test or a picture, that of the others a "
                    f"number. {count('no')} do not run:")
    return [*lines, "", *(f"- {name}" for name, state in found if state == "no")]


def paper(results):
    lines = []
    for section in sections():
        rows = []
        for item in (as_made(results, item) for item in section["items"]):
            runs, text = outcome(results, item)
            rows.append([item["item"], runs, item["where"], item["deviation"], text])
        lines += [*([""] if lines else []), f"## {section['title']}", "",
                  *plain_table(["item", "runs", "where in kedge", "deviation from the paper", "outcome"], rows, left=5)]
    return lines
