"""Demonstrations of the library, from files and from arrays."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from ._exceptions import KedgeError, require_file
from ._library import Handle, check, library, made, path_bytes
from ._settings import column_name, settings_json
from ._tables import Floats


def demonstrations_of(
    given: Any,
    goal_columns: Sequence[str | int] | None,
    *,
    obs_keys: Sequence[str] | None = None,
    horizon: int | None = None,
) -> Handle:
    """Those of a file, or copies of episodes (observations, actions)."""
    if isinstance(given, (str, os.PathLike)):
        require_file(given)
        goals = None if goal_columns is None else list(goal_columns)
        if goals is not None and not all(isinstance(goal, str) for goal in goals):
            raise KedgeError(
                f"goal_columns of a file need names of columns or datasets; found {goals!r}; name them",
                "goal_columns",
            )
        settings: dict[str, Any] = {
            "goal_columns": goals,
            "obs_keys": None if obs_keys is None else list(obs_keys),
            "horizon": horizon,
        }
        return made(
            library.kedge_demonstrations_read,
            path_bytes(given),
            settings_json(settings, []),
            free=library.kedge_demonstrations_free,
        )
    episodes = list(given)
    if not episodes:
        raise KedgeError("needs at least one demonstration; found none; give (observations, actions) of each")
    return _copied(episodes, goal_columns, horizon)


def _copied(
    episodes: list[tuple[Any, Any]], goal_columns: Sequence[str | int] | None, horizon: int | None
) -> Handle:
    first = episodes[0]
    columns = {
        "observations": _column_names(first[0], "o"),
        "actions": _column_names(first[1], "a"),
    }
    if goal_columns is None:
        raise KedgeError(
            "goal_columns need the observations that say what an episode is for; found None; name them",
            "goal_columns",
        )
    columns["goals"] = [column_name(key, columns["observations"], "goal_columns") for key in goal_columns]
    handle = made(
        library.kedge_demonstrations_new,
        json.dumps(columns).encode(),
        b"demonstrations",
        free=library.kedge_demonstrations_free,
    )
    for i, (observations, actions) in enumerate(episodes):
        seen = matrix_of(observations, len(columns["observations"]), f"observations of episode {i}")
        done = matrix_of(actions, len(columns["actions"]), f"actions of episode {i}")
        if horizon is not None:
            if not 1 <= horizon <= len(seen):
                raise KedgeError(
                    f"horizon needs a number from 1 to {len(seen)}, the steps of episode {i}; found "
                    f"{horizon}; take another",
                    "horizon",
                )
            seen, done = seen[:horizon], done[:horizon]
        if len(seen) != len(done):
            raise KedgeError(
                f"episode {i} needs an action for each of {len(seen)} observations; found {len(done)}; "
                "give all of them"
            )
        check(library.kedge_demonstrations_add(handle.address, seen.ctypes.data, done.ctypes.data, len(seen)))
    return handle


def _column_names(values: Any, letter: str) -> list[str]:
    columns = getattr(values, "columns", None)
    if columns is not None:
        return [str(name) for name in columns]
    shape = np.shape(values)
    if len(shape) != 2:
        raise KedgeError(
            f"an episode needs matrices, a row for each time step; found shape {shape}; reshape it"
        )
    return [f"{letter}{i}" for i in range(shape[1])]


def matrix_of(values: Any, columns: int, what: str) -> Floats:
    matrix = np.ascontiguousarray(values, dtype=np.float64)
    if matrix.ndim != 2 or matrix.shape[1] != columns:
        raise KedgeError(f"{what} need {columns} columns; found shape {matrix.shape}; give a matrix of these")
    return matrix
