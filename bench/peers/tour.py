#!/usr/bin/env python3
"""The tour: kedge and scikit-learn on the tables of examples/tables, as a user would ask them.

Usage: tour.py kedge | peers [--seeds 0,1,2] [--only NAMES]     measures, one file for each table and seed in build/tour
       tour.py collect                                          makes results/tour.json of these files

`kedge` runs build/release/kedge with two threads: every model that cross-validation tries, and --model auto. `peers` needs
scikit-learn (bench/peers/setup). Peers get what kedge gets: words as indicators, dates as day numbers with the same
cycles, the same logarithms and angles, gaps filled by the median with a column that tells.
"""

import argparse
import csv
import hashlib
import json
import math
import pathlib
import statistics
import subprocess
import sys
import time

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "examples" / "tables"))

import tables  # noqa: E402
from pieces import lines, machine  # noqa: E402
from scores import rmse, summary, total  # noqa: E402

PLACE = ROOT / "build" / "tour"
PROGRAM = ROOT / "build" / "release" / "kedge"
MODELS = ("bilinear", "auto", "concat", "equivariant", "mlp", "linear", "ridge", "quadratic", "nearest", "extreme")
THREADS = 2
SPLITS = {"in": "in", "out": "oos"}


def read_truth(table, seed, part):
    return [float(row[-1]) for row in table.make(part, seed)]


# kedge


def kedge(*arguments):
    start = time.perf_counter()
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"kedge {' '.join(map(str, arguments))}: {done.stderr.strip()}")
    return done.stdout, time.perf_counter() - start


def answers_of(folder, part, truth):
    """What predict says of the questions of one part, against the truth."""
    output = folder / f"{part}.answers.csv"
    _, seconds = kedge("predict", folder / "model.kedge", folder / f"{part}.csv", "--threads", THREADS, "-o", output)
    with output.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    target = next(iter(rows[0]))
    answered = [(float(row[target]), t, row) for row, t in zip(rows, truth, strict=True) if row[target]]
    expected = [(abs(p - t), float(row["expected_error"])) for p, t, row in answered if row["expected_error"]]
    verdicts = {}
    for row in rows:
        verdicts[row["verdict"]] = verdicts.get(row["verdict"], 0) + 1
    return {"rmse": rmse([p for p, _, _ in answered], [t for _, t, _ in answered]), "answered": len(answered),
            "verdicts": verdicts, "predict_s": seconds,
            "true_over_expected": sum(e for e, _ in expected) / sum(e for _, e in expected) if expected else None}


def measure_kedge(table, seed):
    folder = PLACE / f"{table.name}-{seed}"
    folder.mkdir(parents=True, exist_ok=True)
    for part in ("train", "in", "out"):
        (folder / f"{part}.csv").write_text(table.text(table.make(part, seed)), encoding="utf-8")
    truth = {part: read_truth(table, seed, part) for part in SPLITS}
    scores = {}
    for model in MODELS:
        text, seconds = kedge("fit", folder / "train.csv", "--target", table.target, *table.flags.split(), "--model", model,
                              "--threads", THREADS, "--seed", seed, "-o", folder / "model.kedge", "--json", "--quiet")
        fitted = json.loads(text)
        scores[model] = {"fit_s": seconds, "model": fitted["model"],
                         "chosen": fitted.get("chosen", {}).get("kind"),
                         **{part: answers_of(folder, part, truth[part]) for part in SPLITS}}
    version, numerics = kedge("--version")[0].splitlines()
    return {"program": hashlib.sha256(PROGRAM.read_bytes()).hexdigest()[:12], "version": version.split()[-1],
            "numerics": numerics, "scores": scores}


# scikit-learn


