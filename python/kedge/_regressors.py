"""TransductionRegressor: bilinear transduction and the other models of kedge."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numpy.typing import ArrayLike

from ._base import TableEstimator
from ._callbacks import managed
from ._settings import SetsLike, SpaceLike


class TransductionRegressor(TableEstimator):
    """Regression that carries over beyond the data, by bilinear transduction.

    Predicts ``h(x) = <f(x - x'), g(x')>`` from a training row ``x'``, the anchor, whose difference to the
    query was seen in training. Parameters have the names of the flags of ``kedge fit``. None takes the
    preset's value. The same settings and data give the same model as the command line, bit for bit.

    Parameters
    ----------
    model : str, default="bilinear"
        What to fit: bilinear, concat, equivariant, bilinear-direct, deepsets, mlp, linear, ridge, quadratic,
        bilinear-ridge, nearest, extreme, or auto: what does best on held-out outer rows.
    preset : {"default", "paper", "released"}, default="default"
        Where values come from that are None here.
    layers : int, optional
        Linear layers of each network.
    width : int, optional
        Units of each hidden layer.
    embedding : int, optional
        Rank of the bilinear product.
    fourier : {"on", "off", "auto"}, optional
        A layer of learned sinusoids first, for what repeats; auto tries both on held-out outer rows.
    anchors : str, optional
        How a query finds its anchors: nearest, many=20, near=5, neighbour, all, radius, percentile, none, or
        auto: what does best on held-out rows.
    inside_anchors : str, optional
        The same for queries among the training rows.
    pool : int, optional
        Training differences that are kept to choose anchors by.
    anchor_rows : int or "all", optional
        Training rows that may serve as anchors, spread out over a larger table.
    base : {"linear", "ridge", "quadratic"}, optional
        A closed form that is fitted first; the model learns what it leaves.
    share : float, optional
        How much of what is learned over the base is added to it, 0 to 1.
    outward : str, optional
        How answers near the ends of the training outputs are moved on, as "from=0.6,high=0.5".
    space : dict or str, optional
        Columns that are no plain numbers: ``{"theta": "angle", 3: "log"}``. The kinds are vector, log, angle,
        degrees and rotation; a rotation has four columns, ``{("w", "x", "y", "z"): "rotation"}``. Columns go
        by name or by number; outputs, by name, may be log.
    same_unit : list of lists or str, optional
        Columns measured in one unit, which are scaled together: ``[["x", "y"], ["gx", "gy"]]``.
    context : list of str or int, optional
        Input columns that deepsets and bilinear-direct embed apart.
    pairs : {"any", "same-label", "same-time"}, optional
        Which rows are paired in training; None goes by ``label`` or ``time`` where ``fit`` is given one.
    beyond : {"inputs", "outputs", "both"}, optional
        What trials of "auto" weigh: rows beyond the table in their inputs, their outputs, or either.
    steps : int, optional
        Updates.
    epochs : float, optional
        The same in passes over the rows.
    budget : str, optional
        The same by time, as "30s" or "5m"; the result then depends on the machine.
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
        Whether expected errors are learned on held-out outer shells, which about doubles the time of a fit.
    replicas : int, optional
        Networks that are trained from different seeds and averaged.
    seed : int, optional
        The same seed gives the same model; None is 0.
    device : {"cpu", "cuda", "auto"}, default="cpu"
        Where networks are trained. A CUDA device rounds in another way, so its models differ a little. "auto"
        takes it where there is one and it gains. ``report_["trained_on"]`` says what was taken.
    n_jobs : int, optional
        Threads; never changes a result. None and -1 take every core, but None takes no more than
        OMP_NUM_THREADS, which joblib sets in its workers.
    verbose : int, default=0
        From 1 on a bar shows the progress (tqdm, or lines on standard error). The logger "kedge" has it too.
    on_unreachable : {"predict", "nan", "warn", "raise"}, default="predict"
        What ``predict`` does about queries whose verdict is unreachable or undetermined.

    Attributes
    ----------
    n_features_in_ : int
        Columns of X.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where X had names.
    n_outputs_ : int
        Outputs.
    output_names_ : list of str
        Their names: those of y, or y, or y0, y1, ...
    left_out_ : list of str
        Columns that never change in training; the model does not read them.
    report_ : dict
        What the fit reports: steps, final loss, training error, what was chosen.
    validation_ : dict
        Errors on ``X_val``, where it was given.
    info_ : dict
        What the model file holds.

    See Also
    --------
    WeightedTransductionRegressor : Learns which rows may answer for which.
    cross_validate_beyond : Compares models beyond the data.

    Examples
    --------
    >>> import numpy as np
    >>> import kedge
    >>> X = np.linspace(0, 4, 80).reshape(-1, 1)
    >>> y = X[:, 0] ** 2
    >>> model = kedge.TransductionRegressor(model="bilinear-ridge").fit(X, y)
    >>> model.predict([[5.0]]).round(1).tolist()
    [25.0]
    """

    def __init__(
        self,
        model: str = "bilinear",
        *,
        preset: str = "default",
        layers: int | None = None,
        width: int | None = None,
        embedding: int | None = None,
        fourier: str | None = None,
        anchors: str | None = None,
        inside_anchors: str | None = None,
        pool: int | None = None,
        anchor_rows: int | str | None = None,
        base: str | None = None,
        share: float | None = None,
        outward: str | None = None,
        space: SpaceLike = None,
        same_unit: SetsLike = None,
        context: Sequence[str | int] | None = None,
        pairs: str | None = None,
        beyond: str | None = None,
        steps: int | None = None,
        epochs: float | None = None,
        budget: str | None = None,
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
        self.model = model
        self.preset = preset
        self.layers = layers
        self.width = width
        self.embedding = embedding
        self.fourier = fourier
        self.anchors = anchors
        self.inside_anchors = inside_anchors
        self.pool = pool
        self.anchor_rows = anchor_rows
        self.base = base
        self.share = share
        self.outward = outward
        self.space = space
        self.same_unit = same_unit
        self.context = context
        self.pairs = pairs
        self.beyond = beyond
        self.steps = steps
        self.epochs = epochs
        self.budget = budget
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
        sample_weight: ArrayLike | None = None,
        label: Any = None,
        time: ArrayLike | None = None,
        X_val: ArrayLike | None = None,
        y_val: ArrayLike | None = None,
    ) -> TransductionRegressor:
        """Fit the model.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Inputs: an array, or a frame of pandas, polars or Arrow.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Outputs.
        sample_weight : array-like of shape (n_samples,), optional
            How much each row counts in training, 0 or more. The query and the anchor of a training pair are
            each drawn in proportion to it. A row of weight 0 is left out, also as an anchor.
        label : array-like of shape (n_samples,), optional
            Any hashable values; in training only rows of the same label are paired. Queries need none.
        time : array-like of shape (n_samples,), optional
            Time steps; in training only rows of the same step are paired.
        X_val : array-like of shape (n_val, n_features), optional
            Rows that are not trained on. At each twentieth of a training the parameters are measured on them,
            and those of least error are kept. Closed forms do not look at them. ``validation_`` has their
            errors, which are better than those of fresh rows would be.
        y_val : array-like of shape (n_val,) or (n_val, n_outputs), optional
            Their true outputs.

        Returns
        -------
        self : TransductionRegressor
            The fitted estimator.

        Notes
        -----
        Ctrl-C stops the fit and raises KeyboardInterrupt. The GIL is free while the library works. Callbacks
        of scikit-learn are told of every percent of the work; their wish to stop early is not heard, because
        a fit that is stopped has no model.

        Examples
        --------
        >>> import kedge
        >>> model = kedge.TransductionRegressor("ridge").fit([[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0])
        >>> model.n_features_in_
        1
        """
        return self._fit(
            X,
            y,
            settings=self._fit_settings(),
            sample_weight=sample_weight,
            label=label,
            time=time,
            X_val=X_val,
            y_val=y_val,
        )
