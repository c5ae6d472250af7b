"""A round of the search: share the slack, repair, time the result exactly."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....core.arrays import IntArray
from ..random_numbers import uniform
from .dates import dates_between
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
    reduces = _with_reads(problem, placement)
    return evaluate(problem.maps, reduces, placement.maps, placement.reduces, placement.date)


def repair_round(
    stop: IntArray,
    random: IntArray,
    problem: ClassedInstance,
    placement: Placement,
    timing: Timing,
    plan: RepairPlan,
) -> tuple[Placement, Timing]:
    """Repair a placement towards a makespan, `plan.limit`.

    Every job's target date is at first somewhere between the end of its map phase and the latest
    end, at the same share of the way for all jobs. What reduce tasks read counts as it is in the
    given placement, and exactly in the result.

    `stop`: the round ends early when `stop[0]` is set, shape (1,).
    Returns the placement at the end, which may be longer than the given one.
    """
    latest = timing.due + (plan.limit - timing.makespan)
    with_maps, with_reduces = (
        np.bincount(classes.job, minlength=len(latest)) > 0
        for classes in (problem.maps, problem.reduces)
    )
    share = uniform(random)
    dates = dates_between(timing.end, latest, share, plan.limit, with_maps, with_reduces)
    maps, reduces = _sides(problem, placement, dates.date, plan.limit)
    repair(stop, random, maps, reduces, dates, plan)
    changed = Placement(maps.number, reduces.number, dates.date)
    return changed, timing_of(problem, changed)


def _sides(
    problem: ClassedInstance, placement: Placement, date: IntArray, horizon: int
) -> tuple[Side, Side]:
    """Both phases, whose values are yet to be computed, with copies of the numbers of tasks."""
    at = np.argsort(date, kind="stable")
    place = np.empty(len(date), dtype=np.int64)
    place[at] = np.arange(len(date))
    maps = new_side(problem.maps, placement.maps.copy(), place, horizon - date[at])
    reduces = new_side(
        _with_reads(problem, placement),
        placement.reduces.copy(),
        len(date) - 1 - place,
        np.ascontiguousarray(date[at][::-1]),
    )
    return maps, reduces


def _with_reads(problem: ClassedInstance, placement: Placement) -> TaskClasses:
    if not problem.reads:
        return problem.reduces
    return problem.reduces._replace(time=problem.reduces.time + problem.read_units(placement.maps))
