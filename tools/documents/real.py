"""Real tables: kedge beside scikit-learn on tables of materials, built-in problems and small tables."""

import statistics

from documents.results import item, mean_of, origin, wrapped
from documents.tables import (BILINEAR, SIMPLE, SPLITS, Column, Row, best, error_table, least_sentences, may_win, plain_table,
                              unrepeated)
from documents.tour import ratios, seconds, verdicts

AUTO, PEER = "auto", "scikit-learn"
INSIDE_PEERS = ("sklearn ridge", "sklearn gradient boosting", "sklearn extra trees")
MATERIAL_SPLITS = {"oos": "error beyond", "in": "error inside", "rank": "rank correlation beyond", "top": "share of the top"}
GREATEST = ("rank", "top")
GROUPS = ("materials", "small", "problem")
AS_GOOD, INSIDE, BEYOND, EXPECTED = 1.05, 1.10, 0.85, 1.5  # what we want
MOST_SHOWN = 100  # a greater ratio says no more: the best error is nothing but rounding


def kind_of(name):
    if name.startswith("sklearn "):
        return PEER
    return next((kind for kind in (AUTO, BILINEAR) if name.startswith(kind)), SIMPLE)


def columns_of(result):
    return [Column(name, name, kind_of(name)) for name in result.data["columns"]]


def names_of(result, *groups):
    return [table["name"] for table in result.data["tables"] if table["group"] in groups]


def rows_of(result, groups, splits):
    of = columns_of(result)
    return [Row([name, label], [result.find(name, column.name, split=split) for column in of],
                label.removeprefix("error "), best=max if split in GREATEST else min)
            for name in names_of(result, *groups) for split, label in splits.items()]


def least(result, name, split, wanted):
    """The cell of least error among the columns wanted, named; None where none has one."""
    able = [column for column in columns_of(result) if wanted(column) and may_win(result.find(name, column.name, split=split))]
    return best([result.find(name, column.name, split=split) for column in able], able) if able else None


def real_materials(results):
    """Errors, order and the top of the tables of materials."""
    result = results.read("real")
    rows = rows_of(result, ("materials",), MATERIAL_SPLITS)
    errors = [row for row in rows if row.best is min]
    sentences = least_sentences(columns_of(result), errors)
    return [*error_table(["table", ""], columns_of(result), unrepeated(rows), 3), "", *sentences]


def real_problems(results):
    """Errors on tables of known laws, small ones first, and where all of this comes from."""
    result = results.read("real")
    rows = rows_of(result, ("small", "problem"), SPLITS)
    sentences = least_sentences(columns_of(result), rows)
    missing = result.data["missing"]
    left = [f"{missing} measurement{'s are' if missing > 1 else ' is'} missing."] if missing else []
    return [*error_table(["table", ""], columns_of(result), unrepeated(rows), 4), "", *sentences, "", *left, *origin(result),
            *wrapped(f"Peers: {', '.join(result.data['peers'])}.")]


class Comparison:
    """One choice of kedge on one table against what was wanted of it; None where a number is missing."""

    def __init__(self, result, name, column):
        self.name = name
        self.told = next(d for d in result.data["details"] if (d["table"], d["column"]) == (name, column))
        self.kedge = self._over(result, column, "oos", lambda other: other.kind not in (PEER, AUTO))
        self.inside = self._over(result, column, "in", lambda other: other.name in INSIDE_PEERS)
        self.peers = self._over(result, column, "oos", lambda other: other.kind == PEER)
        self.expected = self.told["out"]["over_all_seeds"] if "out" in self.told else None

    def _over(self, result, column, split, wanted):
        """Our error over the least of the others, and whose it is."""
        own, other = result.find(self.name, column, split=split), least(result, self.name, split, wanted)
        return (mean_of(own) / mean_of(other), other["who"]) if may_win(own) and other else None


def comparisons(result, column, *groups):
    return [Comparison(result, name, column) for name in names_of(result, *groups) if result.find(name, column)]


def number_text(value):
    return f"{value:.2f}" if value < MOST_SHOWN else f"over {MOST_SHOWN}"


def ratio_text(ratio):
    return f"{number_text(ratio[0])} ({ratio[1]})" if ratio else ""


def choices(result):
    return [column.name for column in columns_of(result) if column.kind == AUTO]


