"""Where networks are trained, on machines with a CUDA device and without one."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from conftest import QUICK, CommandLine

import kedge

GOALS = np.linspace(0, 1, 30)
EPISODES = [(np.array([[0.0, g], [g / 2, g]]), np.full((2, 1), g / 2)) for g in GOALS]


@pytest.fixture
def cuda(command_line: CommandLine) -> str:
    """What the program says of the device."""
    listed = json.loads(command_line("list", "devices", "--json"))["devices"]
    return str(next(one["title"] for one in listed if one["name"] == "cuda"))


@pytest.mark.parametrize("device", ["cpu", "auto"])
def test_a_small_fit_is_the_same_on_the_cpu_and_says_so(table: Any, device: str) -> None:
    X, y = table
    model = kedge.TransductionRegressor(**QUICK, device=device).fit(X, y)
    assert model.report_["trained_on"] == {"device": "cpu", "name": None, "networks_at_once": None}
    assert model.to_bytes() == kedge.TransductionRegressor(**QUICK).fit(X, y).to_bytes()


def test_a_device_that_is_not_there_is_told(table: Any, cuda: str) -> None:
    if not cuda.startswith("not here"):
        pytest.skip("there is one")
    X, y = table
    for work in (
        lambda: kedge.TransductionRegressor(**QUICK, device="cuda").fit(X, y),
        lambda: kedge.WeightedTransductionRegressor(device="cuda", weights="joint", steps=20).fit(X, y),
        lambda: kedge.Imitator([1], **QUICK, device="cuda").fit(EPISODES),
    ):
        with pytest.raises(kedge.KedgeError, match="needs a CUDA device") as told:
            work()
        assert told.value.setting == "device"


def test_a_device_that_is_there_trains(table: Any, cuda: str) -> None:
    if cuda.startswith("not here"):
        pytest.skip(cuda)
    X, y = table
    model = kedge.TransductionRegressor(**QUICK, device="cuda").fit(X, y)
    assert model.report_["trained_on"]["device"] == "cuda"
    assert np.isfinite(model.predict(X)).all()


def test_closed_forms_need_none(table: Any) -> None:
    X, y = table
    model = kedge.TransductionRegressor(model="ridge", device="cuda").fit(X, y)
    assert model.report_["trained_on"] is None
    imitator = kedge.Imitator([1], model="replay", device="cuda").fit(EPISODES)
    assert imitator.report_["trained_on"] is None


def test_validation_rows_need_the_cpu(table: Any) -> None:
    X, y = table
    with pytest.raises(kedge.KedgeError, match="validation rows need"):
        kedge.TransductionRegressor(**QUICK, device="cuda").fit(X, y, X_val=X, y_val=y)
    model = kedge.TransductionRegressor(**QUICK, device="auto").fit(X, y, X_val=X, y_val=y)
    assert model.report_["trained_on"]["device"] == "cpu"


def test_a_device_without_a_name_is_refused(table: Any) -> None:
    X, y = table
    with pytest.raises(kedge.KedgeError, match="device needs one of cpu, cuda, auto") as told:
        kedge.TransductionRegressor(**QUICK, device="gpu").fit(X, y)
    assert told.value.setting == "device"
