"""Tables of the library made of arrays, and the names of their columns."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._exceptions import KedgeError
from ._library import INPUT, LABEL, OUTPUT, TIME, WEIGHT, Handle, check, library, made

Floats = NDArray[np.float64]


def input_names(count: int, given: Iterable[Any] | None) -> list[str]:
    """The given names as texts, or x0, x1, ..."""
    return [f"x{i}" for i in range(count)] if given is None else [str(name) for name in given]


def output_names(y: Any, count: int, taken: Sequence[str]) -> list[str]:
    """Names of a frame or series of outputs, else y, or y0, y1, ...; none is an input's."""
    columns = getattr(y, "columns", None)
    name = getattr(y, "name", None)
    if columns is not None and len(list(columns)) == count:
        names = [str(column) for column in columns]
    elif count == 1:
        names = [str(name) if name is not None and not callable(name) and str(name) else "y"]
    else:
        names = [f"y{i}" for i in range(count)]
    result: list[str] = []
    for one in names:
        result.append(free_name(one, [*taken, *result]))
    return result


def free_name(name: str, taken: Sequence[str]) -> str:
    """The name with as many _ behind it as it takes to differ from the others."""
    while name in taken:
        name += "_"
    return name


def codes(values: Iterable[Hashable], what: str) -> Floats:
    """Numbers of labels by first appearance."""
    known: dict[Hashable, int] = {}
    result = []
    for row, value in enumerate(values):
        if value is None or value != value:
            raise KedgeError(
                f"{what} needs a value in every row; row {row} has none; fill it or drop the row"
            )
        result.append(known.setdefault(value, len(known)))
    return np.asarray(result, dtype=np.float64)


class TableBuilder:
    """A table of the library that columns are added to."""

    def __init__(self, source: str) -> None:
        self.handle: Handle = made(library.kedge_table_new, source.encode(), free=library.kedge_table_free)
        self.names: list[str] = []

    def add(self, name: str, role: int, values: Floats) -> None:
        """Copy one column into the table; any stride of whole numbers will do."""
        column = values if values.strides[0] % values.itemsize == 0 else np.ascontiguousarray(values)
        check(
            library.kedge_table_add(
                self.handle.address,
                name.encode(),
                role,
                column.ctypes.data,
                len(column),
                column.strides[0] // column.itemsize,
            )
        )
        self.names.append(name)

    def add_all(self, names: Sequence[str], role: int, values: Floats) -> None:
        """Copy the columns of a matrix."""
        for c, name in enumerate(names):
            self.add(name, role, values[:, c])


def training_table(
    X: Floats,
    names: Sequence[str],
    y: Floats,
    outputs: Sequence[str],
    *,
    label: Any = None,
    time: Any = None,
    sample_weight: Floats | None = None,
) -> Handle:
    """The table of a fit; ``y`` is [rows, outputs]."""
    table = TableBuilder("X")
    table.add_all(names, INPUT, X)
    table.add_all(outputs, OUTPUT, y)
    if label is not None:
        table.add(free_name("label", table.names), LABEL, codes(_each(label, len(X), "label"), "label"))
    if time is not None:
        steps = np.asarray(_each(time, len(X), "time"), dtype=np.float64)
        table.add(free_name("time", table.names), TIME, steps)
    if sample_weight is not None:
        table.add(free_name("sample_weight", table.names), WEIGHT, sample_weight)
    return table.handle


def _each(values: Any, rows: int, what: str) -> list[Hashable]:
    """One value for each row."""
    found = np.asarray(values).tolist() if not isinstance(values, list) else values
    if len(found) != rows:
        raise KedgeError(
            f"{what} needs one value for each of {rows} rows; found {len(found)}; give all of them"
        )
    if any(isinstance(value, list) for value in found):
        raise KedgeError(f"{what} needs one value for each row; found a matrix; give one column")
    return found
