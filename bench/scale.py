#!/usr/bin/env python3
"""How cost grows, and what it costs to share work out.

Growth: fits against training rows and replicas, predictions against training rows and the pool of differences.
Sharing out: the same experiments by one process, by ranks of MPI and by shards. Every way has to leave the same result
files, byte for byte; that is checked before a figure counts. A short piece of work shows what each way costs to start,
a long one what is left of that in percent. Figures are seconds of processors, with those of all processes that took
part, and the peak memory of the largest process; wall seconds are beside them. All readings of a round are taken one
after the other; figures are medians over rounds. The long work is done once, and one process does it twice: as far as
these two are apart, a difference says nothing.

    python3 bench/scale.py [rounds]     measures, writes bench/results/scale.json and draws
    python3 bench/scale.py draw         draws bench/results/scale.svg anew
"""

from __future__ import annotations

import datetime
import filecmp
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from scale_picture import Sizes, draw

ROOT = Path(__file__).resolve().parent.parent
BUILD, RESULTS = ROOT / "build/release", ROOT / "bench/results"
MPIRUN = ("mpirun", "--oversubscribe", "--allow-run-as-root", "--bind-to", "none", "-n")
Reading = dict[str, float]

WAYS = (1, 2, 4)
SHORT, LONG = ("fig-equivariant",), ("coverage", "fresh")
LONG_WAYS = 4
BULK_ROWS = 240_000  # nine blocks of what predict reads at once

TABLE_SEED, QUERY_SEED, COLUMNS, HIDDEN, QUERIES = 1, 2, 12, 4, 1000
ROWS, ALL_ROWS = (250, 1_000, 4_000, 16_000, 64_000), (4_000, 16_000, 64_000)
POOLS, POOL_ROWS = (1_000, 10_000, 100_000, 1_000_000), 4_000
REPLICAS, REPLICA_ROWS = (1, 2, 4, 8), 1_000
STEPS, FEW_STEPS = 20_000, 300
WAITING_RANKS, WAITING_STEPS = 4, 150_000
WIDE, WIDE_STEPS = 1024, (40, 240)


def require(holds: bool, text: str) -> None:
    if not holds:
        raise SystemExit(f"bench: {text}")


def run(*command: str | int | Path, fails: bool = False) -> Reading:
    """Seconds of processors of all processes that took part, wall seconds, and the largest one's peak memory in MB."""
    words = [str(word) for word in command]
    with tempfile.TemporaryFile("w+") as said:
        start = time.perf_counter()
        process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=said)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        said.seek(0)
        require(fails or process.returncode == 0, f"{' '.join(words)} failed: {said.read().strip()}")
    return {"cpu": usage.ru_utime + usage.ru_stime, "seconds": wall, "peak_mb": usage.ru_maxrss / 1000}


def total(readings: list[Reading]) -> Reading:
    sums = {name: sum(reading[name] for reading in readings) for name in ("cpu", "seconds")}
    return {**sums, "peak_mb": max(r["peak_mb"] for r in readings), "largest_cpu": max(r["cpu"] for r in readings)}


