"""Evidence: explanations, expected errors, what is unreachable, validation, diagnosis, cross-validation."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from conftest import QUICK, CommandLine

import kedge

FAR = np.array([[0.0, 0.0], [50.0, 50.0], [0.1, -0.1]])


@pytest.fixture(scope="module")
def fitted(table: Any) -> kedge.TransductionRegressor:
    return kedge.TransductionRegressor("bilinear-ridge").fit(*table)


def test_an_explanation_says_what_predict_says_and_why(fitted: Any) -> None:
    pytest.importorskip("pandas")
    frame = fitted.explain(FAR)
    np.testing.assert_array_equal(frame["y"], fitted.predict(FAR))
    assert list(frame["verdict"]) == ["interpolation", "unreachable", "interpolation"]
    assert list(frame["verdict"].cat.categories) == [
        "interpolation", "reachable", "edge", "unreachable", "undetermined",
    ]  # fmt: skip
    assert frame["outside"][0] == ""
    assert "x0 +" in frame["outside"][1] and "x1 +" in frame["outside"][1]
    assert frame["support_distance"][1] > 10 * frame["support_distance"][0]
    assert frame["expected_error"][1] > frame["expected_error"][0] > 0
    assert frame["anchor"].between(0, 79).all()


def test_a_distance_is_that_to_the_nearest_training_row(fitted: Any, table: Any) -> None:
    found = fitted.explain(table[0][:5], as_frame=False)
    np.testing.assert_array_equal(found["support_distance"], np.zeros(5))
    assert list(found["verdict"]) == ["interpolation"] * 5


def test_a_frame_keeps_the_index_of_its_queries(fitted: Any) -> None:
    pandas = pytest.importorskip("pandas")
    queries = pandas.DataFrame(FAR, index=["a", "b", "c"])
    queries.columns = ["x0", "x1"]
    with pytest.warns(UserWarning, match="was fitted without feature names"):
        assert list(fitted.explain(queries).index) == ["a", "b", "c"]


def test_what_is_not_known_is_missing(table: Any) -> None:
    pandas = pytest.importorskip("pandas")
    frame = kedge.TransductionRegressor("linear", calibration="none").fit(*table).explain(FAR)
    assert frame["anchor"].isna().all()
    assert frame["expected_error"].isna().all()
    assert frame["anchor"].dtype == pandas.Int64Dtype()


def test_arrays_have_the_columns_of_the_frame(fitted: Any) -> None:
    pytest.importorskip("pandas")
    frame, arrays = fitted.explain(FAR), fitted.explain(FAR, as_frame=False)
    assert list(arrays) == list(frame.columns)
    for name in ("y", "spread", "anchor", "outside"):
        np.testing.assert_array_equal(arrays[name], frame[name])


def test_an_output_may_have_the_name_of_a_column_of_ours(table: Any) -> None:
    pandas = pytest.importorskip("pandas")
    X, y = table
    frame = kedge.TransductionRegressor("linear").fit(X, pandas.Series(y, name="spread")).explain(X)
    assert "kedge_spread" in frame.columns


def test_expected_errors_come_with_return_std(fitted: Any, two_outputs: Any) -> None:
    y, error = fitted.predict(FAR, return_std=True)
    found = fitted.explain(FAR, as_frame=False)
    np.testing.assert_array_equal(y, found["y"])
    np.testing.assert_array_equal(error, found["expected_error"])
    both = kedge.TransductionRegressor("ridge").fit(*two_outputs)
    y, error = both.predict(FAR, return_std=True)
    assert (y.shape, error.shape) == ((3, 2), (3,))


def test_on_unreachable(fitted: Any) -> None:
    plain = fitted.predict(FAR)
    try:
        np.testing.assert_array_equal(
            fitted.set_params(on_unreachable="nan").predict(FAR), [plain[0], np.nan, plain[2]]
        )
        with pytest.warns(UserWarning, match=r"1 of 3 queries are not reachable.*row 1"):
            np.testing.assert_array_equal(fitted.set_params(on_unreachable="warn").predict(FAR), plain)
        fitted.set_params(on_unreachable="raise")
        with pytest.raises(kedge.KedgeError, match=r"1 of 3 queries are not reachable.*row 1"):
            fitted.predict(FAR)
        assert fitted.predict(FAR[:1]).shape == (1,)
        with pytest.raises(kedge.KedgeError, match="on_unreachable needs one of"):
            fitted.set_params(on_unreachable="hide").predict(FAR)
    finally:
        fitted.set_params(on_unreachable="predict")


def test_parameters_that_do_best_on_validation_rows_are_kept(two_outputs: Any) -> None:
    X, y = two_outputs
    settings = QUICK | {"steps": 2000, "learning_rate": 0.02, "schedule": "constant"}
    model = kedge.TransductionRegressor(**settings).fit(X[:60], y[:60], X_val=X[60:], y_val=y[60:])
    alone = kedge.TransductionRegressor(**settings).fit(X[:60], y[:60])
    assert 0 < model.report_["validation"]["step"] <= 2000
    assert not hasattr(alone, "validation_")
    scale = y[:60].std(axis=0)

    def error(one: kedge.TransductionRegressor) -> float:
        return float(np.sqrt(np.mean(((one.predict(X[60:]) - y[60:]) / scale) ** 2)))

    assert error(model) == pytest.approx(model.report_["validation"]["error"], rel=1e-3)
    assert error(model) <= error(alone) * (1 + 1e-6)
    difference = model.predict(X[60:]) - y[60:]
    assert model.validation_["rmse"] == pytest.approx(
        dict(zip(["y0", "y1"], np.sqrt(np.mean(difference**2, axis=0)), strict=True))
    )
    assert model.validation_["error"] == pytest.approx(np.linalg.norm(difference, axis=1).mean())
    assert sum(model.validation_["verdicts"].values()) == 20
    with pytest.raises(kedge.KedgeError, match="belong together"):
        model.fit(X, y, X_val=X)
    with pytest.raises(kedge.KedgeError, match="y_val needs 2 outputs for each of 80 rows"):
        model.fit(X, y, X_val=X, y_val=y[:, 0])


def test_a_diagnosis_counts_verdicts_and_measures_true_errors(fitted: Any, table: Any) -> None:
    pytest.importorskip("pandas")
    X, y = table
    found = fitted.diagnose(np.vstack([X, FAR]), np.append(y, [0.0, 0.0, 0.0]))
    assert found.counts["unreachable"] == 1
    assert sum(found.counts.values()) == 83
    verdicts = found.verdicts
    assert verdicts.loc["unreachable", "true_error"] == pytest.approx(abs(fitted.predict(FAR)[1]))
    assert list(found.columns["name"]) == ["x0", "x1"]
    assert found.columns["queries_high"].tolist() == [50.0, 50.0]
    assert found.columns["outside"].tolist() == [1, 1]
    assert (found.training_map.shape, found.query_map.shape) == ((80, 2), (83, 2))
    assert repr(found) == "Diagnosis(83 queries: 82 interpolation, 1 unreachable)"
    assert fitted.diagnose(FAR).report["rows"] == 3
    with pytest.raises(kedge.KedgeError, match="y needs 1 outputs for each of 3 rows"):
        fitted.diagnose(FAR, y=[1.0])


def test_cross_validation_is_that_of_the_command_line(table: Any, command_line: CommandLine) -> None:
    import json

    pytest.importorskip("pandas")
    X, y = table
    frame = kedge.cross_validate_beyond(X, y, models=["linear", "bilinear-ridge", "nearest"])
    command_line.write_csv("t.csv", {"x0": X[:, 0].tolist(), "x1": X[:, 1].tolist(), "y": y.tolist()})
    told = json.loads(
        command_line(
            "cv", "t.csv", "--target", "y", "--models", "linear,bilinear-ridge,nearest", "--quiet", "--json"
        )
    )
    assert frame.index[0] == "bilinear-ridge"
    assert frame["out_of_support"].is_monotonic_increasing
    for score in told["models"]:
        assert frame.loc[score["model"], "out_of_support"] == score["out_of_support"]["mean"]
        assert frame.loc[score["model"], "beyond_outputs_sd"] == score["beyond_outputs"]["sd"]
    assert frame.attrs["recommendation"]["model"] == told["recommendation"]["model"]


def test_cross_validation_takes_the_settings_of_an_estimator(table: Any) -> None:
    pytest.importorskip("pandas")
    X, y = table
    one = kedge.TransductionRegressor("ridge", seed=1)
    assert list(kedge.cross_validate_beyond(X, y, one).index) == ["ridge"]
    other = kedge.cross_validate_beyond(X, y, kedge.TransductionRegressor(seed=2), models=["ridge"])
    assert list(other.index) == ["ridge"]
    with pytest.raises(kedge.KedgeError, match="effort needs a number above 0"):
        kedge.cross_validate_beyond(X, y, models=["ridge"], effort=2.0)
    with pytest.raises(kedge.KedgeError, match="estimator needs to be one of kedge"):
        kedge.cross_validate_beyond(X, y, "ridge")


def test_auto_chooses_by_the_same_trials(table: Any) -> None:
    model = kedge.TransductionRegressor(**(QUICK | {"model": "auto", "steps": 50, "anchors": None}))
    model.fit(*table)
    assert model.info_["options"]["model"] in model.report_["chosen"]["model"]
