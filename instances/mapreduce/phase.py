"""The phases of an instance: what map and reduce tasks have in common."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ...core.arrays import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Phase:
    """All map tasks of an instance and the map slots, or all reduce tasks and the reduce slots."""

    name: str
    """`map` or `reduce`."""
    job_names: tuple[str, ...]
    offsets: IntArray
    """Job i has the tasks `offsets[i]:offsets[i + 1]`, shape (jobs + 1,)."""
    job: IntArray
    """Job of each task, shape (tasks,)."""
    processing: FloatArray
    """Processing time (s) of each task on a slot of speed factor 1, shape (tasks,)."""
    slots: IntArray
    """Slots of each node, shape (nodes,)."""
    slot_node: IntArray
    """Node of each slot, shape (slots,)."""
    speed: FloatArray | None
    """Speed factor of each job on each slot, None if all are 1."""
    outages: BoolArray | None
    """Whether each slot is lost, None if none is."""

    @property
    def tasks(self) -> int:
        return len(self.processing)

    @cached_property
    def number(self) -> IntArray:
        """Number of each task within its job, shape (tasks,)."""
        return np.arange(self.tasks) - self.offsets[self.job]

    @cached_property
    def slot_number(self) -> IntArray:
        """Number of each slot within its node, shape (slots,)."""
        first = np.cumsum(self.slots) - self.slots
        return np.arange(len(self.slot_node)) - first[self.slot_node]

    @cached_property
    def factors(self) -> FloatArray:
        """Speed factor of each job on each slot, shape (jobs, slots)."""
        if self.speed is None:
            return np.ones((len(self.job_names), len(self.slot_node)))
        return self.speed

    @cached_property
    def lost(self) -> BoolArray:
        """Whether each slot is lost, shape (slots,)."""
        return np.zeros(len(self.slot_node), bool) if self.outages is None else self.outages

    def times(self, slot: IntArray) -> FloatArray:
        """Processing time (s) of each task on its slot, shape (tasks,)."""
        if self.speed is None:
            return self.processing
        times: FloatArray = self.processing * self.speed[self.job, slot]
        return times

    def matrix(self) -> FloatArray:
        """Processing time (s) of each task on each slot, (tasks, slots); for small instances."""
        return self.processing[:, None] * self.factors[self.job]

    def least(self) -> FloatArray:
        """Least processing time (s) of each task over all slots, shape (tasks,)."""
        if self.speed is None or not self.tasks:
            return self.processing
        times: FloatArray = self.processing * self.speed.min(axis=1)[self.job]
        return times

    def mean(self) -> FloatArray:
        """Mean processing time (s) of each task over all slots, shape (tasks,)."""
        if self.speed is None or not self.tasks:
            return self.processing
        times: FloatArray = self.processing * self.speed.mean(axis=1)[self.job]
        return times

    def task_name(self, task: int | np.integer[Any]) -> str:
        """The name of a task in messages: `job 'j0' map task 3`."""
        return f"job {self.job_names[self.job[task]]!r} {self.name} task {self.number[task]}"


class Phases(NamedTuple):
    """Both phases of an instance."""

    map: Phase
    reduce: Phase
