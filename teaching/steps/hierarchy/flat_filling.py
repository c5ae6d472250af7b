"""A tree turned into flat weights, and leaves that rise by flat weights, in plain Python."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from ....instances.hierarchy.hierarchy import Hierarchy
from .rises import Event, Rise, in_order, load, same

INFINITE = float("inf")


@dataclass(frozen=True)
class Flattened:
    """A tree as flat weights."""

    weight: list[float]
    """Flat weight of each leaf, 0 where it does not rise."""
    demand: list[list[float]]
    """Demand of each group and resource: its children's normalised demands added up by weight."""
    mu: list[float]
    """Largest entry of that, 0 for leaves and groups without a rising leaf."""


def flattened(tree: Hierarchy, rising: list[bool]) -> Flattened:
    """Flatten a tree (MCH, equation (2), with weights)."""
    parent, weight = tree.parent.tolist(), tree.weight.tolist()
    leaf_of = {n: i for i, n in enumerate(tree.leaf.tolist())}
    normalised = tree.normalised.tolist()
    resources = range(len(tree.resources))
    demand = [[0.0 for _ in resources] for _ in parent]
    mu = [0.0] * tree.nodes
    for n in reversed(range(tree.nodes)):
        mu[n] = max(demand[n])
        if n == 0:
            break
        above = demand[parent[n]]
        if n in leaf_of:
            if rising[leaf_of[n]]:
                for j in resources:
                    above[j] += weight[n] * normalised[leaf_of[n]][j]
        elif mu[n] > 0:
            for j in resources:
                above[j] += weight[n] * (demand[n][j] / mu[n])
    reach, flat = [1.0] + [0.0] * (tree.nodes - 1), [0.0] * tree.leaves
    for n in range(1, tree.nodes):
        share = reach[parent[n]] * weight[n]
        if n in leaf_of:
            flat[leaf_of[n]] = share if rising[leaf_of[n]] else 0.0
        elif mu[n] > 0:
            reach[n] = share / mu[n]
    return Flattened(flat, demand, mu)


def full_level(
    weight: list[float], demand: list[list[float]], floor: list[float], most: list[float]
) -> float:
    """The level at which the first resource is full, infinite if none ever is.

    At a level, a leaf has min(most, max(floor, level * weight)). The load is piecewise linear:
    Newton's method, between a level that is too low and one that is too high.
    """
    resources = range(len(demand[0]))
    slope = [0.0 for _ in resources]
    for w, row in zip(weight, demand, strict=True):
        for j in resources:
            slope[j] += w * row[j]
    wanted = [j for j in resources if slope[j] > 0]
    if not wanted:
        return INFINITE
    top = max(m / w for m, w in zip(most, weight, strict=True) if w > 0)
    level = min(1.0 / slope[j] for j in wanted)
    low, high = 0.0, INFINITE
    for _ in range(200):
        used, slope = [0.0 for _ in resources], [0.0 for _ in resources]
        for i, row in enumerate(demand):
            share = max(floor[i], level * weight[i])
            moves = floor[i] < share < most[i]
            for j in resources:
                used[j] += min(share, most[i]) * row[j]
                slope[j] += weight[i] * row[j] if moves else 0.0
        if max(used[j] for j in wanted) >= 1.0:
            high = level
        else:
            low = level
            if level >= top:
                return INFINITE
        step = min(
            (level + (1.0 - used[j]) / slope[j] for j in resources if slope[j] > 0),
            default=INFINITE,
        )
        if abs(step - level) <= 1e-14 * level:
            break
        if not low < step < high:
            step = 2 * level if high == INFINITE else 0.5 * (low + high)
            if step in (low, high):
                break
        level = step
    return level


def flat_rises(
    weight: list[float],
    demand: list[list[float]],
    floor: list[float],
    most: list[float],
    end: float,
) -> list[Rise]:
    """What happens on the way to a level.

    `weight`: flat weight of each leaf, 0 where it does not rise.
    `end`: the level at which a resource is full; infinite if all leaves get all their tasks.
    """
    climbing = [i for i, w in enumerate(weight) if w > 0]
    bends = {most[i] / weight[i] for i in climbing if most[i] < INFINITE}
    bends |= {floor[i] / weight[i] for i in climbing if 0 < floor[i] < most[i]}
    levels = [0.0]
    for level in sorted(bends):
        if level < end and not same(level, end) and not same(level, levels[-1]):
            levels.append(level)
    if end < INFINITE:
        levels.append(end)

    def at(level: float) -> tuple[float, ...]:
        return tuple(
            min(most[i], max(floor[i], level * w)) if w > 0 else floor[i]
            for i, w in enumerate(weight)
        )

    found = []
    for begin, stop in pairwise(levels):
        before, after = at(begin), at(stop)
        middle = begin + (stop - begin) / 2
        moves = [weight[i] if floor[i] < middle * weight[i] < most[i] else 0.0
                 for i in range(len(weight))]  # fmt: skip
        if before == after:
            continue
        events = [
            Event("tasks", i, most[i] / weight[i])
            for i in climbing
            if moves[i] and most[i] < INFINITE
        ]
        events += [
            Event("rises", i, floor[i] / weight[i])
            for i in climbing
            if middle * weight[i] < floor[i] < most[i]
        ]
        for j in range(len(demand[0])):
            slope = load(moves, demand, j)
            if slope > 0:
                events.append(Event("resource", j, begin + (1 - load(before, demand, j)) / slope))
        found.append(Rise(begin, stop, before, after, tuple(moves), in_order(events)))
    return found
