"""Lower bounds on the makespan in closed form; `docs/formulations/bounds.md` proves each one.

Most are two-sided. The reduce phase cannot begin before the jobs' heads, the least durations of
their map phases. The map phase is followed by the jobs' tails, the least durations of their reduce
phases; this is the same statement for the schedule read backwards. Every task counts with its least
setup, L = processing + least setup ([LJR], definition 1). The cost is that of sorting the tasks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from heapq import heapify, heappushpop
from typing import NamedTuple

import numpy as np

from ....core.arrays import BoolArray, FloatArray, IntArray
from ....core.calls.checked import checked, checked_as
from ....core.errors import InputError, PluginError
from ....core.notices import warning
from ....core.once import once
from ....core.registry import Choices, Entry
from ....instances.mapreduce.cluster import Cluster, Rates
from ....instances.mapreduce.eligibility import impossible
from ....instances.mapreduce.instance import Instance
from ....instances.mapreduce.processing import least_map_times, least_reduce_times
from ....instances.mapreduce.setups import best_map_setups, best_reduce_setups, read_rates
from ....instances.mapreduce.usable_slots import usable_slots
from . import BOUNDS
from .late_work import late_work

MOST_COMPARED = 1_000_000
"""Most tasks times waits that the pigeonhole bound looks at, but for eight waits."""


class PhaseLengths(NamedTuple):
    """The tasks of one phase."""

    length: FloatArray
    """L of each task (s), shape (tasks,)."""
    job: IntArray
    """Job of each task, shape (tasks,)."""
    slots: int
    """Number of slots."""
    jobs: int
    """Number of jobs."""

    @property
    def usable(self) -> int:
        """Number of slots that can have a task to run."""
        return min(self.slots, self.length.size)


_Side = Callable[[PhaseLengths, FloatArray], float]
"""Bound from one nonempty phase whose tasks wait for the given times (s), shape (tasks,)."""


@checked_as("bounds")
def lower_bounds(
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
    return values


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
        As for `lower_bounds`.
    """
    return best_of(lower_bounds(instance, bounds), bounds)


