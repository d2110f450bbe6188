"""Tables of errors, the least of each row in bold, and sentences that say who has it: one way for every table."""

import dataclasses
import statistics
from collections.abc import Callable

from documents.results import item, mean_of, origin, ratio_of, wrapped

BILINEAR, SIMPLE, NETWORK, REFERENCE = "bilinear", "a simple model", "another network", "not in the contest"
GIVEN = "bilinear with given pairs"  # it knows of some pairs, or of all, whether they are related

# What results call a column, what pages call it, and what it is.
_MODELS = [
    ("Expert", "expert", REFERENCE),
    ("Linear", "linear", SIMPLE), ("linear", "linear", SIMPLE),
    ("Ridge", "ridge", SIMPLE), ("ridge", "ridge", SIMPLE),
    ("Quadratic ridge", "quadratic ridge", SIMPLE), ("quadratic", "quadratic ridge", SIMPLE),
    ("Nearest neighbour", "nearest", SIMPLE), ("nearest", "nearest", SIMPLE),
    ("Training extreme", "extreme", SIMPLE), ("extreme", "extreme", SIMPLE),
    ("training mean", "training mean", SIMPLE),
    ("Ridge by step", "ridge by step", SIMPLE), ("Replay", "replay", SIMPLE),
    ("Neural Net", "MLP", NETWORK), ("mlp", "MLP", NETWORK), ("neural net", "MLP", NETWORK),
    ("mlp + Fourier", "MLP, Fourier", NETWORK), ("mlp, Fourier layer", "MLP, Fourier", NETWORK),
    ("Network with time", "MLP with time", NETWORK), ("DeepSets", "DeepSets", NETWORK),
    ("Transduction", "concat", NETWORK), ("concat", "concat", NETWORK),
    ("Tensor Field", "tensor field", NETWORK), ("equivariant", "equivariant", NETWORK),
    ("bilinear, without differences", "bilinear, no differences", NETWORK),
    ("Ours", "bilinear", BILINEAR), ("bilinear", "bilinear", BILINEAR),
    ("bilinear transduction", "bilinear, all pairs", BILINEAR),
    ("weighted transduction", "weighted, our rule, 300 + 300 pairs", GIVEN),
    ("weighted, 30 + 30 pairs", "weighted, our rule, 30 + 30 pairs", GIVEN),
    ("weighted, greatest weight", "weighted, greatest weight, 300 + 300 pairs", GIVEN),
    ("weighted, drawn by weight", "weighted, drawn by weight, 300 + 300 pairs", GIVEN),
    ("joint, 300 + 300 pairs", "joint, 300 + 300 pairs", GIVEN),
    ("joint, 30 + 30 pairs", "joint, 30 + 30 pairs", GIVEN), ("joint, no pairs", "joint, no pairs", BILINEAR),
    ("Ground Truth Weighted", "ground truth", GIVEN), ("Bilinear Transduction", "bilinear, all pairs", BILINEAR),
    ("Learned, greatest weight", "learned, greatest weight", GIVEN),
    ("Learned, drawn by weight", "learned, drawn by weight", GIVEN),
    ("Learned, our rule", "learned, our rule", GIVEN),
    ("Joint, from pairs", "joint, from pairs", GIVEN), ("Joint, from nothing", "joint, from nothing", BILINEAR),
]


@dataclasses.dataclass(frozen=True)
class Column:
    name: str   # as results call it
    title: str  # as pages do
    kind: str


@dataclasses.dataclass
class Row:
    labels: list
    cells: list           # one for each column; None is empty
    group: str = ""       # rows that are counted together
    contest: bool = True  # whether its numbers were measured here
    texts: list = None    # in place of the cells' own
    best: Callable = min  # max where more is better


MODELS = {name: Column(name, title, kind) for name, title, kind in _MODELS}


BEST_SIMPLE = Column("best simple model", "best simple model", SIMPLE)


def columns(*names):
    return [MODELS[name] for name in names]


def columns_in(result, names):
    """Those of the columns that a result has: one of an older build may have fewer."""
    there = {column for _, column, _, _ in result.cells}
    return columns(*(name for name in names if name in there))


def line(cells):
    return "| " + " | ".join(cells) + " |"


def plain_table(head, rows, left=1):
    """Markdown; the first `left` columns are words, the others numbers."""
    rule = ["---"] * left + ["---:"] * (len(head) - left)
    return [line(head), line(rule), *(line(row) for row in rows)]


