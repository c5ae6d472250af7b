"""What a sweep knows of its tree, and its place in it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...core.arrays import BoolArray, FloatArray, IntArray
from .tree_layout import TreeLayout

ON_FLOOR, RISING, STILL, STANDING = 0, 1, 2, 3
"""States of a leaf: at the share it had, rising, stopped for good, on its guaranteed part."""


class Turns(NamedTuple):
    """The order in which siblings rise."""

    turn: IntArray
    """Of each node among its siblings, 0 first, shape (nodes,); empty without several."""
    order: IntArray
    """The children of group n by turn, from number first[n] of its layout on, shape (nodes,)."""
    several: bool
    """Whether there is a group in which not all rise at once."""


class Sweep(NamedTuple):
    """What a sweep knows of the tree, and its place in it.

    `room`: what subtrees may use, infinite without limits; row 0 is what is left of the cluster,
    and the only one unless `bounded`. `standing`: guaranteed parts of the leaves, which they have
    from the start if `total`. `counted`: the only resource that is charged, -1 if all are.
    `everyone`: resources that all leaves need.

    Rows of `sums` are w B, P, w Q of a node, or sums of these, and `event` is the next level of the
    group's children at which something happens in them. The children of a group are at `level`; it
    was charged `share` there, and is charged `speed` more for each unit of level until the level
    `due`, at which its limit of resource `hit` is full if that is not -1. It has begun to rise if
    `begun`; without `total` it is closed otherwise. Of its children those of the turn `front` rise,
    and `after` are of this turn or earlier ones. `most` and `hit` tell afterwards who was stopped,
    and why the sweep ended.
    """

    tree: TreeLayout
    turns: Turns
    demand: FloatArray
    rising: BoolArray
    floor: FloatArray
    most: FloatArray
    room: FloatArray
    bounded: bool
    standing: FloatArray
    total: bool
    counted: int
    everyone: BoolArray
    state: IntArray
    sums: FloatArray
    event: FloatArray
    level: FloatArray
    share: FloatArray
    speed: FloatArray
    due: FloatArray
    hit: IntArray
    queue: IntArray
    begun: BoolArray
    front: IntArray
    after: IntArray
    held: FloatArray


NO_TURNS = Turns(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64), False)
"""All siblings rise at once."""


def in_turns(sweep: Sweep, rank: IntArray) -> Sweep:
    """The sweep in which the siblings of the highest class rise first; `rank` of shape (nodes,)."""
    tree = sweep.tree
    among = np.zeros(len(rank), dtype=np.int64)
    among[tree.parent[1:]] = rank[1:]
    if (rank[1:] == among[tree.parent[1:]]).all():
        return sweep
    turn = np.zeros(len(rank), dtype=np.int64)
    by_class = np.lexsort((-rank[1:], tree.parent[1:])) + 1
    parent, own = tree.parent[by_class], rank[by_class]
    later = np.zeros(len(by_class), dtype=np.int64)
    later[1:] = np.cumsum((parent[1:] == parent[:-1]) & (own[1:] != own[:-1]))
    turn[by_class] = later - later[tree.first[parent]]
    return sweep._replace(
        turns=Turns(turn, by_class, True),
        front=np.zeros(len(rank), dtype=np.int64),
        after=np.zeros(len(rank), dtype=np.int64),
    )


def sweep_of(
    tree: TreeLayout,
    demand: FloatArray,
    rising: BoolArray,
    floor: FloatArray,
    most: FloatArray,
    room: FloatArray,
    standing: FloatArray | None = None,
) -> Sweep:
    """A sweep before it begins, all resources counted and siblings in one turn.

    `most` is changed: a leaf below a full limit gets no more.
    """
    nodes, (leaves, m) = len(tree.parent), demand.shape
    bounded, total = len(room) > 1, standing is not None
    return Sweep(
        tree=tree,
        turns=NO_TURNS,
        demand=demand,
        rising=rising,
        floor=floor,
        most=most,
        room=room,
        bounded=bounded,
        standing=np.zeros(0) if standing is None else standing,
        total=total,
        counted=-1,
        everyone=np.all(demand > 0, axis=0, keepdims=True)[0],
        state=np.empty(leaves, dtype=np.int64),
        sums=np.zeros((2 * nodes, 3 * m)),
        event=np.full(2 * nodes, np.inf),
        level=np.zeros(nodes),
        share=np.zeros(nodes),
        speed=np.zeros(nodes),
        due=np.full(nodes, np.inf),
        hit=np.full(nodes, -1),
        queue=np.empty((2 * nodes if bounded else 0, 2), dtype=np.int64),
        begun=np.ones(nodes, dtype=np.bool_),
        front=np.zeros(0, dtype=np.int64),
        after=np.zeros(0, dtype=np.int64),
        held=np.zeros((nodes if total else 0, m)),
    )
