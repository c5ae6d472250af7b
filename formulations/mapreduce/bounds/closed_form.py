"""Lower bounds of the makespan by name, and those in closed form.

A bound is a function from an instance to seconds; no schedule is shorter. The closed forms look at
one phase whose tasks wait: reduce tasks for the heads, the least durations of their jobs' map
phases; map tasks, read backwards, for the tails of the reduce phases. They cost what sorting the
tasks costs; `docs/formulations/bounds.md` proves them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from heapq import heapify, heappushpop

import numpy as np

from ....core.arrays import FloatArray
from ....core.calls import checked
from ....core.errors import NOT_ENOUGH_MEMORY, InputError, PluginError
from ....core.notices import warning
from ....core.registry import Choices, Entry
from ....core.values import once
from ....instances.mapreduce.eligibility import impossible
from ....instances.mapreduce.instance import Instance
from ....instances.mapreduce.usable_slots import usable_slots
from . import BOUNDS
from .lengths import (
    PhaseLengths,
    least_span,
    longest_or_area,
    longest_tasks,
    on_one_slot,
    phases,
)

ERROR = 1e-10
"""Relative: what rounding can add to one of our bounds, sums of up to 900 000 durations."""

TIE = 1e-12
"""Relative: bounds that differ by less are the same."""

MOST_WAITS = 1_000_000
"""Most tasks times waits that the pigeonhole bound looks at, but for eight waits."""

Side = Callable[[PhaseLengths, FloatArray], float]
"""A bound (s) from a phase that has tasks, and from how long (s) each of them waits."""


@checked
def bounds(
    instance: Instance, bounds: Choices | None = None, known: dict[str, float] | None = None
) -> dict[str, float]:
    """Lower bounds of the makespan, those that are known not to be valid included.

    Parameters
    ----------
    instance
        The instance. Lost slots do not count.
    bounds
        Names, entries of a registry, or functions from an instance to a bound (s); by default all
        of `BOUNDS`. A bound that does not understand a part of the instance is left out.
    known
        Bounds that are known already. It receives each other one as soon as that is known, for a
        caller who may not wait for all.

    Returns
    -------
    dict
        Each bound (s) by name.

    Raises
    ------
    InputError
        If no schedule exists, for unknown names, and for a function that returns no bound.
    """
    why = impossible(instance)
    if why is not None:
        raise InputError(
            f"{instance.name}: no schedule exists, so there is nothing to bound: {why}"
        )
    instance = usable_slots(instance).instance
    values = {} if known is None else known
    for entry in asked_bounds(bounds):
        if entry.name in values:
            continue
        ignored = sorted(instance.parts - entry.understands)
        if ignored:
            # Of our own that nobody asked for by name, others do as well.
            if bounds is not None or entry.plugin:
                warning(
                    f"bound {entry.name!r} is left out: it does not understand {', '.join(ignored)}"
                )
            continue
        try:
            values[entry.name] = _value(entry, instance)
        except PluginError as failure:
            if bounds is not None:
                raise
            warning(f"left out: {failure}")
        except MemoryError:
            warning(f"bound {entry.name!r} is left out: {NOT_ENOUGH_MEMORY}")
    return values


lower_bounds = bounds
"""Its name where an argument is called `bounds`."""


@checked
def best_lower_bound(instance: Instance, bounds: Choices | None = None) -> tuple[float, str]:
    """The greatest valid bound (s) and its name; of equal ones the first in the list.

    Parameters
    ----------
    instance
        The instance.
    bounds
        Names, functions or entries of the bounds, by default all.

    Returns
    -------
    tuple[float, str]
        The bound (s) and its name.

    Raises
    ------
    InputError
        As for `bounds`.
    """
    return best_of(lower_bounds(instance, bounds), bounds)


def best_of(values: dict[str, float], bounds: Choices | None = None) -> tuple[float, str]:
    """The greatest of some valid bounds (s) by name, and the name of the first that is as great.

    `bounds`: names, functions or entries of the bounds to consider, by default all.
    """
    names = [entry.name for entry in asked_bounds(bounds) if entry.valid and entry.name in values]
    if not names:
        return 0.0, "no makespan is negative"
    best = max(values[name] for name in names)
    return best, next(name for name in names if values[name] >= best * (1 - TIE))


def asked_bounds(bounds: Choices | None) -> Sequence[Entry]:
    """The entries of bounds that were asked for, all of `BOUNDS` by default."""
    return BOUNDS if bounds is None else BOUNDS.resolve_all(bounds)


def _value(entry: Entry, instance: Instance) -> float:
    with entry.guarded("bound"):
        value = entry.load()(instance)
    if not isinstance(value, (int, float, np.number)) or not 0 <= value < np.inf:
        raise entry.misbehaved("bound", "must be a number of seconds", value)
    ours = isinstance(entry.target, str)
    return float(value) * (1 - ERROR) if ours and entry.valid else float(value)


def two_sided(
    maps: PhaseLengths, reduces: PhaseLengths, heads: FloatArray, tails: FloatArray, *sides: Side
) -> float:
    """The greatest bound of the two phases that have tasks; heads and tails (s): shape (jobs,)."""
    return max(
        (
            side(phase, wait[phase.job])
            for phase, wait in ((reduces, heads), (maps, tails))
            if phase.length.size
            for side in sides
        ),
        default=0.0,
    )


def lb1_as_printed(instance: Instance) -> float:
    """[LJR], Theorem 1 as printed: **not** a lower bound if a job has several tasks in a phase.

    It claims that the slots of a phase wait on average for as many of the shortest tasks of the
    other phase.
    """
    maps, reduces = phases(instance)
    return max(
        (
            float((_smallest(other.length, phase.slots).sum() + phase.length.sum()) / phase.slots)
            for phase, other in ((reduces, maps), (maps, reduces))
            if phase.length.size
        ),
        default=0.0,
    )


def lb1(instance: Instance) -> float:
    """[LJR], Theorem 1 corrected: the slots wait on average for as many least heads (or tails).

    The head of a job counts once for each of its reduce tasks.
    """

    def side(phase: PhaseLengths, wait: FloatArray) -> float:
        return float(_smallest(wait, phase.slots).mean() + phase.length.sum() / phase.slots)

    maps, reduces = phases(instance)
    return two_sided(maps, reduces, longest_or_area(maps), longest_or_area(reduces), side)


def _smallest(values: FloatArray, count: int) -> FloatArray:
    """The `count` smallest values, all if there are fewer."""
    return np.partition(values, count - 1)[:count] if 0 < count < values.size else values


def lb2(instance: Instance) -> float:
    """[LJR], Theorem 2: all slots wait for the least of the jobs' longest map (or reduce) tasks.

    The least is over the jobs that have tasks in the phase that waits.
    """

    def side(phase: PhaseLengths, wait: FloatArray) -> float:
        return float(wait.min() + phase.length.sum() / phase.slots)

    maps, reduces = phases(instance)
    return two_sided(maps, reduces, longest_tasks(maps), longest_tasks(reduces), side)


@once
def heads_and_tails(instance: Instance) -> float:
    """LB1 on the usable slots for every set of the tasks that wait longest, and for one job alone.

    It is never below LB1 or LB2.
    """
    maps, reduces = phases(instance)
    heads, tails = least_span(maps), least_span(reduces)
    one_job = float(np.max(heads + tails, initial=0.0))
    return max(one_job, two_sided(maps, reduces, heads, tails, mean_slot))


def mean_slot(phase: PhaseLengths, wait: FloatArray) -> float:
    """All slots wait on average and then work, for every set of the tasks that wait longest."""
    if wait.size < phase.slots:
        # The mean of what each task waits and takes, and one job alone takes as long as any.
        return 0.0
    order = np.argsort(wait, kind="stable")
    length = phase.length[order]
    top = _largest_sums(wait[order] + length, phase.slots)
    later = np.append(np.cumsum(length[:0:-1])[::-1], 0.0)
    return float(np.max(top + later)) / phase.slots


def _largest_sums(values: FloatArray, count: int) -> FloatArray:
    """Sum of the `count` largest of the first `count`, `count` + 1, … values; -inf before."""
    first, later = values[:count].tolist(), values[count:].tolist()
    total = 0.0
    for value in first:
        total += value
    sums = [-np.inf] * (len(first) - 1) + [total]
    heapify(first)
    for value in later:
        total += value
        total -= heappushpop(first, value)
        sums.append(total)
    return np.array(sums)


@once
def pigeonhole(instance: Instance) -> float:
    """Of k M + 1 tasks that wait, one of the M slots runs k + 1 of them after the least wait."""
    maps, reduces = phases(instance)
    return two_sided(maps, reduces, least_span(maps), least_span(reduces), fullest_slot)


def fullest_slot(phase: PhaseLengths, wait: FloatArray) -> float:
    """Of k M + 1 tasks that wait, one of the M slots runs k + 1 of them after the least wait.

    The tasks are, for every k and every time, the longest of those that wait at least so long; on
    large instances some of these times only.
    """
    order = np.argsort(-phase.length)
    length, wait = phase.length[order], wait[order]
    times = np.unique(wait)
    most = max(8, MOST_WAITS // wait.size)
    if times.size > most:
        times = times[np.linspace(0, times.size - 1, most).astype(np.int64)]
    bound = 0.0
    for time in times.tolist():
        late = wait >= time
        last, _, sums = on_one_slot(length[late], phase.slots)
        bound = max(bound, float(np.max(np.minimum.accumulate(wait[late])[last] + sums)))
    return bound


@once
def johnson(instance: Instance) -> float:
    """Two-machine flow shop of the jobs' areas, solved by Johnson's rule [Johnson1954].

    Each phase is one machine as fast as all its usable slots together.
    """
    maps, reduces = (
        np.bincount(phase.job, phase.length, phase.jobs) / max(phase.usable, 1)
        for phase in phases(instance)
    )
    rising = maps <= reduces
    order = np.lexsort((np.where(rising, maps, -reduces), ~rising))
    maps, reduces = maps[order], reduces[order]
    until = np.cumsum(maps)
    after = np.cumsum(reduces[::-1])[::-1]
    return float(np.max(until + after, initial=0.0))
