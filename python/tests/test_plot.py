"""Pictures show what the estimators say."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

import kedge

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")

from matplotlib import pyplot as plt  # noqa: E402

import kedge.plot  # noqa: E402


@pytest.fixture(autouse=True)
def closed_figures() -> Iterator[None]:
    yield
    plt.close("all")


def frame(columns: int, reach: float = 1, seed: int = 0) -> pd.DataFrame:
    x = np.random.default_rng(seed).uniform(size=(80, columns)) * reach
    return pd.DataFrame(x, columns=[f"in{c}" for c in range(columns)])


def fitted(columns: int, **settings: Any) -> Any:
    X = frame(columns)
    return kedge.TransductionRegressor("quadratic", **settings).fit(X, (X.sum(axis=1) ** 2).rename("out"))


def legend(ax: Any) -> list[str]:
    return [text.get_text() for text in ax.get_legend().get_texts()]


def counts(ax: Any) -> dict[str, int]:
    found = (re.match(r"([a-z]+): (\d+)", text) for text in legend(ax))
    return {match.group(1): int(match.group(2)) for match in found if match}


@pytest.mark.parametrize(
    ("columns", "labels"),
    [
        (1, ("in0", "out")),
        (2, ("in0", "in1")),
        (5, ("first leading axis of the inputs, in deviations", None)),
    ],
)
def test_coverage_counts_the_queries_of_each_verdict(columns: int, labels: tuple[str, str | None]) -> None:
    model, queries = fitted(columns), frame(columns, reach=3, seed=1)
    ax = kedge.plot.coverage(model, queries)
    expected = model.explain(queries)["verdict"].value_counts()
    assert len(expected[expected > 0]) > 1
    assert counts(ax) == {word: count for word, count in expected.items() if count}
    assert "training rows: 80" in legend(ax)
    assert ax.get_xlabel() == labels[0]
    assert labels[1] in (None, ax.get_ylabel())
    assert f"{80 - expected['interpolation']} of 80 queries" in ax.get_title(loc="left")


def test_coverage_draws_queries_where_they_are() -> None:
    model, queries = fitted(2), frame(2, reach=3, seed=1)
    drawn = [points.get_offsets() for points in kedge.plot.coverage(model, queries).collections]
    assert np.allclose(drawn[0], frame(2))
    assert np.allclose(np.sort(np.concatenate(drawn[1:]), axis=0), np.sort(queries, axis=0))


def test_pictures_are_drawn_on_the_axes_that_are_given() -> None:
    model, axes = fitted(2), plt.subplots(1, 3)[1]
    X = frame(2)
    assert kedge.plot.coverage(model, X, ax=axes[0]) is axes[0]
    assert kedge.plot.curve(model, "in1", ax=axes[1]) is axes[1]
    assert kedge.plot.parity(model, X, X["in0"], ax=axes[2]) is axes[2]
    assert len(plt.get_fignums()) == 1


def test_a_curve_goes_beyond_both_ends_of_its_input() -> None:
    model, X = fitted(2), frame(2)
    ax = kedge.plot.curve(model, "in1", at={"in0": 0.25}, reach=0.5, points=50)
    line = next(one for one in ax.lines if one.get_label() == "prediction")
    x, y = np.array(line.get_xdata()), np.array(line.get_ydata())
    low, high = X["in1"].min(), X["in1"].max()
    assert np.allclose([x[0], x[-1]], [low - (high - low) / 2, high + (high - low) / 2])
    rows = pd.DataFrame({"in0": np.full(50, 0.25), "in1": x})
    assert np.allclose(y, model.predict(rows))
    marked = sorted(float(one.get_xdata()[0]) for one in ax.lines if one.get_label() == "_")
    assert np.allclose(marked, [low, high])
    band = next(one for one in ax.collections if one.get_label() == "expected error")
    expected = model.explain(rows)["expected_error"]
    assert np.isclose(band.get_datalim(ax.transData).y1, (y + expected).max())
    assert {"interpolation", "reachable"} <= set(legend(ax))


def test_a_curve_of_a_logarithm_or_an_angle_has_its_own_axis() -> None:
    rng = np.random.default_rng(2)
    X = pd.DataFrame({"size": 10 ** rng.uniform(0, 3, 90), "heading": rng.uniform(0, 360, 90)})
    y = np.log(X["size"]) + np.cos(np.radians(X["heading"]))
    model = kedge.TransductionRegressor("ridge", space={"size": "log", "heading": "degrees"}).fit(X, y)
    by_size = kedge.plot.curve(model, "size", reach=0.5)
    assert by_size.get_xscale() == "log"
    x = next(one for one in by_size.lines if one.get_label() == "prediction").get_xdata()
    low, high = X["size"].min(), X["size"].max()
    assert np.allclose([x[0], x[-1]], [low / np.sqrt(high / low), high * np.sqrt(high / low)])
    by_heading = kedge.plot.curve(model, "heading")
    x = next(one for one in by_heading.lines if one.get_label() == "prediction").get_xdata()
    assert np.isclose(x[-1] - x[0], 360)
    assert "ends of the training rows" not in legend(by_heading)


def test_a_curve_without_expected_errors_has_no_band() -> None:
    assert "expected error" not in legend(kedge.plot.curve(fitted(1, calibration="none")))


def test_parity_tells_errors_by_verdict() -> None:
    model, queries = fitted(2), frame(2, reach=2, seed=3)
    truth = queries.sum(axis=1) ** 2 + 0.1
    ax = kedge.plot.parity(model, queries, truth)
    error = model.predict(queries) - truth
    inside = model.explain(queries)["verdict"] == "interpolation"
    rmse = np.sqrt((error[inside] ** 2).mean())
    assert f"interpolation: {inside.sum()}, RMSE {rmse:.3g}" in legend(ax)
    assert ax.get_title(loc="left").startswith(f"RMSE {np.sqrt((error**2).mean()):.3g}, ")
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("true out", "predicted out")


def test_one_of_several_outputs_is_drawn() -> None:
    X = frame(2)
    Y = pd.DataFrame({"sum": X.sum(axis=1), "product": X.prod(axis=1)})
    model = kedge.TransductionRegressor("quadratic").fit(X, Y)
    assert kedge.plot.parity(model, X, Y, output="product").get_ylabel() == "predicted product"
    ax = kedge.plot.curve(model, "in0", output=1)
    line = next(one for one in ax.lines if one.get_label() == "prediction")
    rows = pd.DataFrame({"in0": line.get_xdata(), "in1": X["in1"].median()})
    assert np.allclose(line.get_ydata(), model.predict(rows)[:, 1])


def test_columns_that_never_change_are_no_part_of_a_picture() -> None:
    X = frame(2).assign(constant=3.0)
    model = kedge.TransductionRegressor("ridge").fit(X, X["in0"])
    ax = kedge.plot.coverage(model, X)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("in0", "in1")
    with pytest.raises(ValueError, match="feature needs one of in0, in1 or its number; found 'constant'"):
        kedge.plot.curve(model, "constant")


@pytest.mark.parametrize(
    ("draw", "told"),
    [
        (lambda model: kedge.plot.curve(model, 2), "feature needs one of in0, in1 or its number; found 2"),
        (lambda model: kedge.plot.curve(model, -1), "found -1"),
        (lambda model: kedge.plot.curve(model, 0, at={"no": 1}), "at needs one of in0, in1 .* found 'no'"),
        (lambda model: kedge.plot.curve(model, 0, output="no"), "output needs one of out .* found 'no'"),
        (lambda model: kedge.plot.parity(model, frame(2), [1.0]), r"y needs 1 outputs .* found shape \(1,\)"),
    ],
)
def test_bad_requests_are_told_in_one_line(draw: Any, told: str) -> None:
    with pytest.raises(ValueError, match=told) as caught:
        draw(fitted(2))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("draw", [kedge.plot.curve, lambda model: kedge.plot.coverage(model, [[1.0]])])
def test_an_estimator_that_is_not_fitted_is_refused(draw: Any) -> None:
    with pytest.raises(NotFittedError):
        draw(kedge.TransductionRegressor())


def test_without_matplotlib_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    model = fitted(1)
    for name in [name for name in sys.modules if name.split(".")[0] == "matplotlib"]:
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ImportError, match=r"needs matplotlib; it is not installed; install kedge\[plot\]"):
        kedge.plot.curve(model)


def test_a_diagnosis_draws_its_coverage() -> None:
    model, queries = fitted(2), frame(2, reach=3, seed=1)
    assert counts(model.diagnose(queries).plot()) == counts(kedge.plot.coverage(model, queries))
