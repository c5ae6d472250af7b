"""The independent checker: recomputes a schedule from the instance and lists every violation.

It believes nothing that the schedule says of itself but slots and starts.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .mapreduce import FloatArray, Instance, IntArray
from .processing import map_times, reduce_times
from .schedule import Phase, Schedule, makespan, map_completions
from .setups import map_setups, reduce_setups

RELATIVE_TOLERANCE = 1e-7
"""Times may differ by this much of the makespan (and never less than of one second)."""


@dataclass(frozen=True)
class Verdict:
    """Violations, one line each, and the makespan (s) recomputed from slots and starts."""

    violations: list[str] = field(default_factory=list)
    makespan: float = 0.0

    @property
    def valid(self) -> bool:
        return not self.violations


def check(instance: Instance, schedule: Schedule) -> Verdict:
    """Check `schedule` against `instance`: every rule of the model, every claimed number."""
    found: list[str] = []
    cluster = instance.cluster
    if schedule.instance != instance.name:
        found.append(f"schedule is for instance {schedule.instance!r}, not {instance.name!r}")
    whole = True
    for phase, rows, tasks, slots in (
        ("map", schedule.map, instance.map_tasks, len(cluster.map_slot_node)),
        ("reduce", schedule.reduce, instance.reduce_tasks, len(cluster.reduce_slot_node)),
    ):
        shapes = {len(rows.slot), len(rows.start), len(rows.setup), len(rows.end)}
        if shapes != {tasks}:
            return Verdict([*found, f"{phase} phase: need {tasks} entries, got {sorted(shapes)}"])
        for task in np.flatnonzero(rows.slot < 0):
            found.append(f"{task_name(instance, phase, task)} is not scheduled")
            whole = False
        for task in np.flatnonzero(rows.slot >= slots):
            found.append(
                f"{task_name(instance, phase, task)} is on {phase} slot {rows.slot[task]}, "
                f"the cluster has {slots}"
            )
            whole = False
        for task in np.flatnonzero((rows.slot >= 0) & ~np.isfinite(rows.start)):
            found.append(f"{task_name(instance, phase, task)} has no finite start")
            whole = False
    if not whole:
        return Verdict(found, _claimed_end(schedule))

    found += _forbidden(instance, schedule)
    map_node = cluster.map_slot_node[schedule.map.slot]
    processing = map_times(instance, schedule.map.slot)
    maps = _recomputed(schedule.map, map_setups(instance, schedule.map.slot), processing)
    reduce_node = cluster.reduce_slot_node[schedule.reduce.slot]
    setup = reduce_setups(instance, map_node)[instance.reduce_job, reduce_node]
    reduces = _recomputed(schedule.reduce, setup, reduce_times(instance, schedule.reduce.slot))
    true_makespan = makespan(maps, reduces)
    tolerance = RELATIVE_TOLERANCE * max(1.0, true_makespan)

    ready = map_completions(instance, maps.end)[instance.reduce_job]
    for phase, claimed, true, release in (
        ("map", schedule.map, maps, np.zeros(instance.map_tasks)),
        ("reduce", schedule.reduce, reduces, ready),
    ):
        found += _early(instance, phase, true, release, tolerance)
        found += _wrong(instance, phase, "setup", claimed.setup, true.setup, tolerance)
        found += _wrong(instance, phase, "end", claimed.end, true.end, tolerance)
        found += _overlaps(instance, phase, true, tolerance)
    if not abs(schedule.makespan - true_makespan) <= tolerance:
        found.append(f"makespan is {true_makespan:.9g}, the schedule says {schedule.makespan:.9g}")
    return Verdict(found, true_makespan)


def task_name(instance: Instance, phase: str, task: int | np.integer[Any]) -> str:
    """`job 'j0' map task 3` for a task's number over all jobs of the phase."""
    offsets = instance.map_offsets if phase == "map" else instance.reduce_offsets
    job = int(np.searchsorted(offsets, task, side="right")) - 1
    return f"job {instance.job_names[job]!r} {phase} task {task - offsets[job]}"


def _forbidden(instance: Instance, schedule: Schedule) -> list[str]:
    """Tasks on slots that are lost, or that their priority forbids."""
    found = []
    if instance.outages is not None:
        for phase, slot, lost in (
            ("map", schedule.map.slot, instance.outages.map),
            ("reduce", schedule.reduce.slot, instance.outages.reduce),
        ):
            found += [
                f"{task_name(instance, phase, t)} is on {phase} slot {slot[t]}, which is lost"
                for t in np.flatnonzero(lost[slot])
            ]
    if instance.security is not None:
        slot = schedule.map.slot
        found += [
            f"{task_name(instance, 'map', t)} is on map slot {slot[t]}, its priority forbids that"
            for t in np.flatnonzero(
                ~instance.security.priorities[np.arange(instance.map_tasks), slot]
            )
        ]
    return found


def _recomputed(rows: Phase, setup: FloatArray, processing: FloatArray) -> Phase:
    return Phase(rows.slot, rows.start, setup, rows.start + setup + processing)


def _claimed_end(schedule: Schedule) -> float:
    ends = np.concatenate((schedule.map.end, schedule.reduce.end))
    return float(np.max(ends[np.isfinite(ends)], initial=0.0))


def _early(
    instance: Instance, phase: str, rows: Phase, release: FloatArray, tolerance: float
) -> list[str]:
    why = "time 0" if phase == "map" else "the end of its job's map phase"
    return [
        f"{task_name(instance, phase, t)} starts at {rows.start[t]:.9g}, "
        f"before {why} ({release[t]:.9g})"
        for t in np.flatnonzero(rows.start < release - tolerance)
    ]


def _wrong(
    instance: Instance,
    phase: str,
    what: str,
    claimed: FloatArray,
    true: FloatArray,
    tolerance: float,
) -> list[str]:
    return [
        f"{task_name(instance, phase, t)}: {what} is {true[t]:.9g}, "
        f"the schedule says {claimed[t]:.9g}"
        for t in np.flatnonzero(~(np.abs(claimed - true) <= tolerance))
    ]


def _overlaps(instance: Instance, phase: str, rows: Phase, tolerance: float) -> list[str]:
    cluster = instance.cluster
    slot_node = cluster.map_slot_node if phase == "map" else cluster.reduce_slot_node
    order: IntArray = np.lexsort((rows.end, rows.start, rows.slot))
    slot, start = rows.slot[order], rows.start[order]
    found = []
    # The latest end so far on the slot, not the predecessor's: a long task may cover several.
    latest, holder = -np.inf, -1
    for k, task in enumerate(order):
        if k == 0 or slot[k] != slot[k - 1]:
            latest, holder = -np.inf, -1
        if start[k] < latest - tolerance:
            node = cluster.node_names[slot_node[slot[k]]]
            found.append(
                f"{task_name(instance, phase, task)} starts at {start[k]:.9g} on a {phase} slot of "
                f"node {node!r} that {task_name(instance, phase, holder)} holds until {latest:.9g}"
            )
        if rows.end[task] > latest:
            latest, holder = rows.end[task], int(task)
    return found
