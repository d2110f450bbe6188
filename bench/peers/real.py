#!/usr/bin/env python3
"""Real tables: kedge and scikit-learn on measured tables, on the built-in problems and on small tables.

Usage: real.py kedge | peers [--tables FOLDER] [--seeds 0,1,2] [--only NAMES] [--fits NAMES] [--jobs N] [--threads T]
       real.py collect

`kedge` and `peers` write one file for each table, seed and fit into build/real. What is there is not measured again, unless
the program has changed. `kedge` runs build/release/kedge, or what --program names. `peers` needs scikit-learn
(bench/peers/setup), and kedge to draw the problems. FOLDER has a folder for each measured table, with train.csv, eval.csv
and ood.csv; without it these tables are left out. `collect` makes results/real.json of the files, those of one build.
"""

import argparse
import concurrent.futures
import csv
import dataclasses
import functools
import hashlib
import json
import math
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True

import pieces  # noqa: E402
import real_tables  # noqa: E402
import scores  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PLACE = ROOT / "build" / "real"

# What is asked of kedge: a name, the flags of `kedge fit`, and the groups of tables it is asked of (all unless told).
FITS = {
    "auto": ["--model auto"],
    "bilinear": ["--model bilinear"],
    "bilinear-ridge": ["--model bilinear-ridge"],
    "linear": ["--model linear"],
    "ridge": ["--model ridge"],
    "quadratic": ["--model quadratic"],
    "nearest": ["--model nearest"],
    "extreme": ["--model extreme"],
}
PEERS = ("ridge", "gradient boosting", "extra trees", "Gaussian process")
OUTSIDE = "beyond_outputs"  # column of predict that marks answers beyond the training outputs


@dataclasses.dataclass(frozen=True)
class Piece:
    """One measurement."""
    who: str
    table: real_tables.Table
    seed: int
    fit: str

    @property
    def path(self):
        words = "-".join((self.who, self.table.name, str(self.seed), self.fit))
        return PLACE / f"{words.replace(', ', '_').replace(' ', '_')}.json"


def error(table, predicted, truth, train):
    if table.group == real_tables.MEASURED:
        return scores.mean_absolute(predicted, truth)
    return scores.relative_rmse(predicted, truth, [statistics.pstdev(column) for column in scores.by_output(train)])


def compared(table, answers, files):
    """Errors inside and beyond, and how well the greatest outputs are found; answers by part."""
    truth = {part: real_tables.outputs(real_tables.read(path), table) for part, path in files.items()}
    both = [answers["in"] + answers["out"], truth["in"] + truth["out"]]
    return {"in": error(table, answers["in"], truth["in"], truth["train"]),
            "oos": error(table, answers["out"], truth["out"], truth["train"]),
            "rank": scores.rank_correlation(answers["out"], truth["out"]), "top": scores.top_share(*both)}, truth


# kedge


def kedge(program, *arguments):
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip())
    return done.stdout


def marked(cell):
    return cell not in ("", "0", "no")


def said(rows, predicted, truth):
    """What predict says of its answers."""
    expected = [float(row["expected_error"]) for row in rows if row["expected_error"]]
    true = [e for e, row in zip(scores.distances(predicted, truth), rows, strict=True) if row["expected_error"]]
    outside = {"outside_outputs": sum(marked(row[OUTSIDE]) for row in rows)} if OUTSIDE in rows[0] else {}
    return {"verdicts": scores.total([{row["verdict"]: 1} for row in rows]), "expected_rows": len(expected),
            "true": sum(true), "expected": sum(expected), **outside}


def measure_kedge(piece, given):
    table, run = piece.table, functools.partial(kedge, given.program)
    threads = ["--threads", given.threads]
    with tempfile.TemporaryDirectory() as folder:
        files, model = table.parts(piece.seed, folder, given.tables, run), pathlib.Path(folder) / "model.kedge"
        start = time.perf_counter()
        fitted = json.loads(run("fit", files["train"], *table.fit_flags(), *FITS[piece.fit][0].split(), *threads, "--seed",
                                piece.seed, "-o", model, "--json", "--quiet"))
        found, rows, answers = {"fit_s": time.perf_counter() - start, "model": fitted["model"]}, {}, {}
        for part in ("in", "out"):
            start = time.perf_counter()
            text = run("predict", model, files[part], *threads, "--quiet")
            found[f"{part}_s"] = time.perf_counter() - start
            rows[part] = list(csv.DictReader(text.splitlines()))
            answers[part] = [[float(row[name]) for name in table.columns] for row in rows[part]]
        found["scores"], truth = compared(table, answers, files)
        return {**found, **{part: said(rows[part], answers[part], truth[part]) for part in ("in", "out")}}


def known_fits(given):
    """Without those whose model this build does not have."""
    models = {model["name"] for model in json.loads(kedge(given.program, "list", "models", "--json"))["models"]}
    known = [fit for fit, (flags, *_) in FITS.items() if flags.split()[1] in models]
    absent = ", ".join(fit for fit in FITS if fit not in known)
    if absent:
        print(f"real: {given.program} has no model for: {absent}", flush=True)
    return known


# scikit-learn


MOST_PROCESS_ROWS = 2000   # a Gaussian process of more takes minutes
MOST_LENGTHS = 16          # so does one with a length for each of more columns
TREES = 300


