"""A linear program that chooses slots for the tasks when the order of the jobs is given.

The jobs run in waves of consecutive jobs. As in the job-order model
(docs/formulations/job-order.md), every map slot finishes the waves one after the other,
and after the map phase of a wave each reduce slot still has that wave and all later ones to do.
Tasks may be split. The program gives no bound, because the order is one of many and the reduces of
a wave wait for all its maps. It tells where tasks should run (`rounded`).

Waves have much the same work: all reduces of a wave wait for the end of its maps, so one with much
work would cost most.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....core.arrays import FloatArray, IntArray
from ....core.clock import Clock
from ....formulations.mapreduce.unrelated_machines.model import JobPhase, most_share, phases
from ....heuristics.mapreduce.hmhs.priority import average_times
from ....instances.mapreduce.instance import Instance
from ....instances.mapreduce.schedule import Schedule, timed_by_job
from ...backends.highs import linear_program, solve_lp

MOST_WAVES = 24
"""Most waves of jobs."""


MOST_SHARES = 100_000
"""Most shares of a job's work on a slot; a program with more takes too long."""


class WavesOptimum(NamedTuple):
    """The optimum of the program."""

    makespan: float
    """The makespan (s)."""
    wave: IntArray
    """Wave of each job, shape (jobs,)."""
    end: FloatArray
    """End (s) of the maps of each wave, shape (waves,)."""
    map_share: FloatArray
    reduce_share: FloatArray
    """`map_share`, `reduce_share`: share of each job's processing on each slot, shape (jobs,
    slots)."""


def fits(instance: Instance) -> bool:
    """Whether slots differ in speed and the program is small enough; it needs all slots usable."""
    if instance.security is not None or instance.outages is not None:
        return False
    slots = int(instance.cluster.map_slots.sum() + instance.cluster.reduce_slots.sum())
    return instance.speed_factors is not None and instance.jobs * slots <= MOST_SHARES


def solve_waves(
    instance: Instance, order: IntArray, clock: Clock, *, horizon: float | None = None
) -> WavesOptimum | None:
    """Solve the program for jobs in a given order.

    `horizon`: no slot gets a task too long for this makespan (s).
    Returns the optimum; None if there is none or the time is up.
    """
    maps, reduces = phases(instance)
    wave = waves_of(instance, order)
    waves = int(wave.max(initial=-1)) + 1
    program = _Program(waves)
    map_share = program.add_phase(
        maps, most_share(maps, reduces.span, horizon), wave, reverse=False
    )
    reduce_share = program.add_phase(
        reduces, most_share(reduces, maps.span, horizon), wave, reverse=True
    )
    value = program.solve(clock)
    if value is None:
        return None
    end = value[1 : 1 + waves]
    return WavesOptimum(
        value[0], wave, end, _shares(map_share, value), _shares(reduce_share, value)
    )


def waves_of(instance: Instance, order: IntArray) -> IntArray:
    """Cut an order of the jobs into at most `MOST_WAVES` waves of much the same work.

    Half of a job's work is its share of all map work, half its share of all reduce work.

    Returns wave of each job, from 0 on, rising along the order, shape (jobs,).
    """
    work = np.zeros(instance.jobs)
    for times in average_times(instance):
        work += times / max(float(times.sum()), np.finfo(float).tiny)
    work = work[order]
    middle = (np.cumsum(work) - work / 2) / max(float(work.sum()), np.finfo(float).tiny)
    _, number = np.unique((middle * MOST_WAVES).astype(np.int64), return_inverse=True)
    wave = np.empty(instance.jobs, dtype=np.int64)
    wave[order] = number
    return wave


def _shares(column: IntArray, value: FloatArray) -> FloatArray:
    """The value of each share, 0 where there is none."""
    shares: FloatArray = np.where(column >= 0, value[column], 0.0)
    return shares


WHOLE = 1e-6
"""A number of tasks that lacks no more than this is an integer; solvers leave such errors."""


def rounded(instance: Instance, order: IntArray, optimum: WavesOptimum) -> Schedule:
    """Place every task on one slot, near the shares that a linear program found.

    Each slot gets the whole tasks of its share. The few left over go, the longest first, where they
    exceed least: over all later waves, the work on the slot beyond the end that the program has for
    them. Setups are timed, not considered.
    """
    maps, reduces = phases(instance)
    wave, end = optimum.wave, optimum.end
    left = optimum.makespan - end
    last = len(left) - 1
    map_count = _counts(maps, optimum.map_share, wave, end)
    reduce_count = _counts(reduces, optimum.reduce_share, last - wave, left[::-1])
    return timed_by_job(instance, _slots(map_count), _slots(reduce_count), order)


