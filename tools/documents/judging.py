"""Tables of verdicts and expected errors."""

from documents.results import Absent, mean_of, origin, wrapped
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


def off(cells):
    """Median factor by which expected and true error differ, either way."""
    factors = [max(mean_of(cell), 1 / mean_of(cell)) for cell in cells if mean_of(cell)]
    return sorted(factors)[len(factors) // 2] if factors else None


def shells(results):
    """Before and after rows that choose and rows that judge were kept apart."""
    before, after = results.read("coverage-shared"), results.read("coverage")
    rows = []
    for row in after.rows:
        pair = lambda column, split: (before.find(row, column, split=split), after.find(row, column, split=split))
        rows.append([row, arrow(*pair("AUROC", "all"), ".2f"),
                     *(arrow(*pair("expected over true", verdict), ".2g") for verdict in VERDICTS)])
    shared = [row for row in after.rows if row in before.rows]
    medians = [off([result.find(row, "expected over true", split=verdict) for row in shared for verdict in VERDICTS])
               for result in (before, after)]
    if None in medians:
        raise Absent("coverage.json or coverage-shared.json has no expected over true; make it again: kedge reproduce "
                     "coverage")
    head = ["before → after", "AUROC", *(f"expected / true, {verdict}" for verdict in VERDICTS)]
    sentence = ("The median factor between expected and true error, over the problems and verdicts of both, is "
                f"{medians[0]:.2g} before and {medians[1]:.2g} after.")
    return [*plain_table(head, rows), "", *wrapped(sentence), "",
            "Before:", *origin(before), "", "After:", *origin(after)]