class Sharing:
    """The same experiments by one process and in other ways, each in a folder of its own."""

    def __init__(self, kedge: Path, folder: Path, experiments: tuple[str, ...]) -> None:
        self.kedge, self.folder, self.experiments = kedge, folder, experiments
        self.readings: dict[str, Reading] = {}

    def reproduce(self, name: str, *more: str | Path, start: tuple[str | int, ...] = ()) -> Reading:
        jobs = self.folder / name / "jobs"
        words = ["reproduce", *self.experiments, "--quick", "--quiet", "--jobs", jobs, "-o", self.folder / name]
        return run(*start, self.kedge, *words, *more)

    def check(self, name: str) -> None:
        for experiment in self.experiments:
            here, plain = (self.folder / way / f"{experiment}.json" for way in (name, "plain"))
            require(here.read_bytes() == plain.read_bytes(), f"{here.name} of {name} is not that of one process")

    def plain(self, name: str = "plain") -> None:
        self.readings[name] = self.reproduce(name)

    def ranks(self, count: int) -> None:
        name = f"ranks_{count}"
        self.readings[name] = self.reproduce(name, start=(*MPIRUN, count))
        self.check(name)

    def shards(self, count: int) -> None:
        """In one folder."""
        name = f"shards_{count}"
        self.readings[name] = total([self.reproduce(name, "--shard", f"{i + 1}/{count}") for i in range(count)])
        self.check(name)

    def merged_shards(self, count: int) -> None:
        """In folders of their own, merged and assembled."""
        name, nodes = f"shards_{count}", [f"node{i + 1}" for i in range(count)]
        parts = [self.reproduce(node, "--shard", f"{i + 1}/{count}") for i, node in enumerate(nodes)]
        folders = [self.folder / node / "jobs" for node in nodes]
        merging = run(self.kedge, "merge-jobs", *folders, "--jobs", self.folder / name / "jobs", "--quiet")
        files = [entry for folder in folders for entry in folder.iterdir() if not entry.name.startswith(".")]
        megabytes = sum(entry.stat().st_size for entry in files) / 1e6
        self.readings["merge"] = {**merging, "files": len(files), "megabytes": megabytes}
        self.readings["assemble"] = self.reproduce(name, "--assemble", str(count))
        self.readings[name] = total([*parts, self.readings["merge"], self.readings["assemble"]])
        self.check(name)

    def starts(self) -> None:
        """All is computed: what is left is to start, to list the jobs and to end."""
        self.readings["start"] = self.reproduce("plain")
        for count in WAYS:
            self.readings[f"start_mpirun_{count}"] = run(*MPIRUN, count, "true")
            self.readings[f"start_ranks_{count}"] = self.reproduce("plain", start=(*MPIRUN, count))


def short_round(kedge: Path, folder: Path) -> dict[str, Reading]:
    sharing = Sharing(kedge, folder, SHORT)
    sharing.plain()
    for count in WAYS:
        sharing.ranks(count)
        sharing.shards(count)
    sharing.starts()
    return sharing.readings


def long_round(kedge: Path, folder: Path) -> dict[str, Reading]:
    sharing = Sharing(kedge, folder, LONG)
    sharing.plain()
    sharing.ranks(LONG_WAYS)
    sharing.merged_shards(LONG_WAYS)
    sharing.plain("plain_again")
    sharing.check("plain_again")
    return sharing.readings


def bulk_round(kedge: Path, folder: Path) -> dict[str, Reading]:
    """Predictions of a long file by one process and by ranks."""
    train, queries, model, readings = folder / "train.csv", folder / "queries.csv", folder / "model.kedge", {}
    run(kedge, "sample", "sawtooth", "-n", 500, "-o", train)
    run(kedge, "sample", "sawtooth", "-n", BULK_ROWS, "--split", "oos", "-o", queries)
    run(kedge, "fit", train, "--target", "y", "--steps", FEW_STEPS, "-o", model, "--quiet")
    for name, start in {"plain": (), **{f"ranks_{n}": (*MPIRUN, n) for n in WAYS}, "plain_again": ()}.items():
        answers = folder / f"{name}.csv"
        readings[name] = run(*start, kedge, "predict", model, queries, "-o", answers, "--quiet")
        same = filecmp.cmp(answers, folder / "plain.csv", shallow=False)
        require(same, f"{name} has other answers than one process")
    return readings


def waiting_round(kedge: Path, folder: Path) -> Reading:
    """One rehearsal is missing and there are ranks that wait until one of them has made it."""
    table, jobs = folder / "table.csv", folder / "sweep/jobs"
    write_table(table, REPLICA_ROWS, "dependent", TABLE_SEED)
    words = (kedge, "sweep", table, "--target", "y", "--grid", f"steps={WAITING_STEPS}", "--seeds", 1)
    words = (*words, "--beyond", "inputs", "--threads", 1, "-o", folder / "sweep", "--quiet")
    run(*words)

    def work(*start: str | int) -> Reading:
        """Beyond what a run takes that finds everything there."""
        ready = run(*start, *words)
        next(file for file in sorted(jobs.glob("*.json")) if str(WAITING_STEPS) in file.read_text()).unlink()
        done = run(*start, *words)
        return {name: done[name] - ready[name] for name in ("cpu", "seconds")}

    alone, ranks = work(), work(*MPIRUN, WAITING_RANKS)
    waiting = (ranks["cpu"] - alone["cpu"]) / ranks["seconds"] / (WAITING_RANKS - 1)
    return {"ranks": WAITING_RANKS, "alone_cpu": alone["cpu"], "ranks_cpu": ranks["cpu"],
            "ranks_seconds": ranks["seconds"], "cores_of_a_waiting_rank": waiting}


