#!/usr/bin/env python3
"""What Python costs: the same fit and the same predictions from Python, from the command line and from C++.

The table is 1,000 grasps of the domain grasp-bottle, 12 inputs and 3 outputs. The fit is the whole preset
`released`, 155,000 steps of 32 pairs, without calibration. Answers are checked before the clock starts:
predictions are the same bits, and PyTorch's first losses are those of bench/peers/losses.json, to which
bench/engine.cpp holds those of kedge. PyTorch's fit is its time of a step, as often as kedge steps.
All readings of a round are taken one after the other; figures are medians.

    build/python/bin/python bench/python.py [rounds]
"""

from __future__ import annotations

import datetime
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build/release"
os.environ["KEDGE_LIBRARY"] = str(BUILD / "libkedge_c.so")
sys.path.insert(0, str(ROOT / "python"))

import numpy as np  # noqa: E402

import kedge  # noqa: E402

OUTPUTS = ("gx", "gy", "gz")
SETTINGS = {"preset": "released", "calibration": "none", "seed": 1}
QUERIES, SINGLE_ROWS = 10_000, 500
LOSS_TOLERANCE = 1e-4  # relative; float sums in another order
Medians = dict[str, float]
IMPORT = "import time; start = time.perf_counter(); {}; print(time.perf_counter() - start)"


def seconds(work: Callable[[], Any]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def printed(*command: str | Path) -> str:
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, check=True).stdout


def require(holds: bool, text: str) -> None:
    if not holds:
        raise SystemExit(f"bench: {text}")


class Case:
    """The table, and the fit of it by the command line and from Python."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.table, self.model = folder, folder / "train.csv", folder / "model.kedge"
        self.sample("train", 1000, self.table)
        data = np.genfromtxt(self.table, delimiter=",", names=True)
        names = data.dtype.names
        self.X = np.column_stack([data[name] for name in names if name not in OUTPUTS])
        self.y = np.column_stack([data[name] for name in OUTPUTS])
        self.sample("oos", QUERIES, folder / "queries.csv")
        queries = np.genfromtxt(folder / "queries.csv", delimiter=",", names=True)
        self.queries = np.column_stack([queries[name] for name in names if name not in OUTPUTS])
        self.queries.tofile(folder / "queries.bin")

    @staticmethod
    def sample(split: str, rows: int, path: Path) -> None:
        printed(
            BUILD / "kedge",
            "sample",
            "grasp-bottle",
            "--split",
            split,
            "-n",
            str(rows),
            "--seed",
            "1",
            "-o",
            path,
        )

    def fit_by_command(self) -> None:
        flags = [word for name, value in SETTINGS.items() for word in (f"--{name}", str(value))]
        printed(BUILD / "kedge", "fit", self.table, "--target", ",".join(OUTPUTS), *flags, "-o", self.model)

    def fit_from_python(self) -> kedge.TransductionRegressor:
        return kedge.TransductionRegressor(**SETTINGS).fit(self.X, self.y)

    def bulk(self, rounds: int) -> dict[str, list[float]]:
        """Times of the C++ library; its answers are in answers.bin."""
        answers = printed(
            BUILD / "bench/bulk",
            self.model,
            self.folder / "queries.bin",
            self.folder / "answers.bin",
            str(rounds),
        )
        return json.loads(answers)


def check_answers(case: Case) -> kedge.TransductionRegressor:
    """The estimator, whose model and answers are those of the command line and of C++."""
    case.fit_by_command()
    estimator = case.fit_from_python()
    case.bulk(1)
    expected = np.fromfile(case.folder / "answers.bin").reshape(-1, len(OUTPUTS))
    require(
        np.array_equal(estimator.predict(case.queries), expected),
        "Python and the command line's model in C++ should answer alike; they do not",
    )
    one = np.vstack([estimator.predict(case.queries[r : r + 1]) for r in range(SINGLE_ROWS)])
    alike = np.array_equal(one, expected[:SINGLE_ROWS])
    require(alike, "one row alone should be answered as among others")
    return estimator


def torch_step() -> dict[str, Any] | None:
    """PyTorch's times of one step of the same training; None where bench/peers/setup has not been run."""
    python = ROOT / "build/peers/bin/python"
    if not python.exists():
        return None
    found = json.loads(printed(python, ROOT / "bench/peers/torch_step.py", "--widths", "32", "--quick"))
    stored = json.loads((ROOT / "bench/peers/losses.json").read_text(encoding="utf-8"))
    expected = next(item["losses"] for item in stored["cases"] if item["width"] == 32)
    require(
        np.allclose(found["cases"][0]["losses"], expected, rtol=LOSS_TOLERANCE, atol=0),
        "PyTorch's first losses should be those of bench/peers/losses.json; they are not",
    )
    return {"torch": found["torch"], **found["cases"][0]}


