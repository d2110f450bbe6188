#!/usr/bin/env python3
"""Real tables: kedge and scikit-learn on tables of materials, on the built-in problems and on small tables.

Usage: real.py kedge | peers [--tables FOLDER] [--seeds 0,1,2] [--only NAMES] [--fits NAMES] [--jobs N] [--threads T]
       real.py collect

`kedge` and `peers` write one file for each table, seed and fit into build/real. What is there is not measured again, unless
the program or the flags have changed. `kedge` runs build/release/kedge, or what --program names. `peers` needs scikit-learn
(bench/peers/setup), and kedge to draw the problems. FOLDER has a folder for each table of materials, with train.csv, eval.csv
and ood.csv; without it these tables are left out. `collect` makes results/real.json of the files, those of one build.
"""

import argparse
import concurrent.futures
import dataclasses
import hashlib
import importlib.metadata
import os
import pathlib
import sys

sys.dont_write_bytecode = True

import pieces  # noqa: E402
import real_tables  # noqa: E402
from real_measure import FITS, PEERS, asked_of, kedge, known_fits, measure_kedge, measure_peers  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PLACE = ROOT / "build" / "real"
MEASURES = {"kedge": measure_kedge, "peers": measure_peers}


@dataclasses.dataclass(frozen=True)
class Piece:
    """One measurement."""
    who: str
    table: real_tables.Table
    seed: int
    fit: str

    @property
    def flags(self):
        return FITS[self.fit][0] if self.who == "kedge" else ""

    @property
    def path(self):
        words = "-".join((self.who, self.table.name, str(self.seed), self.fit))
        return PLACE / f"{words.replace(', ', '_').replace(' ', '_')}.json"


def measure(piece, given, program):
    """Writes the piece, unless another run has; the reason in place of numbers where a fit fails."""
    if is_done(piece, program):
        return f"{piece.path.stem}: was measured meanwhile"
    about = {"who": piece.who, "table": piece.table.name, "seed": piece.seed, "fit": piece.fit, "flags": piece.flags,
             "threads": given.threads, "machine": pieces.machine(), **program}
    try:
        found = MEASURES[piece.who](piece.table, piece.seed, piece.fit, given)
    except (RuntimeError, ValueError) as failure:
        found = {"failure": str(failure)}
    pieces.write(piece.path, {**about, **found})
    return f"{piece.path.stem}: {found.get('failure') or found['scores']}"


def program_of(given):
    if given.what == "kedge":
        build = hashlib.sha256(pathlib.Path(given.program).read_bytes()).hexdigest()[:12]
        version, numerics = kedge(given.program, "--version").splitlines()
        return {"program": build, "version": version.split()[-1], "numerics": numerics}
    return {"program": f"scikit-learn {importlib.metadata.version('scikit-learn')}"}


def is_done(piece, program):
    found = pieces.read(piece.path) if piece.path.exists() else {}
    same = "numerics" if "numerics" in program else "program"  # what decides which numbers come out
    return found.get(same) == program[same] and found.get("flags", "") == piece.flags


def listed(text, all_names):
    """Names with semicolons between, of those there are."""
    names = [name.strip() for name in text.split(";")] if text else all_names
    unknown = [name for name in names if name not in all_names]
    if unknown:
        sys.exit(f"real: needs names with ';' between, of {'; '.join(all_names)}; found {'; '.join(unknown)}")
    return names


def check(given):
    """That program and tables are there, before anything is measured."""
    if not pathlib.Path(given.program).is_file():
        sys.exit(f"real: needs kedge; found none at {given.program}; build it, or name it by --program")
    absent = [table.name for table in real_tables.TABLES if given.tables and table.group == real_tables.MATERIALS
              and not (pathlib.Path(given.tables) / table.name / real_tables.FILES["train"]).is_file()]
    if absent:
        sys.exit(f"real: needs a folder for each table of materials; found none of {', '.join(absent)} in {given.tables}; "
                 "name their folder by --tables, or leave it out")


def measure_all(given):
    check(given)
    os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = str(given.threads)
    PLACE.mkdir(parents=True, exist_ok=True)
    names = listed(given.only, [table.name for table in real_tables.TABLES])
    tables = [table for table in real_tables.TABLES
              if table.name in names and (given.tables or table.group != real_tables.MATERIALS)]
    fits = listed(given.fits, known_fits(given) if given.what == "kedge" else list(PEERS))
    program = program_of(given)
    wanted = [Piece(given.what, table, seed, fit) for seed in map(int, given.seeds.split(",")) for table in tables
              for fit in fits if given.what == "peers" or asked_of(fit, table)]
    left = [piece for piece in wanted if not is_done(piece, program)]
    print(f"real: {len(left)} of {len(wanted)} to measure", flush=True)
    with concurrent.futures.ProcessPoolExecutor(given.jobs) as pool:
        for done in concurrent.futures.as_completed(pool.submit(measure, piece, given, program) for piece in left):
            print(done.result(), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("what", choices=("kedge", "peers", "collect"))
    parser.add_argument("--tables", help="folder of the tables of materials; without it they are left out")
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
