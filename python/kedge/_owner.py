"""PredictorOwner: what a fitted estimator says of its predictor, and the files it writes."""

from __future__ import annotations

import os
from typing import Any

from sklearn.utils.validation import check_is_fitted

from ._predictor import Predictor
from ._tables import Floats


class PredictorOwner:
    """Mixin of estimators that own a predictor once they are fitted."""

    _predictor: Predictor

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_predictor")

    @property
    def info_(self) -> dict[str, Any]:
        """What the model file holds, as ``kedge info --json`` says it."""
        check_is_fitted(self)
        return self._predictor.info()

    def training_data(self) -> tuple[Floats, Floats]:
        """The training rows that the model keeps, without columns that never change.

        Returns
        -------
        X : ndarray of shape (n_rows, n_inputs)
            Inputs.
        y : ndarray of shape (n_rows, n_outputs)
            Outputs.

        Examples
        --------
        >>> import kedge
        >>> model = kedge.TransductionRegressor(model="linear").fit([[0.0], [1.0], [2.0]], [0.0, 2.0, 4.0])
        >>> model.training_data()[1].ravel().tolist()
        [0.0, 2.0, 4.0]
        """
        check_is_fitted(self)
        return self._predictor.training()

    def to_bytes(self) -> bytes:
        """The bytes of the model file.

        Returns
        -------
        data : bytes
            What ``save`` would write.

        Examples
        --------
        >>> import kedge
        >>> model = kedge.TransductionRegressor(model="linear").fit([[0.0], [1.0], [2.0]], [0.0, 2.0, 4.0])
        >>> len(model.to_bytes()) > 0
        True
        """
        check_is_fitted(self)
        return self._predictor.to_bytes()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model file, which ``kedge.load`` and the command line read.

        Parameters
        ----------
        path : str or path-like
            The file. It is replaced at once or not at all.

        Examples
        --------
        >>> import kedge, os, tempfile
        >>> model = kedge.TransductionRegressor(model="linear").fit([[0.0], [1.0], [2.0]], [0.0, 2.0, 4.0])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "model.kedge")
        ...     model.save(path)
        ...     kedge.load(path).predict([[3.0]]).round(3).tolist()
        [6.0]
        """
        check_is_fitted(self)
        self._predictor.save(path)