def error_text(cell, digits):
    """Mean ± deviation, or the one number there is, and what diverged."""
    if cell is None:
        return ""
    mean, failed = mean_of(cell), cell.get("failed", 0)
    if mean is None:
        return "diverged"
    text = f"{mean:.{digits}f}"
    if cell["ours"].get("n") != 1:
        text += f" ± {cell['ours']['sd']:.{digits}f}"
    if failed:
        text += f", {failed} fit{'s' if failed > 1 else ''} diverged"
    return text


def who(cell):
    """The model's name behind its error, where the column does not say it."""
    return f" {cell['who']}" if cell and "who" in cell else ""


def may_win(cell):
    """Never a cell some of whose fits diverged."""
    return mean_of(cell) is not None and not cell.get("failed")


def winners(row, of):
    """Places of the least error, or whatever is best, among every model of the row."""
    if not row.contest:
        return []
    means = {i: mean_of(cell) for i, cell in enumerate(row.cells) if of[i].kind != REFERENCE and may_win(cell)}
    best_mean = row.best(means.values(), default=None)
    return [i for i, mean in means.items() if mean == best_mean]


def best(cells, of):
    """The cell of least error, named; the first where none may win."""
    able = [i for i, cell in enumerate(cells) if may_win(cell)]
    i = min(able, key=lambda place: mean_of(cells[place])) if able else 0
    return {**cells[i], "who": of[i].title}


def published_cell(cell):
    """The published value in the place of ours."""
    return {"ours": cell["published"]} if cell and cell.get("published") else None


def error_table(labels, of, rows, digits):
    """Every error of the rows; bold is the least of a row."""
    lines = []
    for row in rows:
        bold = winners(row, of)
        texts = row.texts or [error_text(cell, digits) for cell in row.cells]
        lines.append([*row.labels, *((f"**{text}**" if i in bold else text) + who(row.cells[i])
                                     for i, text in enumerate(texts))])
    return plain_table([*labels, *(column.title for column in of)], lines, left=len(labels))


def tally(of, rows):
    """How many rows each kind wins, and each of its columns, most first; ties count for all of them."""
    kinds, titles = {}, {}
    for row in rows:
        won = [of[i] for i in winners(row, of)]
        for kind in {column.kind for column in won}:
            kinds[kind] = kinds.get(kind, 0) + 1
        for column in won:
            titles[column] = titles.get(column, 0) + 1
    falling = lambda counts: sorted(counts.items(), key=lambda item: -item[1])
    return [(kind, count, [(column.title, n) for column, n in falling(titles) if column.kind == kind])
            for kind, count in falling(kinds)]


def is_close(row, of):
    """Whether a model of another kind lies within one deviation of the least error, its own or that of the least."""
    won = winners(row, of)
    if not won:
        return False
    least = row.cells[won[0]]["ours"]
    return any(of[i].kind not in (REFERENCE, of[won[0]].kind) and may_win(cell) and
               cell["ours"]["mean"] - least["mean"] <= max(least["sd"], cell["ours"]["sd"])
               for i, cell in enumerate(row.cells))


def close_sentence(of, rows):
    count = sum(is_close(row, of) for row in rows)
    return f" In {count} of these a model of another kind is within one deviation." if count else ""


def named(kind, titles):
    """` (quadratic ridge 2, linear 1)`; nothing where the kind says it all."""
    alone = titles[0][0] if len(titles) == 1 else ""
    return "" if alone in (kind, BEST_SIMPLE.title) else f" ({', '.join(f'*{title}* {n}' for title, n in titles)})"


def less_than_ours(of, rows):
    """How many rows each model errs less in than `bilinear` does, most first; nothing where bilinear has no column."""
    ours = next((i for i, column in enumerate(of) if column.title in (BILINEAR, "bilinear, all pairs")), None)
    if ours is None:
        return ""
    counts = {}
    for row in (row for row in rows if row.cells[ours]):
        for column, cell in zip(of, row.cells):
            less = may_win(cell) and (not may_win(row.cells[ours]) or mean_of(cell) < mean_of(row.cells[ours]))
            counts[column] = counts.get(column, 0) + (less and column.kind != REFERENCE)
    named_counts = ", ".join(f"*{column.title}* {n}" for column, n in sorted(counts.items(), key=lambda c: -c[1]) if n)
    return f" Less error than bilinear: {named_counts}." if named_counts else ""