def design(table, seed):
    """Inputs and target of all parts as scikit-learn reads them, by part; and the way back of a target."""
    import numpy as np

    rows = {part: table.make(part, seed) for part in ("train", "in", "out")}
    flags = dict(zip(table.flags.split()[::2], table.flags.split()[1::2], strict=True))
    space = dict(item.split("=") for item in flags.get("--space", "").split(",") if item)
    cycles = dict(item.split("=") for item in flags.get("--cycles", "").split(",") if item)
    ignored = flags.get("--ignore", "").split(",")
    columns = {part: [] for part in rows}

    def add(make):
        for part, values in columns.items():
            values.append(make(part))

    for c, name in enumerate(table.columns[:-1]):
        cells = {part: [row[c] for row in rows[part]] for part in rows}
        words = {v for v in cells["train"] if isinstance(v, str) and v}
        if name in ignored:
            continue
        if words and all(len(word) == 10 and word[4] == "-" for word in words):
            cells = {part: [day_number(v) for v in values] for part, values in cells.items()}
        elif words:
            for word in sorted(words)[1:]:
                add(lambda part, w=word, cells=cells: [float(v == w) for v in cells[part]])
            continue
        numbers = {part: np.array([math.nan if v == "" else float(v) for v in cells[part]]) for part in cells}
        if np.isnan(numbers["train"]).any():
            add(lambda part, n=numbers: np.isnan(n[part]).astype(float))
            median = np.nanmedian(numbers["train"])
            numbers = {part: np.where(np.isnan(n), median, n) for part, n in numbers.items()}
        if space.get(name) == "degrees":
            add(lambda part, n=numbers: np.cos(np.radians(n[part])))
            add(lambda part, n=numbers: np.sin(np.radians(n[part])))
        else:
            add(lambda part, n=numbers, log=space.get(name) == "log": np.log(n[part]) if log else n[part])
        for cycle in cycles.get(name, "").split("+") if name in cycles else []:
            turn = 2 * math.pi / {"week": 7, "year": 365.2425}[cycle]
            add(lambda part, n=numbers, turn=turn: np.cos(turn * n[part]))
            add(lambda part, n=numbers, turn=turn: np.sin(turn * n[part]))
    inputs = {part: np.column_stack(values) for part, values in columns.items()}
    is_log = space.get(table.target) == "log"
    target = np.array([row[-1] for row in rows["train"]], dtype=float)
    return inputs, np.log(target) if is_log else target, np.exp if is_log else lambda y: y


def day_number(text):
    import datetime

    return (datetime.date.fromisoformat(text) - datetime.date(1970, 1, 1)).days


def peers(seed, rows, columns):
    from sklearn.ensemble import HistGradientBoostingRegressor
    from sklearn.linear_model import LinearRegression
    from sklearn.neural_network import MLPRegressor
    from sklearn.preprocessing import PolynomialFeatures, StandardScaler
    from sklearn_models import gaussian_process, ridge, scaled

    return {"sklearn linear": scaled(LinearRegression()),
            "sklearn quadratic ridge": scaled(PolynomialFeatures(2, include_bias=False), StandardScaler(), ridge()),
            "sklearn gradient boosting": HistGradientBoostingRegressor(random_state=seed),
            "sklearn MLP": scaled(MLPRegressor(hidden_layer_sizes=(100, 100), random_state=seed,
                                               max_iter=2000 if rows < 10000 else 50)),
            "sklearn Gaussian process": gaussian_process(columns, seed)}


MOST_PROCESS_ROWS = 1000  # a Gaussian process of more takes minutes


