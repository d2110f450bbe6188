"""What a user sees of long work: a bar where ``verbose`` asks for one, and lines of the logger ``kedge``."""

from __future__ import annotations

import logging
import math
import sys
from types import TracebackType
from typing import Any

from ._interruptible import Report

logger = logging.getLogger("kedge")
logger.addHandler(logging.NullHandler())


class ProgressDisplay:
    """Shows reports while a ``with`` block lasts.

    Parameters
    ----------
    what : str
        The work, "fit".
    verbose : int
        0 shows nothing. From 1 on there is a bar of tqdm, or lines on standard error where tqdm is missing.
    """

    def __init__(self, what: str, verbose: int) -> None:
        self.what = what
        self.verbose = verbose
        self._bar: Any = None
        self._tenth = -1
        self._phase = ""

    def __enter__(self) -> ProgressDisplay:
        logger.info("%s: begins", self.what)
        if self.verbose > 0:
            try:
                from tqdm.auto import tqdm
            except ImportError:
                return self
            self._bar = tqdm(
                total=100,
                desc=self.what,
                unit="%",
                bar_format="{desc}: {percentage:3.0f}%|{bar}| [{elapsed}<{remaining}{postfix}]",
            )
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            if kind is None:
                self._bar.update(100 - self._bar.n)
            self._bar.close()
        elif self.verbose > 0:
            print(f"kedge {self.what}: {'done' if kind is None else 'stopped'}", file=sys.stderr)
        logger.info("%s: %s", self.what, "ends" if kind is None else f"ends by {kind.__name__}")

    def __call__(self, report: Report) -> None:
        if report.phase != self._phase:
            self._phase = report.phase
            logger.info("%s: %s", self.what, report.phase)
        logger.debug(
            "%s: %.1f %%, step %d of %d, loss %.6g",
            self.what,
            100 * report.part,
            report.step,
            report.steps,
            report.loss,
        )
        if self._bar is not None:
            self._bar.set_postfix_str(_words(report), refresh=False)
            self._bar.update(max(0, round(100 * report.part, 1) - self._bar.n))
        elif self.verbose > 0 and int(10 * report.part) > self._tenth:
            self._tenth = int(10 * report.part)
            print(f"kedge {self.what}: {100 * report.part:.0f} %, {_words(report)}", file=sys.stderr)


def _words(report: Report) -> str:
    """The phase, and the loss where there is one."""
    return report.phase if math.isnan(report.loss) else f"{report.phase}, loss {report.loss:.4g}"
