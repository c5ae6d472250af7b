"""One stage of hierarchical max-min fairness as a linear program.

One level at the root is raised as far as the capacities permit. Children rise in the ratio of their
weights, and the dominant share of a group is mu times the level of its children. The constraint
components are numbered (F1) to (F4) as in docs/heuristics/fairness.md. Solving stage after stage
without the leaves that need a full resource (`solvers.hierarchy.fair_share`) gives the exact fluid
allocation, without flattening the tree and without events.
"""

from __future__ import annotations

import numpy as np
import pyomo.environ as pyo

from ....core.arrays import BoolArray, FloatArray
from ....instances.hierarchy.hierarchy import Hierarchy

__all__ = ["build", "estimated_terms", "group_mu", "shares"]


def build(
    hierarchy: Hierarchy, *, rising: BoolArray | None = None, floor: FloatArray | None = None
) -> pyo.ConcreteModel:
    """Build the linear program of a stage, by default of the first one.

    Task limits are not in the model.

    Parameters
    ----------
    hierarchy
        The hierarchy.
    rising
        Leaves that rise, shape (leaves,); the others keep their share. By default all leaves with
        tasks.
    floor
        Dominant share that each leaf has already, shape (leaves,); 0 by default.

    Returns
    -------
    pyo.ConcreteModel
        The model. Its variables are `share[i]` of leaf i and `level[n]` of the children of group n.
        The duals of `F4_capacity` tell which resources stop the stage.
    """
    hierarchy.refuse_quotas("the linear program")
    rising = hierarchy.tasks > 0 if rising is None else rising
    floor = np.zeros(hierarchy.leaves) if floor is None else floor
    mu, normalised = group_mu(hierarchy, rising), hierarchy.normalised
    model = pyo.ConcreteModel(name=f"fair shares of {hierarchy.name or 'a hierarchy'}")
    groups = [0, *np.flatnonzero(mu[1:] > 0) + 1]
    model.share = pyo.Var(range(hierarchy.leaves), domain=pyo.NonNegativeReals)
    model.level = pyo.Var([int(n) for n in groups], domain=pyo.NonNegativeReals)
    model.objective = pyo.Objective(expr=model.level[0], sense=pyo.maximize)
    parent, weight = hierarchy.parent.tolist(), hierarchy.weight.tolist()
    model.F1_leaf_level = pyo.Constraint(
        np.flatnonzero(rising).tolist(),
        rule=lambda model, i: (
            model.share[i] >= weight[hierarchy.leaf[i]] * model.level[parent[hierarchy.leaf[i]]]
        ),
    )
    model.F2_group_level = pyo.Constraint(
        [int(n) for n in groups[1:]],
        rule=lambda model, n: float(mu[n]) * model.level[n] == weight[n] * model.level[parent[n]],
    )
    model.F3_floor = pyo.Constraint(
        range(hierarchy.leaves), rule=lambda model, i: model.share[i] >= float(floor[i])
    )
    model.F4_capacity = pyo.Constraint(
        range(len(hierarchy.resources)),
        rule=lambda model, j: (
            pyo.quicksum(
                float(normalised[i, j]) * model.share[i]
                for i in range(hierarchy.leaves)
                if normalised[i, j] > 0
            )
            <= 1.0
            if (normalised[:, j] > 0).any()
            else pyo.Constraint.Skip
        ),
    )
    return model


def group_mu(hierarchy: Hierarchy, rising: BoolArray) -> FloatArray:
    """Compute the largest entry of each group's demand ([MCH], equation (2)).

    The demand of a group is the sum of its children's normalised demands times their weights;
    leaves that do not rise demand nothing.
    """
    demand = np.zeros((hierarchy.nodes, len(hierarchy.resources)))
    demand[hierarchy.leaf[rising]] = hierarchy.normalised[rising]
    mu = np.zeros(hierarchy.nodes)
    is_leaf = np.zeros(hierarchy.nodes, dtype=np.bool_)
    is_leaf[hierarchy.leaf] = True
    for n in range(hierarchy.nodes - 1, 0, -1):
        if not is_leaf[n]:
            mu[n] = demand[n].max()
            demand[n] /= mu[n] or 1.0
        demand[hierarchy.parent[n]] += hierarchy.weight[n] * demand[n]
    return mu


def shares(model: pyo.ConcreteModel, hierarchy: Hierarchy, floor: FloatArray) -> FloatArray:
    """Read off the dominant shares at the level found.

    No leaf exceeds what its level or its floor asks for.
    """
    level = {n: pyo.value(variable) for n, variable in model.level.items()}
    result = floor.copy()
    for i in model.F1_leaf_level:
        n = int(hierarchy.leaf[i])
        result[i] = max(floor[i], hierarchy.weight[n] * level[int(hierarchy.parent[n])])
    return result


def estimated_terms(hierarchy: Hierarchy) -> float:
    """Bound the number of nonzeros of the model from above, without building it."""
    return float(2 * hierarchy.nodes + hierarchy.leaves * (1 + len(hierarchy.resources)))
