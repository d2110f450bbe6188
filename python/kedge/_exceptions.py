"""Exceptions that kedge raises beside Python's and scikit-learn's own."""

from __future__ import annotations

import errno
import os


class KedgeError(ValueError):
    """Data or settings that kedge cannot use.

    The text is one line: what was needed; what was found; what to do.

    Parameters
    ----------
    text : str
        The line.
    setting : str, default=""
        The parameter that mends it, "" where there is none.

    Attributes
    ----------
    setting : str
        The parameter that mends it, "" where there is none.

    Examples
    --------
    >>> import kedge
    >>> try:
    ...     kedge.TransductionRegressor(width=0).fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 2.0])
    ... except kedge.KedgeError as error:
    ...     "width" in str(error)
    True
    """

    def __init__(self, text: str, setting: str = "") -> None:
        super().__init__(text, setting)
        self.setting = setting

    def __str__(self) -> str:
        return str(self.args[0])


class ModelFileError(OSError, ValueError):
    """A file, or its bytes, that cannot be read or written, or that holds something else.

    Examples
    --------
    >>> import kedge, tempfile
    >>> with tempfile.NamedTemporaryFile() as empty:
    ...     try:
    ...         kedge.load(empty.name)
    ...     except kedge.ModelFileError as error:
    ...         isinstance(error, OSError)
    True
    """


def require_file(path: str | os.PathLike[str]) -> None:
    """Raise FileNotFoundError where there is no such file, as Python's own readers do."""
    if not os.path.exists(path):
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), os.fspath(path))
