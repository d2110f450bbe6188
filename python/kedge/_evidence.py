"""What is known of predictions, as arrays, frames and sums."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ._exceptions import KedgeError
from ._library import VERDICTS
from ._predictor import verdict_words
from ._tables import Floats

if TYPE_CHECKING:
    import pandas as pd

ON_UNREACHABLE = ("predict", "nan", "warn", "raise")
_UNANSWERED = (VERDICTS.index("unreachable"), VERDICTS.index("undetermined"))
Found = dict[str, NDArray[Any]]
_ORDER = (
    "verdict",
    "expected_error",
    "expected_error_beyond",
    "spread",
    "support_distance",
    "delta_distance",
    "delta_percentile",
    "admissible_anchors",
    "anchor",
    "analog_query",
    "analog_anchor",
    "outside",
    "outputs_outside",
)


def pandas_for(what: str) -> Any:
    """The module pandas, or one line that says what needs it."""
    try:
        import pandas
    except ImportError:
        raise ImportError(f"{what} needs pandas; it is not installed; install kedge[frames]") from None
    return pandas


def arrays_of(found: Found, outputs: Sequence[str]) -> Found:
    """By name, one array for each output; one whose name is taken gets kedge_ in front."""
    arrays = {_free(name): found["y"][:, i] for i, name in enumerate(outputs)}
    for name in _ORDER:
        arrays[name] = verdict_words(found[name]) if name == "verdict" else found[name]
    return arrays


def _free(name: str) -> str:
    return f"kedge_{name}" if name in _ORDER else name


def index_of(given: Any, rows: int) -> Any:
    """The index of a frame that was given; None for what has none. Lists have a method of that name."""
    index = getattr(given, "index", None)
    return index if index is not None and not callable(index) and len(index) == rows else None


def frame_of(found: Found, outputs: Sequence[str], given: Any = None) -> pd.DataFrame:
    """The same as a data frame: verdicts are categories, rows that are not known <NA>."""
    pandas = pandas_for("a data frame")
    columns: dict[str, Any] = arrays_of(found, outputs)
    columns["verdict"] = pandas.Categorical.from_codes(found["verdict"], categories=list(VERDICTS))
    for name in ("admissible_anchors", "anchor", "analog_query", "analog_anchor"):
        columns[name] = pandas.arrays.IntegerArray(found[name], found[name] < 0)
    frame: pd.DataFrame = pandas.DataFrame(columns, index=index_of(given, len(found["verdict"])))
    return frame


def warn_of_no_convergence(report: dict[str, Any], stacklevel: int) -> None:
    """Warn where a training did harm."""
    if not report.get("worse_than_constant"):
        return
    from sklearn.exceptions import ConvergenceWarning

    warnings.warn(
        f"the fit is no better than a constant: its error on training pairs is {report['training_error']}, "
        f"the constant's is {report['constant_error']}; take more steps, another model or a smaller "
        "learning_rate",
        ConvergenceWarning,
        stacklevel=stacklevel + 1,
    )


def counts_of(verdicts: NDArray[np.uint8]) -> dict[str, int]:
    """How many queries have each verdict."""
    return {word: int(np.sum(verdicts == i)) for i, word in enumerate(VERDICTS)}


def validation_of(found: Found, truth: Floats, outputs: Sequence[str]) -> dict[str, Any]:
    """What held-out rows say of a model.

    ``error`` is the mean length of the errors' vectors, which ``expected_error`` foretells.
    """
    difference = found["y"] - truth
    rmse = np.sqrt(np.mean(difference**2, axis=0))
    expected = found["expected_error"]
    known = np.isfinite(expected)
    return {
        "rmse": {name: float(value) for name, value in zip(outputs, rmse, strict=True)},
        "error": float(np.mean(np.linalg.norm(difference, axis=1))),
        "expected_error": float(np.mean(expected[known])) if known.any() else float("nan"),
        "verdicts": counts_of(found["verdict"]),
    }


def truth_of(y: Any, rows: int, outputs: int, what: str) -> Floats:
    """True outputs as a matrix."""
    truth = np.asarray(y, dtype=np.float64)
    if truth.ndim == 0 or len(truth) != rows or truth.size != rows * outputs:
        raise KedgeError(
            f"{what} needs {outputs} outputs for each of {rows} rows; found shape {truth.shape}; give all of "
            "them"
        )
    return truth.reshape(rows, outputs)


def answered(found: Found, on_unreachable: str) -> Floats:
    """Predictions as ``on_unreachable`` wants them."""
    y: Floats = found["y"]
    missed = np.flatnonzero(np.isin(found["verdict"], _UNANSWERED))
    if on_unreachable == "predict" or len(missed) == 0:
        return y
    if on_unreachable == "nan":
        y[missed] = np.nan
        return y
    first = int(missed[0])
    text = (
        f"{len(missed)} of {len(y)} queries are not reachable from the training rows; the first is row "
        f"{first} ({VERDICTS[found['verdict'][first]]}; {found['outside'][first] or 'nothing outside'}); add "
        "training rows nearer to them"
    )
    if on_unreachable == "raise":
        raise KedgeError(text + ", or set on_unreachable", "on_unreachable")
    warnings.warn(text, UserWarning, stacklevel=3)
    return y