def import_seconds(statement: str) -> float:
    return float(printed(sys.executable, "-c", IMPORT.format(statement)))


def rows_one_by_one(estimator: kedge.TransductionRegressor, queries: np.ndarray) -> float:
    rows = [queries[r : r + 1] for r in range(SINGLE_ROWS)]

    def ask() -> None:
        for row in rows:
            estimator.predict(row)

    return seconds(ask) / SINGLE_ROWS


def measure(case: Case, estimator: kedge.TransductionRegressor, rounds: int) -> tuple[Medians, str | None]:
    """The median of each reading, and the version of PyTorch."""
    os.environ["PYTHONPATH"] = str(ROOT / "python")
    os.environ["PYTHONPYCACHEPREFIX"] = str(ROOT / "build/pycache")
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    import_seconds("from kedge import TransductionRegressor")  # compiles
    readings: dict[str, list[float]] = {}
    version = None
    for _ in range(rounds):
        found = {
            "fit_command_s": seconds(case.fit_by_command),
            "fit_python_s": seconds(case.fit_from_python),
            "row_python_s": rows_one_by_one(estimator, case.queries),
            "bulk_python_s": seconds(lambda: estimator.predict(case.queries)),
            "import_s": import_seconds("import kedge"),
            "import_estimator_s": import_seconds("from kedge import TransductionRegressor"),
            "import_sklearn_s": import_seconds("import sklearn.base"),
        }
        cpp = case.bulk(1)
        found |= {"row_cpp_s": cpp["row_s"][0], "bulk_cpp_s": cpp["bulk_s"][0]}
        if peer := torch_step():
            version = peer["torch"]
            found |= {
                "torch_eager_step_s": 1e-6 * peer["eager_us"],
                "torch_fused_step_s": 1e-6 * peer["fused_us"],
            }
        for name, value in found.items():
            readings.setdefault(name, []).append(value)
    return {name: statistics.median(values) for name, values in readings.items()}, version


def figures_of(m: Medians, steps: int) -> dict[str, Any]:
    figures: dict[str, Any] = {
        "fit": {
            "steps": steps,
            "command_s": m["fit_command_s"],
            "python_s": m["fit_python_s"],
            "python_over_command": m["fit_python_s"] / m["fit_command_s"],
        },
        "row": {"python_us": 1e6 * m["row_python_s"], "cpp_us": 1e6 * m["row_cpp_s"]},
        "bulk": {
            "rows": QUERIES,
            "python_s": m["bulk_python_s"],
            "cpp_s": m["bulk_cpp_s"],
            "python_over_cpp": m["bulk_python_s"] / m["bulk_cpp_s"],
        },
        "import": {
            "kedge_s": m["import_s"],
            "estimator_s": m["import_estimator_s"],
            "sklearn_base_s": m["import_sklearn_s"],
        },
    }
    for adam in ("eager", "fused"):
        if f"torch_{adam}_step_s" in m:
            step = m[f"torch_{adam}_step_s"]
            figures["fit"] |= {
                f"torch_{adam}_step_us": 1e6 * step,
                f"torch_{adam}_over_python": step * steps / m["fit_python_s"],
            }
    wheels = list((ROOT / "out").glob("kedge-*.whl"))
    figures["wheel"] = {"file": wheels[0].name, "bytes": wheels[0].stat().st_size} if wheels else None
    return figures


def write_result(rounds: int, figures: dict[str, Any]) -> Path:
    """Replaces the section `python` of this machine's file, as bench/result.cpp does for the others."""
    processor = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text(encoding="utf-8"))
    name = processor[1] if processor else "unknown processor"
    path = ROOT / f"bench/results/{re.sub('[^a-z0-9]+', '-', name.lower()).strip('-')}.json"
    data = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {"machine": name}
    date = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d")
    command = f"build/python/bin/python bench/python.py {rounds}"
    data["python"] = {
        "command": command,
        "version": kedge.__version__,
        "date": date,
        "rounds": rounds,
        **figures,
    }
    path.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return path


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 7
    load = os.getloadavg()[0]  # processes that other work keeps running; times are true where it is near 0
    with tempfile.TemporaryDirectory() as folder:
        case = Case(Path(folder))
        estimator = check_answers(case)
        print("answers: command line, Python and C++ agree bit for bit")
        steps = estimator.report_["steps"]
        medians, torch = measure(case, estimator, rounds)
    figures = {"load": load, "torch": torch, **figures_of(medians, steps)}
    print(json.dumps(figures, indent=1))
    print(f"written: {write_result(rounds, figures).relative_to(ROOT)}")


if __name__ == "__main__":
    main()
