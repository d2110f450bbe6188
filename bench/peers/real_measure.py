"""What real.py measures: one fit of kedge or of scikit-learn on one table."""

import csv
import functools
import json
import pathlib
import subprocess
import tempfile
import time

import real_tables
import scores

# What is asked of kedge: a name, the flags of `kedge fit`, and the groups of tables it is asked of (all unless told).
FITS = {
    "auto": ["--model auto"],
    "auto, beyond outputs": ["--model auto --beyond outputs", real_tables.MATERIALS],
    "bilinear": ["--model bilinear"],
    "bilinear, anchors auto": ["--model bilinear --anchors auto", real_tables.MATERIALS, real_tables.SMALL],
    "bilinear-ridge": ["--model bilinear-ridge"],
    "linear": ["--model linear"],
    "ridge": ["--model ridge"],
    "quadratic": ["--model quadratic"],
    "nearest": ["--model nearest"],
    "extreme": ["--model extreme"],
}
PEERS = ("ridge", "gradient boosting", "extra trees", "Gaussian process")
OUTSIDE = "outputs_outside"  # column of predict that names outputs beyond all of training


def error(table, predicted, truth, train):
    if table.group == real_tables.MATERIALS:
        return scores.mean_absolute(predicted, truth)
    return scores.relative_rmse(predicted, truth, table.scales(train))


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


def said(rows, predicted, truth):
    """What predict says of its answers."""
    expected = [float(row["expected_error"]) for row in rows if row["expected_error"]]
    true = [e for e, row in zip(scores.distances(predicted, truth), rows, strict=True) if row["expected_error"]]
    outside = {OUTSIDE: sum(row[OUTSIDE] != "" for row in rows)} if OUTSIDE in rows[0] else {}
    beyond = sum(float(row["expected_error_beyond"] or 0) for row in rows if row["expected_error"])
    return {"verdicts": scores.total([{row["verdict"]: 1} for row in rows]), "expected_rows": len(expected),
            "true": sum(true), "expected": sum(expected), "expected_beyond": beyond, **outside}


def measure_kedge(table, seed, fit, given):
    run = functools.partial(kedge, given.program)
    threads = ["--threads", given.threads]
    with tempfile.TemporaryDirectory() as folder:
        files, model = table.parts(seed, folder, given.tables, run), pathlib.Path(folder) / "model.kedge"
        start = time.perf_counter()
        fitted = json.loads(run("fit", files["train"], *table.fit_flags(), *FITS[fit][0].split(), *threads, "--seed", seed,
                                "-o", model, "--json", "--quiet"))
        found, rows, answers = {"fit_s": time.perf_counter() - start, "model": fitted["model"]}, {}, {}
        for part in ("in", "out"):
            start = time.perf_counter()
            text = run("predict", model, files[part], *threads, "--quiet")
            found[f"{part}_s"] = time.perf_counter() - start
            rows[part] = list(csv.DictReader(text.splitlines()))
            answers[part] = [[float(row[name]) for name in table.columns] for row in rows[part]]
        found["scores"], truth = compared(table, answers, files)
        return {**found, **{part: said(rows[part], answers[part], truth[part]) for part in ("in", "out")}}


def asked_of(fit, table):
    groups = FITS[fit][1:] if fit in FITS else []
    return not groups or table.group in groups


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
    lengths = columns if columns <= MOST_LENGTHS else 1
    return sklearn_models.gaussian_process(lengths, seed, sklearn_models.TriedProcess)


def inputs(columns, table):
    """As an array; an angle is its cosine and its sine, so that peers get what kedge gets."""
    import numpy as np

    angles, found = table.angles(), []
    for name, cells in columns.items():
        if name not in (*table.columns, table.ignored):
            values = np.array(cells, dtype=float)
            found += [np.cos(values), np.sin(values)] if name in angles else [values]
    return np.column_stack(found)


def measure_peers(table, seed, fit, given):
    import warnings

    import numpy as np
    from sklearn_models import spread

    warnings.simplefilter("ignore")  # of solvers that stop at their limit
    with tempfile.TemporaryDirectory() as folder:
        files = table.parts(seed, folder, given.tables, functools.partial(kedge, given.program))
        columns = {part: real_tables.read(path) for part, path in files.items()}
        x = {part: inputs(own, table) for part, own in columns.items()}
        y = np.array(real_tables.outputs(columns["train"], table))
        kept = spread(len(y), MOST_PROCESS_ROWS if "process" in fit else len(y))
        start = time.perf_counter()
        model = peer(fit, x["train"].shape[1], y.shape[1], seed)
        model.fit(x["train"][kept], y[kept] if y.shape[1] > 1 else y[kept, 0])
        found, answers = {"fit_s": time.perf_counter() - start, "train_rows": len(kept)}, {}
        for part in ("in", "out"):
            start = time.perf_counter()
            answers[part] = model.predict(x[part]).reshape(-1, y.shape[1]).tolist()
            found[f"{part}_s"] = time.perf_counter() - start
        found["scores"], _ = compared(table, answers, files)
        return found
