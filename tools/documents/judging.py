"""Tables of verdicts and expected errors."""

from documents.results import Absent, mean_of, origin
from documents.tables import plain_table

VERDICTS = ("interpolation", "reachable", "edge", "unreachable")


def number(cell, form):
    return "" if mean_of(cell) is None else format(mean_of(cell), form)


def coverage(results):
    """True and expected errors of each verdict."""
    result = results.read("coverage")
    rows = []
    for row in result.rows:
        texts = [row, number(result.cell(row, "AUROC", split="all"), ".2f")]
        for verdict in VERDICTS:
            true, expected, ratio = (number(result.find(row, column, split=verdict), ".2g")
                                     for column in ("true error", "expected error", "expected over true"))
            texts.append(true and f"{true} / {expected or 'unknown'}" + (f" ({ratio})" if ratio else ""))
        rows.append(texts)
    return [*plain_table(["problem", "AUROC", *VERDICTS], rows), "",
            "In brackets: the expected error over the true one.", "", *origin(result)]


def arrow(before, after, form):
    return f"{number(before, form) or 'none'} → {number(after, form) or 'none'}" if before or after else ""


def off(result, rows):
    """How many expected errors are too small, about right and too large; problems by verdicts."""
    found = [mean_of(result.find(row, "expected over true", split=verdict)) for row in rows for verdict in VERDICTS]
    ratios = [ratio for ratio in found if ratio is not None]
    if not ratios:
        raise Absent(f"{result.name}.json has no expected over true; make it again: kedge reproduce coverage")
    low, high = (sum(ratio < 2 / 3 for ratio in ratios), sum(ratio > 3 / 2 for ratio in ratios))
    return f"{low} below 0.67 times the true error, {high} above 1.5 times, {len(ratios) - low - high} between"


def shells(results):
    """Before and after rows that choose and rows that judge were kept apart."""
    before, after = results.read("coverage-shared"), results.read("coverage")
    rows = []
    for row in after.rows:
        pair = lambda column, split: (before.find(row, column, split=split), after.find(row, column, split=split))
        rows.append([row, arrow(*pair("AUROC", "all"), ".2f"),
                     *(arrow(*pair("expected over true", verdict), ".2g") for verdict in VERDICTS)])
    problems = [row for row in after.rows if row in before.rows and not row.startswith(("the ", "mean "))]
    fresh = results.read("fresh").rows
    groups = {"Built-in problems": [row for row in problems if row not in fresh],
              "Fresh problems": [row for row in problems if row in fresh]}
    sentences = [f"- {name}, {when}: {off(result, rows)}." for name, rows in groups.items() if rows
                 for when, result in (("before", before), ("after", after))]
    head = ["before → after", "AUROC", *(f"expected / true, {verdict}" for verdict in VERDICTS)]
    return [*plain_table(head, rows), "", "Expected errors, problems by verdicts:", "", *sentences, "",
            "Before:", *origin(before), "", "After:", *origin(after)]
