"""Machine eligibility: which slots may run which tasks."""

from __future__ import annotations

import numpy as np

from ...core.arrays import BoolArray, IntArray
from ...core.values import once
from .instance import Instance

_GROUP = 64
"""Slots that are asked at once."""


def map_eligible(instance: Instance) -> BoolArray:
    """Whether each map task may run on each map slot, shape (map_tasks, map_slots)."""
    usable = ~instance.phases.map.lost
    if instance.security is None:
        return np.tile(usable, (instance.map_tasks, 1))
    return instance.security.priorities & usable


def reduce_eligible(instance: Instance) -> BoolArray:
    """Whether reduce tasks may run on each reduce slot, shape (reduce_slots,)."""
    return ~instance.phases.reduce.lost


@once
def impossible(instance: Instance) -> str | None:
    """Why no schedule exists, in one line; None if one exists."""
    if instance.security is None and instance.outages is None:
        return None
    if instance.reduce_tasks and not reduce_eligible(instance).any():
        return f"{instance.reduce_tasks} reduce tasks to run, but every reduce slot is lost"
    for task in _nowhere(instance)[:1]:
        name = instance.phases.map.task_name(task)
        if instance.outages is not None and instance.outages.map.all():
            return f"{name} has nowhere to run: every map slot is lost"
        if instance.outages is None or not instance.security.priorities[task].any():  # type: ignore[union-attr]
            return f"{name} has nowhere to run: its priority is too low on every map slot"
        return f"{name} has nowhere to run: every map slot that its priority allows is lost"
    return None


def _nowhere(instance: Instance) -> IntArray:
    """The map tasks without an eligible slot; slots are asked in groups, most need only one."""
    usable = ~instance.phases.map.lost
    tasks = np.arange(instance.map_tasks)
    if instance.security is None:
        return tasks[: 0 if usable.any() else None]
    for first in range(0, len(usable), _GROUP):
        some = slice(first, first + _GROUP)
        tasks = tasks[~(instance.security.priorities[tasks, some] & usable[some]).any(axis=1)]
    return tasks
