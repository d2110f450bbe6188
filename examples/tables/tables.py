#!/usr/bin/env python3
"""Eleven tables as users bring them, with questions inside and outside of their range.

Usage: tables.py FOLDER [--seed S] [--only NAMES]

Writes FOLDER/NAME/train.csv, in.csv and out.csv: rows to fit, and questions with their true answers inside and outside
of the training range. Prints the command that fits each. The same seed makes the same files.
"""

import argparse
import datetime
import math
import pathlib
import random

INSIDE, OUTSIDE = "inside", "outside"


class Table:
    """A kind of table: its columns, how its rows come about, and the flags that a user would give."""

    def __init__(self, name, about, columns, row, rows, flags, separator=",", decimal="."):
        self.name, self.about, self.columns, self.row, self.rows = name, about, columns, row, rows
        self.flags, self.separator, self.decimal = flags, separator, decimal

    @property
    def target(self):
        return self.columns[-1]

    def make(self, part, seed):
        """Rows of `train`, `in` or `out`, each a list of numbers, words and blanks."""
        rng = random.Random(f"{self.name} {part} {seed}")
        where = OUTSIDE if part == "out" else INSIDE
        count = self.rows if part == "train" else 300
        return [self.row(rng, where, i, part, Law(self.name, seed)) for i in range(count)]

    def text(self, rows):
        return "".join(self.separator.join(self.cell(c) for c in row) + "\n" for row in [self.columns] + rows)

    def cell(self, value):
        text = f"{value:.6g}" if isinstance(value, float) else str(value)
        return text.replace(".", self.decimal) if isinstance(value, float) else text

    def command(self, folder, model="auto"):
        return f"kedge fit {folder}/train.csv --target {self.target} {self.flags} --model {model} -o {folder}/model.kedge"


class Law:
    """Constants of a table's law that change with the seed, one stream for each table."""

    def __init__(self, name, seed):
        self.rng = random.Random(f"{name} law {seed}")

    def vary(self, value, share=0.1):
        return value * (1 + share * (2 * self.rng.random() - 1))


def between(rng, low, high, beyond, where):
    """A number inside of its range, or outside above it."""
    return rng.uniform(low, high) if where == INSIDE else rng.uniform(high, beyond)


def decades(rng, low, high, beyond, where):
    return math.exp(between(rng, math.log(low), math.log(high), math.log(beyond), where))


def noisy(rng, value, share):
    return value * (1 + share * rng.gauss(0, 1))


def pump(rng, where, _i, _part, law):
    speed, flow = between(rng, 1000, 2000, 2600, where), rng.uniform(5, 40)
    head = law.vary(60) * (speed / 1500) ** 2 - law.vary(0.02) * flow**2 + law.vary(0.2) * flow * speed / 1500
    return [flow, speed, noisy(rng, head, 0.01)]


def battery(rng, where, _i, _part, law):
    cycles, depth, heat = between(rng, 0, 600, 1000, where), rng.uniform(0.3, 0.9), rng.uniform(10, 40)
    fade = law.vary(1.1) * math.sqrt(cycles) * math.exp(law.vary(0.02) * (heat - 25)) * depth**1.2
    return [cycles, depth, heat, 100 - fade + rng.gauss(0, 0.2)]


DISTRICTS = {"harbour": 5200, "north": 3100, "old town": 6100, "park": 4300, "south": 2700, "station": 3600}
STATES = {"poor": 0.8, "fair": 1.0, "new": 1.25}


def houses(rng, where, _i, _part, law):
    area, age = between(rng, 40, 180, 260, where), rng.uniform(0, 90)
    district, state = rng.choice(sorted(DISTRICTS)), rng.choice(sorted(STATES))
    rooms = max(1, round(area / 28 + rng.gauss(0, 0.8)))
    price = DISTRICTS[district] * STATES[state] * area**law.vary(0.95, 0.02) * (1 - 0.003 * age)
    return [area, rooms, round(age), district, state, noisy(rng, price, 0.04)]


def nusselt(rng, where, _i, _part, law):
    reynolds, prandtl = decades(rng, 3e3, 1e5, 4e5, where), decades(rng, 0.7, 50, 50, INSIDE)
    ratio = rng.uniform(10, 80)
    number = law.vary(0.023) * reynolds**0.8 * prandtl**0.4 * (1 + ratio**-0.7)
    return [reynolds, prandtl, ratio, noisy(rng, number, 0.03)]


def arm(rng, where, _i, _part, law):
    shoulder, elbow = rng.uniform(0, 360), rng.uniform(-120, 120)
    load = between(rng, 0, 4, 6, where)
    upper, lower = math.radians(shoulder), math.radians(shoulder + elbow)
    torque = 9.81 * ((law.vary(1.2) + 0.5 * load) * math.cos(upper) + (law.vary(0.5) + 0.4 * load) * math.cos(lower))
    return [shoulder, elbow, load, torque + rng.gauss(0, 0.1)]


DAYS = 3 * 365


