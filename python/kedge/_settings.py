"""Parameters of estimators as settings of the library: columns by name or number, threads, JSON."""

from __future__ import annotations

import json
import math
import numbers
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ._exceptions import KedgeError

ColumnKey = str | int
_MOST_THREADS = 1024
SpaceLike = str | Mapping[ColumnKey | tuple[ColumnKey, ...], str] | None
SetsLike = str | Iterable[Iterable[ColumnKey]] | None


def escaped(name: str) -> str:
    """A column name as the library's texts hold it."""
    return "".join("\\" + c if c in ",+=\\" else c for c in name)


def column_name(key: ColumnKey, names: Sequence[str], setting: str) -> str:
    """The name of a column that is given by name or by number."""
    if isinstance(key, str):
        return key
    if isinstance(key, numbers.Integral) and not isinstance(key, bool):
        if 0 <= int(key) < len(names):
            return names[int(key)]
        raise KedgeError(
            f"{setting} needs columns 0 to {len(names) - 1}; found {key}; take a number in that range",
            setting,
        )
    raise KedgeError(f"{setting} needs columns by name or number; found {key!r}; write one of these", setting)


def space_text(space: SpaceLike, names: Sequence[str]) -> str | None:
    """``{"theta": "angle", (3, 4, 5, 6): "rotation"}`` as the library writes it; a text stays as it is."""
    if space is None or isinstance(space, str):
        return space
    if not isinstance(space, Mapping):
        raise KedgeError(
            f"space needs a dict of columns and kinds; found {space!r}; write for example "
            f"{{'theta': 'angle'}}",
            "space",
        )
    items = []
    for key, kind in space.items():
        keys = key if isinstance(key, tuple) else (key,)
        columns = "+".join(escaped(column_name(one, names, "space")) for one in keys)
        items.append(f"{columns}={kind}")
    return ",".join(items)


def same_unit_text(sets: SetsLike, names: Sequence[str]) -> str | None:
    """``[["x", "y"], ["gx", "gy"]]`` as the library writes it; a text stays as it is."""
    if sets is None or isinstance(sets, str):
        return sets
    if not isinstance(sets, Iterable):
        raise KedgeError(
            f"same_unit needs lists of columns; found {sets!r}; write for example [['x', 'y']]", "same_unit"
        )
    texts = []
    for one in sets:
        if isinstance(one, str) or not isinstance(one, Iterable):
            raise KedgeError(
                f"same_unit needs lists of columns; found {one!r}; write for example [['x', 'y']]",
                "same_unit",
            )
        texts.append("+".join(escaped(column_name(key, names, "same_unit")) for key in one))
    return ",".join(texts)


def context_names(context: Any, names: Sequence[str]) -> list[str] | None:
    """Columns by name or number as names; a text is split at commas."""
    if context is None:
        return None
    if isinstance(context, str):
        return [name.strip() for name in context.split(",")]
    if not isinstance(context, Iterable):
        raise KedgeError(f"context needs a list of columns; found {context!r}; write one", "context")
    return [column_name(key, names, "context") for key in context]


def _plain(value: Any) -> Any:
    """What json does not know by itself: numbers of numpy."""
    if hasattr(value, "item") and getattr(value, "ndim", 0) == 0:
        return value.item()
    raise KedgeError(f"settings need numbers and texts; found {value!r}; write one of these")


def settings_json(parameters: Mapping[str, Any], names: Sequence[str]) -> bytes:
    """Parameters that are not None as one JSON object; ``names`` are the input columns'."""
    given = {name: value for name, value in parameters.items() if value is not None}
    for name, made in (("space", space_text), ("same_unit", same_unit_text), ("context", context_names)):
        if name in given:
            given[name] = made(given[name], names)
    for name, value in given.items():
        if isinstance(value, float) and not math.isfinite(value):
            raise KedgeError(f"{name} needs a finite number; found {value}; take one", name)
    return json.dumps(given, default=_plain).encode()


def thread_count(n_jobs: int | None) -> int:
    """Threads of a call: 0 stands for every core.

    None takes every core too, but no more than OMP_NUM_THREADS: joblib sets it in its workers so that they
    do not take each other's cores.
    """
    if n_jobs is None:
        told = os.environ.get("OMP_NUM_THREADS", "").split(",")[0]
        return min(int(told), _cores()) if told.isdecimal() and int(told) > 0 else 0
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, numbers.Integral) or n_jobs == 0:
        raise KedgeError(
            f"n_jobs needs a number of threads, -1 for every core, or None; found {n_jobs!r}; take one of "
            "these",
            "n_jobs",
        )
    return min(int(n_jobs), _MOST_THREADS) if n_jobs > 0 else max(1, _cores() + 1 + int(n_jobs))


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
