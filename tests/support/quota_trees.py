"""Small hierarchies with guarantees and limits, by hand and at random."""

import numpy as np

from slotwise.instances.hierarchy.hierarchy import Hierarchy
from slotwise.instances.hierarchy.nodes import Group, Leaf, Node
from slotwise.instances.hierarchy.quotas import Quotas

INF = float("inf")


def leaf(name, weight=1.0, tasks=INF, *, demand=None, **quota) -> Node:
    """A leaf whose task takes 1 cpu; `quota` holds amounts of cpu or mappings by resource."""
    return Leaf(name, demand or {"cpu": 1}, weight, tasks, **_by_name(quota))


def group(name, *children, weight=1.0, **quota) -> Node:
    return Group(name, children, weight, **_by_name(quota))


def _by_name(amounts):
    return {
        what: {"cpu": amount} if what != "priority" and not isinstance(amount, dict) else amount
        for what, amount in amounts.items()
    }


def quota_tree(capacity, *children, surplus="above", shares="dominant") -> Hierarchy:
    resources = capacity if isinstance(capacity, dict) else {"cpu": capacity}
    root = Group("root", children)
    return Hierarchy.from_tree(resources, root, surplus=surplus, shares=shares)


def eng_and_ads() -> Hierarchy:
    """100 cpu; eng has at most 40, which dev (3 : 1, at least 20) and test (at least 5) share."""
    return quota_tree(
        100,
        group("eng", leaf("dev", 3, guarantee=20), leaf("test", 1, guarantee=5), limit=40),
        leaf("ads", 4, 45),
        surplus="total",
    )


def random_quota_tree(
    rng: np.random.Generator,
    resources: int,
    *,
    nodes: int = 12,
    limits: float = 0.4,
    guarantees: float = 0.4,
    reserves: float = 0.0,
    classes: bool = False,
    surplus: str = "above",
    shares: str = "dominant",
) -> Hierarchy:
    """Small whole amounts, so that ties are common; with `classes`, priorities and weights 0."""
    q = int(rng.integers(2, nodes))
    parent = np.array([-1, *(int(rng.integers(0, n)) for n in range(1, q))])
    leaves = np.array([n for n in range(1, q) if n not in parent])
    weight = rng.integers(1, 5, q).astype(float)
    priority = np.zeros(q, dtype=np.int64)
    if classes:
        weight[1:][rng.random(q - 1) < 0.15] = 0.0
        priority = rng.integers(0, 3, q)
    demand = rng.integers(0, 4, (len(leaves), resources)).astype(float)
    demand[(demand == 0).all(axis=1), 0] = 1.0
    shape = q, resources
    guarantee = np.where(rng.random(shape) < guarantees, rng.integers(0, 7, shape), 0.0)
    limit = np.where(rng.random(shape) < limits, rng.integers(0, 12, shape), INF)
    reserve = np.where(rng.random(shape) < reserves, rng.integers(0, 4, shape), 0.0)
    guarantee = np.maximum(guarantee, reserve)
    limit = np.maximum(guarantee, limit)
    guarantee[0], limit[0], reserve[0] = 0.0, INF, 0.0
    return Hierarchy(
        resources=tuple(f"r{j}" for j in range(resources)),
        capacity=rng.integers(5, 20, resources).astype(float),
        names=tuple(f"n{n}" for n in range(q)),
        parent=parent,
        weight=weight,
        leaf=leaves,
        demand=demand,
        tasks=np.where(rng.random(len(leaves)) < 0.5, INF, rng.integers(0, 12, len(leaves))),
        quotas=Quotas(guarantee, limit, reserve, priority, surplus, shares),
    )
