"""Run heuristics from the registry and certify what they return."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from ...core.background import OutOfTime, attempt
from ...core.calls import check_call, checked
from ...core.clock import Clock, check_time_limit
from ...core.kernels.decorators import compiling_seconds, plain
from ...core.registry import Choice, Entry
from ...formulations.mapreduce.bounds.closed_form import best_lower_bound
from ...heuristics.mapreduce import HEURISTICS
from ...heuristics.mapreduce.hmhs.fifo import longest_paths
from ...heuristics.mapreduce.warm_up import ready
from ...instances.mapreduce.checker import check
from ...instances.mapreduce.eligibility import impossible, map_eligible
from ...instances.mapreduce.instance import Instance
from ...instances.mapreduce.parts import OUTAGES, SECURITY, SPEED_FACTORS
from ...instances.mapreduce.schedule import Schedule, check_tasks, timed
from ...instances.mapreduce.usable_slots import usable_slots
from .result import Result, Status, certified, no_schedule

AT_ONCE, LONG_JOBS_AT_ONCE = "FIFO-Pri", "FIFO-path"
"""Schedules that need no compiler: one of them comes first, whatever the clock says. As plain
Python a heuristic takes some seconds on a quarter of a million tasks."""

MANY_TASKS = 10_000
"""With fewer, better heuristics follow soon enough."""

FIRST = "EFSS"
"""The first of the heuristics; its time tells how fast the machine is."""


@checked
def heuristic(
    instance: Instance,
    method: Choice,
    *,
    lower_bound: float | None = None,
    bound_name: str = "given",
    time_limit: float = math.inf,
    **parameters: Any,
) -> Result:
    """Run one heuristic and check its schedule.

    Parts of the instance that the heuristic does not understand are dropped, and the result tells
    which. Then lost slots are left out, and tasks that it puts on forbidden slots are moved. A
    heuristic as printed that breaks the rules has no schedule, but notes that say which.

    Parameters
    ----------
    instance
        The instance.
    method
        The name of one of `HEURISTICS`, or a function from an instance to a `Schedule`, which is
        taken to understand no optional part of an instance; an `Entry` can say more.
    lower_bound
        A valid lower bound (s), if known; by default the best closed form.
    bound_name
        What proved it.
    time_limit
        Wall time (s); a heuristic that is not done by then has no schedule.
    **parameters
        Those of the heuristic, for example `omega=0.5`.

    Returns
    -------
    Result
        Its `seconds` are the heuristic's own time.

    Raises
    ------
    InputError
        For an unknown name or parameter, and for a function that returns no schedule.
    CertificateError
        If the schedule is invalid.
    """
    check_time_limit(time_limit)
    clock = Clock(time_limit)
    known = None if lower_bound is None else (lower_bound, bound_name)
    entry = with_parameters(HEURISTICS.resolve(method), parameters)
    try:
        return attempt(lambda: certified_heuristic(instance, entry, known), clock)
    except OutOfTime:
        why = f"{entry.name}: not done within the time limit"
        return no_schedule(instance, entry.name, (why,), clock.elapsed)


def with_parameters(entry: Entry, parameters: Mapping[str, Any]) -> Entry:
    """Bind keyword arguments to a heuristic.

    Raises `InputError` if the heuristic does not take them, or not these values.
    """
    if not parameters:
        return entry
    what, method = f"heuristic {entry.name!r}", partial(entry.load(), None)  # None: the instance
    _, taken = check_call(what, method, (), dict(parameters))
    return replace(entry, bound=(*entry.bound, *taken.items()))


def certified_heuristic(
    instance: Instance,
    entry: Entry,
    lower_bound: tuple[float, str] | None,
    *,
    uncompiled: bool = False,
) -> Result:
    """As `heuristic`, in the present thread.

    `lower_bound`: a valid lower bound (s) and what proved it.
    """
    name = entry.name
    why = impossible(instance)
    if why is not None:
        return no_schedule(instance, name, (why,), status=Status.INFEASIBLE)
    method = entry.load()
    with plain() if uncompiled else ready(entry, instance):
        # A large instance may need a kernel that getting ready left out.
        compiled, began = compiling_seconds(), time.perf_counter()
        given = instance if OUTAGES in entry.understands else usable_slots(instance).instance
        known, dropped = understood_part(given, entry)
        with entry.guarded("heuristic"):
            schedule = method(known)
        if not isinstance(schedule, Schedule):
            raise entry.misbehaved("heuristic", "must return a Schedule", schedule)
        if dropped or given is not instance:
            check_tasks(known, schedule)
        if dropped:
            schedule = with_everything(given, schedule)
        if given is not instance:
            schedule = usable_slots(instance).restored(schedule)
        seconds = max(0.0, time.perf_counter() - began - (compiling_seconds() - compiled))
    verdict = check(instance, schedule)
    if not entry.valid and verdict.violations:
        return no_schedule(instance, name, ("breaks the rules", *verdict.violations), seconds)
    bound, bound_name = best_lower_bound(instance) if lower_bound is None else lower_bound
    result = certified(instance, name, schedule, bound, bound_name, seconds, verdict)
    return replace(result, assumptions_dropped=dropped, notes=schedule.notes)


def understood_part(instance: Instance, entry: Entry) -> tuple[Instance, tuple[str, ...]]:
    """The instance without the optional parts that the method does not understand, and these.

    Returns the instance, and the names of what it lacks. Outages stay.
    """
    dropped = tuple(sorted(instance.parts - entry.understands - {OUTAGES}))
    if SPEED_FACTORS in dropped:
        instance = replace(instance, speed_factors=None)
    if SECURITY in dropped:
        instance = replace(instance, security=None)
    return instance, dropped


def with_everything(instance: Instance, schedule: Schedule) -> Schedule:
    """The schedule's slots and order on each slot, timed with everything the instance has.

    Map tasks on slots that their priority forbids go, in the order of their starts, to the end of
    the allowed slot that has the least to do so far.
    """
    maps, reduces = schedule.map, schedule.reduce
    map_slot, map_rank = maps.slot.copy(), np.lexsort((maps.end, maps.start)).argsort()
    notes = schedule.notes
    if instance.security is not None:
        allowed = map_eligible(instance)
        moved = np.flatnonzero(~allowed[np.arange(instance.map_tasks), map_slot])
        load = np.bincount(maps.slot, maps.end - maps.start, allowed.shape[1])
        for task in moved[np.argsort(map_rank[moved])]:
            duration = maps.end[task] - maps.start[task]
            load[map_slot[task]] -= duration
            map_slot[task] = np.argmin(np.where(allowed[task], load, np.inf))
            load[map_slot[task]] += duration
        map_rank[moved] += instance.map_tasks
        if moved.size:
            notes += (f"{moved.size} map tasks moved off slots that their priority forbids",)
    reduce_rank = np.lexsort((reduces.end, reduces.start)).argsort()
    again = timed(instance, map_slot, map_rank, reduces.slot, reduce_rank)
    return replace(again, notes=notes)


def at_once(instance: Instance) -> Entry:
    """The first heuristic: which order of the jobs suits depends on what makes the batch long."""
    cluster = instance.cluster
    if instance.map_tasks + instance.reduce_tasks < MANY_TASKS:
        return HEURISTICS.lookup(AT_ONCE)
    loads = (
        instance.map_processing.sum() / max(1, cluster.map_slots.sum()),
        instance.reduce_processing.sum() / max(1, cluster.reduce_slots.sum()),
    )
    long = longest_paths(instance).max() > max(loads)
    return HEURISTICS.lookup(LONG_JOBS_AT_ONCE if long else AT_ONCE)


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