def measure_peers(table, seed):
    import warnings

    import sklearn

    warnings.simplefilter("ignore")  # of solvers that stop at their limit
    inputs, target, back = design(table, seed)
    scores = {}
    for name, model in peers(seed, *inputs["train"].shape).items():
        kept = slice(None, None, -(-len(target) // MOST_PROCESS_ROWS) if "process" in name else 1)
        start = time.perf_counter()
        model.fit(inputs["train"][kept], target[kept])
        score = scores[name] = {"fit_s": time.perf_counter() - start}
        for part in SPLITS:
            start = time.perf_counter()
            predicted = back(model.predict(inputs[part])).tolist()
            score[part] = {"rmse": rmse(predicted, read_truth(table, seed, part)),
                           "predict_s": time.perf_counter() - start}
    return {"program": f"scikit-learn {sklearn.__version__}", "scores": scores}


# results


def measure(who, chosen, seeds):
    PLACE.mkdir(parents=True, exist_ok=True)
    for seed in seeds:
        for table in chosen:
            found = (measure_kedge if who == "kedge" else measure_peers)(table, seed)
            text = json.dumps({"table": table.name, "seed": seed, "machine": machine(), **found}, indent=1)
            (PLACE / f"{who}-{table.name}-{seed}.json").write_text(text + "\n", encoding="utf-8")
            print(f"{who}: {table.name}, seed {seed}", flush=True)


def collect():
    pieces = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(PLACE.glob("*-*.json"))]
    builds = sorted({piece["program"] for piece in pieces if "version" in piece})
    numerics = sorted({piece["numerics"] for piece in pieces if "version" in piece})
    if len(numerics) != 1:
        sys.exit(f"tour: needs measurements of one numerics of kedge; found {len(numerics)}; measure again")
    cells, details = [], []
    seeds = sorted({piece["seed"] for piece in pieces})
    for table in tables.TABLES:
        scale = {seed: statistics.pstdev(row[-1] for row in table.make("train", seed)) for seed in seeds}
        scores = {}
        for piece in pieces:
            if piece["table"] == table.name:
                for name, score in piece["scores"].items():
                    scores.setdefault(name, {})[piece["seed"]] = score
        for name, by_seed in scores.items():
            for part, split in SPLITS.items():
                values = [score[part]["rmse"] / scale[seed] for seed, score in sorted(by_seed.items())]
                cells.append({"row": table.name, "column": name, "preset": "default", "split": split, "published": None,
                              "ours": summary(values), "agreement": None, "contends": True})
        for name in ("bilinear", "auto"):
            ordered = [score for _, score in sorted(scores[name].items())]
            details.append({
                "table": table.name, "model": name, "deviation": summary(list(scale.values()))["mean"],
                "fitted": [score["model"] for score in ordered], "advice": [score["chosen"] for score in ordered],
                "fit_s": statistics.median(score["fit_s"] for score in ordered),
                **{part: {"verdicts": total([score[part]["verdicts"] for score in ordered]),
                          "answered": sum(score[part]["answered"] for score in ordered),
                          "predict_s": statistics.median(score[part]["predict_s"] for score in ordered),
                          "true_over_expected": [score[part]["true_over_expected"] for score in ordered]}
                   for part in SPLITS}})
    result = {"id": "tour", "title": "Tables as users bring them",
              "command": "bench/peers/tour.py kedge; bench/peers/tour.py peers; bench/peers/tour.py collect",
              "version": next(piece["version"] for piece in pieces if "version" in piece), "build": ", ".join(builds),
              "numerics": numerics[0],
              "peers": sorted({piece["program"] for piece in pieces if "version" not in piece}),
              "machines": sorted({piece["machine"] for piece in pieces}), "seeds": seeds,
              "notes": ["Root mean square error over the deviation of the training outputs. Every seed has its own rows "
                        "and its own constants of the law. 300 questions in and 300 out of support.",
                        "The Gaussian process of scikit-learn has at most 1,000 of the rows."],
              "cells": cells, "details": details}
    path = ROOT / "results" / "tour.json"
    path.write_text(lines(result), encoding="utf-8")
    print(f"wrote {path.relative_to(ROOT)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("what", choices=("kedge", "peers", "collect"))
    parser.add_argument("--seeds", default="0,1,2")
    parser.add_argument("--only", help="names of tables, with commas between")
    given = parser.parse_args()
    if given.what == "collect":
        return collect()
    wanted = given.only.split(",") if given.only else [table.name for table in tables.TABLES]
    measure(given.what, [table for table in tables.TABLES if table.name in wanted], [int(s) for s in given.seeds.split(",")])


if __name__ == "__main__":
    main()
