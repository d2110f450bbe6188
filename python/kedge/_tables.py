"""Tables of the library made of arrays, and the names of their columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._exceptions import KedgeError
from ._library import Handle, check, library, made

Floats = NDArray[np.float64]


def known_frame(X: Any) -> Any:
    """X itself, or a table of pyarrow where X only streams Arrow data, which scikit-learn does not know."""
    if not hasattr(X, "__arrow_c_stream__") or hasattr(X, "__array__"):
        return X
    try:
        import pyarrow
    except ImportError:
        raise ImportError(
            f"{type(X).__name__} streams Arrow data, which needs pyarrow; it is not installed; install it"
        ) from None
    return pyarrow.table(X)


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


class TableBuilder:
    """A table of the library that columns are added to."""

    def __init__(self, source: str) -> None:
        self.handle: Handle = made(library.kedge_table_new, source.encode(), free=library.kedge_table_free)
        self.names: list[str] = []

    def add(self, name: str, role: int, values: Floats) -> None:
        """Copy one column into the table; any stride of whole numbers will do."""
        if "\0" in name:
            raise KedgeError(f"a column needs a name without NUL; found {name!r}; rename it")
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
