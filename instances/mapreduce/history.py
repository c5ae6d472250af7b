"""What really happened to the jobs of an imported trace."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...core.arrays import FloatArray, IntArray
from ...core.calls import check_fields
from ...core.errors import InputError
from ...core.values import ByValue
from ..array_checks import check_arrays


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

    def check_fit(self, nodes: int, map_tasks: int, reduce_tasks: int) -> None:
        """Raise `InputError` unless there are times of every task, and the nodes exist."""
        check_fields("history", self)
        for phase, events, tasks in (
            ("map", self.map, map_tasks),
            ("reduce", self.reduce, reduce_tasks),
        ):
            check_arrays(events, f"history, {phase}, ", np.int64, node=(tasks,))
            check_arrays(events, f"history, {phase}, ", np.float64, start=(tasks,), end=(tasks,))
            for task in np.flatnonzero((events.node < -1) | (events.node >= nodes))[:1]:
                raise InputError(
                    f"history, {phase} task {task}: node {events.node[task]}, there are {nodes}"
                )
