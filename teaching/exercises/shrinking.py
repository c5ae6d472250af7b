"""Making a failing problem smaller as long as it fails in the same way."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from .exercise import TIME_OUT, Document, Exercise, Failure

MOST_TIME_OUTS = 20
"""Trials without an answer in time that one search may spend."""


@dataclass(frozen=True)
class Shrunk:
    """The smallest problem found."""

    document: Document
    """The problem."""
    failure: Failure
    """How the answer to it is wrong."""
    size: tuple[float, ...]
    trials: int
    """How many problems were tried."""
    minimal: bool
    """Whether every smaller problem that one move gives was tried and does not fail this way."""


def shrink(
    document: Document,
    failure: Failure,
    exercise: Exercise,
    domain: str,
    fails: Callable[[Document], Failure | None],
    until: float,
) -> Shrunk:
    """Take the first move that gives a smaller problem of the same failure, and start over.

    Returns the last problem that failed. The size falls with every move, so the search ends.
    """
    size, trials, time_outs = exercise.size(document), 0, 0
    tried: set[str] = set()
    going = True
    while going:
        going = False
        for smaller in exercise.moves(document):
            key = repr(smaller)
            if key in tried or not exercise.inside(smaller, domain):
                continue
            if exercise.size(smaller) >= size:
                continue
            if time.monotonic() > until or time_outs >= MOST_TIME_OUTS:
                return Shrunk(document, failure, size, trials, minimal=False)
            tried.add(key)
            trials += 1
            its_failure = fails(smaller)
            time_outs += its_failure is not None and its_failure.kind == TIME_OUT
            if its_failure is not None and its_failure.kind == failure.kind:
                document, failure, size, going = smaller, its_failure, exercise.size(smaller), True
                break
    return Shrunk(document, failure, size, trials, minimal=True)
