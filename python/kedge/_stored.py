"""Stored: what the library keeps in a file of its own, a predictor or a policy. Pickles as that file."""

from __future__ import annotations

import os
from typing import Any, ClassVar, TypeVar

from ._library import Handle, check, library, made, made_bytes, made_json, path_bytes

Self = TypeVar("Self", bound="Stored")


class Stored:
    """Owns a handle of the library. Const: safe from many threads."""

    __slots__ = ("__weakref__", "_address", "_handle")
    _kind: ClassVar[str]  # what the names of the library's functions begin with

    def __init__(self, handle: Handle) -> None:
        self._handle = handle
        self._address = handle.address

    @property
    def address(self) -> Any:
        """Of the handle, for functions of the library."""
        return self._address

    @classmethod
    def _function(cls, name: str) -> Any:
        return getattr(library, f"{cls._kind}_{name}")

    @classmethod
    def load(cls: type[Self], path: str | os.PathLike[str]) -> Self:
        """Of a file."""
        return cls(made(cls._function("load"), path_bytes(path), free=cls._function("free")))

    @classmethod
    def from_bytes(cls: type[Self], data: bytes, source: str) -> Self:
        """Of the bytes of a file; errors call them ``source``."""
        handle = made(
            cls._function("from_bytes"), data, len(data), source.encode(), free=cls._function("free")
        )
        return cls(handle)

    def to_bytes(self) -> bytes:
        """The bytes of the file."""
        return made_bytes(self._function("to_bytes"), self._address)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the file; it is replaced at once or not at all."""
        check(self._function("save")(self._address, path_bytes(path)))

    def info(self) -> dict[str, Any]:
        """What ``kedge info --json`` says."""
        return dict(made_json(self._function("info"), self._address))

    def __deepcopy__(self: Self, _memo: Any) -> Self:
        return self  # nothing changes it

    def __reduce__(self) -> tuple[Any, tuple[type[Stored], bytes, str]]:
        return _restored, (type(self), self.to_bytes(), "pickle")


def _restored(kind: type[Stored], data: bytes, source: str) -> Stored:
    """What a pickle calls; of a method some picklers would copy the class, which points to the library."""
    return kind.from_bytes(data, source)
