"""One event of fair shares under guarantees and limits, as a linear program.

The level of the root's children is raised until a leaf or a group comes to what it waits for, or a
limit or a resource of the cluster is full. Between events all rates are constant, so this is one
linear program; `solvers.hierarchy.exact_by_steps` solves one after the other. The constraint
components are numbered (S1) to (S4) as in docs/heuristics/limits.md.
"""

from __future__ import annotations

from typing import NamedTuple

import pyomo.environ as pyo

__all__ = ["Rises", "build"]


class Rises(NamedTuple):
    """What rises, and how far until the next event."""

    root: int
    """The group that is filled."""
    charge: dict[int, float]
    """What groups with rising children are charged for a unit of their level."""
    above: dict[int, tuple[int, float]]
    """Group and weight of each child whose target rises."""
    wait: dict[int, float]
    """How far targets of such children rise until something happens."""
    need: dict[int, list[float]]
    """Of leaves that rise, for a unit of share, fractions of the capacity."""
    room: dict[tuple[int, int], tuple[float, list[int]]]
    """What is left of the limit of a node and a resource, and the rising leaves that use it."""


def build(rises: Rises) -> pyo.ConcreteModel:
    """Build the linear program of an event.

    Its variables are `level[n]`, the increment of the level of group n's children, and `gain[n]`,
    the increment of the share of the leaf at node n.
    """
    model = pyo.ConcreteModel(name="one event of fair shares")
    model.level = pyo.Var(list(rises.charge), domain=pyo.NonNegativeReals)
    model.gain = pyo.Var(list(rises.need), domain=pyo.NonNegativeReals)
    model.objective = pyo.Objective(expr=model.level[rises.root], sense=pyo.maximize)

    def target(n: int) -> pyo.Expression:
        group, weight = rises.above[n]
        return weight * model.level[group]

    model.S1_leaf = pyo.Constraint(
        list(rises.need), rule=lambda model, n: model.gain[n] == target(n)
    )
    model.S2_group = pyo.Constraint(
        [n for n in rises.charge if n != rises.root],
        rule=lambda model, n: rises.charge[n] * model.level[n] == target(n),
    )
    model.S3_wait = pyo.Constraint(
        list(rises.wait), rule=lambda model, n: target(n) <= rises.wait[n]
    )
    model.S4_room = pyo.Constraint(
        list(rises.room),
        rule=lambda model, n, j: (
            pyo.quicksum(rises.need[leaf][j] * model.gain[leaf] for leaf in rises.room[n, j][1])
            <= rises.room[n, j][0]
        ),
    )
    return model
