"""Lessons on the job-order model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pyomo.environ as pyo

from ....formulations.job_order import model as job_order
from ....instances.errors import InputError
from ....instances.mapreduce.eligibility import impossible
from ....instances.mapreduce.instance import Instance
from ....instances.mapreduce.instance_file import instance_document
from . import Family, Role
from .batches import proven_makespan

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


@dataclass(frozen=True)
class Dropped:
    """What becomes of the example lesson-job-order without a core rule, and without all cuts.

    Parameters
    ----------
    label
        Number of the rule.
    says
        What the model says (s).
    relaxation
        What its relaxation says (s).
    breaks
        A rule that the schedule that it then believes in breaks, as the page calls it.
    """

    label: str
    says: float
    relaxation: float
    breaks: str


OPTIMUM, RELAXATION = 30.0, 19.589587559161593
"""Of the example (s), with all core rules and no cut."""

DROPPED = (
    Dropped("J1", 17.0, 8.5, "each task once"),
    Dropped("J2", 16.0, 9.313725490196079, "each task once"),
    Dropped("J5", 29.5, 19.589587559161593, "one task at a time"),
    Dropped("J7", 26.0, 17.813725490196077, "setup as placed"),
    Dropped("J9", 29.5, 19.589587559161593, "one task at a time"),
    Dropped("J10", 17.0, 8.5, "reduce after maps"),
    Dropped("J11", 29.0, 19.589587559161593, "one task at a time"),
    Dropped("J12", 16.0, 9.313725490196079, "reduce after maps"),
)

ALL_CUTS = 24.795405567195456
"""The relaxation of the example with all cuts (s)."""

CUT_FAMILIES = {
    "area": (24.288461538461537, 24.193969716083622),
    "heads": (24.795405567195456, 20.153324502891046),
    "spans": (24.297301349325338, 24.28846153846154),
    "sets": (24.617143296863198, 23.818181818181817),
    "horizon": (24.795405567195456, 19.589587559161593),
}
"""The relaxation of the example with all other families of cuts, and with this one alone (s)."""


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
    reason = impossible(instance)
    if reason is not None:
        raise InputError(f"instance {instance.name!r}: no schedule exists: {reason}")


def _build(instance: Instance) -> tuple[pyo.ConcreteModel, float]:
    model = job_order.build(instance)
    return model, float(model.data.serial_makespan)


FAMILY = Family(
    model="job-order",
    scripts=(
        "draw.js",
        "job_order_data.js",
        "job_order_rows.js",
        "job_order_picture.js",
        "job_order_check.js",
        "job_order.js",
    ),
    build=_build,
    variable=_variable,
    document=instance_document,
    optimum=proven_makespan,
    refuse=_refuse,
    witness="lesson-job-order",
    unit=lambda _: "s",
    roles=ROLES,
    without={one.label: one.says for one in DROPPED},
)
