"""From the answers of networks to outputs of the table, as a part of an ONNX graph."""

from __future__ import annotations

import numpy as np

from ._model_file import Doubles, ModelFile
from ._onnx_graph import Array, Graph
from ._onnx_program import indices


class Outputs:
    """Scales, logarithms and what becomes of answers near the ends of the training outputs.

    Parameters
    ----------
    file : ModelFile
        The model.
    outward : dict of str to float
        Parts of the option outward: from, low and high.
    """

    def __init__(self, file: ModelFile, outward: dict[str, float]) -> None:
        self.outward = outward
        self.is_log = np.array([file.kinds().get(name) == "log" for name in file.head["outputs"]])
        self.mean, self.scale = (file.tensors[f"scaling.output.{what}"] for what in ("mean", "scale"))
        self.training = np.array(file.tensors["training.outputs"])
        self.training[:, self.is_log] = np.log(self.training[:, self.is_log])

    def encoded(self) -> Array:
        """Training outputs as programs read them."""
        return np.asarray((self.training - self.mean) / self.scale, dtype=np.float32)

    def summary(self, g: Graph, found: str, axes: list[int]) -> tuple[str, str]:
        """Mean of the answers as the model learned them, and their spread in units of the table."""
        answers = g("Add", g("Mul", g.cast(found, np.float64), self.scale), self.mean)
        center = g("ReduceMean", answers, axes=axes, keepdims=1)
        apart = g("Sub", answers, center)
        variance = g("ReduceMean", g("Mul", apart, apart), axes=axes, keepdims=0)
        result = g("Squeeze", center, indices(axes))
        if self.is_log.any():
            value = self._values(g, result)
            slope = g("Where", self.is_log, value, np.ones(len(self.is_log)))
            variance = g("Mul", variance, g("Mul", slope, slope))
        return result, g("Sqrt", g("ReduceSum", variance, indices([-1]), keepdims=0))

    def _values(self, g: Graph, canonical: str) -> str:
        if not self.is_log.any():
            return canonical
        return g("Where", self.is_log, g("Exp", canonical), canonical)

    def _ends(self) -> dict[str, Doubles]:
        """Quantiles of the training outputs at which answers change."""
        start = self.outward.get("from", 0.6)
        full = start + 0.75 * (1 - start)
        places = {"low": 1 - start, "high": start, "wholly_low": 1 - full, "wholly_high": full}
        return {name: np.quantile(self.training, place, axis=0) for name, place in places.items()}

    def mixed(self, g: Graph, mean: str, spread: str, other: str, other_spread: str) -> tuple[str, str]:
        """Answers of both rules: near the ends of the outputs that of the other one takes over."""
        ends = self._ends()
        high = _part_of_way(g, g("Max", mean, other), ends["high"], ends["wholly_high"])
        low = _part_of_way(g, g("Neg", g("Min", mean, other)), -ends["low"], -ends["wholly_low"])
        share = g("Max", high, low)
        most = g("ReduceMax", share, axes=[-1], keepdims=0)
        mean = g("Add", mean, g("Mul", share, g("Sub", other, mean)))
        return mean, g("Add", spread, g("Mul", most, g("Sub", other_spread, spread)))

    def finish(self, g: Graph, mean: str, spread: str) -> tuple[str, str]:
        """Answers in units of the table, moved on past the quantiles of the option outward."""
        if self.outward.get("low") or self.outward.get("high"):
            ends = self._ends()
            above = g("Max", g("Sub", mean, ends["high"]), 0.0)
            below = g("Min", g("Sub", mean, ends["low"]), 0.0)
            mean = g("Add", mean, g("Mul", above, self.outward.get("high", 0.0)))
            mean = g("Add", mean, g("Mul", below, self.outward.get("low", 0.0)))
        return self._values(g, mean), spread


def _part_of_way(g: Graph, value: str, begin: Doubles, end: Doubles) -> str:
    """0 up to `begin`, 1 from `end` on."""
    width = np.where(end > begin, end - begin, 1.0)
    part = g("Clip", g("Div", g("Sub", value, begin), width), 0.0, 1.0)
    past = g("Where", g("Less", value, end), part, np.ones(len(width)))
    return g("Where", g("Greater", value, begin), past, np.zeros(len(width)))
