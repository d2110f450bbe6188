"""The C library: finds it, declares its functions once, and turns its statuses into exceptions.

All pointers are declared ``c_void_p``: they take an address, ``None`` or ``byref(...)``, which is the
cheapest that ctypes has.
"""

from __future__ import annotations

import ctypes
import json
import os
from collections.abc import Callable
from ctypes import (
    c_char_p,
    c_double,
    c_int,
    c_int32,
    c_size_t,
    c_uint32,
    c_uint64,
    c_void_p,
)
from pathlib import Path
from typing import Any

from ._exceptions import KedgeError, ModelFileError

ABI_VERSION = 1
FILE_NAME = "libkedge_c.so"
PATH_VARIABLE = "KEDGE_LIBRARY"

OK, INVALID, STOPPED, DIVERGED, DAMAGED, NO_MEMORY, INTERNAL = range(7)
INPUT, OUTPUT, LABEL, EPISODE, TIME, IGNORED, WEIGHT = range(7)
NUMBERS = (
    "y",
    "spread",
    "support_distance",
    "delta_distance",
    "delta_percentile",
    "expected_error",
    "expected_error_beyond",
)
COUNTS = ("anchor", "analog_query", "analog_anchor", "admissible_anchors")
VERDICTS = ("interpolation", "reachable", "edge", "unreachable", "undetermined")


class Progress(ctypes.Structure):
    """``kedge_progress``."""

    _fields_ = [
        ("step", c_uint64),
        ("steps", c_uint64),
        ("loss", c_double),
        ("work", c_double),
        ("total_work", c_double),
        ("phase", c_char_p),
    ]


Watch = ctypes.CFUNCTYPE(c_int, c_void_p, ctypes.POINTER(Progress))


class Run(ctypes.Structure):
    """``kedge_run``."""

    _fields_ = [("threads", c_int32), ("watch", Watch), ("context", c_void_p)]


class PairExample(ctypes.Structure):
    """``kedge_pair_example``."""

    _fields_ = [("query", c_uint32), ("anchor", c_uint32), ("weight", ctypes.c_float)]


_P = c_void_p
_TEXT = c_char_p
# By name: what it returns, what it takes. Functions that return a status are in _CHECKED.
_PLAIN: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "kedge_abi_version": (c_uint32, ()),
    "kedge_version": (c_char_p, ()),
    "kedge_error": (c_char_p, ()),
    "kedge_error_setting": (c_char_p, ()),
    "kedge_text_data": (c_void_p, (_P,)),
    "kedge_text_size": (c_size_t, (_P,)),
    "kedge_text_free": (None, (_P,)),
    "kedge_table_rows": (c_size_t, (_P,)),
    "kedge_table_free": (None, (_P,)),
    "kedge_predictor_inputs": (c_size_t, (_P,)),
    "kedge_predictor_outputs": (c_size_t, (_P,)),
    "kedge_predictor_rows": (c_size_t, (_P,)),
    "kedge_predictor_free": (None, (_P,)),
    "kedge_predictions_rows": (c_size_t, (_P,)),
    "kedge_predictions_numbers": (c_void_p, (_P, c_int)),
    "kedge_predictions_counts": (c_void_p, (_P, c_int)),
    "kedge_predictions_verdicts": (c_void_p, (_P,)),
    "kedge_predictions_outside": (c_char_p, (_P, c_size_t)),
    "kedge_predictions_outputs_outside": (c_char_p, (_P, c_size_t)),
    "kedge_predictions_note": (c_char_p, (_P, c_size_t)),
    "kedge_predictions_free": (None, (_P,)),
    "kedge_demonstrations_size": (c_size_t, (_P,)),
    "kedge_demonstrations_free": (None, (_P,)),
    "kedge_policy_free": (None, (_P,)),
    "kedge_controller_free": (None, (_P,)),
}
_CHECKED: dict[str, tuple[Any, ...]] = {
    "kedge_table_new": (_TEXT, _P),
    "kedge_table_read": (_TEXT, _P),
    "kedge_table_add": (_P, _TEXT, c_int, _P, c_size_t, ctypes.c_ssize_t),
    "kedge_table_assign": (_P, _TEXT, c_int),
    "kedge_fit": (_P, _P, _TEXT, _P, c_size_t, _P, _P, _P),
    "kedge_cross_validate": (_P, _TEXT, _P, _P),
    "kedge_predictor_load": (_TEXT, _P),
    "kedge_predictor_save": (_P, _TEXT),
    "kedge_predictor_from_bytes": (_P, c_size_t, _TEXT, _P),
    "kedge_predictor_to_bytes": (_P, _P),
    "kedge_predictor_info": (_P, _P),
    "kedge_predictor_training": (_P, _P, _P),
    "kedge_predict": (_P, _P, c_size_t, _TEXT, _P, _P),
    "kedge_predict_values": (_P, _P, c_size_t, _P, _P, _P),
    "kedge_diagnose": (_P, _P, _TEXT, _P, _P),
    "kedge_demonstrations_new": (_TEXT, _TEXT, _P),
    "kedge_demonstrations_read": (_TEXT, _TEXT, _P),
    "kedge_demonstrations_add": (_P, _P, _P, c_size_t),
    "kedge_imitate": (_P, _TEXT, _P, _P, _P),
    "kedge_policy_load": (_TEXT, _P),
    "kedge_policy_save": (_P, _TEXT),
    "kedge_policy_from_bytes": (_P, c_size_t, _TEXT, _P),
    "kedge_policy_to_bytes": (_P, _P),
    "kedge_policy_info": (_P, _P),
    "kedge_policy_judge": (_P, _P, c_size_t, _P),
    "kedge_controller_new": (_P, _P),
    "kedge_controller_begin": (_P, _P),
    "kedge_controller_act": (_P, _P, _P),
}


