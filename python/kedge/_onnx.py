"""A fitted predictor as an ONNX graph.

The graph holds the training rows, the search for anchors and the networks of all replicas. Its input is ``X``
[rows, inputs], doubles; its outputs are ``y`` [rows, outputs] and ``spread`` [rows], doubles.
"""

from __future__ import annotations

import math
import os
from typing import TYPE_CHECKING, Any

import numpy as np

from ._model_file import Anchors, ModelFile
from ._onnx_graph import OPSET, Array, Graph, load_onnx
from ._onnx_outputs import Outputs
from ._onnx_program import indices, reads_anchor, run_program
from ._onnx_search import Search, number_of, wrapped

if TYPE_CHECKING:
    from ._base import TableEstimator

_RULES = ("nearest", "many", "neighbour", "near", "all", "weight", "weight=greatest", "none")
_TRUSTED_SHARE = 0.8
_MOST_BYTES = 2_000_000_000


def to_onnx(estimator: TableEstimator, path: str | os.PathLike[str], anchors: str | None = None) -> None:
    """Write a fitted estimator to an ONNX file.

    Parameters
    ----------
    estimator : fitted estimator
        What to write.
    path : str or path
        The file.
    anchors : str or None
        A rule for anchors instead of the model's, as ``"nearest"``.
    """
    onnx = load_onnx()
    fitted = vars(estimator)
    read = fitted.get("_columns")
    columns = None if read is None else (fitted["n_features_in_"], read)
    onnx.save(model_to_onnx(estimator.to_bytes(), anchors, columns), os.fspath(path))


def model_to_onnx(data: bytes, anchors: str | None = None, columns: tuple[int, Array] | None = None) -> Any:
    """Make an ONNX model of the bytes of a model file.

    Parameters
    ----------
    data : bytes
        The model file.
    anchors : str or None
        A rule for anchors instead of the model's. As in a prediction, answers are then not stretched outward.
    columns : tuple of int and ndarray, or None
        How many columns ``X`` has, and which of them the model reads; None for all.

    Returns
    -------
    onnx.ModelProto
        Of opset 17.
    """
    onnx = load_onnx()
    file = ModelFile.parse(data)
    exported = _Exported(file, None if anchors is None else Anchors.parse(anchors))
    width, read = columns or (len(file.head["inputs"]), None)
    g = Graph()
    x = g.take_input(np.float64, "X", ["rows", width])
    if read is not None:
        x = g("Gather", x, indices(read), axis=1)
    y, spread = exported.answers(g, x)
    g.nodes.append(onnx.helper.make_node("Identity", [y], ["y"]))
    g.nodes.append(onnx.helper.make_node("Identity", [spread], ["spread"]))
    graph = g.proto("kedge", [("y", np.float64), ("spread", np.float64)], outermost=True)
    _set_shape(graph.output[0], ["rows", len(file.head["outputs"])])
    _set_shape(graph.output[1], ["rows"])
    size = sum(len(tensor.raw_data) for tensor in g.constants)
    if size > _MOST_BYTES:
        raise ValueError(f"to_onnx needs at most {_MOST_BYTES} bytes; found {size}; fit on fewer rows")
    model = onnx.helper.make_model(
        graph, opset_imports=[onnx.helper.make_opsetid("", OPSET)], ir_version=8, producer_name="kedge"
    )
    names = {key: "\n".join(file.head[key]) for key in ("inputs", "outputs")}
    onnx.helper.set_model_props(model, {**names, "model": file.options["model"]})
    onnx.checker.check_model(model)
    return model


def _set_shape(value: Any, shape: list[str | int]) -> None:
    dimensions = value.type.tensor_type.shape.dim
    for size in shape:
        dimension = dimensions.add()
        if isinstance(size, str):
            dimension.dim_param = size
        else:
            dimension.dim_value = size


