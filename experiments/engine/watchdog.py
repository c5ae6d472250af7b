"""End a process whose run hangs, even in compiled code that lets no other thread run."""

from __future__ import annotations

import faulthandler
import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass

from ..study.study import Run

FACTOR, GRACE = 1.5, 30.0
"""A run is ended after its time limit times `FACTOR` and `GRACE` more seconds."""

Guard = Callable[[Run], AbstractContextManager[None]]
"""What is put round each run."""


@dataclass(frozen=True)
class Watchdog:
    """Ends the process if a run takes much longer than its time limit.

    A thread of the C library does it, so it also ends loops that never give the interpreter back.
    """

    grace: float = GRACE
    """Seconds beyond `FACTOR` times the limit."""
    file: int | None = None
    """Descriptor that tells where the run hung; by default nothing does."""

    @contextmanager
    def __call__(self, run: Run) -> Iterator[None]:
        limit = run.method.time_limit
        if limit is None:
            yield
            return
        target = os.open(os.devnull, os.O_WRONLY) if self.file is None else self.file
        try:
            faulthandler.dump_traceback_later(FACTOR * limit + self.grace, exit=True, file=target)
            yield
        finally:
            faulthandler.cancel_dump_traceback_later()
            if self.file is None:
                os.close(target)


@contextmanager
def unguarded(_run: Run) -> Iterator[None]:
    """Nothing, for runs in the user's own process."""
    yield
