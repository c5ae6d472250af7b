"""The state of a search as data; the command line decides how to show it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Progress:
    """A step of a search.

    Parameters
    ----------
    seconds
        Wall time so far (s).
    incumbent
        The best makespan (s), None if there is none.
    bound
        The best lower bound (s), None if there is none.
    doing
        What is being done, in words.
    """

    seconds: float
    incumbent: float | None
    bound: float | None
    doing: str = ""


ProgressCallback = Callable[[Progress], None]
