"""Makes results/real.json of the pieces that real.py measured."""

import statistics
import sys

import real_measure
import real_tables
import scores

SPLITS = ("oos", "in", "rank", "top")
NOTES = [
    "Tables of materials: mean absolute error in units of the output. Other tables: root mean square error over rows and outputs, "
    "each output divided by its deviation over the training rows, which outputs of one unit share; every seed has its own rows.",
    "rank: Spearman's rank correlation of answers and truth beyond the data, the mean over outputs. top: of the tenth of all "
    "rows asked, inside and beyond together, whose true output is greatest, the share whose answer is among the greatest tenth "
    "of all answers, the mean over outputs; equal answers are drawn by lot. By chance it is 0.1.",
    f"A Gaussian process has at most {real_measure.MOST_PROCESS_ROWS:,} of the rows, evenly spread, and one length for all "
    f"columns where there are more than {real_measure.MOST_LENGTHS}; it starts from the likeliest of six lengths on 300 rows. Extra "
    f"trees are {real_measure.TREES}. Otherwise scikit-learn has its defaults. All but gradient boosting get standardized "
    "inputs and outputs.",
]


def short(value):
    return float(f"{value:.6g}")


def column_of(piece):
    return piece["fit"] if piece["who"] == "kedge" else f"sklearn {piece['fit']}"


ORDER = [*real_measure.FITS, *(f"sklearn {name}" for name in real_measure.PEERS)]


def known(pieces):
    """By table, column and seed, in the order of the lists; what these no longer name is passed over."""
    found = {}
    for table in real_tables.TABLES:
        for column in ORDER:
            own = {p["seed"]: p for p in pieces if p["table"] == table.name and column_of(p) == column}
            if own:
                found.setdefault(table, {})[column] = dict(sorted(own.items()))
    return found


def wanted(by_table):
    """How many measurements there would be for each seed, of every fit that has one."""
    columns = {column for own in by_table.values() for column in own}
    return sum(real_measure.asked_of(column, table) for table in real_tables.TABLES for column in columns)


def cell(table, column, split, by_seed):
    """None where no fit has a number."""
    values = [piece["scores"][split] for piece in by_seed if "scores" in piece]
    failed = sum("failure" in piece for piece in by_seed)
    if None in values or not (values or failed):
        return None
    ours = {key: short(value) for key, value in scores.summary(values).items()} if values else {"mean": None, "sd": None}
    return {"row": table.name, "column": column, "preset": "default", "split": split, "ours": ours,
            **({"failed": failed} if failed else {})}


def over_expected(parts, what="expected"):
    true, expected = (sum(part[key] for part in parts) for key in ("true", what))
    return short(true / expected) if expected else None


def told(parts):
    """What predict said of one part's answers, over all seeds."""
    outside = [part[real_measure.OUTSIDE] for part in parts if real_measure.OUTSIDE in part]
    return {"verdicts": scores.total([part["verdicts"] for part in parts]),
            "expected_rows": sum(part["expected_rows"] for part in parts),
            "true_over_expected": [over_expected([part]) for part in parts], "over_all_seeds": over_expected(parts),
            "true_over_expected_beyond": [over_expected([part], "expected_beyond") for part in parts],
            **({real_measure.OUTSIDE: sum(outside)} if outside else {})}


def detail(table, column, by_seed):
    fitted = [piece for piece in by_seed if "scores" in piece]
    middle = lambda key: short(statistics.median(piece[key] for piece in fitted)) if fitted else None
    found = {"table": table.name, "column": column, "fit_s": middle("fit_s"), "answer_s": middle("out_s")}
    failures = [piece["failure"] for piece in by_seed if "failure" in piece]
    if failures:
        found["failures"] = failures
    if fitted and "out" in fitted[0]:
        found |= {"fitted": [piece["model"] for piece in fitted],
                  **{part: told([piece[part] for piece in fitted]) for part in ("in", "out")}}
    return found


def collected(pieces):
    """The result, as tools/readme_results shows it."""
    by_table = known(pieces)
    used = [piece for columns in by_table.values() for by_seed in columns.values() for piece in by_seed.values()]
    ours = [piece for piece in used if piece["who"] == "kedge"]
    builds = sorted({piece["program"] for piece in ours})
    numerics = sorted({piece["numerics"] for piece in ours})
    if len(numerics) != 1:
        sys.exit(f"real: needs measurements of one numerics of kedge; found {len(numerics)}; measure again")
    seeds = sorted({piece["seed"] for piece in used})
    every = [(table, column, list(by_seed.values())) for table, columns in by_table.items()
             for column, by_seed in columns.items()]
    return {"id": "real", "title": "Real tables",
            "command": "bench/peers/real.py kedge --tables FOLDER; bench/peers/real.py peers --tables FOLDER; "
                       "bench/peers/real.py collect",
            "version": ours[0]["version"], "build": ", ".join(builds), "numerics": numerics[0],
            "peers": sorted({piece["program"] for piece in used if piece["who"] == "peers"}),
            "machines": sorted({piece["machine"] for piece in used}),
            "threads": sorted({piece["threads"] for piece in ours}), "seeds": seeds, "notes": NOTES,
            "missing": wanted(by_table) * len(seeds) - len(used),
            "tables": [{"name": table.name, "group": table.group} for table in by_table],
            "columns": [column for column in ORDER if any(column in own for own in by_table.values())],
            "cells": [one for table, column, by_seed in every for split in SPLITS
                      if (one := cell(table, column, split, by_seed))],
            "details": [detail(*one) for one in every]}
