"""WeightedTransductionRegressor learns which rows may answer for which."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import QUICK, CommandLine

import kedge


@pytest.fixture(scope="module")
def halves() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Two branches of rows; pairs within a branch may answer for each other, pairs across may not."""
    rng = np.random.default_rng(3)
    X = rng.uniform(-1, 1, (60, 2))
    side = X[:, 0] > 0
    y = np.where(side, X[:, 1], -X[:, 1])
    pairs = rng.integers(0, 60, (400, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    return X, y, pairs, (side[pairs[:, 0]] == side[pairs[:, 1]]).astype(int)


@pytest.fixture(scope="module")
def learned(halves: Any) -> kedge.WeightedTransductionRegressor:
    X, y, pairs, weights = halves
    return kedge.WeightedTransductionRegressor(**QUICK).fit(X, y, pairs=pairs, pair_weights=weights)


def test_anchors_come_from_the_branch_that_examples_allow(halves: Any, learned: Any) -> None:
    X = halves[0]
    queries = X[np.abs(X[:, 0]) > 0.2]
    anchors = learned.explain(queries, as_frame=False)["anchor"]
    assert np.mean(np.sign(X[anchors, 0]) == np.sign(queries[:, 0])) > 0.9


def test_examples_give_the_model_of_the_command_line(
    halves: Any, learned: Any, command_line: CommandLine
) -> None:
    X, y, pairs, weights = halves
    command_line.write_csv("t.csv", {"x0": X[:, 0].tolist(), "x1": X[:, 1].tolist(), "y": y.tolist()})
    command_line.write_csv(
        "pairs.csv",
        {"query": pairs[:, 0].tolist(), "anchor": pairs[:, 1].tolist(), "weight": weights.tolist()},
    )
    flags = [
        text
        for name, value in QUICK.items()
        if name != "n_jobs"
        for text in (f"--{name.replace('_', '-')}", str(value))
    ]
    weighted = ["--weights", "pairs.csv", *flags, "--quiet", "-o", "m.kedge"]
    command_line("fit", "t.csv", "--target", "y", *weighted)
    assert learned.to_bytes() == (command_line.folder / "m.kedge").read_bytes()


def test_a_file_keeps_the_weights(halves: Any, learned: Any, tmp_path: Path) -> None:
    learned.save(tmp_path / "m.kedge")
    loaded = kedge.load(tmp_path / "m.kedge")
    assert isinstance(loaded, kedge.WeightedTransductionRegressor)
    assert loaded.weights == "labels"
    np.testing.assert_array_equal(loaded.predict(halves[0]), learned.predict(halves[0]))


@pytest.mark.parametrize(
    ("pairs", "weights", "text"),
    [
        ([(0, 1)], None, "belong together"),
        ([(0, 1)], [1, 0], "one number for each of 1 pairs"),
        ([0, 1], [1, 0], "two rows of X each"),
        ([(0.5, 1.0)], [1], "two rows of X each"),
        ([(0, 60)], [1], "rows 0 to 59"),
        ([(-1, 2)], [1], "rows 0 to 59"),
        ([(2, 2)], [1], "example 0 needs two rows"),
        ([(0, 1)], [0.5], "a weight of 0 or 1"),
    ],
)
def test_examples_that_are_wrong(halves: Any, pairs: Any, weights: Any, text: str) -> None:
    X, y, _, _ = halves
    with pytest.raises(kedge.KedgeError, match=text):
        kedge.WeightedTransductionRegressor(**QUICK).fit(X, y, pairs=pairs, pair_weights=weights)


def test_labels_need_examples(halves: Any) -> None:
    X, y, _, _ = halves
    with pytest.raises(kedge.KedgeError):
        kedge.WeightedTransductionRegressor(weights="labels", **QUICK).fit(X, y)
    with pytest.raises(kedge.KedgeError):
        kedge.WeightedTransductionRegressor(weights="guess", **QUICK).fit(X, y)
