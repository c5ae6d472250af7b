"""Lessons on hierarchical max-min fairness, one linear program for each resource that fills up."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyomo.environ as pyo

from ....core.errors import InputError
from ....formulations.hierarchy.fair_share import model as fair_share
from ....heuristics.hierarchy.exact import exact
from ....instances.hierarchy.hierarchy import Hierarchy
from ....instances.hierarchy.hierarchy_file import from_document, hierarchy_document
from ....solvers.backends import highs
from ..family import Family
from ..ranges import refuse_many, refuse_numbers

MOST_LEAVES, MOST_RESOURCES = 12, 4
"""More cannot be told apart in a picture."""

LEAST_WEIGHT, MOST_WEIGHT = 1e-3, 1e4
"""Weights are multiplied along the tree."""


def _build(hierarchy: Hierarchy) -> tuple[pyo.ConcreteModel, None]:
    return fair_share.build(in_file_order(hierarchy)), None


def in_file_order(hierarchy: Hierarchy) -> Hierarchy:
    """The same tree with its nodes in the order of a file: each right before what is below it."""
    return from_document(hierarchy_document(hierarchy), hierarchy.name)


def _variable(component: str, index: tuple[Any, ...]) -> str:
    return f"{'x' if component == 'share' else 'L'}_{index[0]}"


def _optimum(hierarchy: Hierarchy) -> float:
    """The level of the root's children at the end of the first stage."""
    value = highs.solve(fair_share.build(hierarchy)).incumbent
    assert value is not None
    return float(value)


def _refuse(hierarchy: Hierarchy) -> None:
    name = f"hierarchy {hierarchy.name!r}"
    refuse_many(
        name,
        (hierarchy.leaves, MOST_LEAVES, "leaves"),
        (len(hierarchy.resources), MOST_RESOURCES, "resources"),
    )
    if not hierarchy.active[0]:
        raise InputError(f"{name}: no leaf has tasks, so there is nothing to learn from it")
    refuse_numbers(name, hierarchy_document(hierarchy), LEAST_WEIGHT, MOST_WEIGHT, "weight")
    shares = exact(hierarchy).share
    for i in np.flatnonzero((shares >= hierarchy.most_share * (1 - 1e-9)) & (hierarchy.tasks > 0)):
        raise InputError(
            f"{name}, leaf {hierarchy.paths[i]!r}: its task limit binds, and the program knows "
            "none: leave it out or raise it"
        )


def _facts(hierarchy: Hierarchy) -> dict[str, Any]:
    """The shares by the allocator, which flattens the tree and solves no program."""
    return {"shares": dict(zip(hierarchy.paths, exact(hierarchy).share.tolist(), strict=True))}


FAMILY = Family(
    model="fair-share",
    scripts=(
        "tracks.js",
        "walk.js",
        "fair_share.js",
        "fair_share_stages.js",
        "fair_share_steps.js",
    ),
    build=_build,
    variable=_variable,
    document=hierarchy_document,
    optimum=_optimum,
    refuse=_refuse,
    witness="lesson-fair-share",
    unit=lambda _: "per unit of weight",
    without={"F1": None, "F2": 1 / 3, "F3": 1 / 6, "F4": None},
    facts=_facts,
)
