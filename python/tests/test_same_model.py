"""Python and the command line make the same models and read each other's files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import QUICK, CommandLine

import kedge

FLAGS = [
    text
    for name, value in QUICK.items()
    if name != "n_jobs"
    for text in (f"--{name.replace('_', '-')}", str(value))
]


def columns(X: np.ndarray, y: np.ndarray) -> dict[str, list]:
    """A table as columns of floats: x0, x1, ..., y."""
    inputs = {f"x{c}": X[:, c].tolist() for c in range(X.shape[1])}
    outputs = {"y": y.tolist()} if y.ndim == 1 else {f"y{c}": y[:, c].tolist() for c in range(y.shape[1])}
    return inputs | outputs


def fitted_bytes(command_line: CommandLine, table: dict[str, list], *flags: str) -> bytes:
    """The model file of the command line."""
    command_line.write_csv("t.csv", table)
    command_line("fit", "t.csv", *FLAGS, *flags, "--quiet", "-o", "m.kedge")
    return (command_line.folder / "m.kedge").read_bytes()


@pytest.mark.parametrize("seed", [0, 5])
def test_the_same_seed_gives_the_bytes_of_the_command_line(
    command_line: CommandLine, table: Any, seed: int
) -> None:
    X, y = table
    told = fitted_bytes(command_line, columns(X, y), "--target", "y", "--seed", str(seed))
    assert kedge.TransductionRegressor(**QUICK, seed=seed).fit(X, y).to_bytes() == told


def test_so_do_two_outputs_spaces_and_units(command_line: CommandLine, two_outputs: Any) -> None:
    X, y = two_outputs
    told = fitted_bytes(
        command_line, columns(X, y), "--target", "y0,y1", "--space", "x0=angle", "--same-unit", "y0+y1"
    )
    by_number = kedge.TransductionRegressor(**QUICK, space={0: "angle"}, same_unit=[["y0", "y1"]])
    by_text = kedge.TransductionRegressor(**QUICK, space="x0=angle", same_unit="y0+y1")
    assert by_number.fit(X, y).to_bytes() == told
    assert by_text.fit(X, y).to_bytes() == told


def test_so_do_labels_that_are_words(command_line: CommandLine, table: Any) -> None:
    X, y = table
    words = ["mug" if i % 3 else "pan" for i in range(len(X))]
    told = fitted_bytes(command_line, columns(X, y) | {"kind": words}, "--target", "y", "--label", "kind")
    model = kedge.TransductionRegressor(**QUICK)
    assert model.fit(X, y, label=words).to_bytes() == told
    assert model.fit(X, y, label=np.array(words)).to_bytes() == told
    assert model.fit(X, y).to_bytes() != told


def test_names_may_have_the_signs_that_specifications_use(table: Any) -> None:
    pandas = pytest.importorskip("pandas")
    X, y = table
    names = ["a,b", "c=d+e"]
    frame = pandas.DataFrame(X, columns=names)
    model = kedge.TransductionRegressor(**QUICK, space={"a,b": "angle", 1: "vector"}).fit(frame, y)
    assert model.info_["inputs"] == names
    assert model.info_["space"] == r"a\,b=angle"


def test_so_do_columns_that_never_change(command_line: CommandLine, table: Any) -> None:
    X, y = table
    wide = np.insert(X, 1, 3.0, axis=1)
    told = fitted_bytes(command_line, columns(wide, y), "--target", "y")
    model = kedge.TransductionRegressor(**QUICK).fit(wide, y)
    assert model.to_bytes() == told
    assert model.left_out_ == ["x1"]
    np.testing.assert_array_equal(
        model.predict(wide), kedge.TransductionRegressor(**QUICK).fit(X, y).predict(X)
    )


def test_threads_do_not_change_the_model(table: Any) -> None:
    X, y = table
    settings = QUICK | {"replicas": 2}
    one = kedge.TransductionRegressor(**(settings | {"n_jobs": 1})).fit(X, y)
    two = kedge.TransductionRegressor(**(settings | {"n_jobs": 2})).fit(X, y)
    assert one.to_bytes() == two.to_bytes()


def test_python_reads_a_model_of_the_command_line(command_line: CommandLine, table: Any) -> None:
    X, y = table
    fitted_bytes(command_line, columns(X, y), "--target", "y")
    command_line.write_csv("q.csv", columns(2 * X, y))
    command_line("predict", "m.kedge", "q.csv", "-o", "a.csv", "--quiet")
    answers = np.genfromtxt(
        command_line.folder / "a.csv", delimiter=",", names=True, dtype=None, encoding=None
    )
    model = kedge.load(command_line.folder / "m.kedge")
    np.testing.assert_array_equal(model.predict(2 * X), answers["y"])
    explained = model.explain(2 * X, as_frame=False)
    np.testing.assert_array_equal(explained["anchor"], answers["anchor"])
    np.testing.assert_array_equal(explained["verdict"], answers["verdict"])
    np.testing.assert_array_equal(explained["spread"], answers["spread"])


def test_the_command_line_reads_a_model_of_python(command_line: CommandLine, table: Any) -> None:
    X, y = table
    model = kedge.TransductionRegressor(**QUICK).fit(X, y)
    model.save(command_line.folder / "p.kedge")
    info = json.loads(command_line("info", "p.kedge", "--json"))
    for name, value in model.info_.items():
        assert info[name] == value


@pytest.mark.parametrize(
    "settings",
    [
        {"space": {1: "angle"}, "seed": 3, "anchors": "near=4"},
        {"base": "linear", "share": 0.5, "weight_decay": 0.01, "inside_anchors": "all=9"},
        {"steps": None, "epochs": 3.0, "anchor_rows": 30, "preset": "released", "loss": "l2"},
        {"model": "bilinear-ridge", "anchors": "near=3", "anchor_rows": "all"},
        {"model": "linear", "calibration": "shells"},
    ],
)
def test_a_loaded_model_has_the_settings_of_its_file(table: Any, tmp_path: Path, settings: dict) -> None:
    X, y = table
    model = kedge.TransductionRegressor(**(QUICK | settings)).fit(X, y)
    model.save(tmp_path / "m.kedge")
    loaded = kedge.load(tmp_path / "m.kedge")
    assert isinstance(loaded, kedge.TransductionRegressor)
    again = loaded.fit(X, y).explain(2 * X, as_frame=False)
    for name, values in model.explain(2 * X, as_frame=False).items():
        np.testing.assert_array_equal(again[name], values)


def test_a_loaded_model_knows_names_and_columns_that_were_left_out(table: Any, tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    X, y = table
    wide = np.insert(X, 0, 1.0, axis=1)
    model = kedge.TransductionRegressor(**QUICK).fit(wide, y)
    model.save(tmp_path / "m.kedge")
    loaded = kedge.load(tmp_path / "m.kedge")
    assert loaded.n_features_in_ == 3
    np.testing.assert_array_equal(loaded.predict(wide), model.predict(wide))
    named = kedge.TransductionRegressor(**QUICK).fit(pandas.DataFrame(wide, columns=list("abc")), y)
    named.save(tmp_path / "m.kedge")
    loaded = kedge.load(tmp_path / "m.kedge")
    assert list(loaded.feature_names_in_) == ["b", "c"]
    assert loaded.left_out_ == ["a"]
    np.testing.assert_array_equal(
        loaded.predict(pandas.DataFrame(X, columns=["b", "c"])), model.predict(wide)
    )


def test_names_like_numbers_in_another_order_are_names_in_a_file_too(table: Any, tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    X, y = table
    names = [f"x{i}" for i in range(X.shape[1])][::-1]
    frame = pandas.DataFrame(X, columns=names)
    model = kedge.TransductionRegressor("ridge").fit(frame, y)
    model.save(tmp_path / "model")
    again = kedge.load(tmp_path / "model")
    assert list(again.feature_names_in_) == names
    np.testing.assert_array_equal(again.predict(frame), model.predict(frame))


def test_a_path_with_nul_is_refused(table: Any) -> None:
    model = kedge.TransductionRegressor("ridge").fit(*table)
    with pytest.raises(ValueError, match="without NUL"):
        model.save("a\0b")


def test_a_model_of_words_says_which_columns_python_needs(command_line: CommandLine, table: Any) -> None:
    X, y = table
    words = ["north" if i % 2 else "south" for i in range(len(X))]
    fitted_bytes(command_line, columns(X, y) | {"place": words}, "--target", "y")
    with pytest.warns(UserWarning, match=r"reads words or dates.*place=north"):
        model = kedge.load(command_line.folder / "m.kedge")
    assert "place=north" in list(model.feature_names_in_)
