"""What the leaves of a tree that was just read would have, so that notes can say what matters."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ....core.arrays import FloatArray
from ....core.errors import InputError
from ....core.wording import percent
from ..hierarchy import Hierarchy
from ..quotas import DOMINANT, EACH, Quotas, check_feasible
from ..replay import replay, tree_of
from ..subtree_sums import subtree_sums

MOST_NODES = 300
"""Nodes of the largest tree that is computed only for the notes."""

AT_LIMIT = 1e-9
"""What may be left of a limit that is full, as a part of it."""

LEAST_DIFFERENCE = 1e-6
"""Shares further apart are told."""


def first_use(hierarchy: Hierarchy, quotas: Quotas) -> FloatArray | None:
    """What every node uses, shape (nodes, resources); None for what is not computed here."""
    several = len(hierarchy.resources) > 1
    if hierarchy.nodes > MOST_NODES or (several and quotas.shares == EACH) or not hierarchy.leaves:
        return None
    tree = replace(hierarchy, quotas=quotas)
    try:
        check_feasible(quotas, tree.capacity, tree.parent, tree.resources, tree.path, tree.wanted)
        simulated = tree_of(tree, quotas)
    except InputError:
        return None
    use = np.zeros((tree.nodes, len(tree.resources)))
    use[tree.leaf] = (replay(simulated).share / simulated.size)[:, None] * tree.demand
    return subtree_sums(tree.parent, use)


def full_limits(hierarchy: Hierarchy) -> list[str] | None:
    """Limits that hold somebody back, `b (memory)`; None if that is not computed."""
    quotas = hierarchy.quotas
    use = None if quotas is None else first_use(hierarchy, quotas)
    if quotas is None or use is None:
        return None
    wanted = hierarchy.wanted
    found = (use >= quotas.limit * (1 - AT_LIMIT)) & (wanted > quotas.limit) & (wanted > 0)
    return [f"{hierarchy.path(n)} ({hierarchy.resources[j]})" for n, j in np.argwhere(found)]


def difference_to_dominant(hierarchy: Hierarchy) -> str | None:
    """The leaf that counting the dominant resource changes most, in words; None if none does."""
    quotas = hierarchy.quotas
    if quotas is None or quotas.shares in (DOMINANT, EACH):
        return None
    now = first_use(hierarchy, quotas)
    other = first_use(hierarchy, replace(quotas, shares=DOMINANT))
    if now is None or other is None:
        return None
    now, other = (use[hierarchy.leaf] / hierarchy.capacity for use in (now, other))
    worst = int(np.abs(now - other).max(axis=1).argmax())
    if np.abs(now - other)[worst].max() < LEAST_DIFFERENCE:
        return "the same with these demands"
    j = int(np.abs(now - other)[worst].argmax())
    return (
        f"{percent(other[worst, j])} of {hierarchy.resources[j]} for {hierarchy.paths[worst]} "
        f"instead of {percent(now[worst, j])}"
    )
