"""WeightedTransductionRegressor: bilinear transduction with learned weights of pairs."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ._base import TableEstimator
from ._callbacks import managed
from ._exceptions import KedgeError
from ._library import PairExample
from ._settings import SetsLike, SpaceLike


class WeightedTransductionRegressor(TableEstimator):
    """Bilinear transduction that learns which training rows may answer for which.

    Weights of pairs are learned from examples, or from the model's own errors. A query is answered by the
    anchor of the greatest weight.

    Parameters
    ----------
    weights : {"labels", "joint"}, optional
        labels learns from the example pairs that ``fit`` is given; joint from the model's own errors, and
        from examples where there are any (experimental). None is labels with examples and joint without.
    model : str, default="bilinear"
        What to fit; it must read anchors.
    preset : {"default", "paper", "released"}, default="default"
        Where values come from that are None here.
    layers : int, optional
        Linear layers of each network.
    width : int, optional
        Units of each hidden layer.
    embedding : int, optional
        Rank of the bilinear product.
    fourier : {"on", "off", "auto"}, optional
        A layer of learned sinusoids first.
    pool : int, optional
        Training differences that are kept for verdicts.
    anchor_rows : int or "all", optional
        Training rows that may serve as anchors.
    space : dict or str, optional
        Columns that are no plain numbers, see `TransductionRegressor`.
    same_unit : list of lists or str, optional
        Columns measured in one unit, see `TransductionRegressor`.
    steps : int, optional
        Updates.
    epochs : float, optional
        The same in passes over the rows.
    batch : int, optional
        Pairs in an update.
    learning_rate : float, optional
        Of Adam.
    weight_decay : float, optional
        Of Adam.
    schedule : {"constant", "cosine"}, optional
        How the learning rate goes.
    loss : {"mse", "l2"}, optional
        Squared error, or its root; None is l2.
    calibration : {"shells", "none"}, optional
        Whether expected errors are learned.
    replicas : int, optional
        Networks that are trained from different seeds and averaged.
    seed : int, optional
        The same seed gives the same model; None is 0.
    device : {"cpu", "cuda", "auto"}, default="cpu"
        Where the model is trained, see `TransductionRegressor`; weights of pairs are learned on the CPU.
    n_jobs : int, optional
        Threads, see `TransductionRegressor`.
    verbose : int, default=0
        From 1 on a bar shows the progress.
    on_unreachable : {"predict", "nan", "warn", "raise"}, default="predict"
        What ``predict`` does about queries whose verdict is unreachable or undetermined.

    Attributes
    ----------
    n_features_in_ : int
        Columns of X.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where X had names.
    report_ : dict
        What the fit reports.
    info_ : dict
        What the model file holds.

    Examples
    --------
    >>> import numpy as np
    >>> import kedge
    >>> X = np.linspace(0, 4, 60).reshape(-1, 1)
    >>> model = kedge.WeightedTransductionRegressor(steps=100, calibration="none", fourier="off", replicas=1)
    >>> model.fit(X, 2 * X[:, 0]).predict([[2.0]]).shape
    (1,)
    """

    def __init__(
        self,
        weights: str | None = None,
        *,
        model: str = "bilinear",
        preset: str = "default",
        layers: int | None = None,
        width: int | None = None,
        embedding: int | None = None,
        fourier: str | None = None,
        pool: int | None = None,
        anchor_rows: int | str | None = None,
        space: SpaceLike = None,
        same_unit: SetsLike = None,
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
        on_unreachable: str = "predict",
    ) -> None:
        self.weights = weights
        self.model = model
        self.preset = preset
        self.layers = layers
        self.width = width
        self.embedding = embedding
        self.fourier = fourier
        self.pool = pool
        self.anchor_rows = anchor_rows
        self.space = space
        self.same_unit = same_unit
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
        self.on_unreachable = on_unreachable

    @managed
    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        pairs: ArrayLike | None = None,
        pair_weights: ArrayLike | None = None,
    ) -> WeightedTransductionRegressor:
        """Fit model and weights.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Inputs.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Outputs.
        pairs : array-like of shape (n_pairs, 2), optional
            Example pairs (query, anchor): rows of X. Do not cut X into folds with them: they count its rows.
        pair_weights : array-like of shape (n_pairs,), optional
            1 where the anchor may answer for the query, 0 where it may not.

        Returns
        -------
        self : WeightedTransductionRegressor
            The fitted estimator.

        Examples
        --------
        >>> import numpy as np
        >>> import kedge
        >>> X = np.linspace(0, 4, 60).reshape(-1, 1)
        >>> pairs = [(i, j) for i in range(60) for j in (i - 1, i - 30) if j >= 0]
        >>> may_answer = [int(i - j == 1) for i, j in pairs]
        >>> model = kedge.WeightedTransductionRegressor(steps=100, calibration="none")
        >>> model.fit(X, 2 * X[:, 0], pairs=pairs, pair_weights=may_answer).predict([[2.0]]).shape
        (1,)
        """
        examples = _examples(pairs, pair_weights, len(np.asarray(X)) if pairs is not None else 0)
        settings = self._fit_settings()
        if settings["weights"] is None:
            settings["weights"] = "joint" if examples is None else "labels"
        return self._fit(X, y, settings=settings, examples=examples)


def _examples(pairs: Any, pair_weights: Any, rows: int) -> Any:
    """Example pairs as the library takes them; None without any."""
    if (pairs is None) != (pair_weights is None):
        raise KedgeError(
            "pairs and pair_weights belong together; found one of them; give both or none", "pairs"
        )
    if pairs is None:
        return None
    numbers, weights = np.asarray(pairs), np.asarray(pair_weights, dtype=np.float64)
    if numbers.ndim != 2 or numbers.shape[1] != 2 or not np.issubdtype(numbers.dtype, np.integer):
        raise KedgeError(
            f"pairs need two rows of X each, as whole numbers; found shape {numbers.shape} of "
            f"{numbers.dtype}; write [(query, anchor), ...]",
            "pairs",
        )
    if weights.shape != (len(numbers),):
        raise KedgeError(
            f"pair_weights need one number for each of {len(numbers)} pairs; found shape {weights.shape}; "
            "give all of them",
            "pairs",
        )
    if len(numbers) and not (numbers.min() >= 0 and numbers.max() < rows):
        raise KedgeError(
            f"pairs need rows 0 to {rows - 1}; found {numbers.min()} to {numbers.max()}; count rows of X",
            "pairs",
        )
    made = (PairExample * len(numbers))()
    for to, (query, anchor), weight in zip(made, numbers.tolist(), weights.tolist(), strict=True):
        to.query, to.anchor, to.weight = query, anchor, weight
    return made