def counted(what, values, is_met):
    """`what` on how many of the tables, and the value of those where it is not so."""
    there = [(name, value) for name, value in values if value is not None]
    missed = [f"{name}: {number_text(value)}" for name, value in there if not is_met(value)]
    left = f" (not on {'; '.join(missed)})" if missed else ""
    return f"{what} on {len(there) - len(missed)} of {len(there)} tables{left}."


def sentences(result, column):
    """How often a choice of kedge is as good as wanted."""
    every = comparisons(result, column, *GROUPS)
    materials = names_of(result, "materials")
    first = lambda key, of=every: [(c.name, ratio[0] if (ratio := getattr(c, key)) else None) for c in of]
    return [
        counted(f"Beyond the data, `{column}` errs by at most {AS_GOOD:.2f} times the best single model of kedge",
                first("kedge"), lambda value: value <= AS_GOOD),
        counted(f"Inside, by at most {INSIDE:.2f} times the best of ridge, gradient boosting and extra trees",
                first("inside"), lambda value: value <= INSIDE),
        counted(f"Beyond the data of tables of materials, by at most {BEYOND:.2f} times the best model of scikit-learn",
                first("peers", [c for c in every if c.name in materials]), lambda value: value <= BEYOND),
        counted("On the other tables, not more than any model of scikit-learn",
                first("peers", [c for c in every if c.name not in materials]), lambda value: value <= 1),
        counted(f"True and expected error beyond the data are within a factor of {EXPECTED}",
                [(c.name, c.expected) for c in every], lambda value: 1 / EXPECTED <= value <= EXPECTED)]


def sentence(results):
    """The choice of kedge in one sentence, for a page that has no room for the tables."""
    result = results.read("real")
    every = comparisons(result, AUTO, *GROUPS)
    number = lambda key, limit: sum(getattr(c, key) is not None and getattr(c, key)[0] <= limit for c in every)
    return f"On {len(every)} tables, {len(names_of(result, 'materials'))} of them of materials, `auto` errs beyond the " \
           f"data by at most {AS_GOOD} times the best single model of kedge on {number('kedge', AS_GOOD)}, and not more than " \
           f"any model of scikit-learn on {number('peers', 1)}."


def real_summary(results):
    """Each choice of kedge against the best single models, and how often it is as good as wanted."""
    result, rows = results.read("real"), []
    for column in choices(result):
        for c in comparisons(result, column, *GROUPS):
            rows.append([c.name, column, ", ".join(dict.fromkeys(c.told.get("fitted", []))), ratio_text(c.kedge),
                         ratio_text(c.inside), ratio_text(c.peers)])
    head = ["table", "asked for", "fitted", "error beyond / best single kedge model",
            "error inside / best of ridge, boosting, trees", "error beyond / best of scikit-learn"]
    listed = [line for column in choices(result) for text in sentences(result, column) for line in item(text)]
    return [*plain_table(head, rows, left=3), "", *wrapped(sentence(results)), "", *listed]


def outside_text(part):
    return str(part["outputs_outside"]) if "outputs_outside" in part else ""


def real_advice(results):
    """What kedge said of the answers."""
    result, rows = results.read("real"), []
    for d in result.data["details"]:
        if d["column"] in (*choices(result), "bilinear") and "out" in d:
            rows.append([d["table"], d["column"], verdicts(d["in"]["verdicts"]), verdicts(d["out"]["verdicts"]),
                         outside_text(d["out"]), ratios(d["in"]["true_over_expected"]), ratios(d["out"]["true_over_expected"]),
                         ratios(d["out"]["true_over_expected_beyond"]), seconds(d["fit_s"]), seconds(d["answer_s"])])
    head = ["table", "asked for", "verdicts inside", "verdicts beyond", "outside the training outputs",
            "true / expected error, inside", "beyond", "beyond, by expected_error_beyond", "fit", "answers beyond"]
    return plain_table(head, rows, left=4)


def real_times(results):
    """Seconds of a fit: of each table of materials, and of the middle one of the other tables."""
    result = results.read("real")
    rows = {name: [name] for name in names_of(result, "materials")}
    rows |= {f"{label}, median": names_of(result, group)
             for group, label in (("small", "40 rows"), ("problem", "built-in problems"))}
    of = {(d["table"], d["column"]): d["fit_s"] for d in result.data["details"] if d["fit_s"] is not None}
    lines = []
    for label, names in rows.items():
        found = [[of[name, column.name] for name in names if (name, column.name) in of] for column in columns_of(result)]
        lines.append([label, *(seconds(statistics.median(own)) if own else "" for own in found)])
    return plain_table(["fit", *(column.title for column in columns_of(result))], lines)
