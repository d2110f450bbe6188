"""Input: frames equal arrays, and what is wrong gets the exception that scikit-learn prescribes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import QUICK
from sklearn.exceptions import NotFittedError

import kedge


@pytest.fixture
def fitted(table: Any) -> kedge.TransductionRegressor:
    return kedge.TransductionRegressor(**QUICK).fit(*table)


class Stream:
    """Data that speak Arrow's interface and nothing else."""

    def __init__(self, table: Any) -> None:
        self.table = table

    def __arrow_c_stream__(self, schema: Any = None) -> Any:
        return self.table.__arrow_c_stream__(schema)


def frames(X: np.ndarray) -> dict[str, Any]:
    """The same table as every kind of frame that is installed."""
    pandas = pytest.importorskip("pandas")
    polars = pytest.importorskip("polars")
    pyarrow = pytest.importorskip("pyarrow")
    data = {"a": X[:, 0], "b": X[:, 1]}
    return {
        "pandas": pandas.DataFrame(data),
        "polars": polars.DataFrame(data),
        "arrow": pyarrow.table(data),
        "stream": Stream(pyarrow.table(data)),
    }


@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow", "stream"])
def test_a_frame_equals_the_array_with_its_names(table: Any, kind: str) -> None:
    X, y = table
    frame = frames(X)[kind]
    model = kedge.TransductionRegressor(**QUICK).fit(frame, y)
    named = kedge.TransductionRegressor(**QUICK).fit(frames(X)["pandas"], y)
    assert list(model.feature_names_in_) == ["a", "b"]
    assert model.info_["inputs"] == ["a", "b"]
    assert model.to_bytes() == named.to_bytes()
    plain = kedge.TransductionRegressor(**QUICK).fit(X, y)
    np.testing.assert_array_equal(model.predict(frame), plain.predict(X))


def test_outputs_are_called_as_their_frame_calls_them(table: Any) -> None:
    pandas = pytest.importorskip("pandas")
    polars = pytest.importorskip("polars")
    X, y = table
    model = kedge.TransductionRegressor("linear")
    assert model.fit(X, pandas.Series(y, name="price")).output_names_ == ["price"]
    assert model.fit(X, polars.Series("price", y)).output_names_ == ["price"]
    assert model.fit(X, pandas.Series(y, name="x1")).output_names_ == ["x1_"]
    both = pandas.DataFrame({"u": y, "v": -y})
    assert model.fit(X, both).output_names_ == ["u", "v"]
    assert model.info_["outputs"] == ["u", "v"]
    assert model.fit(X, both.to_numpy()).output_names_ == ["y0", "y1"]


@pytest.mark.parametrize(
    "change", [np.asfortranarray, lambda X: X[::-1][::-1], lambda X: np.repeat(X, 2, 1)[:, ::2]]
)
def test_the_layout_of_an_array_does_not_matter(table: Any, fitted: Any, change: Any) -> None:
    X, y = table
    assert kedge.TransductionRegressor(**QUICK).fit(change(X), y).to_bytes() == fitted.to_bytes()
    np.testing.assert_array_equal(fitted.predict(change(X)), fitted.predict(X))


def test_one_row_alone_has_the_bits_of_many(table: Any, fitted: Any) -> None:
    queries = 1.5 * np.repeat(table[0], 10, axis=0)
    together = fitted.predict(queries)
    assert [fitted.predict(queries[i : i + 1])[0] for i in range(0, 800, 50)] == together[::50].tolist()


