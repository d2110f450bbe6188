"""Predictor: a fitted model of the library, as arrays in and arrays out."""

from __future__ import annotations

import ctypes
import json
from collections.abc import Sequence
from ctypes import byref, c_void_p
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._interruptible import Listener, call
from ._library import (
    COUNTS,
    NUMBERS,
    VERDICTS,
    Handle,
    Run,
    check,
    library,
    made,
    made_json,
    text_bytes,
)
from ._stored import Stored
from ._tables import Floats

# Fewer rows than this take less time than a thread that Ctrl-C could stop is worth.
_LONG = 512
_ONE_THREAD = Run(threads=1)
_ONE_THREAD_ADDRESS = ctypes.addressof(_ONE_THREAD)


class Predictor(Stored):
    """A predictor of the library."""

    __slots__ = ("inputs", "outputs")
    _kind = "kedge_predictor"

    def __init__(self, handle: Handle) -> None:
        super().__init__(handle)
        self.inputs: int = library.kedge_predictor_inputs(handle.address)
        self.outputs: int = library.kedge_predictor_outputs(handle.address)

    @classmethod
    def fit(
        cls,
        table: Handle,
        settings: bytes,
        *,
        validation: Handle | None = None,
        examples: Any = None,
        threads: int = 0,
        listener: Listener | None = None,
    ) -> tuple[Predictor, dict[str, Any]]:
        """A fitted predictor, and what the library reports of the fit."""

        def work(run: Run) -> tuple[Handle, Handle]:
            predictor, report = c_void_p(), c_void_p()
            count = 0 if examples is None else len(examples)
            status = library.kedge_fit(
                table.address,
                None if validation is None else validation.address,
                settings,
                examples,
                count,
                byref(run),
                byref(predictor),
                byref(report),
            )
            check(status)
            return (
                Handle(library.kedge_predictor_free, predictor.value),
                Handle(library.kedge_text_free, report.value),
            )

        predictor, report = call(work, threads=threads, listener=listener)
        return cls(predictor), json.loads(text_bytes(report))

    def training(self) -> tuple[Floats, Floats]:
        """Inputs and outputs of the training rows."""
        rows = library.kedge_predictor_rows(self._address)
        inputs, outputs = np.empty((rows, self.inputs)), np.empty((rows, self.outputs))
        check(library.kedge_predictor_training(self._address, inputs.ctypes.data, outputs.ctypes.data))
        return inputs, outputs

    def values(self, rows: Floats, n_threads: int = 0) -> Floats:
        """Predictions alone, [rows, outputs], of a C-ordered matrix of finite numbers."""
        count = self._checked(rows)
        y = np.empty((count, self.outputs))
        if count >= _LONG:
            call(lambda run: self._values(rows, y, byref(run)), threads=n_threads)
        elif count == 1:
            self._values(rows, y, _ONE_THREAD_ADDRESS)
        else:
            self._values(rows, y, byref(Run(threads=n_threads)))
        return y

    def _checked(self, rows: Floats) -> int:
        """How many rows there are; the library reads them without a look at their layout."""
        if rows.shape[1] != self.inputs or not rows.flags.c_contiguous or rows.dtype != np.float64:
            raise AssertionError(f"needs C-ordered doubles of {self.inputs} columns; found {rows.shape}")
        return len(rows)

    def _values(self, rows: Floats, y: Floats, run: Any) -> None:
        check(
            library.kedge_predict_values(self._address, rows.ctypes.data, len(rows), run, y.ctypes.data, None)
        )

    def explain(
        self, rows: Floats, settings: bytes | None = None, n_threads: int = 0
    ) -> dict[str, NDArray[Any]]:
        """All that is known of each prediction, by name; verdicts are numbers of VERDICTS."""
        count = self._checked(rows)

        def work(run: Run) -> Handle:
            return made(
                library.kedge_predict,
                self._address,
                rows.ctypes.data,
                len(rows),
                settings,
                byref(run),
                free=library.kedge_predictions_free,
            )

        found = call(work, threads=n_threads)

        def array(address: int | None, kind: Any, shape: Sequence[int]) -> NDArray[Any]:
            size = int(np.prod(shape))
            if size == 0:
                return np.empty(shape, dtype=kind)
            view = np.ctypeslib.as_array((kind * size).from_address(address or 0))
            copied: NDArray[Any] = view.reshape(shape).copy()
            return copied

        result: dict[str, NDArray[Any]] = {}
        for i, name in enumerate(NUMBERS):
            shape = (count, self.outputs) if name == "y" else (count,)
            result[name] = array(library.kedge_predictions_numbers(found.address, i), ctypes.c_double, shape)
        for i, name in enumerate(COUNTS):
            result[name] = array(library.kedge_predictions_counts(found.address, i), ctypes.c_int64, (count,))
        result["verdict"] = array(library.kedge_predictions_verdicts(found.address), ctypes.c_uint8, (count,))
        for name, text in (
            ("outside", library.kedge_predictions_outside),
            ("outputs_outside", library.kedge_predictions_outputs_outside),
        ):
            result[name] = np.array([text(found.address, r).decode() for r in range(count)], dtype=object)
        return result

    def diagnose(self, queries: Handle, settings: bytes | None = None, n_threads: int = 0) -> dict[str, Any]:
        """What ``kedge diagnose --json`` says, and a map."""

        def work(run: Run) -> Any:
            return made_json(library.kedge_diagnose, self._address, queries.address, settings, byref(run))

        return dict(call(work, threads=n_threads))


def verdict_words(numbers: NDArray[np.uint8]) -> NDArray[np.object_]:
    """The words of verdicts."""
    return np.array(VERDICTS, dtype=object)[numbers]
