"""Tables of functions and of the fresh problems."""

from documents.results import origin
from documents.tables import MODELS, SPLITS, Column, Row, columns, contest_table, plain_table, error_text, unrepeated

SIMPLE = ("linear", "ridge", "quadratic", "nearest", "extreme")
FIGURES = ("fig-problems", "fig-equivariant", "fig-beyond-equivariance")


def split_rows(result, of):
    """Out of support and in support, for each problem of a result; a model may be missing on a problem."""
    return unrepeated([Row([name, label], [result.find(name, column.name, split=split) for column in of], label)
                       for name in result.rows for split, label in SPLITS.items()])


def functions(results):
    demo = results.demo()
    of = columns("bilinear", "concat", "mlp", "mlp + Fourier", "linear", "quadratic", "training mean")
    return contest_table(["problem, RMSE", ""], of, split_rows(demo, of), 3, *origin(demo))


def figure_columns():
    return columns("bilinear", "concat", "mlp", "mlp, Fourier layer", "equivariant", *SIMPLE)


def relative(results):
    """The paper's figures, both presets in one row."""
    made = [("default", column.name) for column in figure_columns()]
    made += [("paper", name) for name in ("bilinear", "mlp, Fourier layer", "equivariant")]
    of = [Column(name, MODELS[name].title + (", paper" if preset == "paper" else ""), MODELS[name].kind)
          for preset, name in made]
    files, rows = [results.read(name) for name in FIGURES], []
    for file in files:
        for row in file.rows:
            file.cell(row, "bilinear", "paper")
            for split, label in SPLITS.items():
                rows.append(Row([row, label], [file.find(row, name, preset, split) for preset, name in made], label))
    return contest_table(["error / deviation of the outputs", ""], of, unrepeated(rows), 4, *origin(*files))


def ranges(results):
    """Errors by whole data-widths outside the training range."""
    result = results.read("fig-range")
    widths = list(dict.fromkeys(column for _, column, _, _ in result.cells))
    rows = []
    for row in result.rows:
        for preset in dict.fromkeys(key[2] for key in result.cells if key[0] == row):
            rows.append([row, preset, *(error_text(result.find(row, width, preset), 3) for width in widths)])
    return [*plain_table(["error / deviation of the outputs", "preset", *widths], rows, left=2), "", *origin(result)]


def fresh_columns():
    return columns("bilinear", "concat", "mlp", "mlp, Fourier layer", *SIMPLE, "training mean")


def fresh(results):
    result = results.read("fresh")
    of = fresh_columns()
    return contest_table(["error / deviation of the outputs", ""], of, split_rows(result, of), 4, *origin(result))