def daily(rng, where, i, part, law):
    # Days inside are those of the training table, drawn anew: the same days, other visitors.
    day = i if part == "train" else rng.randrange(DAYS) if where == INSIDE else DAYS + rng.randrange(180)
    date = datetime.date(2021, 1, 1) + datetime.timedelta(days=day)
    week = [0.0, -4, -3, 0, 9, 24, 17][date.weekday()]
    year = law.vary(30) * math.sin(2 * math.pi * (date.timetuple().tm_yday / 365.25 - law.vary(0.3)))
    return [date.isoformat(), 120 + law.vary(0.05) * day + week + year + rng.gauss(0, 4)]


def big(rng, where, _i, _part, law):
    x = [rng.gauss(0, 1) for _ in range(30)]
    out = {rng.randrange(3)} if where == OUTSIDE else set()
    for c in range(3):
        x[c] = between(rng, -2, 2, 3.5, OUTSIDE if c in out else INSIDE)
    y = law.vary(3) * x[0] + math.sin(law.vary(2) * x[1]) * x[3] + law.vary(0.5) * x[2] ** 2 + 0.8 * x[4] * x[5]
    return x + [y + sum(0.2 * v for v in x[6:12]) + rng.gauss(0, 0.3)]


def reactor(rng, where, _i, _part, law):
    heat, acid, catalyst = between(rng, 20, 80, 110, where), rng.uniform(0.1, 2), rng.uniform(0.5, 5)
    rate = math.exp(law.vary(18, 0.02) - law.vary(5500, 0.02) / (heat + 273.15)) * acid**0.8 * catalyst**0.5
    return [heat, acid, catalyst, noisy(rng, rate, 0.03)]


def wind(rng, where, _i, _part, law):
    heading, speed = rng.uniform(0, 360), between(rng, 3, 10, 13, where)
    wake = 1 - 0.25 * math.exp(4 * (math.cos(math.radians(heading - law.vary(250))) - 1))
    return [round(heading), speed, noisy(rng, law.vary(0.9) * speed**3 * wake, 0.02)]


def sensor(rng, where, i, _part, law):
    heat, humidity = between(rng, 5, 45, 60, where), rng.uniform(20, 90)
    volts = law.vary(1.8) + law.vary(0.03) * heat + 0.0002 * heat * humidity - law.vary(0.004) * humidity
    gap = rng.random()
    row = [heat, humidity, rng.uniform(980, 1040)]
    if gap < 0.08:
        row[1 + int(gap < 0.04)] = ""
    return [i + 1] + row + ["rev B", volts + rng.gauss(0, 0.02)]


def survey(rng, where, _i, _part, law):
    x = [between(rng, 0, 1, 1.5, where), rng.random(), rng.random(), rng.random()]
    return x + [law.vary(0.3) * x[0] + rng.gauss(0, 1)]


TABLES = [
    Table("pump", "40 rows of a test bench: head by flow and speed", ["flow", "speed", "head"], pump, 40, ""),
    Table("battery", "capacity by age, use and heat", ["cycles", "depth", "heat", "capacity"], battery, 300, ""),
    Table("houses", "prices with two columns of words",
          ["area", "rooms", "age", "district", "state", "price"], houses, 1200, ""),
    Table("nusselt", "heat transfer in pipes, over decades", ["re", "pr", "ratio", "nu"], nusselt, 500,
          "--space re=log,pr=log,nu=log"),
    Table("arm", "torque of a robot arm, two angles", ["shoulder", "elbow", "load", "torque"], arm, 800,
          "--space shoulder=degrees,elbow=degrees"),
    Table("daily", "visitors a day over three years", ["date", "visitors"], daily, DAYS, "--cycles date=week+year"),
    Table("big", "50,000 rows of 30 columns", [f"x{c}" for c in range(30)] + ["y"], big, 50000, ""),
    Table("reactor", "rates of a reaction, semicolons and decimal commas",
          ["heat", "acid", "catalyst", "rate"], reactor, 400, "--space rate=log", ";", ","),
    Table("wind", "power by wind and its direction", ["heading", "speed", "power"], wind, 900,
          "--space heading=degrees"),
    Table("sensor", "volts of a sensor: numbered rows, gaps, a constant",
          ["id", "heat", "humidity", "pressure", "board", "volts"], sensor, 600, "--ignore id --missing impute"),
    Table("survey", "answers that the columns hardly explain", ["a", "b", "c", "d", "score"], survey, 200, ""),
]


def write(folder, tables, seed):
    for table in tables:
        place = folder / table.name
        place.mkdir(parents=True, exist_ok=True)
        for part in ("train", "in", "out"):
            (place / f"{part}.csv").write_text(table.text(table.make(part, seed)), encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", help="names with commas between")
    given = parser.parse_args()
    wanted = given.only.split(",") if given.only else [table.name for table in TABLES]
    unknown = set(wanted) - {table.name for table in TABLES}
    if unknown:
        parser.error(f"needs names of tables; found {', '.join(sorted(unknown))}; "
                     f"there are {', '.join(table.name for table in TABLES)}")
    chosen = [table for table in TABLES if table.name in wanted]
    write(given.folder, chosen, given.seed)
    for table in chosen:
        print(f"# {table.about}\n{table.command(given.folder / table.name)}")


if __name__ == "__main__":
    main()
