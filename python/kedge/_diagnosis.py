"""Diagnosis: where queries lie against the training rows, and how well they are answered."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ._evidence import pandas_for, truth_of
from ._library import INPUT, OUTPUT
from ._settings import thread_count
from ._tables import Floats, TableBuilder

if TYPE_CHECKING:
    import pandas as pd

    from ._base import TableEstimator


@dataclass(frozen=True, eq=False)
class Diagnosis:
    """What ``diagnose`` found.

    Attributes
    ----------
    report : dict
        What ``kedge diagnose --json`` says.
    training_map : ndarray of shape (n_rows, 2)
        Training rows along the two leading axes; a model of very many rows keeps some of them.
    query_map : ndarray of shape (n_samples, 2)
        The queries along the same axes.
    estimator : estimator
        Who was asked.
    X : array-like
        The queries as they were given.

    Examples
    --------
    >>> import numpy as np
    >>> import kedge
    >>> X = np.linspace(0, 4, 60).reshape(-1, 1)
    >>> model = kedge.TransductionRegressor(model="ridge").fit(X, 2 * X[:, 0])
    >>> diagnosis = model.diagnose([[2.0], [4.5]], y=[4.0, 9.0])
    >>> diagnosis
    Diagnosis(2 queries: 1 interpolation, 1 reachable)
    >>> diagnosis.columns[["name", "outside"]].values.tolist()
    [['x0', 1]]
    """

    report: dict[str, Any]
    training_map: Floats
    query_map: Floats
    estimator: Any = field(repr=False)
    X: Any = field(repr=False)

    @property
    def counts(self) -> dict[str, int]:
        """How many queries have each verdict."""
        return {one["verdict"]: one["queries"] for one in self.report["verdicts"]}

    @property
    def verdicts(self) -> pd.DataFrame:
        """By verdict: queries, expected and true errors, spread, distances."""
        frame: pd.DataFrame = (
            pandas_for("a data frame").DataFrame(self.report["verdicts"]).set_index("verdict")
        )
        return frame

    @property
    def columns(self) -> pd.DataFrame:
        """By input column: ranges of training rows and queries, and how many queries it leads out."""
        frame: pd.DataFrame = pandas_for("a data frame").DataFrame(self.report["columns"])
        for name in ("training", "queries"):
            ends = frame.pop(name)
            frame[f"{name}_low"] = [low for low, _ in ends]
            frame[f"{name}_high"] = [high for _, high in ends]
        return frame

    def plot(self, ax: Any = None) -> Any:
        """Draw the map of training rows and queries; needs matplotlib.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw.

        Returns
        -------
        ax : matplotlib Axes
            Where it was drawn.
        """
        from . import plot

        return plot.coverage(self.estimator, self.X, ax=ax)

    def __repr__(self) -> str:
        told = ", ".join(f"{count} {word}" for word, count in self.counts.items() if count)
        return f"Diagnosis({len(self.query_map)} queries: {told})"

    def _repr_html_(self) -> str:
        from ._html import diagnosis_html

        return str(diagnosis_html(self))


def diagnosis_of(estimator: TableEstimator, X: Any, queries: Floats, y: ArrayLike | None) -> Diagnosis:
    """Ask the library; ``queries`` are checked and have the predictor's columns."""
    info = estimator._predictor.info()
    table = TableBuilder("X")
    table.add_all(info["inputs"], INPUT, queries)
    if y is not None:
        truth = truth_of(y, len(queries), len(info["outputs"]), "y")
        table.add_all(info["outputs"], OUTPUT, truth)
    report = estimator._predictor.diagnose(table.handle, None, thread_count(estimator.n_jobs))
    training_map, query_map = (
        np.array(report.pop(name), dtype=np.float64) for name in ("training_map", "query_map")
    )
    return Diagnosis(report, training_map, query_map, estimator, X)