def declared() -> dict[str, int]:
    """Names of all declared functions with how many arguments each takes."""
    plain = {name: len(arguments) for name, (_, arguments) in _PLAIN.items()}
    return plain | {name: len(arguments) for name, arguments in _CHECKED.items()}


def _path() -> Path:
    told = os.environ.get(PATH_VARIABLE)
    if told:
        return Path(told)
    return Path(__file__).with_name(FILE_NAME)


def _open() -> ctypes.CDLL:
    path = _path()
    try:
        opened = ctypes.CDLL(str(path))
    except OSError as fault:
        raise ImportError(
            f"kedge needs its library {FILE_NAME}; {fault}; install the package, or name the file in "
            f"{PATH_VARIABLE}"
        ) from None
    try:
        version = opened.kedge_abi_version
    except AttributeError:
        raise ImportError(
            f"kedge needs its library {FILE_NAME}; {path} is another one; name the right one"
            f" in {PATH_VARIABLE}"
        ) from None
    version.restype = c_uint32
    if version() != ABI_VERSION:
        raise ImportError(
            f"kedge needs version {ABI_VERSION} of its library's interface; {path} has {version()}; install "
            "package and library together"
        )
    for name, (result, arguments) in _PLAIN.items():
        function = getattr(opened, name)
        function.restype, function.argtypes = result, arguments
    for name, arguments in _CHECKED.items():
        function = getattr(opened, name)
        function.restype, function.argtypes = c_int, arguments
    return opened


library = _open()


def version() -> str:
    """Version of the library."""
    text: bytes = library.kedge_version()
    return text.decode()


def failure(status: int) -> Exception:
    """The exception for what the last call of this thread returned."""
    text = library.kedge_error().decode()
    setting = library.kedge_error_setting().decode()
    if status == DAMAGED:
        return ModelFileError(text)
    if status == NO_MEMORY:
        return MemoryError(text)
    if status == INTERNAL:
        return RuntimeError(text)
    return KedgeError(text, setting)


def check(status: int) -> None:
    """Raise what a status other than OK stands for."""
    if status != OK:
        raise failure(status)


class Handle:
    """Owns what a function of the library made, and frees it once."""

    __slots__ = ("__weakref__", "_free", "address")

    def __init__(self, free: Callable[[int], None], address: int | None) -> None:
        self._free = free
        self.address = address

    def __del__(self) -> None:
        # Attributes are missing where __init__ was interrupted.
        address = getattr(self, "address", None)
        if address:
            self.address = None
            self._free(address)


def made(function: Any, *arguments: Any, free: Any) -> Handle:
    """Call a function that writes one new handle through its last parameter."""
    out = c_void_p()
    check(function(*arguments, ctypes.byref(out)))
    return Handle(free, out.value)


def path_bytes(path: str | os.PathLike[str]) -> bytes:
    """A path as the library takes it."""
    data = os.fsencode(path)
    if b"\0" in data:
        raise ValueError(f"a path needs a text without NUL; found {os.fsdecode(path)!r}; take another")
    return data


def text_bytes(text: Handle) -> bytes:
    """The bytes of a ``kedge_text``."""
    size = library.kedge_text_size(text.address)
    return ctypes.string_at(library.kedge_text_data(text.address), size)


def made_bytes(function: Any, *arguments: Any) -> bytes:
    """Call a function that writes one ``kedge_text`` through its last parameter."""
    return text_bytes(made(function, *arguments, free=library.kedge_text_free))


def made_json(function: Any, *arguments: Any) -> Any:
    """Call such a function whose text is JSON."""
    return json.loads(made_bytes(function, *arguments))
