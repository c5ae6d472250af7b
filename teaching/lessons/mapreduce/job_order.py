"""Lessons on the job-order model."""

from __future__ import annotations

from typing import Any

from ....core.errors import InputError
from ....formulations.mapreduce.job_order import model as job_order
from ....instances.mapreduce.instance import Instance
from ....instances.mapreduce.instance_file import instance_document
from ..family import Family, Role
from .batches import SCRIPTS, beside, built, proven_makespan, refuse_unsolvable

MOST_TASKS = 16
"""More take the browser too long."""

MOST_SLOTS = 24
"""More lanes cannot be told apart in a picture."""


LETTERS = {
    "makespan": "C",
    "on_map": "x",
    "on_reduce": "y",
    "before": "before",
    "map_completion": "theta",
    "read": "rho",
    "map_work_before": "alpha",
    "reduce_work_after": "omega",
    "first_job": "f",
    "last_job": "z",
}
"""The statement's letter for each variable component."""

SPEED = (
    "J3_map_slot_symmetry",
    "J4_reduce_slot_symmetry",
    "J6_fixed_order",
    "J8_local_read",
    "J10b_makespan",
)
"""Rules without which the optimum stays what it is, where there are reduce tasks."""

CUTS = (
    "J13_map_area",
    "J13_reduce_area",
    "J14_some_first_job",
    "J14_first_job_is_there",
    "J14_reduce_slot_makespan",
    "J15_some_last_job",
    "J15_last_job_is_there",
    "J15_map_slot_makespan",
    "J16_reduce_knapsack",
    "J16_map_knapsack",
    "J17_map_task",
    "J17_reduce_task",
    "J18_head",
    "J18_tail",
    "J19_map_set",
    "J19_reduce_set",
)
"""Consequences of all core rules together."""

ROLES: dict[str, Role] = {
    **dict.fromkeys(SPEED, "speed"),
    **dict.fromkeys(CUTS, "cut"),
}


WITHOUT: dict[str, float | None] = {
    "J1": 16.5,
    "J2": 9.0,
    "J5": 25.5,
    "J7": 24.5,
    "J9": 24.5,
    "J10": 17.0,
    "J11": 21.0,
    "J12": 9.0,
}
"""What the model says (s) of the example lesson-job-order without a core rule and without all
cuts; the truth is 26 s."""


def _variable(component: str, index: tuple[Any, ...]) -> str:
    return "_".join([LETTERS[component], *map(str, index)])


def _refuse(instance: Instance) -> None:
    tasks = instance.map_tasks + instance.reduce_tasks
    if tasks > MOST_TASKS:
        raise InputError(
            f"a lesson page solves in the browser: at most {MOST_TASKS} tasks, this instance has "
            f"{tasks}; `slotwise generate ljr --jobs 4 --nodes 2 --maps 1 2 --reduces 1 2` makes "
            "one"
        )
    slots = int(instance.cluster.map_slots.sum() + instance.cluster.reduce_slots.sum())
    if slots > MOST_SLOTS:
        raise InputError(
            f"a lesson page shows at most {MOST_SLOTS} slots, instance {instance.name!r} has "
            f"{slots}"
        )
    if not instance.map_tasks or not instance.reduce_tasks:
        raise InputError(
            f"instance {instance.name!r}: a lesson on job-order needs map tasks and reduce tasks"
        )
    refuse_unsolvable(instance)


FAMILY = Family(
    model="job-order",
    scripts=SCRIPTS,
    build=built(job_order),
    variable=_variable,
    document=instance_document,
    optimum=proven_makespan,
    refuse=_refuse,
    witness="lesson-job-order",
    unit=lambda _: "s",
    roles=ROLES,
    without=WITHOUT,
    facts=beside("sequence"),
)
