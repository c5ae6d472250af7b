"""Where a search stands, as data; how it is shown is the command line's matter."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Progress:
    """After `seconds`: the best makespan and the best lower bound so far, in s; what is done."""

    seconds: float
    incumbent: float | None
    bound: float | None
    doing: str = ""


ProgressCallback = Callable[[Progress], None]
