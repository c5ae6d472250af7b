"""What really happened to the jobs of an imported trace."""

from __future__ import annotations

from dataclasses import dataclass

from ..arrays import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Events:
    """When and where each task of one phase really ran; shapes (tasks,).

    `node` is -1 and the times (s after the first submission) NaN where the trace does not tell.
    """

    node: IntArray
    start: FloatArray
    end: FloatArray


@dataclass(frozen=True, eq=False)
class History:
    """The trace's own run: its makespan in s and why it cannot simply be compared with a model."""

    makespan: float
    map: Events
    reduce: Events
    not_comparable: tuple[str, ...] = ()
