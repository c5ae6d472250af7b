"""The exact fluid allocation once more, slowly: recursion and bisection on plain objects."""

from dataclasses import dataclass, field

import numpy as np

from slotwise.instances.hierarchy.hierarchy import Hierarchy


@dataclass
class Node:
    weight: float
    leaf: int = -1
    children: list["Node"] = field(default_factory=list)


def plain_exact(tree: Hierarchy) -> np.ndarray:
    """Dominant shares (leaves,): the definition in docs/heuristics/fairness.md."""
    demand, most = tree.normalised, tree.most_share
    root = _root(tree)
    share = np.zeros(tree.leaves)
    rising = {i for i in range(tree.leaves) if tree.tasks[i] > 0}
    spare = np.ones(tree.demand.shape[1], dtype=bool)
    while any(share[i] < most[i] for i in rising):
        low, high = 0.0, 1.0
        while high < 1e9 and (_raised(root, high, rising, share, tree) @ demand)[spare].max() < 1:
            high *= 8
        for _ in range(100):
            middle = (low + high) / 2
            if (_raised(root, middle, rising, share, tree) @ demand)[spare].max() < 1:
                low = middle
            else:
                high = middle
        share = _raised(root, low, rising, share, tree)
        full = spare & (share @ demand > 1 - 1e-9)
        if not full.any():
            return share
        spare &= ~full
        rising = {i for i in rising if not (demand[i][full] > 0).any()}
    return share


def _root(tree: Hierarchy) -> Node:
    nodes = [Node(weight) for weight in tree.weight]
    for n in range(1, tree.nodes):
        nodes[tree.parent[n]].children.append(nodes[n])
    for i, n in enumerate(tree.leaf):
        nodes[n].leaf = i
    return nodes[0]


def _raised(root: Node, level: float, rising: set[int], floor: np.ndarray, tree: Hierarchy):
    """Nobody falls; the rising leaves have what the tree wants for them at this level.

    Whatever has tasks left rises at the rates of the tree without the leaves that have none.
    """
    reached, now = dict.fromkeys(rising, 0.0), 0.0
    left = set(rising)
    while left and now < level:
        rates: dict[int, float] = {}
        _rates(root, 1.0, left, tree.normalised, rates)
        until = {i: (tree.most_share[i] - reached[i]) / rates[i] for i in left}
        step = min([level - now, *until.values()])
        for i in left:
            reached[i] += step * rates[i]
        done = {i for i in left if until[i] <= step}
        for i in done:
            reached[i] = tree.most_share[i]
        left -= done
        now = level if step == level - now else now + step
    shares = floor.copy()
    for i, share in reached.items():
        shares[i] = max(shares[i], share)
    return shares


def _rates(node: Node, rate: float, left: set[int], demand: np.ndarray, rates: dict[int, float]):
    for child in node.children:
        speed = child.weight * rate
        if child.leaf in left:
            rates[child.leaf] = speed
        elif child.leaf < 0:
            mu = _group_demand(child, left, demand).max()
            if mu > 0:
                _rates(child, speed / mu, left, demand, rates)


def _group_demand(group: Node, left: set[int], demand: np.ndarray) -> np.ndarray:
    """MCH, equation (2), with weights."""
    total = np.zeros(demand.shape[1])
    for child in group.children:
        if child.leaf in left:
            total += child.weight * demand[child.leaf]
        elif child.leaf < 0:
            below = _group_demand(child, left, demand)
            if below.max() > 0:
                total += child.weight * below / below.max()
    return total
