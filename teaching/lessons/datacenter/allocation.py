"""Lessons on the allocation program of [LoTES]."""

from __future__ import annotations

from typing import Any

import pyomo.environ as pyo

from ....core.errors import InputError
from ....formulations.datacenter.allocation import model as allocation
from ....instances.datacenter.datacenter import Datacenter
from ....instances.datacenter.datacenter_file import datacenter_document
from ....solvers.backends import highs
from ..family import Family
from ..ranges import refuse_many, refuse_numbers

MOST_CLASSES, MOST_CONFIGURATIONS = 12, 16
"""More cannot be told apart in a picture."""

LEAST, MOST = 1e-6, 1e7
"""What a number of a datacenter may be, if it is not 0."""


def _build(datacenter: Datacenter) -> tuple[pyo.ConcreteModel, None]:
    return allocation.build(datacenter), None


def _variable(component: str, index: tuple[Any, ...]) -> str:
    if component == "arrival_rate":
        return "lambda"
    j, k = index
    return f"y_{j}_{k}"


def _optimum(datacenter: Datacenter) -> float:
    value = highs.solve(allocation.build(datacenter)).incumbent
    if value is None or value <= 0.0:
        raise InputError(
            f"datacenter {datacenter.name!r}: carries no arrivals, so there is nothing to learn "
            "from it: `slotwise guide` says which class runs nowhere"
        )
    return float(value)


def _refuse(datacenter: Datacenter) -> None:
    name = f"datacenter {datacenter.name!r}"
    refuse_many(
        name,
        (len(datacenter.classes), MOST_CLASSES, "classes"),
        (len(datacenter.configurations), MOST_CONFIGURATIONS, "configurations"),
    )
    refuse_numbers(name, datacenter_document(datacenter), LEAST, MOST)


FAMILY = Family(
    model="allocation",
    scripts=("tracks.js", "allocation.js"),
    build=_build,
    variable=_variable,
    document=datacenter_document,
    optimum=_optimum,
    refuse=_refuse,
    witness="lesson-allocation",
    unit=lambda datacenter: f"jobs/{datacenter.time_unit}",
    without={"2": None, "4": None, "A1": 63.74501992031872},
)