class _Exported:
    """Writes the answers of one model into a graph."""

    def __init__(self, file: ModelFile, override: Anchors | None) -> None:
        self.file, self.program, tensors = file, file.head["program"], file.tensors
        kinds = file.kinds()
        if "rotation" in kinds.values():
            raise ValueError(
                "to_onnx needs inputs that are numbers, logarithms or angles; found a rotation; predict with "
                "kedge"
            )
        inputs = [kinds.get(name, "vector") for name in file.head["inputs"]]
        self.is_log = np.array([kind == "log" for kind in inputs])
        self.is_angle = np.array([kind in ("angle", "degrees") for kind in inputs])
        self.unit = np.array([math.pi / 180 if kind == "degrees" else 1.0 for kind in inputs])
        # An angle has two features, its cosine and its sine.
        self.column = np.repeat(np.arange(len(inputs)), np.where(self.is_angle, 2, 1))
        first = np.concatenate([[True], self.column[1:] != self.column[:-1]])
        self.is_cosine, self.is_sine = self.is_angle[self.column] & first, ~first
        anchors = tensors.get("anchors")
        points = np.array(tensors["training.points"])
        self.search = Search(points, tensors["scaling.metric"], self.is_angle, tensors["pool"], anchors)
        self.uses_anchor = reads_anchor(self.program)
        self._choose_rules(override)

    def _choose_rules(self, override: Anchors | None) -> None:
        file, is_own = self.file, override is None
        outward = file.outward() if is_own else {}
        self.rule = override or file.rule("anchors") or Anchors("nearest")
        self.inside = file.rule("inside_anchors") if is_own else None
        self.at_ends = Anchors.parse(outward["anchors"]) if "anchors" in outward else None
        numbers = {key: float(value) for key, value in outward.items() if key != "anchors"}
        self.outputs = Outputs(file, numbers)
        if file.options["model"] == "nearest":
            self.rule = Anchors("neighbour")
        if self.uses_anchor:
            for rule in (self.rule, self.inside, self.at_ends):
                if rule is not None:
                    self._require(rule)

    def _require(self, rule: Anchors) -> None:
        rows = len(self.search.points)
        if rule.name == "none":
            raise ValueError(
                f"model {self.file.options['model']} needs anchors; found the rule 'none'; "
                "write to_onnx(path, anchors='nearest')"
            )
        if rule.name not in _RULES or (rule.name == "all" and (rule.number or 0) < rows):
            every = f", or anchors='all={rows}'" if rule.name == "all" else ""
            raise ValueError(
                f"to_onnx needs a rule that draws no anchors ({', '.join(_RULES[:-1])}); found '{rule}'; "
                f"write to_onnx(path, anchors='nearest'){every}"
            )
        if rule.name.startswith("weight") and "weights" not in self.file.head:
            raise ValueError(
                f"rule '{rule}' needs a model with weights of pairs; found none; write "
                "to_onnx(path, anchors='nearest')"
            )

    def answers(self, g: Graph, x: str) -> tuple[str, str]:
        """Values ``y`` and ``spread`` of all rows."""
        points = self._points(g, x)
        features = self._features(g, points, "point")
        if not self.uses_anchor:
            parameters = self.file.tensors["parameters"]
            found = run_program(g, self.program, parameters, {"query": features})
            return self.outputs.finish(g, *self.outputs.summary(g, found, [0]))
        constants = self._constants(g)
        body = Graph(g)
        point, row = body.take_input(np.float64), body.take_input(np.float32)
        if self.inside is None:
            mean, spread = self._answer(body, self.rule, point, row, constants)
        else:
            mean, spread = self._answer_by_place(body, point, row, constants)
        both = [(mean, np.float64), (spread, np.float64)]
        if self.at_ends is not None:
            other = self._answer(body, self.at_ends, point, row, constants)
            both += [(name, np.float64) for name in other]
        found_all = g.scan(body.proto("answer", both), [], [points, features])
        mean, spread = found_all[:2]
        if self.at_ends is not None:
            mean, spread = self.outputs.mixed(g, mean, spread, *found_all[2:])
        return self.outputs.finish(g, mean, spread)

    def _points(self, g: Graph, x: str) -> str:
        if self.is_log.any():
            x = g("Where", self.is_log, g("Log", x), x)
        if self.is_angle.any():
            turn = 2 * math.pi / self.unit
            rest = g("Sub", x, g("Mul", g("Round", g("Div", x, turn)), turn))
            x = g("Where", self.is_angle, wrapped(g, g("Mul", rest, self.unit)), x)
        return x

    def _features(self, g: Graph, points: str, scaling: str) -> str:
        """Features of points or of differences, standardized."""
        if self.is_angle.any():
            columns = g("Gather", points, indices(self.column), axis=-1)
            # The cosine as a sine: not every runtime has the cosine of doubles.
            cosine = g("Sin", g("Add", columns, math.pi / 2))
            points = g("Where", self.is_cosine, cosine, g("Where", self.is_sine, g("Sin", columns), columns))
        mean, scale = (self.file.tensors[f"scaling.{scaling}.{what}"] for what in ("mean", "scale"))
        return g.cast(g("Div", g("Sub", points, mean), scale), np.float32)

    def _constants(self, g: Graph) -> dict[str, str]:
        """Training rows as programs read them."""
        points = g.constant(self.search.points)
        return {
            "points": points,
            "features": self._features(g, points, "point"),
            "outputs": g.constant(self.outputs.encoded()),
        }

    def _pairs(
        self, g: Graph, point: str, row: str, anchors: str, constants: dict[str, str]
    ) -> dict[str, str]:
        """Features of a query with each of its anchors."""
        anchor = g("Gather", constants["features"], anchors)
        delta = g("Sub", row, anchor)
        if self.is_angle.any():
            difference = self.search.minus(g, point, g("Gather", constants["points"], anchors))
            curved = self._features(g, difference, "delta")
            delta = g("Where", self.is_angle[self.column], curved, delta)
        query = g("Expand", g("Unsqueeze", row, indices([0])), g("Shape", anchor))
        output = g("Gather", constants["outputs"], anchors)
        return {"query": query, "anchor": anchor, "delta": delta, "anchor_output": output}

    def _anchors(self, g: Graph, rule: Anchors, point: str, row: str, constants: dict[str, str]) -> str:
        rows = len(self.search.points)
        if rule.name in ("neighbour", "near"):
            return self.search.nearest_rows(g, point, number_of(rule, rows))
        if rule.name == "all":
            return g.constant(np.arange(rows))
        count = number_of(rule, len(self.search.anchors))
        if not rule.name.startswith("weight"):
            return self.search.closest_anchors(g, point, count)
        pairs = self._pairs(g, point, row, g.constant(self.search.anchors), constants)
        found = run_program(g, self.file.head["weights"], self.file.tensors["weights.parameters"], pairs)
        weights = g("Clip", g("Reshape", found, indices([-1])), np.float32(0), np.float32(1))
        share = np.float32(1 if rule.name == "weight=greatest" else _TRUSTED_SHARE)
        least = g("Mul", g("ReduceMax", weights, keepdims=0), share)
        return self.search.closest_anchors(g, point, count, g("GreaterOrEqual", weights, least))

    def _answer(
        self, g: Graph, rule: Anchors, point: str, row: str, constants: dict[str, str]
    ) -> tuple[str, str]:
        """Mean and spread of one query by one rule."""
        pairs = self._pairs(g, point, row, self._anchors(g, rule, point, row, constants), constants)
        found = run_program(g, self.program, self.file.tensors["parameters"], pairs)
        return self.outputs.summary(g, found, [0, 1])

    def _radius(self) -> float:
        """The radius of interpolation; negative, so that no query is one, where the fit could not tell."""
        thresholds = self.file.head.get("coverage", {}).get("thresholds", {})
        radius, delta_radius = (thresholds.get(f"{what}_radius") or 0.0 for what in ("support", "delta"))
        return float(radius) if radius > 0 and delta_radius > 0 else -1.0

    def _answer_by_place(self, g: Graph, point: str, row: str, constants: dict[str, str]) -> tuple[str, str]:
        """By the rule for queries in support, or by the other."""
        assert self.inside is not None
        branches = {}
        for branch, rule in (("then_branch", self.inside), ("else_branch", self.rule)):
            body = Graph(g)
            found = self._answer(body, rule, point, row, constants)
            branches[branch] = body.proto(branch, [(name, np.float64) for name in found])
        mean, spread = g.add("If", self.search.in_support(g, point, self._radius()), count=2, **branches)
        return mean, spread
