"""ONNX files answer as the estimators do, and what cannot be written says so."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kedge

onnx = pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")

MOST_DIFFERENCE = 1e-5
ROWS = 60
QUICK = {"steps": 60, "batch": 16, "calibration": "none", "fourier": "off", "width": 16, "pool": 400}
TRAINED = ["bilinear", "concat", "equivariant", "bilinear-direct", "deepsets", "mlp"]
CLOSED = ["linear", "ridge", "quadratic", "bilinear-ridge", "nearest", "extreme"]


def table(seed: int = 0, rows: int = ROWS, reach: float = 1) -> tuple[Any, Any]:
    """Three inputs, `reach` times as far as in training, and an output."""
    x = np.random.default_rng(seed).uniform(-1, 1, size=(rows, 3)) * reach
    return x, np.sin(2 * x[:, 0]) + x[:, 1] * x[:, 2]


def run(path: Path, X: Any) -> tuple[Any, Any]:
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    y, spread = session.run(["y", "spread"], {"X": np.asarray(X, dtype=np.float64)})
    return y, spread


def assert_agrees(model: Any, X: Any, path: Path, anchors: str | None = None) -> None:
    """Answers of the file are those of the estimator, relative to the answer or the outputs' deviation."""
    model.to_onnx(path, anchors)
    y, spread = run(path, X)
    settings = None if anchors is None else json.dumps({"anchors": anchors}).encode()
    expected = model._predictor.explain(model._queries(X), settings)
    size = np.maximum(np.abs(expected["y"]), model.training_data()[1].std(axis=0))
    assert np.all(np.abs(y - expected["y"]) <= MOST_DIFFERENCE * size)
    assert np.all(np.abs(spread - expected["spread"]) <= MOST_DIFFERENCE * size.max(axis=1))


def queries() -> Any:
    """In support, out of it, far out, and training rows themselves."""
    return np.concatenate([table(1, 12)[0], table(2, 12, 1.7)[0], table(3, 4, 8)[0], table()[0][:8]])


@pytest.mark.parametrize("model", TRAINED + CLOSED)
def test_every_model_answers_as_its_estimator(model: str, tmp_path: Path) -> None:
    settings = dict(QUICK if model in TRAINED else {"calibration": "none"})
    if model in ("deepsets", "bilinear-direct"):
        settings["context"] = [1]
    fitted = kedge.TransductionRegressor(model, **settings).fit(*table())
    assert_agrees(fitted, queries(), tmp_path / "model.onnx")


@pytest.mark.parametrize(
    "settings",
    [
        {"fourier": "on"},
        {"replicas": 3},
        {"preset": "released", "epochs": 3, "steps": None, "anchors": "nearest"},
        {"preset": "paper", "epochs": 3, "steps": None, "anchors": "many=3"},
        {"base": "ridge", "share": 0.5},
        {"base": "quadratic", "model": "equivariant"},
        {"inside_anchors": "near=5"},
        {"outward": "from=0.6,low=0.5,high=1"},
        {"outward": "from=0.7,high=0.3,anchors=near=4", "inside_anchors": "many=9"},
        {"outward": "from=0.6,high=0.5", "model": "ridge"},
        {"anchor_rows": 25},
        {"pool": 7},
    ],
    ids=str,
)
def test_every_option_of_a_prediction_is_in_the_file(settings: dict[str, Any], tmp_path: Path) -> None:
    fitted = kedge.TransductionRegressor(**{**QUICK, **settings}).fit(*table())
    assert_agrees(fitted, queries(), tmp_path / "model.onnx")


@pytest.mark.parametrize("anchors", ["nearest", "many=7", "many=999", "neighbour", "near=5", f"all={ROWS}"])
def test_another_rule_for_anchors_can_be_taken(anchors: str, tmp_path: Path) -> None:
    outward = "from=0.6,low=0.5,high=1"
    fitted = kedge.TransductionRegressor(**QUICK, outward=outward).fit(*table())
    assert_agrees(fitted, queries(), tmp_path / "model.onnx", anchors)


