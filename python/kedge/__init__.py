"""kedge: prediction beyond the data by bilinear transduction, as scikit-learn estimators.

Everything is loaded when it is first used, so ``import kedge`` is fast.

Examples
--------
>>> import numpy as np
>>> import kedge
>>> X = np.linspace(0, 4, 60).reshape(-1, 1)
>>> y = 3 * X[:, 0] + 1
>>> model = kedge.TransductionRegressor(model="linear").fit(X, y)
>>> float(model.predict([[10.0]])[0].round(3))
31.0
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._cross_validation import cross_validate_beyond
    from ._diagnosis import Diagnosis
    from ._exceptions import KedgeError, ModelFileError
    from ._files import load
    from ._imitation import Imitator
    from ._policy import Controller
    from ._regressors import TransductionRegressor
    from ._weighted import WeightedTransductionRegressor

    __version__: str

_HOMES = {
    "Controller": "_policy",
    "Diagnosis": "_diagnosis",
    "Imitator": "_imitation",
    "KedgeError": "_exceptions",
    "ModelFileError": "_exceptions",
    "TransductionRegressor": "_regressors",
    "WeightedTransductionRegressor": "_weighted",
    "cross_validate_beyond": "_cross_validation",
    "load": "_files",
}

__all__ = [
    "Controller",
    "Diagnosis",
    "Imitator",
    "KedgeError",
    "ModelFileError",
    "TransductionRegressor",
    "WeightedTransductionRegressor",
    "cross_validate_beyond",
    "load",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        found = getattr(import_module(f".{_HOMES[name]}", __name__), name)
    elif name == "plot":
        found = import_module(".plot", __name__)
    elif name == "__version__":
        found = import_module("._library", __name__).version()
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__", "plot"])
