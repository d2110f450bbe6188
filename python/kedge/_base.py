"""What all estimators of tables share: fitting, predicting, explaining."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, MultiOutputMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from ._callbacks import CallbackSupportMixin, FitTask
from ._evidence import (
    ON_UNREACHABLE,
    answered,
    arrays_of,
    frame_of,
    truth_of,
    validation_of,
    warn_of_no_convergence,
)
from ._exceptions import KedgeError
from ._interruptible import Report
from ._owner import FileOwner
from ._predictor import Predictor
from ._progress import ProgressDisplay
from ._settings import settings_json, thread_count
from ._tables import Floats, known_frame
from ._training import training_of, validation_table

if TYPE_CHECKING:
    from ._diagnosis import Diagnosis

Self = TypeVar("Self", bound="TableEstimator")
# Parameters that are no settings of a fit.
_MANNERS = ("n_jobs", "verbose", "on_unreachable")
# What scikit-learn writes while it checks training data.
_OF_COLUMNS = ("n_features_in_", "feature_names_in_")
_FLOAT64 = np.dtype(np.float64)


class TableEstimator(
    CallbackSupportMixin,  # type: ignore[misc]
    FileOwner,
    MultiOutputMixin,  # type: ignore[misc]
    RegressorMixin,  # type: ignore[misc]
    BaseEstimator,  # type: ignore[misc]
):
    """Base of the estimators that learn from a table."""

    n_jobs: int | None
    verbose: int
    on_unreachable: str

    _predictor: Predictor
    _columns: NDArray[np.intp] | None
    _is_1d: bool

    def _owned(self) -> Predictor | None:
        return self.__dict__.get("_predictor")

    def _fit_settings(self) -> dict[str, Any]:
        """Parameters that are settings of a fit, None where the preset decides."""
        parameters: dict[str, Any] = self.get_params(deep=False)
        return {name: value for name, value in parameters.items() if name not in _MANNERS}

    def _fit(
        self: Self,
        X: Any,
        y: Any,
        *,
        settings: dict[str, Any],
        sample_weight: Any = None,
        label: Any = None,
        time: Any = None,
        examples: Any = None,
        X_val: Any = None,
        y_val: Any = None,
    ) -> Self:
        self._check_manners()
        if (X_val is None) != (y_val is None):
            raise KedgeError("X_val and y_val belong together; found one of them; give both or none")
        task = FitTask(self, X, y)
        display = ProgressDisplay("fit", self.verbose)

        def listen(report: Report) -> None:
            display(report)
            task(report)

        before = {name: self.__dict__[name] for name in _OF_COLUMNS if name in self.__dict__}
        try:
            training = training_of(self, X, y, sample_weight=sample_weight, label=label, time=time)
            validation = None if X_val is None else validation_table(self, training, X_val, y_val)
            with display:
                predictor, report = Predictor.fit(
                    training.table,
                    settings_json(settings, training.inputs),
                    validation=validation,
                    examples=examples,
                    threads=thread_count(self.n_jobs),
                    listener=listen,
                )
        except BaseException:
            # What was fitted before stays as it was, and belongs to its own columns.
            for name in _OF_COLUMNS:
                self.__dict__.pop(name, None)
            self.__dict__.update(before)
            raise
        self._take(predictor, report, training.inputs, training.outputs, is_1d=training.is_1d)
        warn_of_no_convergence(self.report_, stacklevel=5)
        self.__dict__.pop("validation_", None)
        if X_val is not None:
            self._measure(X_val, y_val)
        task.end()
        return self

    def _take(
        self,
        predictor: Predictor,
        report: dict[str, Any],
        inputs: Sequence[str],
        outputs: Sequence[str],
        *,
        is_1d: bool,
    ) -> None:
        """Become fitted; ``inputs`` are the columns of X."""
        self._predictor = predictor
        self._is_1d = is_1d
        self.report_ = report
        self.output_names_ = list(outputs)
        self.n_outputs_ = predictor.outputs
        self.left_out_ = list(report.get("left_out", []))
        kept = [c for c, name in enumerate(inputs) if name not in self.left_out_]
        self._columns = None if len(kept) == len(inputs) else np.array(kept, dtype=np.intp)

    def _measure(self, X_val: Any, y_val: Any) -> None:
        queries = self._queries(X_val)
        truth = truth_of(y_val, len(queries), self.n_outputs_, "y_val")
        found = self._predictor.explain(queries, None, thread_count(self.n_jobs))
        self.validation_ = validation_of(found, truth, self.output_names_)

    def _check_manners(self) -> None:
        if self.on_unreachable not in ON_UNREACHABLE:
            raise KedgeError(
                f"on_unreachable needs one of {', '.join(ON_UNREACHABLE)}; found {self.on_unreachable!r}; "
                "take one of these",
                "on_unreachable",
            )
        thread_count(self.n_jobs)

    def _queries(self, X: Any) -> Floats:
        """Checked queries, in C order, with the columns that the predictor reads."""
        check_is_fitted(self)
        rows: Floats = validate_data(self, known_frame(X), reset=False, dtype=np.float64, order="C")
        return rows if self._columns is None else np.ascontiguousarray(rows[:, self._columns])

    def predict(self, X: ArrayLike, return_std: bool = False) -> Any:
        """Predict outputs.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Queries. Arrays of float64 in C order are read in place; anything else is copied once.
        return_std : bool, default=False
            Whether to return the expected error of each prediction too.

        Returns
        -------
        y : ndarray of shape (n_samples,) or (n_samples, n_outputs)
            Predictions.
        expected_error : ndarray of shape (n_samples,)
            Only with ``return_std``: the mean error on held-out rows like this one, in units of the outputs;
            of several outputs the length of the error's vector. NaN where the fit could not learn it, or with
            ``calibration="none"``.

        Examples
        --------
        >>> import numpy as np
        >>> import kedge
        >>> X = np.linspace(0, 4, 60).reshape(-1, 1)
        >>> model = kedge.TransductionRegressor(model="ridge").fit(X, 2 * X[:, 0])
        >>> y, expected_error = model.predict(np.array([[5.0], [6.0]]), return_std=True)
        >>> y.shape, expected_error.shape
        ((2,), (2,))
        """
        if not return_std and self.on_unreachable == "predict":
            y = self._values(X)
            return y.ravel() if self._is_1d else y
        self._check_manners()
        queries = self._queries(X)
        found = self._predictor.explain(queries, None, thread_count(self.n_jobs))
        y = answered(found, self.on_unreachable)
        y = y.ravel() if self._is_1d else y
        return (y, found["expected_error"]) if return_std else y

    def _values(self, X: Any) -> Floats:
        """Predictions alone.

        scikit-learn's checks of one row take as long as its prediction. Arrays that need no change go
        without. The library refuses what is not finite. Then the checks say it in scikit-learn's words.
        """
        rows = X if self._is_plain(X) else self._queries(X)
        try:
            return self._predictor.values(rows, 1 if len(rows) == 1 else thread_count(self.n_jobs))
        except KedgeError:
            self._queries(X)
            raise

    def _is_plain(self, X: Any) -> bool:
        """Whether X is an array of all columns that the predictor reads, laid out as the library wants it."""
        return (
            type(X) is np.ndarray
            and X.dtype is _FLOAT64
            and X.ndim == 2
            and X.flags.c_contiguous
            and len(X) > 0
            and self.__dict__.get("_columns", self) is None
            and X.shape[1] == self.n_features_in_
            and "feature_names_in_" not in self.__dict__
        )

    def explain(self, X: ArrayLike, *, as_frame: bool = True) -> Any:
        """Predict with all that is known of each prediction.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Queries.
        as_frame : bool, default=True
            Return a pandas DataFrame; False returns a dict of arrays, which needs no pandas.

        Returns
        -------
        explanation : DataFrame or dict of str to ndarray
            One row for each query: the predicted outputs by name; ``verdict`` (interpolation, reachable,
            edge, unreachable or undetermined); ``expected_error``; ``expected_error_beyond``, the same if the
            truth lies beyond all training outputs; ``spread`` over anchors and replicas; ``support_distance``
            to the nearest training row; ``delta_distance`` of the difference to the nearest one of the
            training, and its ``delta_percentile``; ``admissible_anchors``; ``anchor``, the training row that
            answered; ``analog_query`` and ``analog_anchor``, the two training rows whose difference is most
            alike; ``outside``, the columns that lead the query out of the training rows; ``outputs_outside``.
            Training rows count from 0, without those of weight 0. Not known are NaN, and <NA> in a frame or
            -1 in arrays for rows.

        Examples
        --------
        >>> import numpy as np
        >>> import kedge
        >>> X = np.linspace(0, 4, 60).reshape(-1, 1)
        >>> model = kedge.TransductionRegressor(model="ridge").fit(X, 2 * X[:, 0])
        >>> list(model.explain([[2.0], [4.5]])["verdict"])
        ['interpolation', 'reachable']
        """
        queries = self._queries(X)
        found = self._predictor.explain(queries, None, thread_count(self.n_jobs))
        if not as_frame:
            return arrays_of(found, self.output_names_)
        return frame_of(found, self.output_names_, X)

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

    def diagnose(self, X: ArrayLike, y: ArrayLike | None = None) -> Diagnosis:
        """Say where queries lie against the training rows, as ``kedge diagnose`` does.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Queries.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs), optional
            True outputs; with them true errors stand beside the expected ones.

        Returns
        -------
        diagnosis : Diagnosis
            Counts and errors by verdict, ranges by column, a map.

        Examples
        --------
        >>> import numpy as np
        >>> import kedge
        >>> X = np.linspace(0, 4, 60).reshape(-1, 1)
        >>> model = kedge.TransductionRegressor(model="ridge").fit(X, 2 * X[:, 0])
        >>> model.diagnose([[2.0], [4.5]]).counts["reachable"]
        1
        """
        from ._diagnosis import diagnosis_of

        return diagnosis_of(self, X, self._queries(X), y)

    def to_onnx(self, path: str | os.PathLike[str], anchors: str | None = None) -> None:
        """Write the predictor as an ONNX graph (opset 17).

        Parameters
        ----------
        path : str or path-like
            The file to write.
        anchors : str, optional
            A rule for anchors instead of the model's; some rules have no graph.
        """
        from ._onnx import to_onnx

        check_is_fitted(self)
        to_onnx(self, path, anchors)

    def _html_repr(self) -> str:
        """What notebooks show: scikit-learn's diagram, and of a fitted estimator how far it reaches."""
        if not self.__sklearn_is_fitted__():
            return str(super()._html_repr())
        from ._html import estimator_html

        return str(estimator_html(self))