def _counts(phase: JobPhase, shares: FloatArray, wave: IntArray, ends: FloatArray) -> IntArray:
    """Whole numbers of tasks of each job on each slot, shape (jobs, slots).

    `wave` numbers the waves in the order in which their `ends` (s) rise.
    """
    seconds = (phase.work / np.maximum(phase.tasks, 1))[:, None] * phase.factors
    count = np.floor(shares * phase.tasks[:, None] + WHOLE).astype(np.int64)
    load = np.zeros((len(ends), seconds.shape[1]))
    np.add.at(load, wave, count * seconds)
    overrun = np.cumsum(load, axis=0) - ends[:, None]
    shortest = seconds.min(axis=1, initial=np.inf)
    for i in np.argsort(-shortest, kind="stable").tolist():
        for _ in range(phase.tasks[i] - count[i].sum()):
            k = np.argmin(overrun[wave[i] :].max(axis=0) + seconds[i])
            count[i, k] += 1
            overrun[wave[i] :, k] += seconds[i, k]
    return count


def _slots(count: IntArray) -> IntArray:
    """The slot of each task, job after job; a job's tasks fill its slots in ascending order."""
    jobs, slots = count.shape
    return np.repeat(np.tile(np.arange(slots), jobs), count.ravel())


class _Program:
    """The program: columns 0, the makespan, 1 to waves, the ends of the maps, then the rest.

    Rows of a phase: a job's shares add up to 1; the work of a wave on a slot is that of the wave
    before (for reduces: after) and its own; it fits before the end of the wave's maps (for reduces:
    after it, within the makespan).
    """

    def __init__(self, waves: int) -> None:
        self.waves, self.columns, self.rows = waves, 1 + waves, 0
        self.upper = [np.full(1 + waves, np.inf)]
        self.bounds: list[tuple[FloatArray, FloatArray]] = []
        self.terms: list[tuple[IntArray, IntArray, FloatArray]] = []
        ends = np.arange(1, 1 + waves)
        row = self._new_rows(waves, 0.0, np.inf)
        self._add(row, np.zeros(waves, dtype=np.int64), 1.0)
        self._add(row, ends, -1.0)

    def add_phase(
        self, phase: JobPhase, most: FloatArray, wave: IntArray, reverse: bool
    ) -> IntArray:
        """Add a phase; return the column of each share, shape (jobs, slots), -1 for none."""
        slots = most.shape[1]
        job, slot = np.nonzero((phase.tasks > 0)[:, None] & (most > 0))
        share = np.full(most.shape, -1, dtype=np.int64)
        share[job, slot] = self._new_columns(most[job, slot])
        some = np.cumsum(phase.tasks > 0) - 1
        spread = self._new_rows(int((phase.tasks > 0).sum()), 1.0, 1.0)
        self._add(spread[some[job]], share[job, slot], 1.0)
        number = self.waves * slots
        work = self._new_columns(np.full(number, np.inf)).reshape(self.waves, slots)
        summed = self._new_rows(number, 0.0, 0.0).reshape(self.waves, slots)
        self._add(summed, work, 1.0)
        if reverse:
            self._add(summed[:-1], work[1:], -1.0)
        else:
            self._add(summed[1:], work[:-1], -1.0)
        seconds = phase.work[job] * phase.factors[job, slot]
        self._add(summed[wave[job], slot], share[job, slot], -seconds)
        fits = self._new_rows(number, 0.0, np.inf).reshape(self.waves, slots)
        end = np.broadcast_to(np.arange(1, 1 + self.waves)[:, None], fits.shape)
        self._add(fits, work, -1.0)
        self._add(fits, end, -1.0 if reverse else 1.0)
        if reverse:
            self._add(fits, np.zeros_like(fits), 1.0)
        return share

    def solve(self, clock: Clock) -> FloatArray | None:
        """The values of all columns, None if there is no optimum."""
        row, column, value = (np.concatenate(parts) for parts in zip(*self.terms, strict=True))
        low, high = (np.concatenate(parts) for parts in zip(*self.bounds, strict=True))
        program = linear_program(
            np.eye(1, self.columns).ravel(),
            np.concatenate(self.upper),
            (low, high),
            (row, column, value),
            solver="ipm",  # with crossover: a vertex has few split tasks
        )
        optimum = solve_lp(program, clock)
        return None if optimum is None else optimum.values

    def _new_columns(self, upper: FloatArray) -> IntArray:
        first, self.columns = self.columns, self.columns + len(upper)
        self.upper.append(upper)
        return np.arange(first, self.columns)

    def _new_rows(self, number: int, lower: float, upper: float) -> IntArray:
        first, self.rows = self.rows, self.rows + number
        self.bounds.append((np.full(number, lower), np.full(number, upper)))
        return np.arange(first, self.rows)

    def _add(self, row: IntArray, column: IntArray, value: FloatArray | float) -> None:
        """Add terms, arrays of one shape; each pair of row and column at most once."""
        self.terms.append((row.ravel(), column.ravel(), np.broadcast_to(value, row.shape).ravel()))
