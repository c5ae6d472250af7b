"""[MCH] as printed: flatten once, before anything is full: docs/heuristics/fairness.md."""

from __future__ import annotations

import numpy as np

from ...instances.hierarchy.allocation import Allocation
from ...instances.hierarchy.hierarchy import Hierarchy
from .drf import flat_allocation
from .flatten import flatten


def mch(hierarchy: Hierarchy) -> Allocation:
    """Multi-resource collapsed hierarchies ([MCH], section III-A).

    A leaf that needs the first saturated resource k' has as its flat weight the product of 1/mu
    over its groups (cases 1 and 2.2), any other leaf its own weight from the start (case 2.1). The
    paper does not say how to find k'; here it is the largest demand of the root. The paper has all
    weights 1; here others multiply along the path, and a leaf of case 2.1 keeps its own.
    """
    flat = flatten(hierarchy, hierarchy.tasks > 0)
    first_full = flat.root_demand.argmax()
    needs = hierarchy.demand[:, first_full] > 0
    return flat_allocation(
        hierarchy, "mch", np.where(needs, flat.weight, hierarchy.weight[hierarchy.leaf])
    )
