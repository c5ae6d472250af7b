"""Lower bounds on the makespan in closed form; `docs/formulations/bounds.md` proves each one.

Most are two-sided. The reduce phase cannot begin before the jobs' heads, the least durations of
their map phases. The map phase is followed by the jobs' tails, the least durations of their reduce
phases; this is the same statement for the schedule read backwards. Every task counts with its least
setup, L = processing + least setup ([LJR], definition 1). The cost is that of sorting the tasks.
"""

from __future__ import annotations

from collections.abc import Sequence

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
from .phase_lengths import (
    PhaseLengths,
    fullest_slot,
    least_span,
    longest_or_area,
    longest_tasks,
    mean_slot,
    phases,
    two_sided,
)

ERROR = 1e-10
"""Relative: what rounding can add to one of our bounds, sums of up to 900 000 durations."""


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
    """The greatest of the valid bounds and its name.

    `values`: bounds (s) by name, as from `bounds`.
    `bounds`: names, functions or entries of the bounds to consider, by default all.
    Returns the bound (s) and its name.
    """
    names = [entry.name for entry in asked_bounds(bounds) if entry.valid and entry.name in values]
    if not names:
        return 0.0, "no makespan is negative"
    name = max(names, key=values.__getitem__)
    return values[name], name


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


@once
def pigeonhole(instance: Instance) -> float:
    """Of k M + 1 tasks that wait, one of the M slots runs k + 1 of them after the least wait."""
    maps, reduces = phases(instance)
    return two_sided(maps, reduces, least_span(maps), least_span(reduces), fullest_slot)


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


def slot_loads(instance: Instance) -> tuple[float, float]:
    """The least mean work (s) of the map slots and of the reduce slots."""
    maps, reduces = (phase.length.sum() / max(phase.slots, 1) for phase in phases(instance))
    return float(maps), float(reduces)


def _smallest(values: FloatArray, count: int) -> FloatArray:
    """The `count` smallest values, all if there are fewer."""
    return np.partition(values, count - 1)[:count] if 0 < count < values.size else values
