"""The content of a model file, read without the library.

A model file is a safetensors file with a JSON head; docs/file-format.md describes it. What is read here comes
from a fitted estimator, which checked it.
"""

from __future__ import annotations

import dataclasses
import json
import math
import struct
from typing import Any

import numpy as np
import numpy.typing as npt

_TYPES = {"F64": "<f8", "F32": "<f4", "I32": "<i4"}

Doubles = npt.NDArray[np.float64]


@dataclasses.dataclass(frozen=True)
class Anchors:
    """A rule for anchors: its name, and its number where it has one."""

    name: str
    number: float | None = None

    @classmethod
    def parse(cls, text: str) -> Anchors:
        """Read a rule as users write it, ``"many=20"``."""
        name, _, value = text.partition("=")
        if value in ("greatest", "sample"):
            return cls(text)
        counts = {"many": 20, "near": 5, "all": 200, "weight": 1}
        try:
            number = float(value) if value else counts.get(name)
        except ValueError:
            number = math.nan
        is_bad_count = name in counts and not ((number or 0) >= 1 and (number or 0) % 1 == 0)
        if is_bad_count or (value and name in ("nearest", "neighbour", "none")):
            raise ValueError(f"anchors needs a rule as 'nearest' or 'many=20'; found {text!r}; take one")
        return cls(name, number)

    def __str__(self) -> str:
        return self.name if self.number is None else f"{self.name}={self.number:g}"


@dataclasses.dataclass(frozen=True)
class ModelFile:
    """Head and tensors of a model file.

    Attributes
    ----------
    head : dict
        Columns, options, program and coverage.
    tensors : dict of str to ndarray
        Training rows, pool, scales and parameters.
    """

    head: dict[str, Any]
    tensors: dict[str, npt.NDArray[Any]]

    @classmethod
    def parse(cls, data: bytes) -> ModelFile:
        """Read the bytes of a model file."""
        (size,) = struct.unpack_from("<Q", data)
        header = json.loads(data[8 : 8 + size])
        metadata = header.pop("__metadata__", {})
        if metadata.get("format") != "kedge-model":
            raise ValueError(f"needs a model file of kedge; found the format {metadata.get('format')!r}")
        tensors = {}
        for name, entry in header.items():
            begin, end = entry["data_offsets"]
            flat = np.frombuffer(data[8 + size + begin : 8 + size + end], dtype=_TYPES[entry["dtype"]])
            tensors[name] = flat.reshape(entry["shape"])
        return cls(json.loads(metadata["head"]), tensors)

    @property
    def options(self) -> dict[str, Any]:
        """Options of the fit."""
        options: dict[str, Any] = self.head["options"]
        return options

    def kinds(self) -> dict[str, str]:
        """Kinds of the columns that are no plain numbers, by name; a rotation's names are joined by ``+``."""
        return kinds_of(self.options.get("space", ""))

    def rule(self, key: str) -> Anchors | None:
        """The rule for anchors under this key of the options."""
        text = self.options.get(key)
        return Anchors.parse(text) if text else None

    def outward(self) -> dict[str, str]:
        """Parts of the option ``outward``: from, low, high and anchors."""
        text = self.options.get("outward", "")
        return dict(part.split("=", 1) for part in text.split(",")) if text else {}


def kinds_of(space: str) -> dict[str, str]:
    """Kinds of columns as the library writes them, ``"theta=angle,size=log"``, by name."""
    kinds = {}
    for item in _split(space, ","):
        names, kind = _split(item, "=")
        kinds["+".join(_plain(name) for name in _split(names, "+"))] = kind
    return kinds


def _split(text: str, separator: str) -> list[str]:
    """Split at separators that have no backslash before them."""
    parts, current, escaped = [], "", False
    for letter in text:
        if letter == separator and not escaped:
            parts.append(current)
            current = ""
            continue
        current += letter
        escaped = letter == "\\" and not escaped
    return [*parts, current] if text else []


def _plain(name: str) -> str:
    plain, escaped = "", False
    for letter in name:
        escaped = letter == "\\" and not escaped
        plain += "" if escaped else letter
    return plain