def write_table(path: Path, rows: int, kind: str, seed: int, spread: float = 1) -> None:
    """Columns that follow a few hidden numbers, or that vary independently; `spread` leads out of support."""
    rng = random.Random(f"{kind} {seed}")
    with path.open("w") as file:  # a row at a time: the memory of this process counts as that of what it starts
        file.write(",".join([*(f"x{c}" for c in range(COLUMNS)), "y"]) + "\n")
        for _ in range(rows):
            free = [rng.gauss(0, spread) for _ in range(HIDDEN if kind == "dependent" else COLUMNS)]
            x = [free[c % len(free)] * math.cos(c) + free[(c + 1) % len(free)] * math.sin(c) for c in range(COLUMNS)]
            y = x[0] + math.sin(x[1]) + 0.3 * x[2] * x[3] + rng.gauss(0, 0.05)
            file.write(",".join(f"{value:.6g}" for value in [*x, y]) + "\n")


class Growth:
    """One round of fits and predictions of growing size."""

    def __init__(self, kedge: Path, folder: Path) -> None:
        self.kedge, self.folder = kedge, folder
        for kind in ("dependent", "independent"):
            write_table(folder / f"{kind}_queries.csv", QUERIES, kind, QUERY_SEED, spread=1.5)

    def table(self, kind: str, rows: int) -> Path:
        path = self.folder / f"{kind}_{rows}.csv"
        if not path.exists():
            write_table(path, rows, kind, TABLE_SEED)
        return path

    def fit(self, kind: str, rows: int, *more: str | int) -> Reading:
        words = ("--target", "y", "--seed", TABLE_SEED, "-o", self.folder / "model.kedge", "--quiet", "--keep-partial")
        return run(self.kedge, "fit", self.table(kind, rows), *words, *more)

    def predict(self, kind: str, rows: int, *more: str | int) -> Reading:
        """Of a network that is hardly trained: what it answers does not matter."""
        fit = self.fit(kind, rows, "--steps", FEW_STEPS, "--calibration", "none", "--replicas", 1, *more)
        model, queries = self.folder / "model.kedge", self.folder / f"{kind}_queries.csv"
        reading = run(self.kedge, "predict", model, queries, "-o", self.folder / "answers.csv", "--quiet")
        return {**reading, "fit_peak_mb": fit["peak_mb"], "model_mb": model.stat().st_size / 1e6}

    def measure(self) -> dict[str, dict[int, Reading]]:
        kinds, steps = ("dependent", "independent"), ("--steps", STEPS)
        predictions = {f"predict_rows_{kind}": {n: self.predict(kind, n) for n in ROWS} for kind in kinds}
        pools = {
            f"predict_pool_{kind}": {n: self.predict(kind, POOL_ROWS, "--pool", n) for n in POOLS} for kind in kinds
        }
        everywhere = {n: self.predict("dependent", n, "--anchor-rows", "all") for n in ALL_ROWS}
        return {
            "fit_rows": {n: self.fit("dependent", n, *steps) for n in ROWS},
            "fit_replicas": {n: self.fit("dependent", REPLICA_ROWS, *steps, "--replicas", n) for n in REPLICAS},
            **predictions,
            "predict_rows_all_anchors": everywhere,
            **pools,
        }


def wide_step(kedge: Path, folder: Path) -> float:
    """Seconds of a processor that one step of the paper's widest network takes."""
    table = folder / "grasps.csv"
    run(kedge, "sample", "grasp-bottle", "-n", 1000, "-o", table)
    words = (kedge, "fit", table, "--target", "gx,gy,gz", "--preset", "released", "--width", WIDE, "--threads", 1)
    words = (*words, "--calibration", "none", "--keep-partial", "-o", folder / "wide.kedge", "--quiet", "--steps")
    few, many = (run(*words, steps)["cpu"] for steps in WIDE_STEPS)
    return (many - few) / (WIDE_STEPS[1] - WIDE_STEPS[0])


