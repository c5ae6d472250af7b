"""How long heuristics take, about: those that would not end in time need not begin."""

from __future__ import annotations

from ...core.registry import Entry
from ...instances.mapreduce.instance import Instance
from ...instances.mapreduce.parts import SECURITY, SPEED_FACTORS

PER_TASK = 3e-6
"""Seconds that a task takes to be sorted, placed, timed and checked."""

PER_SLOT = 15e-9
"""Seconds that a task takes on each slot, or node, that is examined for it."""

BY_COMPLETION = ("HMHS", "R-HMHS", "Min-Min")
"""These examine all nodes for a reduce task; other rules find its slot in trees."""


def expected_seconds(entry: Entry, instance: Instance) -> float:
    """About how long a heuristic takes, compiled, on one core.

    `entry`: entry of the heuristic. Of one of another package nothing is known but the tasks.
    Returns the time (s), within a factor of five of what was measured on traces of a day.
    """
    cluster, maps, reduces = instance.cluster, instance.map_tasks, instance.reduce_tasks
    examined = 0
    if instance.parts & entry.understands & {SPEED_FACTORS, SECURITY}:
        examined = maps * int(cluster.map_slots.sum()) + reduces * int(cluster.reduce_slots.sum())
    elif entry.name in BY_COMPLETION:
        examined = reduces * cluster.nodes
    return (maps + reduces) * PER_TASK + examined * PER_SLOT
