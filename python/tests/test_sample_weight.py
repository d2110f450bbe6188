"""sample_weight: how much a row counts in training."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from conftest import QUICK, CommandLine

import kedge


@pytest.fixture
def weights() -> np.ndarray:
    """0 to 3, 80 of them."""
    return np.random.default_rng(5).integers(0, 4, 80).astype(float)


def test_a_row_of_weight_0_is_left_out(table: Any) -> None:
    X, y = table
    kept = np.arange(80) % 4 != 0
    model = kedge.TransductionRegressor(**QUICK)
    left_out = model.fit(X, y, sample_weight=kept.astype(float)).to_bytes()
    assert left_out == model.fit(X[kept], y[kept]).to_bytes()
    assert left_out != model.fit(X, y).to_bytes()


def test_equal_weights_are_none(table: Any) -> None:
    X, y = table
    model = kedge.TransductionRegressor(**QUICK)
    assert model.fit(X, y, sample_weight=np.full(80, 2.5)).to_bytes() == model.fit(X, y).to_bytes()


def test_a_row_of_weight_2_counts_like_two(table: Any, weights: np.ndarray) -> None:
    X, y = table
    rows = np.repeat(np.arange(80), weights.astype(int))
    model = kedge.TransductionRegressor("linear", calibration="none")
    weighted = model.fit(X, y, sample_weight=weights).predict(2 * X)
    np.testing.assert_allclose(weighted, model.fit(X[rows], y[rows]).predict(2 * X), rtol=1e-9)
    assert not np.allclose(weighted, model.fit(X, y).predict(2 * X), rtol=1e-3)


def test_weights_give_the_model_of_the_command_line(
    table: Any, weights: np.ndarray, command_line: CommandLine
) -> None:
    X, y = table
    columns = {"x0": X[:, 0].tolist(), "x1": X[:, 1].tolist(), "y": y.tolist(), "w": weights.tolist()}
    command_line.write_csv("t.csv", columns)
    flags = [f"--{n.replace('_', '-')}={v}" for n, v in QUICK.items() if n != "n_jobs"]
    told = ["--target", "y", "--row-weights", "w", *flags, "--quiet", "-o", "m.kedge"]
    command_line("fit", "t.csv", *told)
    model = kedge.TransductionRegressor(**QUICK).fit(X, y, sample_weight=weights)
    assert model.to_bytes() == (command_line.folder / "m.kedge").read_bytes()


@pytest.mark.parametrize(
    ("weights", "text"),
    [
        (np.r_[np.ones(79), -1.0], "79"),
        (np.r_[np.ones(79), np.nan], "NaN"),
        (np.zeros(80), "weight"),
        (np.ones(79), "sample_weight.shape"),
        (np.ones((80, 2)), "1D"),
    ],
)
def test_weights_that_are_wrong(table: Any, weights: Any, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        kedge.TransductionRegressor(**QUICK).fit(*table, sample_weight=weights)