def listing(kedge: Path, folder: Path, *more: str) -> Reading:
    """Of naming, estimating and looking for all jobs of all experiments, which every shard does first."""
    words = ("reproduce", "--all", *more, "--assemble", 1000, "--quiet", "--jobs", folder / "none", "-o", folder)
    return run(kedge, *words, fails=True)


def medians(rounds: list[dict[Any, Any]]) -> dict[str, Any]:
    """Of dictionaries of one form, number by number."""
    def of(values: list[Any]) -> Any:
        return medians(values) if isinstance(values[0], dict) else round(statistics.median(values), 4)

    return {str(name): of([one[name] for one in rounds]) for name in rounds[0]}


def with_overhead(figures: dict[str, Reading]) -> dict[str, Reading]:
    """In percent of what one process took; of that, the mean where it was done twice."""
    plain = statistics.mean(figures[name]["cpu"] for name in ("plain", "plain_again") if name in figures)
    for way, figure in figures.items():
        if way.startswith(("ranks", "shards", "plain")):
            figure["overhead_percent"] = round(100 * (figure["cpu"] / plain - 1), 1)
    return figures


def processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(": ", 1)[1]
    return "unknown processor"


def version_of(kedge: Path) -> str:
    done = subprocess.run([kedge, "--version"], capture_output=True, text=True, check=True)
    return done.stdout.split()[-1]


def measure(kedge: Path, rounds: int) -> dict[str, Any]:
    def repeated(count: int, work: Callable[[Path], dict[Any, Any]]) -> dict[str, Any]:
        found = []
        for _ in range(count):
            with tempfile.TemporaryDirectory() as folder:
                found.append(work(Path(folder)))
        return medians(found)

    load = round(os.getloadavg()[2], 2)
    return {
        "command": f"python3 bench/scale.py {rounds}",
        "version": version_of(kedge),
        "date": datetime.date.today().isoformat(),
        "machine": f"{processor()}, {os.cpu_count()} cores",
        "load_before": load,
        "rounds": rounds,
        "seeds": {"tables": TABLE_SEED, "queries": QUERY_SEED, "fits": TABLE_SEED, "experiments": "their own"},
        "sharing": {
            "work": f"kedge reproduce {' '.join(SHORT)} --quick",
            "figures": with_overhead(repeated(rounds, lambda folder: short_round(kedge, folder))),
        },
        "growth": {
            "columns": COLUMNS,
            "hidden": HIDDEN,
            "queries": QUERIES,
            "fit_steps": STEPS,
            "pool_rows": POOL_ROWS,
            "replica_rows": REPLICA_ROWS,
            "figures": repeated(rounds, lambda folder: Growth(kedge, folder).measure()),
        },
        "sharing_long": {
            "work": f"kedge reproduce {' '.join(LONG)} --quick",
            "figures": with_overhead(repeated(1, lambda folder: long_round(kedge, folder))),
        },
        "bulk_predict": {
            "rows": BULK_ROWS,
            "figures": with_overhead(repeated(1, lambda folder: bulk_round(kedge, folder))),
        },
        "waiting": repeated(1, lambda folder: waiting_round(kedge, folder)),
        "list_of_all": repeated(1, lambda folder: listing(kedge, folder)),
        "list_of_all_full": repeated(1, lambda folder: listing(kedge, folder, "--full")),
        "step_ms_of_width_1024": repeated(rounds, lambda folder: {"cpu": 1000 * wide_step(kedge, folder)})["cpu"],
    }


def main() -> None:
    file = RESULTS / "scale.json"
    if sys.argv[1:] != ["draw"]:
        rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 3
        require((BUILD / "kedge").exists(), "needs build/release/kedge; run make first")
        require(shutil.which("mpirun") is not None, "needs mpirun; run tools/setup first")
        with tempfile.TemporaryDirectory() as folder:
            # Copies: what is built meanwhile changes nothing.
            for name in ("kedge", "libkedge_mpi.so"):
                shutil.copy(BUILD / name, folder)
            file.write_text(json.dumps(measure(Path(folder) / "kedge", rounds), indent=1) + "\n")
        print(file.read_text())
    (RESULTS / "scale.svg").write_text(draw(json.loads(file.read_text()), Sizes(WAYS, STEPS, POOL_ROWS, REPLICA_ROWS, HIDDEN)))


if __name__ == "__main__":
    main()
