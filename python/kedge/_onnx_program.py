"""The program of a model as a part of an ONNX graph."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from ._onnx_graph import Array, Graph

INPUTS = ("query", "anchor", "delta", "anchor_output")


def reads_anchor(program: dict[str, Any]) -> bool:
    """Whether a prediction needs an anchor."""
    return any(1 <= value <= 3 for op in program["ops"] for value in op["from"])


def run_program(g: Graph, program: dict[str, Any], parameters: Array, inputs: dict[str, str]) -> str:
    """Compute a program for every replica.

    Parameters
    ----------
    g : Graph
        The graph to write to.
    program : dict
        Ops as the model file has them.
    parameters : ndarray of shape (replicas, count)
        Parameters of all dense ops, one after the other.
    inputs : dict of str to str
        Features of pairs [pairs, width] by the names of `INPUTS`; those that no op reads may be missing.

    Returns
    -------
    str
        The value of shape [replicas, pairs, outputs].
    """
    replicas = len(parameters)
    read = {value for op in program["ops"] for value in op["from"]}
    values: dict[int, str] = {
        i: g("Expand", inputs[name], np.array([replicas, 1, 1])) for i, name in enumerate(INPUTS) if i in read
    }
    widths = dict(enumerate([program["features"]] * 3 + [program["outputs"]]))
    layers: dict[int, tuple[str, str]] = {}
    used = 0
    for number, op in enumerate(program["ops"]):
        value, first = len(INPUTS) + number, op["from"][0]
        operands = [values[i] for i in op["from"]]
        if op["kind"] == "dense":
            owner = op.get("shares", -1)
            if owner < 0:
                size = op["width"] * widths[first]
                weights = parameters[:, used : used + size].reshape(replicas, op["width"], widths[first])
                bias = parameters[:, used + size : used + size + op["width"]]
                layers[number] = (g.constant(weights.transpose(0, 2, 1)), g.constant(bias[:, None, :]))
                used += size + op["width"]
            matrix, offset = layers[number if owner < 0 else owner]
            linear = g("Add", g("MatMul", operands[0], matrix), offset)
            values[value] = _activated(g, linear, op["activation"])
        else:
            values[value] = _combined(g, op, operands, widths[first])
        widths[value] = op["width"]
    return values[len(INPUTS) + len(program["ops"]) - 1]


def _activated(g: Graph, value: str, activation: str) -> str:
    if activation == "relu":
        return g("Relu", value)
    if activation == "none":
        return value
    # sin(pi x) of the part of x that is left of whole numbers; odd ones turn the sign.
    whole = g("Round", value)
    half = g("Mul", whole, np.float32(0.5))
    odd = g("Abs", g("Sub", whole, g("Mul", g("Floor", half), np.float32(2))))
    sine = g("Sin", g("Mul", g("Sub", value, whole), np.float32(math.pi)))
    return g("Mul", sine, g("Sub", np.float32(1), g("Mul", odd, np.float32(2))))


def _combined(g: Graph, op: dict[str, Any], operands: list[str], width: int) -> str:
    """Ops without parameters."""
    kind = op["kind"]
    if kind == "add":
        return g("Add", *operands)
    if kind == "subtract":
        return g("Sub", *operands)
    if kind == "concat":
        return g("Concat", *operands, axis=-1)
    if kind == "select":
        return g("Gather", operands[0], np.array(op["columns"]), axis=-1)
    if kind == "bilinear":
        segments = np.array([0, 0, op["width"], width // op["width"]])
        f, h = (g("Reshape", operand, segments) for operand in operands)
        return g("ReduceSum", g("Mul", f, h), np.array([-1]), keepdims=0)
    rows, columns = np.triu_indices(width)
    products = g("Mul", *(g("Gather", operands[0], indices(of), axis=-1) for of in (rows, columns)))
    return g("Concat", operands[0], products, axis=-1)


def indices(numbers: npt.ArrayLike) -> Array:
    """Numbers as ONNX takes indices."""
    return np.asarray(numbers, dtype=np.int64)
