"""scikit-learn's callbacks, where its version has them (1.9 and later); before that nothing happens.

The task of a fit has 100 subtasks, one for each percent of the work. A fit cannot end early with a model, so
the wish of a callback to stop is not heard.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from ._interruptible import Report

Method = TypeVar("Method", bound=Callable[..., Any])
__all__ = ["CallbackSupportMixin", "FitTask", "managed"]
_PERCENT = 100

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Stands for what older versions of scikit-learn lack."""

    with_callbacks = None


def managed(method: Method) -> Method:
    """A fit whose callbacks are torn down however it ends."""
    wrapped: Method = method if with_callbacks is None else with_callbacks(method)
    return wrapped


class FitTask:
    """Tells the callbacks of an estimator how far its fit is."""

    def __init__(self, estimator: Any, X: Any, y: Any) -> None:
        self._facts = {"estimator": estimator, "X": X, "y": y}
        self._done = 0
        self._context: Any = None
        if getattr(estimator, "_skl_callbacks", None):
            self._context = estimator._init_callback_context(max_subtasks=_PERCENT)
            self._context.call_on_fit_task_begin(**self._facts)

    def __call__(self, report: Report) -> None:
        self._advance(int(_PERCENT * report.part))

    def end(self) -> None:
        """Report what is left, and the end of the fit."""
        self._advance(_PERCENT)
        if self._context is not None:
            self._context.call_on_fit_task_end(**self._facts, reconstruction_attributes={})

    def _advance(self, percent: int) -> None:
        while self._context is not None and self._done < percent:
            part = self._context.subcontext(task_name="percent")
            part.call_on_fit_task_begin(**self._facts)
            part.call_on_fit_task_end(**self._facts)
            self._done += 1
