"""Runs on hierarchies: allocators of fair shares. Keys of the workload are in `study.workload`."""

from __future__ import annotations

import time
from collections.abc import Callable
from math import isfinite
from typing import Any, TypeVar

from ....core.errors import InputError
from ....heuristics.hierarchy import fair
from ....heuristics.hierarchy.timeline import follow
from ....instances.hierarchy.allocation import Allocation
from ....instances.hierarchy.events import read_events
from ....instances.hierarchy.hierarchy import Hierarchy
from ...study.study import MethodCall, Unit
from ...study.workload import TreeWorkload, check_same_files
from ..perform import Outcome

MOST_LEAVES = 64
"""The shares of more leaves are no measures."""

T = TypeVar("T")


class Prepared:
    """A hierarchy, and the events if there are any."""

    def __init__(self, hierarchy: Hierarchy, unit: Unit) -> None:
        self.hierarchy, self.name = hierarchy, hierarchy.name
        self.bounds: dict[str, float] = {}
        check_same_files(unit.instance.workload, unit.instance.files)
        self.asked = TreeWorkload(**unit.instance.workload)
        if self.asked.repeats < 1:
            raise InputError(f"repeats: need at least 1, got {self.asked.repeats}")
        path = self.asked.events
        self.events = None if path is None else read_events(path, hierarchy)

    def run(self, method: MethodCall) -> Outcome:
        """Run one allocator, over time if there are events."""
        if method.kind != "allocator":
            what = f"{method.kind} {method.name!r}"
            raise InputError(f"{what} is not for hierarchies: they need allocators")
        if self.events is None:
            allocation, seconds = self._timed(
                lambda: fair(self.hierarchy, method.name, **method.parameters)
            )
            return Outcome("done", measures=measures_of(allocation), seconds=seconds)
        events = self.events
        timeline, seconds = self._timed(
            lambda: follow(self.hierarchy, events, method.name, **method.parameters)
        )
        measures = measures_of(timeline.allocations[-1])
        if self.hierarchy.leaves <= MOST_LEAVES:
            # A time before all events is none.
            measures["times"] = [time if isfinite(time) else None for time in timeline.times]
            measures["shares_over_time"] = timeline.shares.tolist()
            measures["weights_over_time"] = [each.weight.tolist() for each in timeline.allocations]
        return Outcome("done", measures=measures, seconds=seconds)

    def _timed(self, work: Callable[[], T]) -> tuple[T, float]:
        """What the work gives, and its least seconds."""
        least = float("inf")
        for _ in range(self.asked.repeats):
            began = time.perf_counter()
            given = work()
            least = min(least, time.perf_counter() - began)
        return given, least


def measures_of(allocation: Allocation) -> dict[str, Any]:
    """The measures of an allocation: of few leaves share and flat weight of each."""
    hierarchy = allocation.hierarchy
    measures: dict[str, Any] = {
        "leaves": hierarchy.leaves,
        "tasks": float(allocation.tasks.sum()),
        "guarantees_met": float(allocation.met.mean()),
    }
    for name, part in zip(hierarchy.resources, allocation.used.tolist(), strict=True):
        measures[f"use {name}"] = part
    if hierarchy.leaves <= MOST_LEAVES:
        shares = zip(hierarchy.paths, allocation.share.tolist(), strict=True)
        measures |= {f"share {path}": share for path, share in shares}
        weights = zip(hierarchy.paths, allocation.weight.tolist(), strict=True)
        measures |= {f"weight {path}": weight for path, weight in weights}
    return measures
