"""FileOwner: what a fitted estimator says of its predictor or policy, and the files it writes."""

from __future__ import annotations

import os
from typing import Any

from sklearn.utils.validation import check_is_fitted

from ._stored import Stored


class FileOwner:
    """Mixin of estimators that own what has a file once they are fitted."""

    def _owned(self) -> Stored | None:
        """The predictor or policy; None before the fit."""
        raise NotImplementedError

    def _fitted(self) -> Stored:
        check_is_fitted(self)
        owned = self._owned()
        assert owned is not None
        return owned

    def __sklearn_is_fitted__(self) -> bool:
        return self._owned() is not None

    @property
    def info_(self) -> dict[str, Any]:
        """What the file holds, as ``kedge info --json`` says it."""
        return self._fitted().info()

    def to_bytes(self) -> bytes:
        """The bytes of the model or policy file.

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
        return self._fitted().to_bytes()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model or policy file, which ``kedge.load`` and the command line read.

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
        self._fitted().save(path)
