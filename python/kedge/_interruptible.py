"""Long calls of the library that Ctrl-C stops.

The call runs in a thread of its own, without the GIL. The caller waits for its reports and hears them in its
own thread, so an exception there, KeyboardInterrupt among them, stops the call. No call outlives its caller.
"""

from __future__ import annotations

import contextlib
import queue
import threading
import time
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from ._library import Run, Watch

Result = TypeVar("Result")
# Reports of the same phase are passed on this far apart: each wakes the calling thread.
_SECONDS = 0.05


class Report(NamedTuple):
    """How far a call is."""

    step: int
    steps: int
    loss: float
    work: float
    total_work: float
    phase: str

    @property
    def part(self) -> float:
        """The part that is done, 0 to 1."""
        if self.total_work > 0:
            return min(self.work / self.total_work, 1.0)
        return self.step / self.steps if self.steps else 0.0


Listener = Callable[[Report], None]


def call(work: Callable[[Run], Result], *, threads: int, listener: Listener | None = None) -> Result:
    """Run ``work(run)``; pass its reports on to ``listener``; return what it returns.

    Raises what the work or the listener raises. An exception in the calling thread stops the work first.
    """
    reports: queue.SimpleQueue[Report | None] = queue.SimpleQueue()
    stopped = threading.Event()
    results: list[Result] = []
    faults: list[BaseException] = []

    told_at, told_phase = -_SECONDS, b""

    def watch(_context: Any, progress: Any) -> int:
        nonlocal told_at, told_phase
        now, clock = progress.contents, time.monotonic()
        phase = now.phase or b""
        if clock - told_at >= _SECONDS or phase != told_phase:
            told_at, told_phase = clock, phase
            reports.put(Report(now.step, now.steps, now.loss, now.work, now.total_work, phase.decode()))
        return 0 if stopped.is_set() else 1

    def body() -> None:
        try:
            results.append(work(Run(threads=threads, watch=Watch(watch))))
        except BaseException as fault:
            faults.append(fault)
        finally:
            reports.put(None)

    worker = threading.Thread(target=body, name="kedge")
    try:
        worker.start()
        while (report := reports.get()) is not None:
            if listener is not None:
                listener(report)
    except BaseException:
        stopped.set()
        _wait_for_end(worker)
        raise
    worker.join()
    if faults:
        raise faults.pop()
    return results[0]


def _wait_for_end(worker: threading.Thread) -> None:
    """Join, also when the user presses Ctrl-C again: the work still reads the caller's memory."""
    while worker.is_alive():
        with contextlib.suppress(KeyboardInterrupt):
            worker.join()
