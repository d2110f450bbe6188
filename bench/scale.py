#!/usr/bin/env python3
"""What it costs to share work out: the same quick experiments by one process, by ranks of MPI and by shards.

Every way has to leave the same result files, byte for byte; that is checked before a figure counts. Ranks and shards
share the cores of one machine, so what they cost shows as seconds of processors that the plain run did not need; wall
seconds are beside them. Shards run one after the other. All readings of a round are taken one after the other; figures
are medians.

    python3 bench/scale.py [rounds]
"""

from __future__ import annotations

import datetime
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build/release"
EXPERIMENTS = ("fig-equivariant", "fig-beyond-equivariance")
WORK = ("reproduce", *EXPERIMENTS, "--quick", "--quiet")
WAYS = (1, 2, 4)
ROWS = 60_000
MPIRUN = ("mpirun", "--oversubscribe", "--allow-run-as-root", "-n")
Reading = dict[str, float]


def require(holds: bool, text: str) -> None:
    if not holds:
        raise SystemExit(f"bench: {text}")


def run(*command: str | Path) -> Reading:
    """Wall seconds, and those of processors of all processes that took part."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    require(done.returncode == 0, f"{' '.join(map(str, command))} failed: {done.stderr.strip()}")
    return {"seconds": wall, "cpu": after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime}


def total(readings: list[Reading]) -> Reading:
    return {name: sum(reading[name] for reading in readings) for name in readings[0]}


class Round:
    """One reading of each way, in a folder of its own."""

    def __init__(self, kedge: Path, folder: Path) -> None:
        self.kedge, self.folder = kedge, folder
        self.readings: dict[str, Reading] = {}

    def flags(self, name: str) -> list[str]:
        return ["--jobs", str(self.folder / name / "jobs"), "-o", str(self.folder / name)]

    def results(self, name: str) -> list[bytes]:
        return [(self.folder / name / f"{experiment}.json").read_bytes() for experiment in EXPERIMENTS]

    def check(self, name: str) -> None:
        require(self.results(name) == self.results("plain"), f"{name} has other results than the plain run")

    def measure(self) -> None:
        self.readings["plain"] = run(self.kedge, *WORK, *self.flags("plain"))
        self.readings["again"] = run(self.kedge, *WORK, *self.flags("plain"))
        for count in WAYS:
            name = f"ranks_{count}"
            self.readings[name] = run(*MPIRUN, str(count), self.kedge, *WORK, *self.flags(name))
            self.check(name)
        for count in WAYS:
            name = f"shards_{count}"
            parts = [
                run(self.kedge, *WORK, *self.flags(name), "--shard", f"{index}/{count}")
                for index in range(1, count + 1)
            ]
            self.readings[name] = total(parts)
            self.readings[name]["largest_cpu"] = max(part["cpu"] for part in parts)
            self.check(name)
        folders = [self.folder / f"shards_{count}" / "jobs" for count in WAYS]
        self.readings["merge"] = run(self.kedge, "merge-jobs", *folders, "--jobs", self.folder / "merged", "--quiet")
        self.predict()

    def predict(self) -> None:
        train, queries, model = (self.folder / name for name in ("train.csv", "queries.csv", "model.kedge"))
        run(self.kedge, "sample", "sawtooth", "-n", "500", "-o", train)
        run(self.kedge, "sample", "sawtooth", "-n", str(ROWS), "--split", "oos", "-o", queries)
        run(self.kedge, "fit", train, "--target", "y", "--steps", "300", "-o", model, "--quiet")
        answers = {}
        for count in (0, *WAYS):
            name, file = f"predict_ranks_{count}" if count else "predict", self.folder / f"answers{count}.csv"
            start = [*MPIRUN, str(count)] if count else []
            self.readings[name] = run(*start, self.kedge, "predict", model, queries, "-o", file, "--quiet")
            answers[count] = file.read_bytes()
            require(answers[count] == answers[0], f"{name} has other answers than one process")


def processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(": ", 1)[1]
    return "unknown processor"


def listing(kedge: Path) -> Reading:
    """Of naming, estimating and looking for all jobs of all experiments, which every shard does first."""
    with tempfile.TemporaryDirectory() as folder:
        before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        words = ["reproduce", "--all", "--assemble", "1000", "--quiet", "--jobs", f"{folder}/jobs", "-o", folder]
        subprocess.run([kedge, *words], capture_output=True, check=False)
        wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
        return {"seconds": wall, "cpu": after.ru_utime - before.ru_utime}


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    require((BUILD / "kedge").exists(), "needs build/release/kedge; run make first")
    require(shutil.which("mpirun") is not None, "needs mpirun; run tools/setup first")
    with tempfile.TemporaryDirectory() as folder:
        # Copies: what is built meanwhile changes nothing.
        for name in ("kedge", "libkedge_mpi.so"):
            shutil.copy(BUILD / name, folder)
        measure(Path(folder) / "kedge", rounds)


def measure(kedge: Path, rounds: int) -> None:
    readings: list[dict[str, Reading]] = []
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as folder:
            one = Round(kedge, Path(folder))
            one.measure()
            readings.append(one.readings)
    figures: dict[str, Reading] = {
        way: {name: round(statistics.median(r[way][name] for r in readings), 4) for name in readings[0][way]}
        for way in readings[0]
    }
    for way, figure in figures.items():
        base = "predict" if way.startswith("predict") else "plain"
        if way.startswith(("ranks", "shards", "predict_")):
            figure["overhead_percent"] = round(100 * (figure["cpu"] / figures[base]["cpu"] - 1), 1)
    result = {
        "command": f"python3 bench/scale.py {rounds}",
        "version": version_of(kedge),
        "date": datetime.date.today().isoformat(),
        "machine": f"{processor()}, {os.cpu_count()} cores",
        "work": f"kedge {' '.join(WORK)}",
        "predict_rows": ROWS,
        "rounds": rounds,
        "list_of_all": listing(kedge),
        "figures": figures,
    }
    path = ROOT / "bench/results/scale.json"
    path.write_text(json.dumps(result, indent=1) + "\n")
    print(path.read_text())


def version_of(kedge: Path) -> str:
    done = subprocess.run([kedge, "--version"], capture_output=True, text=True, check=True)
    return done.stdout.split()[-1]


if __name__ == "__main__":
    main()
