"""Lessons on the machine assignment program of [LoTES], with column generation step by step."""

from __future__ import annotations

from typing import Any

import pyomo.environ as pyo

from ....core.errors import InputError
from ....formulations.datacenter.machine_assignment import model as machine_assignment
from ....formulations.datacenter.machine_assignment.bins import non_dominated
from ....instances.datacenter.datacenter import Datacenter
from ....instances.datacenter.datacenter_file import datacenter_document
from ....solvers.backends import highs
from ....solvers.datacenter.column_generation import NoRate, generate_columns
from ..family import Family
from ..ranges import refuse_many, refuse_numbers
from .allocation import LEAST, MOST

MOST_CLASSES, MOST_CONFIGURATIONS, MOST_BINS = 8, 6, 120
"""More cannot be read in a table; the integer program over more bins may stall."""

SECONDS = 60.0
"""For the proof of the best plan."""


def _build(datacenter: Datacenter) -> tuple[pyo.ConcreteModel, None]:
    return machine_assignment.build(datacenter, integer=True), None


def _variable(component: str, index: tuple[Any, ...]) -> str:
    if component == "arrival_rate":
        return "lambda"
    return "_".join(["x" if component == "machines" else "run", *map(str, index)])


def _optimum(datacenter: Datacenter) -> float:
    """The arrival rate of the best plan of whole machines."""
    outcome = highs.solve(machine_assignment.build(datacenter, integer=True), time_limit=SECONDS)
    if outcome.incumbent is None or outcome.bound is None or outcome.incumbent <= 0.0:
        raise InputError(
            f"datacenter {datacenter.name!r}: no plan of whole machines serves all classes, so "
            "there is nothing to learn from it: `slotwise guide` says what it can carry"
        )
    if outcome.bound - outcome.incumbent > 1e-6 * outcome.incumbent:
        raise InputError(
            f"datacenter {datacenter.name!r}: no proven best plan in {SECONDS:g} s, so a lesson "
            "has nothing to compare with: take fewer machines"
        )
    return float(outcome.incumbent)


def _refuse(datacenter: Datacenter) -> None:
    name = f"datacenter {datacenter.name!r}"
    refuse_many(
        name,
        (len(datacenter.classes), MOST_CLASSES, "classes"),
        (len(datacenter.configurations), MOST_CONFIGURATIONS, "configurations"),
    )
    refuse_numbers(name, datacenter_document(datacenter), LEAST, MOST)
    left = MOST_BINS
    for j, configuration in enumerate(datacenter.configurations):
        try:
            left -= len(non_dominated(datacenter, j, most=left))
        except InputError:
            raise InputError(
                f"{name}: a lesson page takes at most {MOST_BINS} non-dominated bins, up to "
                f"configuration {configuration!r} there are more"
            ) from None


def _facts(datacenter: Datacenter) -> dict[str, Any]:
    """What column generation ends with: the page's own must end there, too."""
    try:
        return {"column_generation": generate_columns(datacenter).value}
    except NoRate as error:
        raise InputError(f"datacenter {datacenter.name!r}: {error}") from None


FAMILY = Family(
    model="machine-assignment",
    scripts=(
        "tracks.js",
        "walk.js",
        "machine_assignment.js",
        "machine_assignment_columns.js",
        "machine_assignment_steps.js",
    ),
    build=_build,
    variable=_variable,
    document=datacenter_document,
    optimum=_optimum,
    refuse=_refuse,
    witness="lesson-machine-assignment",
    unit=lambda datacenter: f"jobs/{datacenter.time_unit}",
    without={"7": None, "8": None, "9": None},
    facts=_facts,
)
