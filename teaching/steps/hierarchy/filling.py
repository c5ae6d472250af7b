"""Flat weights of a tree, and a stage of a fluid allocation from event to event."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ....core.arrays import BoolArray, FloatArray
from ....instances.hierarchy.hierarchy import Hierarchy

SAME = 1e-9
"""Levels that differ by at most this part of them are one."""

What = Literal["resource", "tasks", "rises"]
"""A resource is full, a leaf has all its tasks, or a leaf rises above what it had."""


@dataclass(frozen=True)
class Event:
    """What may come next, of which resource or leaf, and the root's level at which it comes."""

    what: What
    number: int
    level: float


@dataclass(frozen=True)
class Rise:
    """Leaves that rise at constant rates from one level of the root to another.

    `before` and `after` are the dominant shares (leaves,), `rates` what each leaf gains for each
    unit of level, `events` what may come next at these rates, the first first.
    """

    begin: float
    end: float
    before: FloatArray
    after: FloatArray
    rates: FloatArray
    events: list[Event]


@dataclass(frozen=True)
class Flattened:
    """Flat weight of each leaf, 0 where it does not rise, and what nodes want of each resource.

    `demand` (nodes, resources) is the sum over a group's children of their normalised demands, by
    weight; `mu` is the largest entry of that, 0 for leaves and groups without a rising leaf.
    """

    weight: FloatArray
    demand: FloatArray
    mu: FloatArray


def flattened(tree: Hierarchy, rising: BoolArray) -> Flattened:
    """Flatten a tree (MCH, equation (2), with weights)."""
    leaf_of = {n: i for i, n in enumerate(tree.leaf.tolist())}
    demand = np.zeros((tree.nodes, len(tree.resources)))
    mu, reach, flat = (np.zeros(n) for n in (tree.nodes, tree.nodes, tree.leaves))
    for n in reversed(range(tree.nodes)):
        mu[n] = demand[n].max()
        own = demand[n] / mu[n] if mu[n] > 0 else np.zeros(len(tree.resources))
        if n in leaf_of:
            own = tree.normalised[leaf_of[n]] * rising[leaf_of[n]]
        if n:
            demand[tree.parent[n]] += tree.weight[n] * own
    reach[0] = 1.0
    for n in range(1, tree.nodes):
        share = reach[tree.parent[n]] * tree.weight[n]
        if n in leaf_of:
            flat[leaf_of[n]] = share * rising[leaf_of[n]]
        elif mu[n] > 0:
            reach[n] = share / mu[n]
    return Flattened(flat, demand, mu)


def same(one: float, other: float) -> bool:
    return math.isclose(one, other, rel_tol=SAME)


def stage(
    tree: Hierarchy,
    rising: BoolArray,
    floor: FloatArray,
    rates_of: Callable[[BoolArray], FloatArray],
) -> list[Rise]:
    """What happens until a resource is full, or all rising leaves have all their tasks.

    A leaf that has all its tasks stays, and its group stays charged for it: from then on the others
    rise at the rates of the tree without it. A leaf waits at what it has until it would have as
    much in this stage alone.

    `floor`: dominant share that each leaf has.
    `rates_of`: what leaves gain for each unit of the root's level while some of them climb.
    """
    demand, most = tree.normalised, tree.most_share
    target, share, climbing, level = np.zeros(tree.leaves), floor.copy(), rising.copy(), 0.0
    rises = []
    while climbing.any():
        rates = rates_of(climbing)
        waits = climbing & (target < floor)
        moves = np.where(waits, 0.0, rates)
        slope, left = moves @ demand, 1 - share @ demand
        events = [
            Event("resource", j, level + left[j] / slope[j])
            for j in np.flatnonzero(slope > 0).tolist()
        ]
        for i in np.flatnonzero(climbing):
            at = level + ((floor[i] if waits[i] else most[i]) - target[i]) / rates[i]
            if at < np.inf:
                rise_later = waits[i] and floor[i] < most[i]
                events.append(Event("rises" if rise_later else "tasks", int(i), float(at)))
        # Of those at one level resources come first.
        events.sort(
            key=lambda event: (event.level, ("resource", "tasks", "rises").index(event.what))
        )
        if not events:
            break
        begin, before, level = level, share.copy(), max(level, events[0].level)
        target += np.where(climbing, rates * (level - begin), 0.0)
        share = np.where(climbing, np.minimum(most, np.maximum(floor, target)), share)
        now = [event for event in events if same(event.level, level)]
        for event in now:
            if event.what == "tasks":
                share[event.number], climbing[event.number] = most[event.number], False
            elif event.what == "rises":
                target[event.number] = floor[event.number]
        if (before != share).any():
            rises.append(Rise(begin, level, before, share.copy(), moves, events))
        if now[0].what == "resource":
            break
    return rises
