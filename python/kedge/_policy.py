"""Policies of the library, and controllers that act by them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ._exceptions import KedgeError
from ._library import check, library, made
from ._stored import Stored
from ._tables import Floats


class Policy(Stored):
    """A policy of the library."""

    __slots__ = ()
    _kind = "kedge_policy"


class Controller:
    """Acts by a policy: ``begin`` once an episode, ``act`` once a time step. For one thread at a time.

    `Imitator.controller` makes it.

    Examples
    --------
    >>> import numpy as np
    >>> import kedge
    >>> goals = np.linspace(0, 1, 30)
    >>> episodes = [(np.array([[0.0, g], [g / 2, g]]), np.full((2, 1), g / 2)) for g in goals]
    >>> imitator = kedge.Imitator(goal_columns=[1], model="ridge-by-step").fit(episodes)
    >>> controller = imitator.controller()
    >>> controller.begin([1.2])
    >>> controller.act([0.0, 1.2]).round(2).tolist()
    [0.6]
    """

    def __init__(self, policy: Policy, columns: dict[str, list[str]]) -> None:
        self._policy = policy  # which must outlive the controller
        self._columns = columns
        self._handle = made(library.kedge_controller_new, policy.address, free=library.kedge_controller_free)

    def begin(self, goal: ArrayLike) -> None:
        """Choose the demonstration that answers a goal.

        Parameters
        ----------
        goal : array-like of shape (n_goals,)
            Values of the goal columns.
        """
        values = _vector(goal, self._columns["goals"], "goal")
        check(library.kedge_controller_begin(self._handle.address, values.ctypes.data))

    def act(self, observation: ArrayLike) -> Floats:
        """The action of the next time step.

        Parameters
        ----------
        observation : array-like of shape (n_observations,)
            What is observed now.

        Returns
        -------
        action : ndarray of shape (n_actions,)
            What to do.
        """
        values = _vector(observation, self._columns["observations"], "observation")
        action = np.empty(len(self._columns["actions"]))
        check(library.kedge_controller_act(self._handle.address, values.ctypes.data, action.ctypes.data))
        return action


def _vector(values: Any, names: Sequence[str], what: str) -> Floats:
    vector = np.ascontiguousarray(values, dtype=np.float64)
    if vector.shape != (len(names),):
        raise KedgeError(
            f"{what} needs {len(names)} numbers ({', '.join(names)}); found shape {vector.shape}; give all "
            "of them"
        )
    return vector
