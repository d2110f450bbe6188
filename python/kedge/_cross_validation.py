"""Cross-validation beyond the data: which model is right for a table, if any is."""

from __future__ import annotations

import json
from collections.abc import Sequence
from ctypes import byref
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike
from sklearn.base import clone

from ._base import TableEstimator
from ._evidence import pandas_for
from ._exceptions import KedgeError
from ._interruptible import call
from ._library import Run, library, made_bytes
from ._progress import ProgressDisplay
from ._regressors import TransductionRegressor
from ._settings import settings_json, thread_count
from ._training import training_of

if TYPE_CHECKING:
    import pandas as pd

_SCORES = ("in_support", "out_of_support", "rank_correlation", "beyond_outputs")


def cross_validate_beyond(
    X: ArrayLike,
    y: ArrayLike,
    estimator: TableEstimator | None = None,
    *,
    models: Sequence[str] | None = None,
    effort: float | None = None,
    sample_weight: ArrayLike | None = None,
    label: Any = None,
    time: Any = None,
) -> pd.DataFrame:
    """Measure the errors of models beyond the data, as ``kedge cv`` does.

    Each trial holds out the outermost rows, by inputs or by outputs, fits every model to the rest and
    predicts what was held out. Needs pandas.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Inputs.
    y : array-like of shape (n_samples,) or (n_samples, n_outputs)
        Outputs.
    estimator : TransductionRegressor, optional
        Whose settings the trials take; its model counts only where ``models`` is None and it is not the
        default.
    models : sequence of str, optional
        Models to compare; None compares all that can be fitted.
    effort : float, optional
        Part of a fit's updates that each trial takes, above 0 and at most 1; None is the library's.
    sample_weight : array-like of shape (n_samples,), optional
        How much each row counts in training.
    label : array-like of shape (n_samples,), optional
        Only rows of the same label are paired.
    time : array-like of shape (n_samples,), optional
        Only rows of the same time step are paired.

    Returns
    -------
    scores : DataFrame
        One row for each model, the least error out of support first. Errors are in deviations of the outputs:
        0 is perfect, 1 no better than their mean. Columns that end in ``_sd`` are deviations over trials.
        ``scores.attrs["recommendation"]`` says which model to take and why; ``scores.attrs["report"]`` is all
        that ``kedge cv --json`` says.

    Examples
    --------
    >>> import numpy as np
    >>> import kedge
    >>> X = np.linspace(0, 4, 60).reshape(-1, 1)
    >>> scores = kedge.cross_validate_beyond(X, 2 * X[:, 0] + 1, models=["linear", "nearest"])
    >>> scores.index[0]
    'linear'
    """
    pandas = pandas_for("cross_validate_beyond")
    asked = TransductionRegressor() if estimator is None else estimator
    if not isinstance(asked, TableEstimator):
        raise KedgeError(f"estimator needs to be one of kedge; found {asked!r}; take a TransductionRegressor")
    asked = clone(asked)
    training = training_of(asked, X, y, sample_weight=sample_weight, label=label, time=time)
    settings = asked._fit_settings()
    model = settings.pop("model", None)
    if models is None and model not in (None, TransductionRegressor().model, "auto"):
        models = [model]
    if models is not None:
        models = [models] if isinstance(models, str) else list(models)
        if not models:
            raise KedgeError("models needs names; found none; name some, or leave it out", "models")
    settings |= {"models": models, "effort": effort}
    text = settings_json(settings, training.inputs)

    def work(run: Run) -> bytes:
        return made_bytes(library.kedge_cross_validate, training.table.address, text, byref(run))

    with ProgressDisplay("cross-validation", asked.verbose) as display:
        report = json.loads(call(work, threads=thread_count(asked.n_jobs), listener=display))
    frame: pd.DataFrame = pandas.DataFrame([_row(score) for score in report["models"]]).set_index("model")
    frame = frame.sort_values("out_of_support", kind="stable", na_position="last")
    frame.attrs = {"recommendation": report["recommendation"], "report": report}
    return frame


def _row(score: dict[str, Any]) -> dict[str, Any]:
    """One model's line of the frame; NaN where there is no number."""
    row: dict[str, Any] = {"model": score["model"]}
    for name in _SCORES:
        estimate = score.get(name) or {}
        row[name] = _number(estimate.get("mean"))
        row[f"{name}_sd"] = _number(estimate.get("sd"))
    for name in ("beyond_rank_correlation", "beyond_found"):
        row[name] = _number((score.get(name) or {}).get("mean"))
    row["carries"] = score.get("carries")
    row["failure"] = score.get("failure") or ""
    return row


def _number(value: float | None) -> float:
    return float("nan") if value is None else float(value)
