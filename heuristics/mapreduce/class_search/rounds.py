"""A round of the search: share the slack, anneal, time the result exactly."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....core.arrays import IntArray
from ....core.random_numbers import below, uniform
from .annealing import Dates, Kept, Plan, anneal
from .slot_values import new_side
from .task_classes import ClassedInstance, TaskClasses
from .timing import Timing, evaluate

FEW_TIGHT = 6
"""So many jobs with the least slack are the likeliest to get another date."""


class Placement(NamedTuple):
    """Numbers of equal tasks on the slots, and the order of the jobs on map slots."""

    maps: IntArray
    """Tasks of each class on each map slot; shape (slots, classes)."""
    reduces: IntArray
    """Tasks of each class on each reduce slot; shape (slots, classes)."""
    date: IntArray
    """Map slots run the jobs by these dates; shape (jobs,)."""


def timing_of(problem: ClassedInstance, placement: Placement) -> Timing:
    """The exact times of a placement, with what its reduce tasks read."""
    reduces = _with_reads(problem, placement)
    return evaluate(problem.maps, reduces, placement.maps, placement.reduces, placement.date)


def anneal_round(
    stop: IntArray,
    random: IntArray,
    problem: ClassedInstance,
    placement: Placement,
    timing: Timing,
    plan: Plan,
) -> tuple[Placement, Timing]:
    """Anneal from a placement.

    Every job's target date is somewhere between the end of its map phase and the latest end, at the
    same share of the way for all jobs. What reduce tasks read counts as it is in the given
    placement, and exactly in the result.

    `stop`: the round ends early when `stop[0]` is set, shape (1,).
    Returns the best placement that annealing met, which may be longer than the given one.
    """
    jobs, horizon = len(timing.end), timing.makespan
    share = uniform(random)
    date = timing.end + (share * (timing.due - timing.end)).astype(np.int64)
    with_maps, with_reduces = (
        np.bincount(classes.job, minlength=jobs) > 0 for classes in (problem.maps, problem.reduces)
    )
    date[~with_maps] = 0
    date[with_maps & ~with_reduces] = horizon
    free = with_maps & with_reduces
    if plan.shifted and free.any():
        i = _drawn(random, timing, np.flatnonzero(free))
        date[i] = _shifted(random, int(date[i]), horizon)
        free[i] = False
    at = np.argsort(date, kind="stable")
    place = np.empty(jobs, dtype=np.int64)
    place[at] = np.arange(jobs)
    maps = new_side(problem.maps, placement.maps.copy(), place, horizon - date[at])
    reduces = new_side(
        _with_reads(problem, placement),
        placement.reduces.copy(),
        jobs - 1 - place,
        np.ascontiguousarray(date[at][::-1]),
    )
    kept = Kept(*(np.empty_like(array) for array in (maps.number, reduces.number, date)))
    dates = Dates(date, at, free)
    anneal(stop, random, maps, reduces, dates, kept, plan)
    kept_placement = Placement(*kept)
    return kept_placement, timing_of(problem, kept_placement)


def _drawn(random: IntArray, timing: Timing, jobs: IntArray) -> int:
    """The job whose date is shifted: one of those with the least slack half of the time."""
    if uniform(random) < 0.5:
        jobs = jobs[np.argsort(timing.due[jobs] - timing.end[jobs], kind="stable")][:FEW_TIGHT]
    return int(jobs[below(random, len(jobs))])


def _shifted(random: IntArray, date: int, horizon: int) -> int:
    size = 0.01 * 10.0 ** uniform(random) * horizon
    draw = 2.0 * (uniform(random) + uniform(random) + uniform(random) - 1.5)
    return min(max(date + int(size * draw), 0), horizon)


def _with_reads(problem: ClassedInstance, placement: Placement) -> TaskClasses:
    """The reduce classes with what they read."""
    if not problem.reads:
        return problem.reduces
    return problem.reduces._replace(time=problem.reduces.time + problem.read_units(placement.maps))
