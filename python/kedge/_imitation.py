"""Imitator: policies learned from demonstrations."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from ctypes import byref, c_void_p
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from ._demonstrations import demonstrations_of, matrix_of
from ._evidence import index_of, pandas_for, warn_of_no_convergence
from ._interruptible import call
from ._library import (
    VERDICTS,
    Handle,
    Run,
    check,
    library,
    made_json,
    text_bytes,
)
from ._owner import FileOwner
from ._policy import Controller, Policy
from ._progress import ProgressDisplay
from ._settings import settings_json, thread_count

_OF_DATA = ("goal_columns", "obs_keys", "horizon", "n_jobs", "verbose")
Episodes = Iterable[tuple[ArrayLike, ArrayLike]]


class Imitator(FileOwner, BaseEstimator):  # type: ignore[misc]
    """A policy learned from demonstrations, which carries over to goals beyond theirs.

    For a new goal it chooses a demonstration whose goal differs from it by a difference that was seen. At
    each time step the observation meets that demonstration's own. It has scikit-learn's parameters, clone and
    pickles, but learns from episodes and not from rows, so it has no ``predict``.

    Parameters
    ----------
    goal_columns : sequence of str or int, optional
        Observations that say what an episode is for, and stay the same over it; None takes those that a file
        names.
    model : str, default="bilinear"
        What to learn: bilinear, concat, mlp, linear, ridge, quadratic, mlp-time, ridge-by-step, replay, ...
    preset : str, default="default"
        Where values come from that are None here.
    obs_keys : sequence of str, optional
        Observation datasets of an HDF5 file to learn from.
    horizon : int, optional
        Learn from the first steps of each episode only, for episodes of different lengths.
    layers : int, optional
        Linear layers of each network.
    width : int, optional
        Units of each hidden layer.
    embedding : int, optional
        Rank of the bilinear product.
    fourier : {"on", "off"}, optional
        A layer of learned sinusoids first.
    anchors : str, optional
        How a goal finds its demonstrations.
    pool : int, optional
        Differences that are kept to choose demonstrations by.
    steps : int, optional
        Updates.
    epochs : float, optional
        The same in passes over the demonstrations.
    batch : int, optional
        Pairs in an update.
    learning_rate : float, optional
        Of Adam.
    weight_decay : float, optional
        Of Adam.
    schedule : {"constant", "cosine"}, optional
        How the learning rate goes.
    loss : {"mse", "l2"}, optional
        Squared error, or its root.
    calibration : {"shells", "none"}, optional
        Whether expected errors of actions are learned on held-out episodes.
    replicas : int, optional
        Networks that are trained from different seeds and averaged.
    seed : int, optional
        The same seed gives the same policy; None is 0.
    device : {"cpu", "cuda", "auto"}, default="cpu"
        Where networks are trained, see `TransductionRegressor`.
    n_jobs : int, optional
        Threads; never changes a result.
    verbose : int, default=0
        From 1 on a bar shows the progress.

    Attributes
    ----------
    columns_ : dict of str to list of str
        Names of observations, actions and goals.
    report_ : dict
        What the training reports.
    info_ : dict
        What the policy file holds.

    Examples
    --------
    >>> import numpy as np
    >>> import kedge
    >>> goals = np.linspace(0, 1, 30)
    >>> episodes = [(np.array([[0.0, g], [g / 2, g]]), np.full((2, 1), g / 2)) for g in goals]
    >>> imitator = kedge.Imitator(goal_columns=[1], steps=50).fit(episodes)
    >>> imitator.judge([[0.5], [1.2]], as_frame=False)["verdict"].tolist()
    ['interpolation', 'reachable']
    """

    _policy: Policy

    def __init__(
        self,
        goal_columns: Sequence[str | int] | None = None,
        *,
        model: str = "bilinear",
        preset: str = "default",
        obs_keys: Sequence[str] | None = None,
        horizon: int | None = None,
        layers: int | None = None,
        width: int | None = None,
        embedding: int | None = None,
        fourier: str | None = None,
        anchors: str | None = None,
        pool: int | None = None,
        steps: int | None = None,
        epochs: float | None = None,
        batch: int | None = None,
        learning_rate: float | None = None,
        weight_decay: float | None = None,
        schedule: str | None = None,
        loss: str | None = None,
        calibration: str | None = None,
        replicas: int | None = None,
        seed: int | None = None,
        device: str = "cpu",
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.goal_columns = goal_columns
        self.model = model
        self.preset = preset
        self.obs_keys = obs_keys
        self.horizon = horizon
        self.layers = layers
        self.width = width
        self.embedding = embedding
        self.fourier = fourier
        self.anchors = anchors
        self.pool = pool
        self.steps = steps
        self.epochs = epochs
        self.batch = batch
        self.learning_rate = learning_rate
        self.weight_decay = weight_decay
        self.schedule = schedule
        self.loss = loss
        self.calibration = calibration
        self.replicas = replicas
        self.seed = seed
        self.device = device
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _owned(self) -> Policy | None:
        return self.__dict__.get("_policy")

    def fit(self, demonstrations: str | os.PathLike[str] | Episodes, y: None = None) -> Imitator:
        """Learn a policy.

        Parameters
        ----------
        demonstrations : path or iterable of (observations, actions)
            An HDF5 file with the layout of robomimic or Minari, where the library was built with HDF5. Or
            episodes: arrays of shape (n_steps, n_observations) and (n_steps, n_actions). Frames name their
            columns; arrays have the columns o0, o1, ... and a0, a1, ...
        y : None
            Ignored.

        Returns
        -------
        self : Imitator
            The fitted estimator.

        Examples
        --------
        >>> import numpy as np
        >>> import kedge
        >>> goals = np.linspace(0, 1, 30)
        >>> episodes = [(np.array([[0.0, g], [g / 2, g]]), np.full((2, 1), g / 2)) for g in goals]
        >>> kedge.Imitator(goal_columns=[1], model="replay").fit(episodes).columns_["goals"]
        ['o1']
        """
        episodes = demonstrations_of(
            demonstrations, self.goal_columns, obs_keys=self.obs_keys, horizon=self.horizon
        )
        parameters = self.get_params(deep=False)
        settings = settings_json({k: v for k, v in parameters.items() if k not in _OF_DATA}, [])

        def work(run: Run) -> tuple[Handle, Handle]:
            policy, report = c_void_p(), c_void_p()
            check(library.kedge_imitate(episodes.address, settings, byref(run), byref(policy), byref(report)))
            return (
                Handle(library.kedge_policy_free, policy.value),
                Handle(library.kedge_text_free, report.value),
            )

        with ProgressDisplay("imitate", self.verbose) as display:
            policy, report = call(work, threads=thread_count(self.n_jobs), listener=display)
        self.report_ = json.loads(text_bytes(report))
        self._take(Policy(policy))
        warn_of_no_convergence(self.report_, stacklevel=3)
        return self

    def _take(self, policy: Policy) -> None:
        self._policy = policy
        info = self.info_
        self.columns_ = {name: list(info[name]) for name in ("observations", "actions", "goals")}

    @classmethod
    def _from_file(cls, path: str | os.PathLike[str]) -> Imitator:
        policy = Policy.load(path)
        info = policy.info()
        imitator = cls(goal_columns=list(info["goals"]), model=info["model"])
        imitator.report_ = {}
        imitator._take(policy)
        return imitator

    def controller(self) -> Controller:
        """A controller that acts by the policy.

        Returns
        -------
        controller : Controller
            For one thread at a time; make one for each.

        Examples
        --------
        >>> import numpy as np
        >>> import kedge
        >>> goals = np.linspace(0, 1, 30)
        >>> episodes = [(np.array([[0.0, g], [g / 2, g]]), np.full((2, 1), g / 2)) for g in goals]
        >>> controller = kedge.Imitator(goal_columns=[1], model="replay").fit(episodes).controller()
        >>> controller.begin([0.5])
        >>> controller.act([0.0, 0.5]).shape
        (1,)
        """
        check_is_fitted(self)
        return Controller(self._policy, self.columns_)

    def judge(self, goals: ArrayLike, *, as_frame: bool = True) -> Any:
        """Say of goals, before they are tried, whether the demonstrations lead there.

        Parameters
        ----------
        goals : array-like of shape (n_samples, n_goals)
            Values of the goal columns.
        as_frame : bool, default=True
            Return a pandas DataFrame; False returns a dict of arrays.

        Returns
        -------
        judgement : DataFrame or dict of str to ndarray
            One row for each goal: ``verdict``; ``expected_error`` of the actions; ``support_distance`` and
            ``delta_distance`` as of `TransductionRegressor.explain`; ``anchors``, the demonstrations that
            answer; ``analog_query`` and ``analog_anchor``, the two whose difference is most alike.

        Examples
        --------
        >>> import numpy as np
        >>> import kedge
        >>> goals = np.linspace(0, 1, 30)
        >>> episodes = [(np.array([[0.0, g], [g / 2, g]]), np.full((2, 1), g / 2)) for g in goals]
        >>> imitator = kedge.Imitator(goal_columns=[1], model="replay").fit(episodes)
        >>> imitator.judge([[0.5]], as_frame=False)["verdict"].tolist()
        ['interpolation']
        """
        check_is_fitted(self)
        asked = matrix_of(goals, len(self.columns_["goals"]), "goals")
        answers = made_json(library.kedge_policy_judge, self._policy.address, asked.ctypes.data, len(asked))
        columns = _judgement(answers)
        if not as_frame:
            return columns
        pandas = pandas_for("a data frame")
        columns["verdict"] = pandas.Categorical(columns["verdict"], categories=list(VERDICTS))
        return pandas.DataFrame(columns, index=index_of(goals, len(asked)))


def _judgement(answers: list[dict[str, Any]]) -> dict[str, Any]:
    """Columns of what the library says of goals."""
    columns: dict[str, Any] = {"verdict": np.array([one["verdict"] for one in answers], dtype=object)}
    for name in ("expected_error", "support_distance", "delta_distance"):
        columns[name] = np.array([one[name] for one in answers], dtype=np.float64)
    columns["anchors"] = np.empty(len(answers), dtype=object)
    columns["anchors"][:] = [one["anchors"] for one in answers]
    for i, name in enumerate(("analog_query", "analog_anchor")):
        columns[name] = np.array([one["analog"][i] for one in answers], dtype=np.int64)
    return columns
