"""Predicts the head of a pump at speeds that its test bench never ran.

Usage: regression.py FOLDER

Reads pump.csv, 40 rows at speeds of 1000 to 2000, and pump_beyond.csv, 40 rows at 2000 to 2600 with their
true heads. Writes the picture FOLDER/coverage.png. examples/tables/tables.py made both files.
"""

import argparse
import pathlib

import pandas as pd

import kedge
import kedge.plot

HERE = pathlib.Path(__file__).parent
INPUTS = ["flow", "speed"]


def main() -> None:
    """Fit, predict beyond, explain, draw."""
    parser = argparse.ArgumentParser(description="Predicts the head of a pump at speeds that were never run.")
    parser.add_argument("folder", type=pathlib.Path, help="where to write the picture")
    folder = parser.parse_args().folder

    bench = pd.read_csv(HERE / "pump.csv")
    model = kedge.TransductionRegressor(steps=3000, fourier="off", seed=0)
    model.fit(bench[INPUTS], bench["head"])

    beyond = pd.read_csv(HERE / "pump_beyond.csv")
    answers = model.explain(beyond[INPUTS])
    print(answers[["head", "verdict", "expected_error", "outside"]].head().to_string())
    error = (answers["head"] - beyond["head"]).abs().mean()
    print(f"mean error {error:.2f}, expected {answers['expected_error'].mean():.2f}")

    first = answers.iloc[0]
    print("Why the first answer? Its query is to the anchor as these two training rows are to each other:")
    rows = bench.loc[[first["anchor"], first["analog_query"], first["analog_anchor"]], INPUTS]
    print(rows.set_axis(["anchor", "analog query", "analog anchor"]).to_string())

    far = pd.DataFrame({"flow": [20.0], "speed": [6000.0]})
    print(f"At a speed of 6000 the verdict is {model.explain(far)['verdict'].iloc[0]}.")

    folder.mkdir(parents=True, exist_ok=True)
    ax = kedge.plot.coverage(model, pd.concat([beyond[INPUTS], far]))
    ax.figure.savefig(folder / "coverage.png", dpi=150)


if __name__ == "__main__":
    main()
