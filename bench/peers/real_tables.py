"""The tables of real.py: properties of materials, built-in problems, and small tables of the same laws."""

import csv
import dataclasses
import math
import pathlib
import statistics

MATERIALS, PROBLEM, SMALL = "materials", "problem", "small"
PARTS = {"train": "train", "in": "in", "out": "oos"}  # what kedge sample calls them
FILES = {"train": "train.csv", "in": "eval.csv", "out": "ood.csv"}  # of tables of materials
GRASP = {"targets": "gx,gy,gz", "flags": "--same-unit cx+cy+cz,a1x+a1y+a1z+a2x+a2y+a2z+a3x+a3y+a3z,gx+gy+gz"}
ARM = {"targets": "x,y", "flags": "--space theta1=angle,theta2=angle --same-unit x+y"}
SMALL_ROWS = 40


@dataclasses.dataclass(frozen=True)
class Table:
    name: str
    group: str
    targets: str = "y"
    domain: str = ""  # kedge sample; a table of materials has a folder of its name instead
    rows: int = 1000  # of training, where they are drawn
    asked: int = 500  # inside, and as many beyond
    flags: str = ""
    ignored: str = ""  # a name of the row's kind, which nobody is given

    @property
    def columns(self):
        return self.targets.split(",")

    def fit_flags(self):
        return ["--target", self.targets, *self.flags.split(), *(["--ignore", self.ignored] if self.ignored else [])]

    def _listed(self, flag):
        words = self.flags.split()
        return words[words.index(flag) + 1].split(",") if flag in words else []

    def angles(self):
        """Columns that are angles in radians."""
        return [item.split("=")[0] for item in self._listed("--space") if item.endswith("=angle")]

    def scales(self, rows):
        """The deviation of each output over the rows; outputs of one unit share theirs."""
        variances = {name: statistics.pvariance(values) for name, values in zip(self.columns, zip(*rows), strict=True)}
        for names in (item.split("+") for item in self._listed("--same-unit")):
            if names[0] in variances:
                variances |= dict.fromkeys(names, statistics.fmean(variances[name] for name in names))
        return [math.sqrt(variances[name]) for name in self.columns]

    def parts(self, seed, folder, materials, kedge):
        """The file of each part; those of a problem are drawn into `folder`."""
        if self.group == MATERIALS:
            return {part: pathlib.Path(materials) / self.name / file for part, file in FILES.items()}
        files = {part: pathlib.Path(folder) / f"{part}.csv" for part in PARTS}
        for part, split in PARTS.items():
            kedge("sample", self.domain, "--split", split, "-n", self.rows if part == "train" else self.asked,
                  "--seed", seed, "-o", files[part])
        return files


def problem(domain, targets="y", **more):
    return Table(domain, PROBLEM, targets, domain, **more)


def small(domain, targets, **more):
    return Table(f"{domain}, {SMALL_ROWS} rows", SMALL, targets, domain, rows=SMALL_ROWS, **more)


TABLES = [
    *(Table(name, MATERIALS) for name in ("aflow-shear_modulus_vrh", "aflow-thermal_conductivity_300K", "mp-shear_modulus")),
    small("pump", "head,power"), small("reaction", "rate"), small("arm", **ARM),
    problem("swing", "angle"), problem("tide", "height"), problem("parcel", "price"), problem("yeast", "amount"),
    problem("braking", "distance"), problem("pump", "head,power"), problem("arm", **ARM), problem("reaction", "rate"),
    problem("projectile", "range,apex,time"), problem("beam", "deflection,moment"),
    *(problem(name) for name in ("mixed-periodic", "sawtooth", "polynomial", "growing-periodic", "equivariant")),
    problem("tiles", "y1,y2", rows=320, asked=256, ignored="place"),
    *(problem(f"grasp-{name}", **GRASP) for name in ("bottle", "mug", "teapot")),
    problem("grasp", ignored="object", **GRASP),
    *(problem(f"grasp-{change}-{name}", rows=100, **GRASP)
      for change in ("rotation", "scale") for name in ("bottle", "mug", "teapot")),
]


def read(path):
    """The columns of a CSV file, by name; cells as they stand."""
    with open(path, newline="", encoding="utf-8") as file:
        head, *rows = csv.reader(file)
    return dict(zip(head, zip(*rows, strict=True), strict=True))


def outputs(columns, table):
    """Rows of true outputs."""
    return [list(map(float, row)) for row in zip(*(columns[name] for name in table.columns), strict=True)]