def peer(name, columns, outputs, seed):
    from sklearn.ensemble import ExtraTreesRegressor, HistGradientBoostingRegressor
    from sklearn.multioutput import MultiOutputRegressor

    import sklearn_models

    if name == "ridge":
        return sklearn_models.scaled(sklearn_models.ridge())
    if name == "gradient boosting":
        one = HistGradientBoostingRegressor(random_state=seed)
        return one if outputs == 1 else MultiOutputRegressor(one)
    if name == "extra trees":
        return sklearn_models.scaled(ExtraTreesRegressor(TREES, random_state=seed, n_jobs=1))
    return sklearn_models.gaussian_process(columns if columns <= MOST_LENGTHS else 1, seed)


def inputs(columns, table):
    """As an array; an angle is its cosine and its sine, so that peers get what kedge gets."""
    import numpy as np

    angles, found = table.angles(), []
    for name, cells in columns.items():
        if name not in (*table.columns, table.ignored):
            values = np.array(cells, dtype=float)
            found += [np.cos(values), np.sin(values)] if name in angles else [values]
    return np.column_stack(found)


def measure_peers(piece, given):
    import warnings

    import numpy as np

    warnings.simplefilter("ignore")  # of solvers that stop at their limit
    table = piece.table
    with tempfile.TemporaryDirectory() as folder:
        files = table.parts(piece.seed, folder, given.tables, functools.partial(kedge, given.program))
        columns = {part: real_tables.read(path) for part, path in files.items()}
        x = {part: inputs(own, table) for part, own in columns.items()}
        y = np.array(real_tables.outputs(columns["train"], table))
        kept = slice(None, None, math.ceil(len(y) / MOST_PROCESS_ROWS) if "process" in piece.fit else 1)
        start = time.perf_counter()
        model = peer(piece.fit, x["train"].shape[1], y.shape[1], piece.seed)
        model.fit(x["train"][kept], y[kept] if y.shape[1] > 1 else y[kept, 0])
        found, answers = {"fit_s": time.perf_counter() - start, "train_rows": len(y[kept])}, {}
        for part in ("in", "out"):
            start = time.perf_counter()
            answers[part] = model.predict(x[part]).reshape(-1, y.shape[1]).tolist()
            found[f"{part}_s"] = time.perf_counter() - start
        found["scores"], _ = compared(table, answers, files)
        return found


# pieces


def measure(piece, given, program):
    """Writes the piece; the reason in place of numbers where a fit fails."""
    about = {"who": piece.who, "table": piece.table.name, "seed": piece.seed, "fit": piece.fit, "threads": given.threads,
             "machine": pieces.machine(), **program}
    try:
        found = (measure_kedge if piece.who == "kedge" else measure_peers)(piece, given)
    except RuntimeError as failure:
        found = {"failure": str(failure)}
    pieces.write(piece.path, {**about, **found})
    return f"{piece.path.stem}: {found.get('failure') or found['scores']}"


def program_of(given):
    if given.what == "kedge":
        build = hashlib.sha256(pathlib.Path(given.program).read_bytes()).hexdigest()[:12]
        return {"program": build, "version": kedge(given.program, "--version").split()[-1]}
    import sklearn

    return {"program": f"scikit-learn {sklearn.__version__}"}


def is_done(piece, program):
    return piece.path.exists() and pieces.read(piece.path)["program"] == program["program"]


def listed(text, all_names):
    """Names with semicolons between, of those there are."""
    names = [name.strip() for name in text.split(";")] if text else all_names
    unknown = [name for name in names if name not in all_names]
    if unknown:
        sys.exit(f"real: needs names with ';' between, of {'; '.join(all_names)}; found {'; '.join(unknown)}")
    return names


def measure_all(given):
    os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = str(given.threads)
    PLACE.mkdir(parents=True, exist_ok=True)
    names = listed(given.only, [table.name for table in real_tables.TABLES])
    tables = [table for table in real_tables.TABLES
              if table.name in names and (given.tables or table.group != real_tables.MEASURED)]
    fits = listed(given.fits, known_fits(given) if given.what == "kedge" else list(PEERS))
    asked = lambda fit, table: given.what == "peers" or table.group in (FITS[fit][1:] or [table.group])
    program = program_of(given)
    wanted = [Piece(given.what, table, seed, fit) for seed in map(int, given.seeds.split(",")) for table in tables
              for fit in fits if asked(fit, table)]
    left = [piece for piece in wanted if not is_done(piece, program)]
    print(f"real: {len(left)} of {len(wanted)} to measure", flush=True)
    with concurrent.futures.ProcessPoolExecutor(given.jobs) as pool:
        for done in concurrent.futures.as_completed(pool.submit(measure, piece, given, program) for piece in left):
            print(done.result(), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("what", choices=("kedge", "peers", "collect"))
    parser.add_argument("--tables", help="folder of the measured tables; without it they are left out")
    parser.add_argument("--seeds", default="0,1,2")
    parser.add_argument("--only", help="names of tables, with ';' between")
    parser.add_argument("--fits", help="names of fits, with ';' between")
    parser.add_argument("--jobs", type=int, default=1, help="measurements at a time")
    parser.add_argument("--threads", type=int, default=2, help="threads of one measurement")
    parser.add_argument("--program", default=str(ROOT / "build" / "release" / "kedge"))
    given = parser.parse_args()
    if given.what != "collect":
        return measure_all(given)
    from real_collect import collected

    result = collected([pieces.read(path) for path in sorted(PLACE.glob("*.json"))])
    path = ROOT / "results" / "real.json"
    path.write_text(pieces.lines(result), encoding="utf-8")
    print(f"wrote {path.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