@pytest.mark.parametrize("outputs", [1, 2])
def test_logarithms_and_angles_are_taken_in_the_graph(outputs: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    X = np.column_stack([rng.uniform(1, 1000, ROWS), rng.uniform(-200, 160, ROWS), rng.uniform(-9, 2, ROWS)])
    y = np.exp(0.3 * np.log(X[:, 0]) + np.cos(np.radians(X[:, 1]))) * (2 + np.sin(X[:, 2]))
    Y = np.column_stack([y, X[:, 0] * np.cos(X[:, 2])])[:, :outputs]
    space = {0: "log", 1: "degrees", 2: "angle", "y" if outputs == 1 else "y0": "log"}
    fitted = kedge.TransductionRegressor(**QUICK, space=space, inside_anchors="near=3")
    fitted.fit(X, Y[:, 0] if outputs == 1 else Y)
    asked = np.concatenate([X[:9], X[9:30] * [5, 1, 1], X[30:40] + np.array([0, 720, 90])])
    assert_agrees(fitted, asked, tmp_path / "model.onnx")


def test_an_unseen_arc_is_out_of_support_in_the_graph_too(tmp_path: Path) -> None:
    angles = np.linspace(0, 200, 80)[:, None]
    rules = {"inside_anchors": "near=2", "anchors": "many=30"}
    fitted = kedge.TransductionRegressor(**QUICK, **rules, space={0: "degrees"})
    fitted.fit(angles, np.cos(np.radians(angles[:, 0])))
    assert_agrees(fitted, np.linspace(-180, 180, 49)[:, None] + 0.5, tmp_path / "model.onnx")


def test_equal_distances_are_settled_as_in_the_library(tmp_path: Path) -> None:
    grid = np.stack(np.meshgrid(np.arange(8) * 0.1, np.arange(8) * 0.3), axis=-1).reshape(-1, 2)
    fitted = kedge.TransductionRegressor(**QUICK, anchors="many=3").fit(grid, grid[:, 0] ** 2 + grid[:, 1])
    moved = [grid + np.array(shift) for shift in ([0, 0], [0.4, 0.9], [0.05, 0.15])]
    assert_agrees(fitted, np.concatenate(moved), tmp_path / "model.onnx")


@pytest.mark.parametrize("anchors", [None, "weight", "weight=4", "weight=greatest", "nearest"])
def test_rules_that_go_by_weight_have_a_graph(anchors: str | None, tmp_path: Path) -> None:
    X, y = table()
    pairs = [(i, j) for i in range(0, ROWS, 3) for j in range(1, ROWS, 5) if i != j]
    weights = [float(np.sign(X[i, 0]) == np.sign(X[j, 0])) for i, j in pairs]
    fitted = kedge.WeightedTransductionRegressor(**QUICK)
    fitted.fit(X, y, pairs=pairs, pair_weights=weights)
    assert_agrees(fitted, queries(), tmp_path / "model.onnx", anchors)


def test_the_graph_takes_the_columns_of_the_estimator(tmp_path: Path) -> None:
    X, y = table()
    with_constant = np.insert(X, 1, 7.0, axis=1)
    fitted = kedge.TransductionRegressor(**QUICK).fit(with_constant, y)
    assert fitted.left_out_ == ["x1"]
    assert_agrees(fitted, np.insert(queries(), 1, 3.0, axis=1), tmp_path / "model.onnx")


def test_the_file_is_of_opset_17_and_names_its_columns(tmp_path: Path) -> None:
    X, y = table()
    kedge.TransductionRegressor("ridge").fit(X, y).to_onnx(tmp_path / "model.onnx")
    model = onnx.load(tmp_path / "model.onnx")
    assert [one.version for one in model.opset_import] == [17]
    assert [one.name for one in model.graph.input] == ["X"]
    assert [one.name for one in model.graph.output] == ["y", "spread"]
    told = {entry.key: entry.value for entry in model.metadata_props}
    assert told["inputs"].split("\n") == ["x0", "x1", "x2"]
    assert told["outputs"] == "y"


def test_a_query_that_is_not_finite_has_no_answer(tmp_path: Path) -> None:
    kedge.TransductionRegressor(**QUICK).fit(*table()).to_onnx(tmp_path / "model.onnx")
    y, _ = run(tmp_path / "model.onnx", [[np.nan, 0, 0], [0, 0, 0]])
    assert np.isnan(y).ravel().tolist() == [True, False]


@pytest.mark.parametrize(
    ("anchors", "told"),
    [
        ("radius", "draws no anchors .* found 'radius'; write to_onnx"),
        ("percentile=10", "draws no anchors .* found 'percentile=10'"),
        ("all=10", f"found 'all=10'; .* or anchors='all={ROWS}'"),
        ("none", "needs anchors; found the rule 'none'"),
        ("weight", "needs a model with weights of pairs; found none"),
        ("weight=sample", "draws no anchors .* found 'weight=sample'"),
        ("many=some", "anchors needs a rule as 'nearest' or 'many=20'; found 'many=some'"),
        ("many=0", "anchors needs a rule .* found 'many=0'"),
        ("near=2.5", "anchors needs a rule .* found 'near=2.5'"),
        ("many=inf", "anchors needs a rule .* found 'many=inf'"),
        ("nearest=3", "anchors needs a rule .* found 'nearest=3'"),
        ("closest", "found 'closest'"),
    ],
)
def test_rules_without_a_graph_are_refused_in_one_line(anchors: str, told: str, tmp_path: Path) -> None:
    fitted = kedge.TransductionRegressor(**QUICK).fit(*table())
    with pytest.raises(ValueError, match=told) as caught:
        fitted.to_onnx(tmp_path / "model.onnx", anchors)
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "model.onnx").exists()


def test_rotations_are_refused(tmp_path: Path) -> None:
    X = np.random.default_rng(7).normal(size=(ROWS, 4))
    fitted = kedge.TransductionRegressor("ridge", space={(0, 1, 2, 3): "rotation"}).fit(X, X[:, 0])
    with pytest.raises(ValueError, match="found a rotation; predict with kedge"):
        fitted.to_onnx(tmp_path / "model.onnx")


def test_a_search_that_takes_many_seconds_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fitted = kedge.TransductionRegressor(**QUICK).fit(*table())
    monkeypatch.setattr("kedge._onnx_search._MOST_COMPARED", 1000)
    with pytest.raises(ValueError, match="at most 1000 comparisons a query; found 60 anchors with"):
        fitted.to_onnx(tmp_path / "model.onnx")
    assert_agrees(fitted, queries(), tmp_path / "model.onnx", "neighbour")


def test_large_searches_in_parts_find_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fitted = kedge.TransductionRegressor(**QUICK).fit(*table())
    monkeypatch.setattr("kedge._onnx_search._MOST_KEPT", 7 * 400)
    assert_agrees(fitted, queries(), tmp_path / "model.onnx")


def test_without_onnx_one_line_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fitted = kedge.TransductionRegressor("ridge").fit(*table())
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(ImportError, match=r"to_onnx needs onnx; it is not installed; install kedge\[onnx\]"):
        fitted.to_onnx(tmp_path / "model.onnx")
