"""The tour: tables as users bring them."""

from documents.results import mean_of, origin, wrapped
from documents.tables import BILINEAR, NETWORK, REFERENCE, SIMPLE, SPLITS, Column, Row, error_table, least_sentences, plain_table, \
    tally, unrepeated

KEDGE = ("concat", "equivariant", "mlp", "linear", "ridge", "quadratic", "nearest", "extreme", "bilinear")
COLUMNS = [Column("bilinear", "bilinear", BILINEAR), Column("auto", "auto", REFERENCE),
           Column("sklearn linear", "linear", SIMPLE), Column("sklearn quadratic ridge", "quadratic ridge", SIMPLE),
           Column("sklearn gradient boosting", "gradient boosting", "another method"),
           Column("sklearn MLP", "MLP", NETWORK), Column("sklearn Gaussian process", "Gaussian process", "another method")]
AS_GOOD = 1.05


def seconds(value):
    return f"{value:.1f} s" if value < 10 else f"{value:.0f} s"


def ratios(values):
    known = [value for value in values if value is not None]
    return f"{min(known):.2g} - {max(known):.2g}" if known else "unknown"


def verdicts(counts):
    return ", ".join(f"{count} {name}" for name, count in counts.items())


def rows_of(result, splits):
    return [Row([name, label], [result.find(name, column.name, split=split) for column in COLUMNS], label)
            for name in result.rows for split, label in splits.items()]


def sentence(results):
    """Who errs least out of support, for a page that has no room for the table."""
    rows = rows_of(results.read("tour"), {"oos": SPLITS["oos"]})
    won = {title: n for _, _, titles in tally(COLUMNS, rows) for title, n in titles}
    return f"On {len(rows)} tables as users bring them, beside scikit-learn: " \
           f"{', '.join(f'{title} {n}' for title, n in won.items())}."


def tour(results):
    """Errors beside those of scikit-learn."""
    result = results.read("tour")
    rows = unrepeated(rows_of(result, SPLITS))
    return [*error_table(["table", ""], COLUMNS, rows, 3), "", *least_sentences(COLUMNS, rows), "", *origin(result),
            *wrapped(f"Peers: {', '.join(result.data['peers'])}.")]


def tour_advice(results):
    """What auto chose, how good its choice was, and what was said of the answers."""
    result = results.read("tour")
    rows, worse = [], []
    for detail in result.data["details"]:
        name, model = detail["table"], detail["model"]
        own = mean_of(result.cell(name, model))
        best = min(KEDGE, key=lambda other: mean_of(result.cell(name, other)))
        ratio = own / mean_of(result.cell(name, best))
        if model == "auto" and ratio > AS_GOOD:
            worse.append(name)
        out = detail["out"]
        rows.append([name, model, ", ".join(dict.fromkeys(detail["fitted"])), f"{ratio:.2f} ({best})",
                     verdicts(out["verdicts"]), ratios(detail["in"]["true_over_expected"]),
                     ratios(out["true_over_expected"]), seconds(detail["fit_s"]), seconds(out["predict_s"])])
    head = ["table", "asked for", "fitted", "error out of support / best kedge model", "verdicts out of support",
            "true / expected error, in", "out", "fit", "300 answers"]
    text = f"The choice of `auto` errs by more than {AS_GOOD} times the least of all kedge models out of support on " \
           f"{len(worse)} of {len(result.rows)} tables{': ' + ', '.join(worse) if worse else ''}. A rule of that choice was " \
           "made after a first run of these tables, as the list of choices above says: the number is too good by that."
    return [*plain_table(head, rows, left=5), "", *wrapped(text)]
