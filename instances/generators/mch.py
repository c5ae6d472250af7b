"""Random hierarchies, and the full binary trees of MCH, section IV-B.

MCH takes demands from a Google cluster trace; here they are uniform. With a probability a leaf is
of partial type: it needs one resource only, as MCH assumes throughout.
"""

from __future__ import annotations

import numpy as np

from ..arrays import FloatArray, IntArray
from ..hierarchy.hierarchy import UNBOUNDED, Hierarchy
from ..limits import MOST_RESOURCES, MOST_TREE
from .parameters import call, need, need_at_most, need_few_entries

DEEPEST = 400
"""JSON is not read much deeper."""


def generate(
    depth: int = 3,
    *,
    seed: int,
    fanout: tuple[int, int] = (2, 4),
    group_share: float = 0.5,
    nodes: int | None = None,
    partial: float = 0.2,
    resources: int = 2,
    capacity: float = 1000.0,
    demand: tuple[float, float] = (1.0, 10.0),
    weight: tuple[float, float] = (1.0, 1.0),
    limited: float = 0.0,
    tasks: tuple[int, int] = (1, 100),
) -> Hierarchy:
    """A random tree with its deepest leaf at `depth` edges below the root.

    A group has `fanout` children, uniform; above the last level a child is a group with the
    probability `group_share`, and at least one is. With `nodes`, groups have as many children as it
    takes to come to about that number, instead. A leaf is of partial type with the probability
    `partial`; demands and weights are uniform, weights on a logarithmic scale; every resource has
    the same `capacity`. With the probability `limited` a leaf has a limit, uniform in `tasks`.

    Raises `InputError` for parameters that describe no tree.
    """
    source = call("generate", dict(locals()))
    need(depth >= 1, "depth", "at least 1", depth)
    need(1 <= fanout[0] <= fanout[1], "fanout", "1 <= low <= high", fanout)
    need(0 <= group_share <= 1, "group_share", "a probability", group_share)
    need(nodes is None or nodes > depth, "nodes", f"more than the depth {depth}", nodes)
    need_at_most(DEEPEST, depth=depth)
    if nodes is not None:
        need_at_most(MOST_TREE, nodes=nodes)
    rng = np.random.default_rng(seed)
    if nodes is not None:
        fanout = _fanout_for(nodes, depth, group_share)
    parents, group = [np.array([-1])], [np.array([True])]
    first, above = 0, np.array([0])
    for level in range(1, depth + 1):
        children = rng.integers(fanout[0], fanout[1], len(above), endpoint=True)
        if level == depth and nodes is not None:  # the last level takes up what chance has left
            missing = nodes - sum(map(len, parents))
            children = np.maximum(1, _spread(missing, len(above)))
        made = sum(map(len, parents)) + int(children.sum())
        need(made <= MOST_TREE, "depth", f"a tree of at most {MOST_TREE} nodes", depth)
        parents.append(np.repeat(above, children))
        first += len(group[-1])
        kind = rng.random(len(parents[-1])) < (group_share if level < depth else 0.0)
        if level < depth:
            kind[rng.integers(len(kind))] = True
        group.append(kind)
        above = first + np.flatnonzero(kind)
    return _hierarchy(
        np.concatenate(parents), np.concatenate(group), rng, partial, resources, capacity, demand,
        weight, limited, tasks, f"mch-depth{depth}-seed{seed}", f"random tree, {source}",
    )  # fmt: skip