def least_sentences(of, rows):
    """Who has the least error in how many rows, and who errs less than bilinear, group by group."""
    lines = []
    contest = [row for row in rows if row.contest]
    for group in dict.fromkeys(row.group for row in contest):
        own = [row for row in contest if row.group == group]
        first = f" of {len(own)} row{'s' if len(own) > 1 else ''}"
        parts = [f"{kind} in {count}{'' if i else first}{named(kind, titles)}"
                 for i, (kind, count, titles) in enumerate(tally(of, own))]
        sentence = f"Least error{f', {group}' if group else ''}: {', '.join(parts) or 'nobody'}.{close_sentence(of, own)}" \
                   f"{less_than_ours(of, own)}"
        lines += item(sentence)
    return lines


def contest_table(labels, of, rows, digits, *origins):
    """Table, sentences and origin."""
    return [*error_table(labels, of, rows, digits), "", *least_sentences(of, rows), "", *origins]


def agreements(result, presets, splits=("oos", "in"), names=None):
    """The cells that have a published value, by preset; of all models or of the columns named."""
    wanted = lambda name: name in names if names else name not in MODELS or MODELS[name].kind != REFERENCE
    cells = [c for c in result.data["cells"] if c.get("published") and c["split"] in splits and wanted(c["column"])]
    return {preset: [c for c in cells if c["preset"] == preset] for preset in presets}


def agreement_text(cell):
    """`agrees, 1.1`: the word, and ours over the published mean."""
    ratio = ratio_of(cell)
    if not cell or not cell.get("published"):
        return ""
    return "unknown" if ratio is None else f"{cell['agreement']}, {ratio:.2g}"


def agreement_sentence(by_preset, word=""):
    """In how many cells ours agrees, and the median ratio; `word` stands before each preset."""
    parts = []
    for preset, cells in by_preset.items():
        ratios = [ratio for ratio in map(ratio_of, cells) if ratio is not None]
        if cells:
            agree = sum(c["agreement"] == "agrees" for c in cells)
            middle = f", median ratio {statistics.median(ratios):.2g}" if ratios else ""
            near = sum(2 / 3 <= ratio <= 3 / 2 for ratio in ratios)
            parts.append(f"{word}{preset} agrees in {agree} of {len(cells)} cells, {near} within a factor of 1.5{middle}")
    return "; ".join(parts)


def capital(sentence):
    return sentence[0].upper() + sentence[1:]


def agreement_table(result, of, presets, splits=("oos",)):
    """The agreement of every cell with a published value, and how many agree."""
    known = {name for (_, name, _, split), c in result.cells.items() if c.get("published") and split in splits}
    published = [column for column in of if column.kind != REFERENCE and column.name in known]
    rows = []
    for row in result.rows:
        for preset in presets:
            for split in splits:
                texts = [agreement_text(result.find(row, column.name, preset, split)) for column in published]
                if any(texts):
                    where = [preset] if len(splits) == 1 else [f"{preset}, {SPLITS[split]}"]
                    rows.append([row, *where, *texts])
    sentence = agreement_sentence(agreements(result, presets, splits, {column.name for column in published}), "preset ")
    head = ["agreement, ours / published", "preset", *(column.title for column in published)]
    return [*plain_table(head, rows, left=2), "", *wrapped(f"{capital(sentence)}.")]


SPLITS = {"oos": "out of support", "in": "in support"}


def preset_rows(result, of, presets, splits=("oos",)):
    """For each row of a result: what was published, then each preset. Several rows are counted by preset."""
    rows = []
    for name in result.rows:
        for split in splits:
            where = lambda label: label if len(splits) == 1 else f"{label}, {SPLITS[split]}"
            cells = [[result.cell(name, column.name, preset, split) for column in of] for preset in presets]
            published = [published_cell(cell) for cell in cells[0]]
            if any(published):
                rows.append(Row([name, where("published")], published, contest=False))
            group = lambda preset: where(f"preset {preset}") if len(result.rows) > 1 else SPLITS[split]
            rows += [Row([name, where(preset)], own, group(preset)) for preset, own in zip(presets, cells)]
    return unrepeated(rows)


def unrepeated(rows):
    """The first label once, where rows below share it."""
    shown = None
    for row in rows:
        if row.labels[0] == shown:
            row.labels = ["", *row.labels[1:]]
        else:
            shown = row.labels[0]
    return rows


def with_agreement(labels, of, result, presets, splits=("oos",)):
    """The errors beside the published ones, then the agreements."""
    return [*contest_table(labels, of, preset_rows(result, of, presets, splits), 4),
            *agreement_table(result, of, presets, splits), "", *origin(result)]
