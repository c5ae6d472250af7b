"""Random hierarchies, and the full binary trees of [MCH], section IV-B.

[MCH] takes demands from a Google cluster trace; here they are uniform. With a given probability a
leaf is of partial type: it needs one resource only, as the paper assumes throughout. All numbers
come from `numpy.random.default_rng(seed)`: the tree first, then demands, limits and weights.
"""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass, field

import numpy as np

from ....core.arrays import BoolArray, FloatArray, IntArray
from ....core.calls import generator
from ....core.parameters import parameter
from ...generator_options import (
    SEED,
    Counts,
    Range,
    call,
    check_at_least,
    check_at_most,
    check_few_entries,
    check_probabilities,
    check_ranges,
    check_seed,
    require,
)
from ...limits import MOST_RESOURCES
from ..hierarchy import Hierarchy
from ..nodes import UNBOUNDED

MOST_DEPTH = 400
"""JSON is not read much deeper."""
MOST_TREE = 2_100_000
"""Most nodes of a generated hierarchy: a full binary tree has 20 levels."""
MOST_LEVELS = MOST_TREE.bit_length() - 2
"""Levels of the largest full binary tree."""

PARTIAL_HELP = "Probability that a leaf does not need all resources."
RESOURCES_HELP = "Number of resources."
CAPACITY_HELP = "Capacity of every resource."
DEMAND_HELP = "Demand of a task of a leaf, uniform."
WEIGHT_HELP = "Weight of a node, log-uniform."
LIMITED_HELP = "Probability of a limit of tasks."
TASKS_HELP = "Limits of tasks."


@dataclass(frozen=True)
class TreeParameters:
    depth: int = parameter(3, "Edges from the root to the deepest leaf.")
    _: KW_ONLY
    seed: int = field(metadata=SEED)
    fanout: Counts = parameter((2, 4), "Children of a group, uniform.")
    group_share: float = parameter(0.5, "Probability that a child is a group.")
    nodes: int | None = parameter(None, "About this many nodes.")
    partial: float = parameter(0.2, PARTIAL_HELP)
    resources: int = parameter(2, RESOURCES_HELP)
    capacity: float = parameter(1000.0, CAPACITY_HELP)
    demand: Range = parameter((1.0, 10.0), DEMAND_HELP)
    weight: Range = parameter((1.0, 1.0), WEIGHT_HELP)
    limited: float = parameter(0.0, LIMITED_HELP)
    tasks: Counts = parameter((1, 100), TASKS_HELP)

    def __post_init__(self) -> None:
        depth, nodes = self.depth, self.nodes
        check_at_least(1, depth=depth)
        check_seed(self.seed)
        require(1 <= self.fanout[0] <= self.fanout[1], "fanout", "1 <= low <= high", self.fanout)
        check_probabilities(group_share=self.group_share)
        require(nodes is None or nodes > depth, "nodes", f"more than the depth {depth}", nodes)
        check_at_most(MOST_DEPTH, depth=depth)
        if nodes is not None:
            check_at_most(MOST_TREE, nodes=nodes)
        _check_leaves(self)


@generator(TreeParameters)
def generate(parameters: TreeParameters) -> Hierarchy:
    """Draw a random tree with its deepest leaf at `depth` edges below the root.

    A group has `fanout` children, uniform; above the last level a child is a group with the
    probability `group_share`, and at least one is. With `nodes`, groups have instead as many
    children as give about that number. A leaf is of partial type with the probability `partial`.
    Demands and weights are uniform, weights on a logarithmic scale; every resource has the same
    `capacity`. With the probability `limited` a leaf has a task limit, uniform in `tasks`.

    Returns
    -------
    Hierarchy

    Raises
    ------
    InputError
        For parameters that describe no tree.
    """
    p = parameters
    rng = np.random.default_rng(p.seed)
    parent, group = _random_tree(rng, p)
    name, source = f"mch-depth{p.depth}-seed{p.seed}", f"random tree, {call('generate', p)}"
    return _hierarchy(rng, parent, group, p, name, source)


@dataclass(frozen=True)
class BinaryTreeParameters:
    """Parameters of a full binary tree; MCH has 2 to 5 levels."""

    levels: int = parameter(3, "The tree has 2^levels leaves.")
    _: KW_ONLY
    seed: int = field(metadata=SEED)
    partial: float = parameter(0.0, PARTIAL_HELP)
    resources: int = parameter(2, RESOURCES_HELP)
    capacity: float = parameter(1000.0, CAPACITY_HELP)
    demand: Range = parameter((1.0, 10.0), DEMAND_HELP)
    weight: Range = parameter((1.0, 1.0), WEIGHT_HELP)
    limited: float = parameter(0.0, LIMITED_HELP)
    tasks: Counts = parameter((1, 100), TASKS_HELP)

    def __post_init__(self) -> None:
        levels = self.levels
        require(1 <= levels <= MOST_LEVELS, "levels", f"1 to {MOST_LEVELS}", levels)
        check_seed(self.seed)
        _check_leaves(self)