def full_binary(
    levels: int = 3,
    *,
    seed: int,
    partial: float = 0.0,
    resources: int = 2,
    capacity: float = 1000.0,
    demand: tuple[float, float] = (1.0, 10.0),
    weight: tuple[float, float] = (1.0, 1.0),
    limited: float = 0.0,
    tasks: tuple[int, int] = (1, 100),
) -> Hierarchy:
    """The full binary tree with 2^levels leaves; `levels` is 2 to 5 in MCH. Else as `generate`."""
    source = call("full_binary", dict(locals()))
    most = MOST_TREE.bit_length() - 2
    need(1 <= levels <= most, "levels", f"1 to {most}", levels)
    nodes = 2 ** (levels + 1) - 1
    parent = (np.arange(nodes) - 1) // 2
    return _hierarchy(
        parent, np.arange(nodes) < nodes // 2, np.random.default_rng(seed), partial, resources,
        capacity, demand, weight, limited, tasks, f"mch-binary{levels}-seed{seed}",
        f"MCH section IV-B, {source}",
    )  # fmt: skip


def _hierarchy(
    parent: IntArray,
    group: np.ndarray[tuple[int], np.dtype[np.bool_]],
    rng: np.random.Generator,
    partial: float,
    resources: int,
    capacity: float,
    demand: tuple[float, float],
    weight: tuple[float, float],
    limited: float,
    tasks: tuple[int, int],
    name: str,
    source: str,
) -> Hierarchy:
    need(0 <= partial <= 1, "partial", "a probability", partial)
    need(0 <= limited <= 1, "limited", "a probability", limited)
    need(resources >= 1, "resources", "at least 1", resources)
    need_at_most(MOST_RESOURCES, resources=resources)
    need_few_entries("demands by leaf and resource", int((~group).sum()), resources)
    need(0 < capacity < np.inf, "capacity", "a number > 0", capacity)
    for what, (low, high) in (("demand", demand), ("weight", weight)):
        need(0 < low <= high < np.inf, what, "0 < low <= high", (low, high))
    need(0 <= tasks[0] <= tasks[1], "tasks", "0 <= low <= high", tasks)
    leaf = np.flatnonzero(~group)
    wanted = rng.uniform(*demand, (len(leaf), resources))
    only = rng.integers(resources, size=len(leaf))
    narrow = rng.random(len(leaf)) < partial
    wanted[narrow[:, None] & (np.arange(resources) != only[:, None])] = 0.0
    limit = rng.integers(tasks[0], tasks[1], len(leaf), endpoint=True)
    return Hierarchy(
        resources=_resource_names(resources),
        capacity=np.full(resources, float(capacity)),
        names=("root", *_names(parent, group)),
        parent=parent.astype(np.int64),
        weight=_weights(rng, weight, len(parent)),
        leaf=leaf,
        demand=wanted,
        tasks=np.where(rng.random(len(leaf)) < limited, limit, UNBOUNDED).astype(float),
        name=name,
        source=source,
    )


def _names(parent: IntArray, group: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> list[str]:
    """`g1`, `j2`, … : group or job, and the place among the siblings."""
    first = np.searchsorted(parent[1:], np.arange(len(parent)))
    place = (np.arange(len(parent) - 1) - first[parent[1:]] + 1).tolist()
    return [f"{'g' if is_group else 'j'}{k}" for is_group, k in zip(group[1:], place, strict=True)]


def _resource_names(resources: int) -> tuple[str, ...]:
    usual = ("cpu", "memory", "disk", "network")
    return tuple(usual[j] if j < len(usual) else f"r{j + 1}" for j in range(resources))


def _weights(rng: np.random.Generator, bounds: tuple[float, float], nodes: int) -> FloatArray:
    low, high = bounds
    weights = np.exp(rng.uniform(np.log(low), np.log(high), nodes)) if low < high else low
    return np.full(nodes, weights, dtype=float)


def _fanout_for(nodes: int, depth: int, group_share: float) -> tuple[int, int]:
    """A fan-out that leads to about so many nodes."""
    k = 1
    while sum((k + 1) * ((k + 1) * group_share) ** d for d in range(depth)) <= nodes:
        k += 1
    return max(1, k // 2), k + (k + 1) // 2


def _spread(total: int, over: int) -> IntArray:
    """`total` in `over` nearly equal parts, none negative."""
    part, rest = divmod(max(total, 0), over)
    return part + (np.arange(over) < rest).astype(np.int64)
