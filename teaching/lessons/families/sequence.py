"""Lessons on the printed integer program of [LJR]."""

from __future__ import annotations

from typing import Any

import pyomo.environ as pyo

from ....formulations.sequence import model as sequence
from ....instances.errors import InputError
from ....instances.mapreduce.eligibility import impossible
from ....instances.mapreduce.instance import Instance
from ....instances.mapreduce.instance_file import instance_document
from . import Family
from .batches import proven_makespan

MOST_TASKS = 6
"""The printed program stalls near 10."""

MOST_SLOTS = 8
"""Each slot has its own variables for every pair of tasks."""


DUMMIES = {-1: "h", -2: "t"}

WITHOUT: dict[str, float | None] = {
    "1": 24.5,
    "1*": 46.0,
    "2": 25.0,
    "3": 24.5,
    "3*": 53.5,
    "4": 36.0,
    "4*": 51.5,
    "5": 34.75,
    "6": 53.5,
    "7": 53.5,
    "8": 53.5,
    "9": 53.5,
    "10": 44.5,
}
"""What the program says (s) of the example lesson-sequence without a rule; the truth is 53.5 s.

Without (3*) a task begins before time 0 at the same makespan. Each of (6) to (9) follows from
others and is not missed alone, on any instance; without (6) and (7) tasks run nowhere, without (8)
and (9) they overlap."""


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
    reason = impossible(instance)
    if reason is not None:
        raise InputError(f"{name}: no schedule exists: {reason}")


def _build(instance: Instance) -> tuple[pyo.ConcreteModel, float]:
    model = sequence.build(instance)
    return model, float(model.data.serial_makespan)


FAMILY = Family(
    model="sequence",
    scripts=(
        "draw.js",
        "job_order_data.js",
        "job_order_check.js",
        "job_order.js",
        "sequence.js",
    ),
    build=_build,
    variable=_variable,
    document=instance_document,
    optimum=proven_makespan,
    refuse=_refuse,
    witness="lesson-sequence",
    unit=lambda _: "s",
    without=WITHOUT,
)
