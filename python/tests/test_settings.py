"""Parameters as settings of the library."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from conftest import QUICK

import kedge
from kedge import _settings

NAMES = ["w", "x", "y", "z", "a,b"]


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"w": "angle", 1: "log"}, "w=angle,x=log"),
        ({(0, 1, 2, 3): "rotation"}, "w+x+y+z=rotation"),
        ({("w", "x", "y", "z"): "rotation", 4: "log"}, r"w+x+y+z=rotation,a\,b=log"),
        ({np.int64(2): "degrees"}, "y=degrees"),
        ("w=angle", "w=angle"),
        ({}, ""),
    ],
)
def test_spaces(given: Any, text: str) -> None:
    assert json.loads(_settings.settings_json({"space": given}, NAMES)) == {"space": text}


@pytest.mark.parametrize(
    ("given", "text"), [([["w", 1], (2, 3)], "w+x,y+z"), ([["a,b", "z"]], r"a\,b+z"), ("w+x", "w+x")]
)
def test_units(given: Any, text: str) -> None:
    assert json.loads(_settings.settings_json({"same_unit": given}, NAMES)) == {"same_unit": text}


def test_context_and_numbers() -> None:
    given = {"context": [0, "z"], "seed": np.uint64(3), "share": np.float64(0.5), "steps": None}
    told = json.loads(_settings.settings_json(given, NAMES))
    assert told == {"context": ["w", "z"], "seed": 3, "share": 0.5}


def test_the_library_takes_what_is_written(table: Any) -> None:
    X, y = table
    model = kedge.TransductionRegressor(**(QUICK | {"model": "deepsets"}), context=[1]).fit(X, y)
    assert model.info_["options"]["context"] == ["x1"]
    model = kedge.TransductionRegressor(**QUICK, space={"y": "log", 0: "angle"}).fit(X, y + 3)
    assert model.info_["space"] == "x0=angle,y=log"


@pytest.mark.parametrize(
    ("n_jobs", "told", "cores", "threads"),
    [
        (None, None, 4, 0),
        (None, "3", 4, 3),
        (None, "3", 1, 1),
        (None, "x", 4, 0),
        (2, "1", 4, 2),
        (9999, None, 4, 1024),
        (-1, None, 4, 4),
        (-2, None, 4, 3),
        (-9, None, 4, 1),
    ],
)
def test_threads(n_jobs: Any, told: Any, cores: int, threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_settings, "_cores", lambda: cores)
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    if told:
        monkeypatch.setenv("OMP_NUM_THREADS", told)
    assert _settings.thread_count(n_jobs) == threads
