"""Jobs that arrive and leave: the allocation computed again after every event ([MCH], Figure 4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from itertools import groupby
from math import inf, isfinite
from typing import Any

import numpy as np

from ...core.calls import checked
from ...core.values import ByValue
from ...instances.hierarchy.allocation import Allocation
from ...instances.hierarchy.events import Event
from ...instances.hierarchy.hierarchy import Hierarchy
from ...instances.views import Plottable, Tabular
from . import fair


@dataclass(frozen=True, eq=False)
class Timeline(Plottable, Tabular, ByValue):
    """Allocations over time.

    Parameters
    ----------
    hierarchy
        The hierarchy.
    method
        The allocator.
    times
        Time from which each allocation holds; the first is minus infinity if leaves are present
        before any event.
    allocations
        The allocations.
    """

    hierarchy: Hierarchy
    method: str
    times: tuple[float, ...]
    allocations: tuple[Allocation, ...]

    def __repr__(self) -> str:
        return (
            f"Timeline({self.method}: {len(self.times)} allocations of "
            f"{self.hierarchy.leaves} leaves)"
        )

    @property
    def shares(self) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
        """Dominant shares, shape (allocations, leaves)."""
        return np.stack([allocation.share for allocation in self.allocations])

    def document(self) -> dict[str, Any]:
        """Time and `slotwise/allocation/1` document of every step; null before the first event."""
        steps = zip(self.times, self.allocations, strict=True)
        document: dict[str, Any] = {"method": self.method}
        if self.hierarchy.dropped_limits:
            document["dropped_limits"] = [asdict(limit) for limit in self.hierarchy.dropped_limits]
        document["steps"] = [
            {"time": time if isfinite(time) else None} | allocation.document()
            for time, allocation in steps
        ]
        return document


@checked
def follow(
    hierarchy: Hierarchy, events: Sequence[Event], method: str = "exact", **parameters: Any
) -> Timeline:
    """Compute the allocations over time.

    A leaf is present at first unless its first event is an arrival. If any is present, the first
    allocation is that before all events.

    Parameters
    ----------
    hierarchy
        The hierarchy.
    events
        Events in the order of time; those at one time happen together.
    method
        Name of an allocator.
    **parameters
        Parameters of the allocator.

    Returns
    -------
    Timeline
        The allocations.
    """
    steady = replace(hierarchy, dropped_limits=())
    first: dict[int, bool] = {}
    for event in events:
        first.setdefault(event.leaf, event.arrives)
    there = np.array([not first.get(i, False) for i in range(hierarchy.leaves)], dtype=np.bool_)

    def now() -> Allocation:
        tasks = np.where(there, hierarchy.tasks, 0.0)
        return fair(replace(steady, tasks=tasks), method, **parameters)

    times, allocations = [], []
    if there.any():
        times.append(-inf)
        allocations.append(now())
    for time, together in groupby(events, key=lambda event: event.time):
        for event in together:
            there[event.leaf] = event.arrives
        times.append(time)
        allocations.append(now())
    return Timeline(hierarchy, method, tuple(times), tuple(allocations))