def best_of(values: dict[str, float], bounds: Choices | None = None) -> tuple[float, str]:
    """The greatest of the valid bounds and its name.

    `values`: bounds (s) by name, as from `lower_bounds`.
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
    return float(value)


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
    return _two_sided(maps, reduces, _longest_or_area(maps), _longest_or_area(reduces), side)


def lb2(instance: Instance) -> float:
    """[LJR], Theorem 2: all slots wait for the least of the jobs' longest map (or reduce) tasks.

    The least is over the jobs that have tasks in the phase that waits.
    """

    def side(phase: PhaseLengths, wait: FloatArray) -> float:
        return float(wait.min() + phase.length.sum() / phase.slots)

    maps, reduces = phases(instance)
    return _two_sided(maps, reduces, _longest(maps), _longest(reduces), side)


@once
def heads_and_tails(instance: Instance) -> float:
    """LB1 on the usable slots for every set of the tasks that wait longest, and for one job alone.

    It is never below LB1 or LB2. Tasks also wait for the release of their job; then sets of tasks
    with few slots count too.
    """
    maps, reduces = phases(instance)
    release = instance.released
    bound = longest_waits(maps, reduces, release)
    if instance.release is None:
        return bound
    tails = least_span(reduces)[maps.job]
    ready = (release + least_span(maps))[reduces.job]
    return max(
        bound,
        late_work(maps.length, release[maps.job], tails, maps.slots),
        late_work(reduces.length, ready, np.zeros(len(ready)), reduces.slots),
    )


def longest_waits(
    maps: PhaseLengths, reduces: PhaseLengths, release: FloatArray | float = 0.0
) -> float:
    """`heads_and_tails` of given lengths, and of release times of the jobs (s), shape (jobs,).

    Returns the bound (s).
    """

    def side(phase: PhaseLengths, wait: FloatArray) -> float:
        if wait.size < phase.slots:
            # The mean of what each task waits and takes, and one job alone takes as long as any.
            return 0.0
        order = np.argsort(wait, kind="stable")
        length = phase.length[order]
        top = _largest_sums(wait[order] + length, phase.slots)
        later = length.sum() - np.cumsum(length)
        return float(np.max(top + later)) / phase.slots

    heads, tails = least_span(maps) + release, least_span(reduces)
    one_job = float(np.max(heads + tails, initial=0.0))
    return max(one_job, _two_sided(maps, reduces, heads, tails, side))


@once
def pigeonhole(instance: Instance) -> float:
    """Of k M + 1 tasks that wait, one of the M slots runs k + 1 of them after the least wait.

    The tasks are, for every k and every time, the longest of those that wait at least so long; on
    large instances some of these times only.
    """
    return longest_on_a_slot(*phases(instance), instance.released)


def longest_on_a_slot(
    maps: PhaseLengths, reduces: PhaseLengths, release: FloatArray | float = 0.0
) -> float:
    """`pigeonhole` of given lengths, and of release times of the jobs (s), shape (jobs,).

    Returns the bound (s).
    """

    def side(phase: PhaseLengths, wait: FloatArray) -> float:
        order = np.argsort(-phase.length)
        length, wait = phase.length[order], wait[order]
        return max(_most_on_a_slot(length[late], wait[late], phase.slots) for late in _late(wait))

    return _two_sided(maps, reduces, least_span(maps) + release, least_span(reduces), side)


def _late(wait: FloatArray) -> Iterator[BoolArray]:
    """Which tasks wait at least as long as each of several times, shapes (tasks,)."""
    times = np.unique(wait)
    most = max(8, MOST_COMPARED // wait.size)
    if times.size > most:
        times = times[np.linspace(0, times.size - 1, most).astype(np.int64)]
    for time in times.tolist():
        yield wait >= time


def _most_on_a_slot(length: FloatArray, wait: FloatArray, slots: int) -> float:
    """The pigeonhole bound of tasks sorted by falling length, all of them or the longest."""
    worked = _running_sums(length)
    least_wait = np.minimum.accumulate(wait)
    last = np.arange(0, wait.size, slots)
    first = last - np.arange(last.size)
    return float(np.max(least_wait[last] + worked[last + 1] - worked[first]))


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


def _two_sided(
    maps: PhaseLengths, reduces: PhaseLengths, heads: FloatArray, tails: FloatArray, side: _Side
) -> float:
    """The greater bound of the two phases that have tasks; heads and tails (s): shape (jobs,)."""
    return max(
        (
            side(phase, wait[phase.job])
            for phase, wait in ((reduces, heads), (maps, tails))
            if phase.length.size
        ),
        default=0.0,
    )


@once
def phases(instance: Instance) -> tuple[PhaseLengths, PhaseLengths]:
    """Lengths of the tasks of the map phase and of the reduce phase."""
    cluster = instance.cluster
    map_length = least_map_times(instance) + best_map_setups(instance)
    rates = read_rates(instance)
    farther = rates.node / _nearest_rate(cluster, rates)
    read = farther * best_reduce_setups(instance)[instance.reduce_job]
    reduce_length = least_reduce_times(instance) + read
    return (
        PhaseLengths(map_length, instance.map_job, int(cluster.map_slots.sum()), instance.jobs),
        PhaseLengths(
            reduce_length, instance.reduce_job, int(cluster.reduce_slots.sum()), instance.jobs
        ),
    )


def _nearest_rate(cluster: Cluster, rates: Rates) -> float:
    """Best rate (MB/s) between a node with a map slot and one with a reduce slot."""
    maps, reduces = cluster.map_slots > 0, cluster.reduce_slots > 0
    if np.any(maps & reduces):
        return rates.node
    if np.intersect1d(cluster.rack_of[maps], cluster.rack_of[reduces]).size:
        return rates.rack
    return rates.remote


def _longest(phase: PhaseLengths) -> FloatArray:
    """The longest task of each job (s), 0 without tasks; shape (jobs,)."""
    longest = np.zeros(phase.jobs)
    np.maximum.at(longest, phase.job, phase.length)
    return longest


def _longest_or_area(phase: PhaseLengths) -> FloatArray:
    """Least duration (s) of each job's phase: its longest task, or its work over all slots."""
    area = np.bincount(phase.job, phase.length, phase.jobs) / max(phase.slots, 1)
    return np.maximum(_longest(phase), area)


def least_span(phase: PhaseLengths) -> FloatArray:
    """Least duration (s) of each job's phase: longest task, area, and the pigeonhole argument."""
    span = _longest_or_area(phase)
    if phase.length.size:
        order = np.lexsort((-phase.length, phase.job))
        worked, job = _running_sums(phase.length[order]), phase.job[order]
        rank = np.arange(job.size) - np.searchsorted(job, job)
        last = np.flatnonzero(rank % phase.slots == 0)
        first = last - rank[last] // phase.slots
        np.maximum.at(span, job[last], worked[last + 1] - worked[first])
    return span


def _running_sums(values: FloatArray) -> FloatArray:
    """Sums of the first 0, 1, …, n values."""
    return np.concatenate(([0.0], np.cumsum(values)))


def _largest_sums(values: FloatArray, count: int) -> FloatArray:
    """Sum of the `count` largest of the first `count`, `count` + 1, … values; -inf before."""
    first, later = values[:count].tolist(), values[count:].tolist()
    total = 0.0
    for value in first:
        total += value
    sums = [-np.inf] * (len(first) - 1) + [total if len(first) == count else -np.inf]
    heapify(first)
    for value in later:
        total += value
        total -= heappushpop(first, value)
        sums.append(total)
    return np.array(sums)


def _smallest(values: FloatArray, count: int) -> FloatArray:
    """The `count` smallest values, all if there are fewer."""
    return np.partition(values, count - 1)[:count] if 0 < count < values.size else values