@generator(BinaryTreeParameters)
def full_binary(parameters: BinaryTreeParameters) -> Hierarchy:
    """Draw the full binary tree with 2^levels leaves; [MCH] has 2 to 5 levels. Else as `generate`.

    Returns
    -------
    Hierarchy

    Raises
    ------
    InputError
        For parameters that describe no tree.
    """
    p = parameters
    nodes = 2 ** (p.levels + 1) - 1
    parent = (np.arange(nodes) - 1) // 2
    group = np.arange(nodes) < nodes // 2
    name, source = (
        f"mch-binary{p.levels}-seed{p.seed}",
        f"MCH section IV-B, {call('full_binary', p)}",
    )
    return _hierarchy(np.random.default_rng(p.seed), parent, group, p, name, source)


def _check_leaves(p: TreeParameters | BinaryTreeParameters) -> None:
    check_probabilities(partial=p.partial, limited=p.limited)
    check_at_least(1, resources=p.resources)
    check_at_most(MOST_RESOURCES, resources=p.resources)
    require(0 < p.capacity < math.inf, "capacity", "a number > 0", p.capacity)
    check_ranges(demand=p.demand, weight=p.weight)
    require(0 <= p.tasks[0] <= p.tasks[1], "tasks", "0 <= low <= high", p.tasks)


def _random_tree(rng: np.random.Generator, p: TreeParameters) -> tuple[IntArray, BoolArray]:
    """Parent of each node, -1 for the root, and whether it is a group; level by level."""
    fanout = p.fanout if p.nodes is None else _fanout_for(p.nodes, p.depth, p.group_share)
    parents, group = [np.array([-1])], [np.array([True])]
    first, above = 0, np.array([0])
    for level in range(1, p.depth + 1):
        children = rng.integers(fanout[0], fanout[1], len(above), endpoint=True)
        if level == p.depth and p.nodes is not None:  # the last level takes up what chance has left
            missing = p.nodes - sum(map(len, parents))
            part, rest = divmod(max(missing, 0), len(above))
            children = np.maximum(1, part + (np.arange(len(above)) < rest).astype(np.int64))
        made = sum(map(len, parents)) + int(children.sum())
        require(made <= MOST_TREE, "depth", f"a tree of at most {MOST_TREE} nodes", p.depth)
        parents.append(np.repeat(above, children))
        first += len(group[-1])
        kind = rng.random(len(parents[-1])) < (p.group_share if level < p.depth else 0.0)
        if level < p.depth:
            kind[rng.integers(len(kind))] = True
        group.append(kind)
        above = first + np.flatnonzero(kind)
    return np.concatenate(parents), np.concatenate(group)


def _hierarchy(
    rng: np.random.Generator,
    parent: IntArray,
    group: BoolArray,
    p: TreeParameters | BinaryTreeParameters,
    name: str,
    source: str,
) -> Hierarchy:
    leaf = np.flatnonzero(~group)
    check_few_entries("demands by leaf and resource", len(leaf), p.resources)
    wanted = rng.uniform(*p.demand, (len(leaf), p.resources))
    only = rng.integers(p.resources, size=len(leaf))
    narrow = rng.random(len(leaf)) < p.partial
    wanted[narrow[:, None] & (np.arange(p.resources) != only[:, None])] = 0.0
    limit = rng.integers(*p.tasks, len(leaf), endpoint=True)
    usual = ("cpu", "memory", "disk", "network")
    return Hierarchy(
        resources=tuple(usual[j] if j < len(usual) else f"r{j + 1}" for j in range(p.resources)),
        capacity=np.full(p.resources, float(p.capacity)),
        names=("root", *_names(parent, group)),
        parent=parent.astype(np.int64),
        weight=_weights(rng, p.weight, len(parent)),
        leaf=leaf,
        demand=wanted,
        tasks=np.where(rng.random(len(leaf)) < p.limited, limit, UNBOUNDED).astype(float),
        name=name,
        source=source,
    )


def _names(parent: IntArray, group: BoolArray) -> list[str]:
    """`g1`, `j2`, … : group or job, and the place among the siblings."""
    first = np.searchsorted(parent[1:], np.arange(len(parent)))
    place = (np.arange(len(parent) - 1) - first[parent[1:]] + 1).tolist()
    return [f"{'g' if is_group else 'j'}{k}" for is_group, k in zip(group[1:], place, strict=True)]


def _weights(rng: np.random.Generator, bounds: Range, nodes: int) -> FloatArray:
    low, high = bounds
    weights = np.exp(rng.uniform(np.log(low), np.log(high), nodes)) if low < high else low
    return np.full(nodes, weights, dtype=float)


def _fanout_for(nodes: int, depth: int, group_share: float) -> Counts:
    """A fan-out that leads to about so many nodes."""
    k = 1
    while sum((k + 1) * ((k + 1) * group_share) ** d for d in range(depth)) <= nodes:
        k += 1
    return max(1, k // 2), k + (k + 1) // 2
