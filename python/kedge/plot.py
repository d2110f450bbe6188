"""Pictures of a fitted estimator: where queries lie, how far it reaches, how well it answers.

Each function draws on the axes that it is given, or on new ones, and returns them. They need matplotlib.

Colours and markers stand for verdicts and are the same in all pictures. The colours can be told apart by
people who are colour-blind (Okabe and Ito 2008).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ._drawing import (
    COLOURS,
    explained,
    finish_axes,
    kinds_by_name,
    label_axes,
    new_axes,
    scatter_training,
    scatter_verdicts,
)
from ._exceptions import KedgeError
from ._library import VERDICTS
from ._tables import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ._base import TableEstimator

__all__ = ["coverage", "curve", "parity"]


def coverage(estimator: TableEstimator, X: ArrayLike, *, ax: Axes | None = None) -> Axes:
    """Draw where queries lie among the training rows, by verdict.

    A model of one input is drawn against its prediction. One of two inputs is drawn by both. Of more, the
    picture shows the two leading axes of the standardized training inputs.

    Parameters
    ----------
    estimator : fitted estimator
        Whose training rows are drawn.
    X : array-like of shape (n_samples, n_features)
        Queries.
    ax : matplotlib Axes, optional
        Where to draw.

    Returns
    -------
    ax : matplotlib Axes
        With a legend that counts the queries of each verdict.

    Examples
    --------
    >>> import numpy as np
    >>> import kedge.plot
    >>> X = np.random.default_rng(0).uniform(size=(60, 2))
    >>> model = kedge.TransductionRegressor(model="ridge").fit(X, X.sum(axis=1))
    >>> ax = kedge.plot.coverage(model, X + 0.5)
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('x0', 'x1')
    """
    queries = estimator._queries(X)
    found = explained(estimator, queries)
    training, outputs = estimator.training_data()
    kinds, names = kinds_by_name(estimator), list(estimator.info_["inputs"])
    ax = new_axes(ax)
    if len(names) == 1:
        known = np.column_stack([training, outputs[:, :1]])
        asked = np.column_stack([queries, found["y"][:, :1]])
        label_axes(ax, kinds, names[0], estimator.output_names_[0])
    elif len(names) == 2:
        known, asked = training, queries
        label_axes(ax, kinds, *names)
    else:
        diagnosis = estimator.diagnose(X)
        known, asked = diagnosis.training_map, diagnosis.query_map
        ax.set_xlabel("first leading axis of the inputs, in deviations")
        ax.set_ylabel("second leading axis")
    scatter_training(ax, known, f"training rows: {len(known)}")
    scatter_verdicts(ax, asked, found["verdict"], {})
    finish_axes(ax, _share_text(found["verdict"]))
    return ax


def _share_text(verdicts: Any) -> str:
    beyond = int(np.sum(verdicts != "interpolation"))
    reached = int(np.sum(verdicts == "reachable"))
    if beyond == 0:
        return "all queries lie among the training rows"
    return f"{beyond} of {len(verdicts)} queries lie beyond the training rows; {reached} are reachable"


def _grid(values: Floats, kind: str, reach: float, points: int) -> Floats:
    """Places along one input, `reach` of its range beyond both ends; an angle once round."""
    if kind in ("angle", "degrees"):
        turn = 2 * np.pi if kind == "angle" else 360.0
        return np.asarray(np.linspace(values.min(), values.min() + turn, points))
    low, high = (np.log(end) if kind == "log" else end for end in (values.min(), values.max()))
    width = reach * (high - low)
    grid = np.linspace(low - width, high + width, points)
    return np.asarray(np.exp(grid) if kind == "log" else grid)


def _number_of(column: int | str, names: list[str], setting: str) -> int:
    """The number of a column that is given by name or number."""
    if isinstance(column, str):
        if column in names:
            return names.index(column)
    elif 0 <= column < len(names):
        return column
    raise KedgeError(
        f"{setting} needs one of {', '.join(names)} or its number; found {column!r}; take one of these"
    )


def curve(
    estimator: TableEstimator,
    feature: int | str = 0,
    *,
    at: Mapping[int | str, float] | None = None,
    output: int | str = 0,
    reach: float = 0.5,
    points: int = 200,
    ax: Axes | None = None,
) -> Axes:
    """Draw the prediction along one input, within its training range and beyond.

    The band is the prediction plus and minus its expected error, a mean over held-out rows and no bound. The
    bar at the bottom shows the verdicts.

    Parameters
    ----------
    estimator : fitted estimator
        What to draw.
    feature : int or str, default=0
        The input that changes, by name or by number among those that the model reads.
    at : dict, optional
        Values of other inputs, by name or number; those not named are at the median of the training rows.
    output : int or str, default=0
        Which output.
    reach : float, default=0.5
        How far beyond both ends, in widths of the training range.
    points : int, default=200
        Predictions along the curve.
    ax : matplotlib Axes, optional
        Where to draw.

    Returns
    -------
    ax : matplotlib Axes
        With the ends of the training range marked.

    Examples
    --------
    >>> import numpy as np
    >>> import kedge.plot
    >>> X = np.linspace(0, 4, 60).reshape(-1, 1)
    >>> model = kedge.TransductionRegressor(model="ridge").fit(X, 2 * X[:, 0])
    >>> ax = kedge.plot.curve(model, "x0", reach=1)
    >>> ax.get_xlabel()
    'x0'
    """
    training, outputs = estimator.training_data()
    names, kinds = list(estimator.info_["inputs"]), kinds_by_name(estimator)
    column = _number_of(feature, names, "feature")
    number = _number_of(output, list(estimator.output_names_), "output")
    if any(kind == "rotation" and names[column] in group.split("+") for group, kind in kinds.items()):
        raise KedgeError(
            f"feature needs a column of its own; found {names[column]!r} of a rotation; take another"
        )
    values = training[:, column]
    kind = kinds.get(names[column], "vector")
    grid = _grid(values, kind, reach, points)
    rows = np.tile(np.median(training, axis=0), (len(grid), 1))
    for key, value in (at or {}).items():
        rows[:, _number_of(key, names, "at")] = value
    rows[:, column] = grid
    found = explained(estimator, rows)
    y, error = found["y"][:, number], found["expected_error"]
    ax = new_axes(ax)
    scatter_training(ax, np.column_stack([values, outputs[:, number]]), "training rows")
    if np.isfinite(error).any():
        label = "expected error"
        ax.fill_between(grid, y - error, y + error, color="#56B4E9", alpha=0.3, linewidth=0, label=label)
    ax.plot(grid, y, color="#0072B2", linewidth=1.8, label="prediction", zorder=3)
    if kind not in ("angle", "degrees"):
        for end in (values.min(), values.max()):
            ax.axvline(end, color="#555555", linestyle="--", linewidth=1, label="_")
        ax.plot([], [], color="#555555", linestyle="--", linewidth=1, label="ends of the training rows")
    _draw_verdict_bar(ax, grid, found["verdict"])
    label_axes(ax, kinds, names[column], estimator.output_names_[number])
    _limit_band(ax, y, outputs[:, number], error)
    others = [f"{name} {rows[0, i]:.4g}" for i, name in enumerate(names) if i != column]
    more = ", ..." if len(others) > 4 else ""
    finish_axes(ax, "at " + ", ".join(others[:4]) + more if others else "")
    return ax


def _limit_band(ax: Axes, y: Floats, outputs: Floats, error: Floats) -> None:
    """Keep the curve visible where errors of many ranges are expected."""
    if ax.get_yscale() != "linear":
        return
    low, high = min(y.min(), outputs.min()), max(y.max(), outputs.max())
    room = (high - low) / 2
    known = np.nan_to_num(error)
    ends = max((y - known).min(), low - room), min((y + known).max(), high + room)
    margin = 0.06 * (high - low) or 1.0
    ax.set_ylim(min(ends[0], low) - margin, max(ends[1], high) + margin)


def _draw_verdict_bar(ax: Axes, grid: Floats, verdicts: Any) -> None:
    """A bar along the bottom, coloured by verdict."""
    for word in VERDICTS:
        chosen = verdicts == word
        if chosen.any():
            # Each place colours its way to the next, so that neighbours of two verdicts leave no gap.
            ax.fill_between(
                np.append(grid, grid[-1]),
                0,
                0.025,
                where=np.append(chosen, False) | np.append(False, chosen),
                transform=ax.get_xaxis_transform(),
                color=COLOURS[word],
                linewidth=0,
                label=word,
            )


def parity(
    estimator: TableEstimator, X: ArrayLike, y: ArrayLike, *, output: int | str = 0, ax: Axes | None = None
) -> Axes:
    """Draw predictions against true outputs, by verdict.

    Parameters
    ----------
    estimator : fitted estimator
        Who predicts.
    X : array-like of shape (n_samples, n_features)
        Queries.
    y : array-like of shape (n_samples,) or (n_samples, n_outputs)
        True outputs.
    output : int or str, default=0
        Which output.
    ax : matplotlib Axes, optional
        Where to draw.

    Returns
    -------
    ax : matplotlib Axes
        Its legend has the count and the root mean square error of each verdict.

    Examples
    --------
    >>> import numpy as np
    >>> import kedge.plot
    >>> X = np.linspace(0, 4, 60).reshape(-1, 1)
    >>> model = kedge.TransductionRegressor(model="ridge").fit(X, 2 * X[:, 0])
    >>> ax = kedge.plot.parity(model, X + 2, 2 * X[:, 0] + 4)
    >>> ax.get_ylabel()
    'predicted y'
    """
    names = list(estimator.output_names_)
    number = _number_of(output, names, "output")
    queries = estimator._queries(X)
    truth = np.asarray(y, dtype=np.float64)
    if len(truth) != len(queries) or truth.size != len(queries) * len(names):
        raise KedgeError(
            f"y needs {len(names)} outputs for each of {len(queries)} rows; found shape {truth.shape}; give "
            "the true outputs of X"
        )
    true = truth.reshape(len(queries), -1)[:, number]
    found = explained(estimator, queries)
    predicted = found["y"][:, number]
    squares = (predicted - true) ** 2
    notes = {
        word: f", RMSE {np.sqrt(squares[found['verdict'] == word].mean()):.3g}"
        for word in VERDICTS
        if (found["verdict"] == word).any()
    }
    ax = new_axes(ax)
    scatter_verdicts(ax, np.column_stack([true, predicted]), found["verdict"], notes)
    both = np.concatenate([true, predicted])
    ends = [np.nanmin(both), np.nanmax(both)]
    ax.plot(ends, ends, color="#555555", linewidth=1, linestyle="--", label="exact", zorder=1)
    name = names[number]
    if kinds_by_name(estimator).get(name) == "log":
        ax.set_xscale("log")
        ax.set_yscale("log")
    ax.set_xlabel(f"true {name}")
    ax.set_ylabel(f"predicted {name}")
    finish_axes(ax, _error_text(squares, found["expected_error"]))
    return ax


def _error_text(squares: Floats, expected: Floats) -> str:
    text = f"RMSE {np.sqrt(squares.mean()):.3g}, mean error {np.sqrt(squares).mean():.3g}"
    known = expected[np.isfinite(expected)]
    return text + (f", expected {known.mean():.3g}" if len(known) else "")
