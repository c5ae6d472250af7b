"""Jobs that arrive and leave: the allocation computed again after every event (MCH, Figure 4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

import numpy as np

from ...instances.allocation import Allocation
from ...instances.hierarchy import Hierarchy
from ...instances.hierarchy_events import Event
from . import allocate


@dataclass(frozen=True, eq=False)
class Timeline:
    """Allocation number k holds from `times[k]` on."""

    hierarchy: Hierarchy
    method: str
    times: tuple[float, ...]
    allocations: tuple[Allocation, ...]

    @property
    def shares(self) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
        """Dominant shares, shape (allocations, leaves)."""
        return np.stack([allocation.share for allocation in self.allocations])

    def document(self) -> dict[str, Any]:
        """Time and `slotwise/allocation/1` document of every step."""
        steps = zip(self.times, self.allocations, strict=True)
        return {
            "method": self.method,
            "steps": [{"time": time} | allocation.document() for time, allocation in steps],
        }


def follow(
    hierarchy: Hierarchy, events: Sequence[Event], method: str = "exact", **parameters: Any
) -> Timeline:
    """Allocations over time. Events are in the order of time; those at one time happen together.

    A leaf is there at first unless its first event is an arrival. If any is there, an allocation
    is dated one twentieth of the events' span before the first event.
    """
    first: dict[int, bool] = {}
    for event in events:
        first.setdefault(event.leaf, event.arrives)
    there = np.array([not first.get(i, False) for i in range(hierarchy.leaves)], dtype=np.bool_)

    def now() -> Allocation:
        tasks = np.where(there, hierarchy.tasks, 0.0)
        return allocate(replace(hierarchy, tasks=tasks), method, **parameters)

    span = (events[-1].time - events[0].time) or 1.0
    times, allocations = [], []
    if there.any():
        times.append(events[0].time - span / 20)
        allocations.append(now())
    for time, together in groupby(events, key=lambda event: event.time):
        for event in together:
            there[event.leaf] = event.arrives
        times.append(time)
        allocations.append(now())
    return Timeline(hierarchy, method, tuple(times), tuple(allocations))
