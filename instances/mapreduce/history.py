"""What really happened to the jobs of an imported trace."""

from __future__ import annotations

from dataclasses import dataclass

from ...core.arrays import FloatArray, IntArray
from ...core.equality import ByValue


@dataclass(frozen=True, eq=False)
class Events(ByValue):
    """When and where each task of one phase really ran; all of shape (tasks,).

    Parameters
    ----------
    node
        Node of each task, -1 where the trace does not tell.
    start, end
        Times after the first submission (s), NaN where the trace does not tell.
    """

    node: IntArray
    start: FloatArray
    end: FloatArray


@dataclass(frozen=True, eq=False)
class History(ByValue):
    """The real run of a trace.

    Parameters
    ----------
    makespan
        Its makespan (s).
    map, reduce
        When and where the tasks ran.
    not_comparable
        Reasons why it cannot simply be compared with a model.
    """

    makespan: float
    map: Events
    reduce: Events
    not_comparable: tuple[str, ...] = ()
