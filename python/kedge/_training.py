"""What a fit learns from: checked arrays as a table of the library."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.validation import _check_sample_weight, validate_data

from ._evidence import truth_of
from ._exceptions import KedgeError
from ._library import INPUT, LABEL, OUTPUT, TIME, WEIGHT, Handle
from ._tables import (
    Floats,
    TableBuilder,
    free_name,
    input_names,
    known_frame,
    output_names,
)


class Training(NamedTuple):
    """A table with the names of its columns."""

    table: Handle
    inputs: list[str]
    outputs: list[str]
    is_1d: bool  # whether y was a vector


def training_of(
    estimator: Any, X: Any, y: Any, *, sample_weight: Any = None, label: Any = None, time: Any = None
) -> Training:
    """Check data as scikit-learn does, which writes their columns into the estimator, and copy them."""
    X, y = known_frame(X), known_frame(y)
    rows, outputs = validate_data(
        estimator, X, y, dtype=np.float64, multi_output=True, y_numeric=True, ensure_min_samples=2
    )
    matrix = np.asarray(outputs, dtype=np.float64).reshape(len(outputs), -1)
    inputs = input_names(rows.shape[1], getattr(estimator, "feature_names_in_", None))
    names = output_names(y, matrix.shape[1], inputs)
    table = TableBuilder("X")
    table.add_all(inputs, INPUT, rows)
    table.add_all(names, OUTPUT, matrix)
    if label is not None:
        table.add(free_name("label", table.names), LABEL, codes(_each(label, len(rows), "label"), "label"))
    if time is not None:
        steps = np.asarray(_each(time, len(rows), "time"), dtype=np.float64)
        table.add(free_name("time", table.names), TIME, steps)
    if sample_weight is not None:
        weights = _check_sample_weight(sample_weight, rows, dtype=np.float64)
        table.add(free_name("sample_weight", table.names), WEIGHT, weights)
    return Training(table.handle, inputs, names, outputs.ndim == 1)


def validation_table(estimator: Any, training: Training, X_val: Any, y_val: Any) -> Handle:
    """Rows that are not trained on, with the columns of the training."""
    rows = validate_data(estimator, known_frame(X_val), reset=False, dtype=np.float64)
    truth = truth_of(y_val, len(rows), len(training.outputs), "y_val")
    if not np.isfinite(truth).all():
        raise KedgeError("y_val needs finite numbers; found NaN or infinity; leave these rows out")
    table = TableBuilder("X_val")
    table.add_all(training.inputs, INPUT, rows)
    table.add_all(training.outputs, OUTPUT, truth)
    return table.handle


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


def _each(values: Any, rows: int, what: str) -> list[Hashable]:
    """One value for each row."""
    found = np.asarray(values).tolist() if not isinstance(values, list) else values
    if not isinstance(found, list):
        raise KedgeError(f"{what} needs one value for each row; found {values!r}; give a list of them")
    if len(found) != rows:
        raise KedgeError(
            f"{what} needs one value for each of {rows} rows; found {len(found)}; give all of them"
        )
    if any(isinstance(value, list) for value in found):
        raise KedgeError(f"{what} needs one value for each row; found a matrix; give one column")
    return found
