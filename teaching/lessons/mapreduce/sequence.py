"""Lessons on the printed integer program of [LJR]."""

from __future__ import annotations

from typing import Any

from ....core.errors import InputError
from ....formulations.mapreduce.sequence import model as sequence
from ....instances.mapreduce.instance import Instance
from ....instances.mapreduce.instance_file import instance_document
from ..family import Family
from .batches import SCRIPTS, beside, built, proven_makespan, refuse_unsolvable

MOST_TASKS = 8
"""The printed program stalls near 10."""

MOST_SLOTS = 8
"""Each slot has its own variables for every pair of tasks."""


DUMMIES = {-1: "h", -2: "t"}

WITHOUT: dict[str, float | None] = {
    "1": 0.0,
    "1*": 26.0,
    "2": 17.0,
    "3": 5.0,
    "3*": 26.0,
    "4": 23.5,
    "4*": 22.0,
    "5": 20.5,
    "6": 26.0,
    "7": 26.0,
    "8": 26.0,
    "9": 26.0,
    "10": 24.5,
}
"""What the program says (s) of the example lesson-job-order without a rule; the truth is 26 s.

(1*) and (3*) have no rows there: the example lesson-sequence has jobs of one phase. Each of (6) to
(9) follows from others and is not missed alone, on any instance; without (6) and (7) tasks run
nowhere, without (8) and (9) they overlap."""


def _variable(component: str, index: tuple[Any, ...]) -> str:
    if component == "makespan":
        return "C"
    phase, what = component.split("_")
    if what == "follows":
        slot, before, after = index
        return f"u_{phase}_{slot}_{DUMMIES.get(before, before)}_{DUMMIES.get(after, after)}"
    return f"{what[0]}_{phase}_{index[0]}"


def _refuse(instance: Instance) -> None:
    name = f"instance {instance.name!r}"
    tasks = instance.map_tasks + instance.reduce_tasks
    if tasks > MOST_TASKS:
        raise InputError(
            f"a lesson page solves in the browser: at most {MOST_TASKS} tasks for the sequence "
            f"model, {name} has {tasks}; a lesson on job-order takes more"
        )
    slots = int(instance.cluster.map_slots.sum() + instance.cluster.reduce_slots.sum())
    if slots > MOST_SLOTS:
        raise InputError(
            f"a lesson page shows at most {MOST_SLOTS} slots of the sequence model, {name} has "
            f"{slots}"
        )
    if instance.speed_factors is not None or instance.security is not None:
        raise InputError(
            f"{name}: a lesson on sequence knows no speed factors and no security; one on "
            "job-order does"
        )
    if instance.outages is not None:
        raise InputError(f"{name}: a lesson on sequence knows no outages; one on job-order does")
    if not tasks:
        raise InputError(f"{name}: there is no task, so there is nothing to learn from it")
    refuse_unsolvable(instance)


FAMILY = Family(
    model="sequence",
    scripts=SCRIPTS,
    build=built(sequence),
    variable=_variable,
    document=instance_document,
    optimum=proven_makespan,
    refuse=_refuse,
    witness="lesson-job-order",
    unit=lambda _: "s",
    without=WITHOUT,
    facts=beside("job-order"),
)
