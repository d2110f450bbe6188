"""Fitted estimators from model and policy files."""

from __future__ import annotations

import json
import os
import warnings
from typing import Any

import numpy as np

from ._base import TableEstimator
from ._exceptions import require_file
from ._imitation import Imitator
from ._predictor import Predictor
from ._regressors import TransductionRegressor
from ._weighted import WeightedTransductionRegressor

_MOST_HEADER = 1 << 26


def load(path: str | os.PathLike[str]) -> TransductionRegressor | WeightedTransductionRegressor | Imitator:
    """Read a fitted estimator from a file that ``save`` or the command line wrote.

    Parameters
    ----------
    path : str or path-like
        A model file of ``kedge fit``, or a policy file of ``kedge imitate``.

    Returns
    -------
    estimator : TransductionRegressor, WeightedTransductionRegressor or Imitator
        Ready to predict. Its parameters are those of the file.
        Columns x0, x1, ... in this order count as a table without names. Frames leave out the columns that
        never changed in training. One output is predicted as a vector. A pickle keeps all of this as it was.

    Raises
    ------
    FileNotFoundError
        Where there is no file.
    ModelFileError
        Where it is damaged, or holds something else.

    Warns
    -----
    UserWarning
        Where the model reads words or dates of CSV files. Only the command line turns these into numbers.
        Here ``predict`` takes the numbers, in the columns ``feature_names_in_``.

    Examples
    --------
    >>> import kedge, os, tempfile
    >>> model = kedge.TransductionRegressor(model="linear").fit([[0.0], [1.0], [2.0]], [0.0, 2.0, 4.0])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "model.kedge")
    ...     model.save(path)
    ...     kedge.load(path)
    TransductionRegressor(calibration='shells', model='linear', pool=10000, seed=0)
    """
    require_file(path)
    if _is_policy(path):
        imitator = Imitator._from_file(path)
        told = imitator.info_
        options = told["options"]["fit"] | {"model": told["model"]}
        _tell(imitator, options, is_trained=told["trained_steps"] is not None)
        return imitator
    predictor = Predictor.load(path)
    info = predictor.info()
    estimator = _unfitted(info)
    _take(estimator, predictor, info)
    if info["intake"]["columns"]:
        warnings.warn(
            "the model reads words or dates of CSV files, which Python does not turn into numbers; give "
            f"predict the numbers of the columns {', '.join(info['inputs'])}, or take 'kedge predict'",
            UserWarning,
            stacklevel=2,
        )
    return estimator


def _is_policy(path: str | os.PathLike[str]) -> bool:
    """Whether the header of a file says that it is a policy. The library finds out about all other faults."""
    with open(path, "rb") as file:
        size = int.from_bytes(file.read(8), "little")
        header = file.read(size) if size < _MOST_HEADER else b""
    try:
        return bool(json.loads(header)["__metadata__"]["format"] == "kedge-policy")
    except (ValueError, KeyError, TypeError, RecursionError):
        return False


def _unfitted(info: dict[str, Any]) -> TransductionRegressor | WeightedTransductionRegressor:
    """An estimator with the parameters of a file."""
    options = info["options"]
    source = (options.get("weights") or {}).get("source", "none")
    made: TransductionRegressor | WeightedTransductionRegressor = (
        TransductionRegressor()
        if source == "none"
        else WeightedTransductionRegressor(weights="joint" if source == "joint" else "labels")
    )
    _tell(made, options, is_trained=info["trained_steps"] is not None)
    return made


def _tell(made: Any, options: dict[str, Any], *, is_trained: bool) -> None:
    """Set the parameters that an estimator has of these options."""
    told = {
        **{name: options[name] for name in ("model", "preset", "seed", "pool", "calibration")},
        **{name: options.get(name) or None for name in ("space", "same_unit", "context", "base", "outward")},
        **(_of_anchors(options) if options["anchors"] != "none" else {}),
        **(_of_training(options) if is_trained else {}),
    }
    known = made.get_params(deep=False)
    made.set_params(**{name: value for name, value in told.items() if name in known})


def _of_anchors(options: dict[str, Any]) -> dict[str, Any]:
    """Parameters of models that read anchors."""
    rows = options.get("anchor_rows")
    return {
        "anchors": options["anchors"],
        "inside_anchors": options.get("inside_anchors"),
        "anchor_rows": "all" if rows == 0 else rows,
    }


def _of_training(options: dict[str, Any]) -> dict[str, Any]:
    """Parameters of models that are trained."""
    network, training = options["architecture"], options["training"]
    counted = "epochs" if training["epochs"] > 0 else "steps"
    return {
        **{name: network[name] for name in ("layers", "width", "embedding", "fourier")},
        **{name: training[name] for name in (counted, "batch", "learning_rate", "schedule", "loss")},
        "weight_decay": training.get("weight_decay"),
        "replicas": options["replicas"],
        "share": options.get("share"),
    }


def _take(estimator: TableEstimator, predictor: Predictor, info: dict[str, Any]) -> None:
    """Make an estimator fitted."""
    inputs: list[str] = info["inputs"]
    constants: list[str] = info["intake"]["constants"]
    names = [f"x{i}" for i in range(len(inputs) + len(constants))]
    # Columns x0, x1, ... in this order had no names, as far as a file tells; in another order they are names.
    if {*inputs, *constants} != {*names} or inputs != [name for name in names if name not in constants]:
        names = inputs
        estimator.feature_names_in_ = np.array(names, dtype=object)
    estimator.n_features_in_ = len(names)
    estimator._take(predictor, {"left_out": constants}, names, info["outputs"], is_1d=predictor.outputs == 1)
