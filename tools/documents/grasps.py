"""Tables of grasp points and of tiles."""

from documents.results import mean_of, origin, wrapped
from documents.tables import (BEST_SIMPLE, SPLITS, Column, Row, agreement_sentence, agreement_text, best, capital,
                              columns, columns_in, contest_table, error_text, unrepeated, with_agreement)

SIMPLE_NAMES = ("Linear", "Ridge", "Quadratic ridge", "Nearest neighbour", "Training extreme")
METHODS = (*SIMPLE_NAMES, "Neural Net", "Transduction", "Ours")
PRESETS = ("paper", "released", "default")


def grasps(results):
    return with_agreement(["error out of support, m", ""], columns(*METHODS), results.read("table-scaled"), PRESETS)


def best_simple(result, row, preset="default", split="oos"):
    of = columns(*SIMPLE_NAMES)
    return best([result.cell(row, column.name, preset, split) for column in of], of)


def text(results):
    """From the paper's text to the released code."""
    result, scaled = results.read("table-text"), results.read("table-scaled")
    changes = list(dict.fromkeys((column, preset) for _, column, preset, _ in result.cells))
    of = [*(Column(name, name, "bilinear") for name, _ in changes), BEST_SIMPLE]
    rows = []
    for row in result.rows:
        cells = [result.cell(row, name, preset) for name, preset in changes]
        texts = [f"{error_text(cell, 4)} ({agreement_text(cell)})" for cell in cells]
        simple = best_simple(scaled, row)
        rows.append(Row([row, error_text({"ours": cells[0]["published"]}, 4)], [*cells, simple],
                        texts=[*texts, error_text(simple, 4)]))
    counted = {name: [result.cell(row, name, preset) for row in result.rows] for name, preset in changes}
    return [*contest_table(["error out of support, m", "published"], of, rows, 4),
            *(f"- {capital(agreement_sentence({name: cells}))}." for name, cells in counted.items()), "",
            *origin(result, scaled)]


def turned(results):
    of = columns("Tensor Field", *METHODS)
    return with_agreement(["error out of support, m", ""], of, results.read("table-se3"), PRESETS)


def weighted(results):
    of = columns("Learned, greatest weight", "Learned, drawn by weight", "Learned, our rule", "Joint, from pairs",
                 "Joint, from nothing", "Ground Truth Weighted", "Bilinear Transduction", *SIMPLE_NAMES)
    return with_agreement(["error, m", ""], of, results.read("table-weighted"), PRESETS, ("oos", "in"))


def tiles(results):
    result = results.read("fig-tiles")
    of = columns("weighted transduction", "weighted, greatest weight", "weighted, drawn by weight",
                 "weighted, 30 + 30 pairs", "joint, 300 + 300 pairs", "joint, 30 + 30 pairs", "joint, no pairs",
                 "bilinear transduction", "bilinear, without differences", "neural net", "linear", "ridge", "quadratic",
                 "nearest", "extreme")
    rows = [Row([label, preset], [result.find("tiles", column.name, preset, split) for column in of], label)
            for split, label in SPLITS.items() for preset in ("default", "paper")]
    return contest_table(["error / deviation of the outputs", "preset"], of, unrepeated(rows), 4, *origin(result))


def fourier(results):
    result = results.read("table-fourier")
    lines = with_agreement(["error out of support, m", ""], columns_in(result, METHODS), result, result.presets)
    scaled = results.read("table-scaled")
    simple = {row: best_simple(scaled, row) for row in result.rows}
    less = sum(mean_of(simple[row]) < min(mean_of(result.cell(row, "Ours", preset)) for preset in result.presets)
               for row in result.rows)
    named = ", ".join(f"{row} {error_text(cell, 4)} {cell['who']}" for row, cell in simple.items())
    return [*lines, "", *wrapped(f"The best simple model of table 1, without a Fourier layer: {named}. It errs less than "
                                 f"bilinear with a Fourier layer in {less} of {len(simple)} rows.")]


def seeds(results):
    return with_agreement(["error, m", ""], columns(*METHODS), results.read("table-seeds"), PRESETS, ("oos", "in"))


def size_lines(result, rows, scaled):
    of = [*columns("Neural Net", "Transduction", "Ours"), BEST_SIMPLE]
    made = [Row([row], [*(result.cell(row, column.name, "released") for column in of[:-1]),
                        best_simple(scaled, row.split(",")[0])]) for row in rows]
    return contest_table(["error out of support, m"], of, made, 4, *origin(result, scaled))


def is_narrow(row):
    return row.endswith("n = 32")


def sizes(results):
    """The paper's search size by size, n = 32."""
    result = results.read("table-sizes")
    return size_lines(result, [row for row in result.rows if is_narrow(row)], results.read("table-scaled"))


def wide(results):
    """Wider networks, of the paper's whole search."""
    result = results.read("full/table-sizes")
    return size_lines(result, [row for row in result.rows if not is_narrow(row)], results.read("table-scaled"))


def grasps_full(results):
    """Table 1 over all sizes of the paper."""
    return with_agreement(["error out of support, m", ""], columns(*METHODS), results.read("full/table-scaled"),
                          ("paper", "released"))
