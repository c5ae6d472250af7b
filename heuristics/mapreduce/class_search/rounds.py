"""Rounds of the search: share the slack, anneal or repair, time the result exactly."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....core.arrays import IntArray
from ..random_numbers import uniform
from .annealing import Kept, Plan, anneal
from .dates import Dates, dates_between
from .repair import RepairPlan, repair
from .slot_values import Side, new_side
from .task_classes import ClassedInstance, TaskClasses
from .timing import Timing, evaluate


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
    reduces = with_reads(problem, placement)
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
    horizon = timing.makespan
    dates = target_dates(problem, timing, uniform(random), horizon)
    maps, reduces = _sides(problem, placement, dates.date, horizon)
    kept = Kept(*(np.empty_like(array) for array in (maps.number, reduces.number, dates.date)))
    anneal(stop, random, maps, reduces, dates, kept, plan)
    kept_placement = Placement(*kept)
    return kept_placement, timing_of(problem, kept_placement)


def repair_round(
    stop: IntArray,
    random: IntArray,
    problem: ClassedInstance,
    placement: Placement,
    timing: Timing,
    plan: RepairPlan,
) -> tuple[Placement, Timing]:
    """Repair a placement towards a makespan, `plan.limit`.

    Target dates and what reduce tasks read are at first as in `anneal_round`.

    `stop`: the round ends early when `stop[0]` is set, shape (1,).
    Returns the placement at the end, which may be longer than the given one.
    """
    dates = target_dates(problem, timing, uniform(random), plan.limit)
    maps, reduces = _sides(problem, placement, dates.date, plan.limit)
    repair(stop, random, maps, reduces, dates, plan)
    changed = Placement(maps.number, reduces.number, dates.date)
    return changed, timing_of(problem, changed)


def target_dates(problem: ClassedInstance, timing: Timing, share: float, horizon: int) -> Dates:
    """Dates at a share of the way to the latest ends for a makespan."""
    latest = timing.due + (horizon - timing.makespan)
    with_maps, with_reduces = (
        np.bincount(classes.job, minlength=len(latest)) > 0
        for classes in (problem.maps, problem.reduces)
    )
    return dates_between(timing.end, latest, share, horizon, with_maps, with_reduces)


def _sides(
    problem: ClassedInstance, placement: Placement, date: IntArray, horizon: int
) -> tuple[Side, Side]:
    """Both phases, whose values are yet to be computed, with copies of the numbers of tasks."""
    at = np.argsort(date, kind="stable")
    place = np.empty(len(date), dtype=np.int64)
    place[at] = np.arange(len(date))
    maps = new_side(problem.maps, placement.maps.copy(), place, horizon - date[at])
    reduces = new_side(
        with_reads(problem, placement),
        placement.reduces.copy(),
        len(date) - 1 - place,
        np.ascontiguousarray(date[at][::-1]),
    )
    return maps, reduces


def with_reads(problem: ClassedInstance, placement: Placement) -> TaskClasses:
    if not problem.reads:
        return problem.reduces
    return problem.reduces._replace(time=problem.reduces.time + problem.read_units(placement.maps))
