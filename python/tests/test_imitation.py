"""Imitator learns from episodes, judges goals and acts."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import QUICK
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import kedge

STEPS = 5


def episode(goal: float) -> tuple[np.ndarray, np.ndarray]:
    """A walk from 0 to the goal in equal steps: observations (place, goal), actions (step)."""
    places = goal * np.arange(STEPS) / STEPS
    return np.column_stack([places, np.full(STEPS, goal)]), np.full((STEPS, 1), goal / STEPS)


EPISODES = [episode(goal) for goal in np.linspace(0.1, 1.0, 25)]


def walked(imitator: kedge.Imitator, goal: float) -> float:
    """Where the controller ends."""
    controller, place = imitator.controller(), 0.0
    controller.begin([goal])
    for _ in range(STEPS):
        place += controller.act([place, goal])[0]
    return place


@pytest.fixture(scope="module")
def linear() -> kedge.Imitator:
    return kedge.Imitator([1], model="ridge-by-step", n_jobs=1).fit(EPISODES)


def test_a_policy_reaches_goals_beyond_the_demonstrations(linear: kedge.Imitator) -> None:
    assert walked(linear, 0.5) == pytest.approx(0.5, abs=0.01)
    assert walked(linear, 1.3) == pytest.approx(1.3, abs=0.02)
    assert linear.columns_ == {"observations": ["o0", "o1"], "actions": ["a0"], "goals": ["o1"]}


def test_goals_are_judged_before_they_are_tried() -> None:
    pandas = pytest.importorskip("pandas")
    imitator = kedge.Imitator([1], **QUICK).fit(EPISODES)
    frame = imitator.judge(pandas.DataFrame({"goal": [0.5, 1.2, 40.0]}, index=["a", "b", "c"]))
    assert list(frame["verdict"]) == ["interpolation", "reachable", "unreachable"]
    assert list(frame.index) == ["a", "b", "c"]
    assert frame["support_distance"].is_monotonic_increasing
    assert all(0 <= anchor < 25 for anchors in frame["anchors"] for anchor in anchors)


def test_goals_in_a_list_become_a_frame(linear: kedge.Imitator) -> None:
    pytest.importorskip("pandas")
    assert list(linear.judge([[0.5]])["verdict"]) == ["interpolation"]


def test_an_action_needs_a_goal_first(linear: kedge.Imitator) -> None:
    with pytest.raises(kedge.KedgeError, match="an episode needs a goal first"):
        linear.controller().act([0.0, 0.5])


def test_frames_name_the_columns() -> None:
    pandas = pytest.importorskip("pandas")
    named = [
        (pandas.DataFrame(seen, columns=["place", "goal"]), pandas.DataFrame(done, columns=["move"]))
        for seen, done in EPISODES
    ]
    imitator = kedge.Imitator(["goal"], model="replay").fit(named)
    assert imitator.columns_ == {"observations": ["place", "goal"], "actions": ["move"], "goals": ["goal"]}


def test_files_and_pickles_act_the_same(linear: kedge.Imitator, tmp_path: Path) -> None:
    linear.save(tmp_path / "p.kedge")
    loaded = kedge.load(tmp_path / "p.kedge")
    assert isinstance(loaded, kedge.Imitator)
    assert loaded.to_bytes() == linear.to_bytes()
    copy = pickle.loads(pickle.dumps(linear))
    assert walked(loaded, 1.1) == walked(copy, 1.1) == walked(linear, 1.1)


def test_a_loaded_policy_has_the_settings_of_its_file(tmp_path: Path) -> None:
    settings = QUICK | {"seed": 5, "width": 9, "n_jobs": None}  # threads are no part of a policy
    kedge.Imitator([1], **settings).fit(EPISODES).save(tmp_path / "policy")
    loaded = kedge.load(tmp_path / "policy").get_params()
    assert {name: loaded[name] for name in settings} == settings
    assert loaded["goal_columns"] == ["o1"]


def test_a_clone_is_not_fitted(linear: kedge.Imitator) -> None:
    copy = clone(linear)
    assert copy.get_params() == linear.get_params()
    with pytest.raises(NotFittedError):
        copy.controller()


def test_a_controller_keeps_its_policy() -> None:
    imitator = kedge.Imitator([1], model="replay").fit(EPISODES)
    controller = imitator.controller()
    del imitator
    controller.begin([0.5])
    assert controller.act([0.0, 0.5]).shape == (1,)


def test_a_horizon_cuts_longer_episodes() -> None:
    longer = [(np.vstack([seen, seen[-1:]]), np.vstack([done, done[-1:]])) for seen, done in EPISODES]
    mixed = [*EPISODES[:10], *longer[10:]]
    assert kedge.Imitator([1], model="replay", horizon=STEPS).fit(mixed).info_["episode_steps"] == STEPS
    with pytest.raises(kedge.KedgeError, match="steps"):
        kedge.Imitator([1], model="replay").fit(mixed)


@pytest.mark.parametrize(
    ("episodes", "goals", "text"),
    [
        ([], [1], "at least one demonstration"),
        (EPISODES, None, "goal_columns need the observations"),
        (EPISODES, [7], "goal_columns needs columns 0 to 1; found 7"),
        (EPISODES, [0], "o0"),
        ([(np.zeros(3), np.zeros((3, 1)))], [1], "needs matrices"),
        ([*EPISODES, (np.zeros((5, 3)), np.zeros((5, 1)))], [1], "observations of episode 25 need 2 columns"),
        ([(np.zeros((5, 2)), np.zeros((4, 1)))], [1], "an action for each of 5 observations; found 4"),
        ([(np.full((5, 2), np.nan), np.zeros((5, 1)))], [1], "finite"),
    ],
)
def test_demonstrations_that_are_wrong(episodes: Any, goals: Any, text: str) -> None:
    with pytest.raises(kedge.KedgeError, match=text):
        kedge.Imitator(goals, model="replay").fit(episodes)


def test_goals_and_observations_of_another_width_are_refused(linear: kedge.Imitator) -> None:
    controller = linear.controller()
    with pytest.raises(kedge.KedgeError, match=r"goal needs 1 numbers \(o1\)"):
        controller.begin([1.0, 2.0])
    with pytest.raises(kedge.KedgeError, match="goals need 1 columns"):
        linear.judge([[1.0, 2.0]])
    controller.begin([0.5])
    with pytest.raises(kedge.KedgeError, match="observation needs 2 numbers"):
        controller.act([1.0])


def test_files_that_are_wrong(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        kedge.Imitator().fit(tmp_path / "none.hdf5")
    (tmp_path / "text.hdf5").write_text("not HDF5")
    with pytest.raises(kedge.ModelFileError):
        kedge.Imitator().fit(tmp_path / "text.hdf5")
    with pytest.raises(kedge.KedgeError, match="goal_columns of a file need names"):
        kedge.Imitator([1]).fit(tmp_path / "text.hdf5")
