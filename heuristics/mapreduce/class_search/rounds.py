"""A round of the search: share the slack, repair, time the result exactly."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....core.arrays import IntArray
from ..search_kernels import uniform
from .dates import dates_between
from .phase_values import new_side
from .repair import RepairPlan, repair
from .task_classes import ClassedInstance, PhaseClasses


class Placement(NamedTuple):
    """Numbers of equal tasks on the slots, and the order of the jobs on map slots."""

    maps: IntArray
    """Tasks of each class on each map slot; shape (slots, classes)."""
    reduces: IntArray
    """Tasks of each class on each reduce slot; shape (slots, classes)."""
    date: IntArray
    """Map slots run the jobs by these dates, ties by number; shape (jobs,)."""


class JobTimes(NamedTuple):
    """The times of a placement, in time units."""

    makespan: int
    end: IntArray
    """End of each job's map phase, 0 without one; shape (jobs,)."""
    due: IntArray
    """Latest end of each job's map phase for this makespan; shape (jobs,)."""


def times_of(problem: ClassedInstance, placement: Placement) -> JobTimes:
    """The exact times of a placement, with what its reduce tasks read.

    Reduce slots run the jobs by the end of their map phases.
    """
    jobs = len(placement.date)
    number, work = _by_job(problem.maps, placement.maps, jobs)
    end = np.zeros(jobs, dtype=np.int64)
    free = np.zeros(len(placement.maps), dtype=np.int64)
    for i in np.argsort(placement.date, kind="stable"):
        used = np.flatnonzero(number[i])
        free[used] += work[i, used]
        end[i] = free[used].max(initial=0)
    makespan = int(free.max(initial=0))
    number, work = _by_job(_with_reads(problem, placement), placement.reduces, jobs)
    free = np.zeros(len(placement.reduces), dtype=np.int64)
    by_end = np.argsort(end, kind="stable")
    for i in by_end:
        used = np.flatnonzero(number[i])
        free[used] = np.maximum(free[used], end[i]) + work[i, used]
    makespan = max(makespan, int(free.max(initial=0)))
    due = np.full(jobs, makespan, dtype=np.int64)
    free[:] = makespan
    for i in by_end[::-1]:
        used = np.flatnonzero(number[i])
        free[used] -= work[i, used]
        due[i] = free[used].min(initial=makespan)
    return JobTimes(makespan, end, due)


def _by_job(classes: PhaseClasses, count: IntArray, jobs: int) -> tuple[IntArray, IntArray]:
    """Number of tasks and time of each job on each slot, shapes (jobs, slots)."""
    number = np.zeros((jobs, len(count)), dtype=np.int64)
    work = np.zeros((jobs, len(count)), dtype=np.int64)
    np.add.at(number, classes.job, count.T)
    np.add.at(work, classes.job, count.T * classes.time)
    return number, work


def repair_round(
    stop: IntArray,
    random: IntArray,
    problem: ClassedInstance,
    placement: Placement,
    times: JobTimes,
    plan: RepairPlan,
) -> tuple[Placement, JobTimes]:
    """Repair a placement towards a makespan, `plan.limit`.

    Every job's target date is at first somewhere between the end of its map phase and the latest
    end, at the same share of the way for all jobs. What reduce tasks read counts as it is in the
    given placement, and exactly in the result.

    `stop`: the round ends early when `stop[0]` is set, shape (1,).
    Returns the placement at the end, which may be longer than the given one.
    """
    latest = times.due + (plan.limit - times.makespan)
    with_maps, with_reduces = (
        np.bincount(classes.job, minlength=len(latest)) > 0
        for classes in (problem.maps, problem.reduces)
    )
    share = uniform(random)
    dates = dates_between(times.end, latest, share, plan.limit, with_maps, with_reduces)
    place, delivery = np.argsort(dates.at), dates.date[dates.at]
    maps = new_side(problem.maps, placement.maps.copy(), place, plan.limit - delivery)
    reduces = new_side(
        _with_reads(problem, placement),
        placement.reduces.copy(),
        len(place) - 1 - place,
        np.ascontiguousarray(delivery[::-1]),
    )
    repair(stop, random, maps, reduces, dates, plan)
    changed = Placement(maps.number, reduces.number, dates.date)
    return changed, times_of(problem, changed)


def _with_reads(problem: ClassedInstance, placement: Placement) -> PhaseClasses:
    if not problem.reads:
        return problem.reduces
    return problem.reduces._replace(time=problem.reduces.time + problem.read_units(placement.maps))
