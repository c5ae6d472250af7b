"""Machine eligibility: which slots may run which tasks."""

from __future__ import annotations

import numpy as np

from ..arrays import BoolArray
from ..once import once
from .instance import Instance


def map_eligible(instance: Instance) -> BoolArray:
    """Whether each map task may run on each map slot, shape (map_tasks, map_slots)."""
    shape = (instance.map_tasks, len(instance.cluster.map_slot_node))
    allowed = np.ones(shape, dtype=bool)
    if instance.security is not None:
        allowed &= instance.security.priorities
    if instance.outages is not None:
        allowed &= ~instance.outages.map
    return allowed


def reduce_eligible(instance: Instance) -> BoolArray:
    """Whether reduce tasks may run on each reduce slot, shape (reduce_slots,)."""
    if instance.outages is None:
        return np.ones(len(instance.cluster.reduce_slot_node), dtype=bool)
    return ~instance.outages.reduce


@once
def impossible(instance: Instance) -> str | None:
    """Why no schedule exists, in one line; None if one exists."""
    if instance.security is None and instance.outages is None:
        return None
    if instance.reduce_tasks and not reduce_eligible(instance).any():
        return f"{instance.reduce_tasks} reduce tasks to run, but every reduce slot is lost"
    for task in np.flatnonzero(~map_eligible(instance).any(axis=1))[:1]:
        job = instance.map_job[task]
        name = f"job {instance.job_names[job]!r} map task {task - instance.map_offsets[job]}"
        if instance.outages is not None and instance.outages.map.all():
            return f"{name} has nowhere to run: every map slot is lost"
        if instance.outages is None or not instance.security.priorities[task].any():  # type: ignore[union-attr]
            return f"{name} has nowhere to run: its priority is too low on every map slot"
        return f"{name} has nowhere to run: every map slot that its priority allows is lost"
    return None