def test_numbers_of_numpy_are_settings(table: Any) -> None:
    X, y = table
    settings = QUICK | {"width": np.int64(16), "learning_rate": np.float32(0.5) * 0.02, "seed": np.uint8(0)}
    assert kedge.TransductionRegressor(**settings).fit(X, y).info_["options"]["architecture"]["width"] == 16
    whole = kedge.TransductionRegressor(**(QUICK | {"steps": None, "epochs": 2})).fit(X, y)
    assert whole.report_["steps"] == 2 * (80 // 16)


def test_not_fitted(table: Any) -> None:
    model = kedge.TransductionRegressor()
    for ask in (model.predict, model.explain, model.diagnose):
        with pytest.raises(NotFittedError):
            ask(table[0])
    for tell in (model.to_bytes, model.training_data, lambda: model.save("m.kedge"), lambda: model.info_):
        with pytest.raises(NotFittedError):
            tell()


@pytest.mark.parametrize(
    ("queries", "text"),
    [
        (np.zeros((3, 3)), "X has 3 features, but TransductionRegressor is expecting 2"),
        (np.zeros(2), "Expected 2D array, got 1D array"),
        (np.array([[0.0, np.nan]]), "Input X contains NaN"),
        (np.array([[0.0, np.inf]]), "Input X contains infinity"),
        (np.empty((0, 2)), r"Found array with 0 sample\(s\)"),
        ([["a", "b"]], "could not convert string to float"),
        (np.array([[1j, 0]]), "Complex data not supported"),
    ],
)
def test_queries_that_cannot_be_answered(fitted: Any, queries: Any, text: str) -> None:
    for ask in (fitted.predict, fitted.explain):
        with pytest.raises(ValueError, match=text):
            ask(queries)


def test_object_columns_are_refused_in_a_fit(table: Any) -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": ["north"] * 80, "b": table[1]})
    with pytest.raises(ValueError, match="could not convert string to float"):
        kedge.TransductionRegressor("linear").fit(frame, table[1])


@pytest.mark.parametrize(
    ("settings", "setting", "text"),
    [
        ({"model": "bilinaer"}, "", "bilinaer"),
        ({"preset": "mine"}, "", "mine"),
        ({"width": 0}, "", "width"),
        ({"width": "wide"}, "", "width"),
        ({"fourier": "sometimes"}, "", "fourier needs one of"),
        ({"steps": 5, "epochs": 2.0}, "", "steps"),
        ({"space": {"x7": "angle"}}, "", "x7"),
        ({"space": {9: "angle"}}, "space", "space needs columns 0 to 1; found 9"),
        ({"space": {0: "sphere"}}, "", "sphere"),
        ({"space": 3}, "space", "space needs a dict"),
        ({"space": {1.5: "angle"}}, "space", "columns by name or number"),
        ({"same_unit": ["x0"]}, "same_unit", "same_unit needs lists of columns"),
        ({"n_jobs": 0}, "n_jobs", "n_jobs needs a number of threads"),
        ({"on_unreachable": "ignore"}, "on_unreachable", "on_unreachable needs one of"),
        ({"anchors": object()}, "", "settings need numbers and texts"),
    ],
)
def test_settings_that_are_wrong_are_named(table: Any, settings: dict, setting: str, text: str) -> None:
    with pytest.raises(kedge.KedgeError, match=text) as caught:
        kedge.TransductionRegressor(**(QUICK | settings)).fit(*table)
    assert "\n" not in str(caught.value)
    if setting:
        assert caught.value.setting == setting


def test_unknown_parameters_are_refused() -> None:
    with pytest.raises(TypeError, match="depth"):
        kedge.TransductionRegressor(depth=3)
    with pytest.raises(ValueError, match="Invalid parameter 'depth'"):
        kedge.TransductionRegressor().set_params(depth=3)


def test_labels_and_times_need_a_value_in_each_row(table: Any) -> None:
    X, y = table
    model = kedge.TransductionRegressor(**QUICK)
    with pytest.raises(ValueError, match="label needs one value for each of 80 rows; found 3"):
        model.fit(X, y, label=[1, 2, 3])
    with pytest.raises(ValueError, match="row 79 has none"):
        model.fit(X, y, label=[1] * 79 + [None])
    with pytest.raises(ValueError, match="found a matrix"):
        model.fit(X, y, time=X)
    with pytest.raises(ValueError, match="choose one"):
        model.fit(X, y, label=[1] * 80, time=np.zeros(80))


def test_a_damaged_file_is_an_os_error(fitted: Any, tmp_path: Path) -> None:
    path = tmp_path / "m.kedge"
    fitted.save(path)
    data = bytearray(path.read_bytes())
    data[-9] ^= 1
    path.write_bytes(data)
    with pytest.raises(kedge.ModelFileError, match=r"m\.kedge") as caught:
        kedge.load(path)
    assert isinstance(caught.value, OSError)
    assert isinstance(caught.value, ValueError)
    path.write_bytes(b"not a model")
    with pytest.raises(kedge.ModelFileError):
        kedge.load(path)
    with pytest.raises(FileNotFoundError):
        kedge.load(tmp_path / "none.kedge")
    with pytest.raises(OSError, match="nowhere"):
        fitted.save(tmp_path / "nowhere" / "m.kedge")


def test_a_fit_that_fails_leaves_the_model_as_it_was(table: Any, fitted: Any) -> None:
    before = fitted.predict(table[0])
    with pytest.raises(ValueError):
        fitted.set_params(width=0).fit(*table)
    with pytest.raises(ValueError):
        fitted.fit(table[0][:, :1], table[1])
    assert fitted.n_features_in_ == 2
    np.testing.assert_array_equal(fitted.predict(table[0]), before)
