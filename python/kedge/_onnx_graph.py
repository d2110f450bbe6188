"""Writing ONNX graphs node by node."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

OPSET = 17

Array = npt.NDArray[Any]
Operand = str | Array | np.generic | float | int


def load_onnx() -> Any:
    """Import the package ``onnx``, or say what to install."""
    try:
        import onnx
    except ImportError:
        raise ImportError("to_onnx needs onnx; it is not installed; install kedge[onnx]") from None
    return onnx


class Graph:
    """A graph to which nodes are added; values are named by texts.

    Operands that are arrays or numbers become constants of the outermost graph. Numbers become doubles.

    Parameters
    ----------
    outer : Graph or None
        The graph whose node holds this one. Its values can be read here.
    """

    def __init__(self, outer: Graph | None = None) -> None:
        self.onnx: Any = load_onnx()
        self.nodes: list[Any] = []
        self.constants: list[Any] = outer.constants if outer else []
        self.numbers: Iterator[int] = outer.numbers if outer else itertools.count()
        self.inputs: list[Any] = []

    def name(self) -> str:
        """A name that no other value has."""
        return f"v{next(self.numbers)}"

    def constant(self, value: Array | np.generic | float | int) -> str:
        """A constant, to be read as often as needed."""
        array = np.asarray(value)
        name = self.name()
        whole = np.ascontiguousarray(array).reshape(array.shape)
        self.constants.append(self.onnx.numpy_helper.from_array(whole, name))
        return name

    def add(self, kind: str, *operands: Operand, count: int = 1, **attributes: Any) -> list[str]:
        """Add a node and name the values that it computes."""
        inputs = [one if isinstance(one, str) else self.constant(one) for one in operands]
        outputs = [self.name() for _ in range(count)]
        self.nodes.append(self.onnx.helper.make_node(kind, inputs, outputs, **attributes))
        return outputs

    def __call__(self, kind: str, *operands: Operand, **attributes: Any) -> str:
        """Add a node with one output."""
        return self.add(kind, *operands, **attributes)[0]

    def cast(self, value: Operand, dtype: npt.DTypeLike) -> str:
        """The value as another type."""
        kind = self.onnx.helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
        return self("Cast", value, to=kind)

    def take_input(
        self, dtype: npt.DTypeLike, name: str | None = None, shape: list[Any] | None = None
    ) -> str:
        """Declare the next input of this graph."""
        name = name or self.name()
        kind = self.onnx.helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
        self.inputs.append(self.onnx.helper.make_tensor_value_info(name, kind, shape))
        return name

    def proto(self, title: str, outputs: Sequence[tuple[str, npt.DTypeLike]], outermost: bool = False) -> Any:
        """The graph as ONNX stores it."""
        types = [self.onnx.helper.np_dtype_to_tensor_dtype(np.dtype(dtype)) for _, dtype in outputs]
        values = [
            self.onnx.helper.make_tensor_value_info(name, kind, None)
            for (name, _), kind in zip(outputs, types, strict=True)
        ]
        constants = self.constants if outermost else []
        return self.onnx.helper.make_graph(self.nodes, title, self.inputs, values, constants)

    def scan(self, body: Any, states: Sequence[Operand], sequences: Sequence[Operand]) -> list[str]:
        """Run a body over the first axis of sequences, one entry after the other."""
        return self.add(
            "Scan", *states, *sequences, count=len(body.output), body=body, num_scan_inputs=len(sequences)
        )
