"""What all pictures share: axes, colours of verdicts, scattered rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ._library import VERDICTS
from ._model_file import kinds_of
from ._settings import thread_count
from ._tables import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ._base import TableEstimator

COLOURS = {
    "interpolation": "#0072B2",
    "reachable": "#009E73",
    "edge": "#E69F00",
    "unreachable": "#D55E00",
    "undetermined": "#777777",
}
_MARKERS = dict(zip(VERDICTS, "o^sXd", strict=True))
_TRAINING = "#9a9a9a"
# A denser cloud of points looks the same.
_MOST_POINTS = 4000


def new_axes(ax: Axes | None) -> Axes:
    """The given axes, or new ones."""
    if ax is not None:
        return ax
    try:
        from matplotlib import pyplot
    except ImportError:
        raise ImportError("kedge.plot needs matplotlib; it is not installed; install kedge[plot]") from None
    return pyplot.subplots(figsize=(7.2, 4.2), layout="constrained")[1]


def explained(estimator: TableEstimator, rows: Floats) -> dict[str, Any]:
    """Of rows with the columns that the predictor reads; verdicts as words."""
    found: dict[str, Any] = estimator._predictor.explain(rows, None, thread_count(estimator.n_jobs))
    found["verdict"] = np.array(VERDICTS)[found["verdict"]]
    return found


def some_of(rows: Floats) -> Floats:
    """Rows that a picture shows: at most `_MOST_POINTS`, evenly out of all."""
    return rows[:: -(-len(rows) // _MOST_POINTS)] if len(rows) > _MOST_POINTS else rows


def kinds_by_name(estimator: TableEstimator) -> dict[str, str]:
    """Kinds of the columns that are no plain numbers."""
    return kinds_of(estimator.info_["space"])


def label_axes(ax: Axes, kinds: Mapping[str, str], x: str | None, y: str | None) -> None:
    """Label the axes; a column of logarithms gets a logarithmic axis."""
    for name, label, scale in ((x, ax.set_xlabel, ax.set_xscale), (y, ax.set_ylabel, ax.set_yscale)):
        if name is not None:
            label(name)
            if kinds.get(name) == "log":
                scale("log")


def finish_axes(ax: Axes, title: str) -> None:
    """Title, grid, and the legend beside the picture."""
    ax.set_title(title, fontsize="medium", loc="left")
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(color="#80808030", linewidth=0.6)
    ax.set_axisbelow(True)
    ax.legend(frameon=False, fontsize="small", loc="center left", bbox_to_anchor=(1, 0.5))


def scatter_training(ax: Axes, points: Floats, label: str) -> None:
    """Draw training rows, as many as a picture can show."""
    points = some_of(points)
    ax.scatter(
        points[:, 0], points[:, 1], s=9, color=_TRAINING, alpha=0.6, linewidth=0, label=label, zorder=2
    )


def scatter_verdicts(ax: Axes, points: Floats, verdicts: Any, notes: Mapping[str, str]) -> None:
    """Draw queries by verdict, each with its count in the legend."""
    for word in VERDICTS:
        chosen = verdicts == word
        if chosen.any():
            ax.scatter(
                points[chosen, 0],
                points[chosen, 1],
                s=26,
                marker=_MARKERS[word],
                color=COLOURS[word],
                edgecolor="white",
                linewidth=0.4,
                label=f"{word}: {chosen.sum()}{notes.get(word, '')}",
                zorder=3,
            )
