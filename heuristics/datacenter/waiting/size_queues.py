"""Waiting jobs by size, one queue for each class, and who of those that fit is the largest.

The size of a job is the sum of its demands in parts of the largest machine. A queue is a search
tree in the order of decreasing size, equal sizes in order of arrival; every node has the least
demands of the jobs below it. The first job in this order that fits is found by walking along the
tree, past every subtree whose least demands do not fit and everything larger than what is free.

The trees are treaps: a node has a priority, drawn for its job's number, that is at least that of
its children. So their depth is logarithmic to be expected, in whatever order jobs come and go.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....core.arrays import FloatArray, IntArray
from ....core.kernels.decorators import by_reference, inlined, inner
from ..engine.columns import FIRST_DEMAND, NUMBER
from ..splitmix import uniform_of_job

NO_NODE = -1

FEWEST = 256
"""Nodes at the start."""

LEFT, RIGHT, PARENT = 0, 1, 2
"""Columns of `SizeQueues.link`."""

SIZE, PRIORITY = 0, 1
"""Columns of `SizeQueues.key`."""


class SizeQueues(NamedTuple):
    root: IntArray
    """Shape (queues,). The root of each queue's tree."""
    link: IntArray
    """Shape (nodes, 3). The children and the parent of each node."""
    slot: IntArray
    """Shape (nodes,). The slot of the node's job."""
    key: FloatArray
    """Shape (nodes, 2). The job's size and the node's priority."""
    least: IntArray
    """Shape (nodes, R). Least demands in the subtree, in units."""
    spare: IntArray
    """Shape (nodes,). Nodes that are not in use."""
    spares: IntArray
    """Shape (1,). How many these are."""


def empty_size_queues(queues: int, resources: int, nodes: int = FEWEST) -> SizeQueues:
    return SizeQueues(
        root=np.full(queues, NO_NODE, dtype=np.int64),
        link=np.full((nodes, 3), NO_NODE, dtype=np.int64),
        slot=np.zeros(nodes, dtype=np.int64),
        key=np.zeros((nodes, 2)),
        least=np.zeros((nodes, resources), dtype=np.int64),
        spare=np.arange(nodes, dtype=np.int64)[::-1].copy(),
        spares=np.array([nodes], dtype=np.int64),
    )


def with_more_nodes(queues: SizeQueues) -> SizeQueues:
    """The same queues with twice the nodes; they stay as they are."""
    nodes, resources = queues.least.shape
    more = empty_size_queues(len(queues.root), resources, 2 * nodes)
    more.root[:] = queues.root
    for new, old in zip(more[1:5], queues[1:5], strict=True):
        new[:nodes] = old
    spares = int(queues.spares[0])
    more.spare[:nodes] = np.arange(2 * nodes - 1, nodes - 1, -1)
    more.spare[nodes : nodes + spares] = queues.spare[:spares]
    more.spares[0] = nodes + spares
    return more


@inlined
def total_share(amounts: IntArray, row: int, first: int, weight: FloatArray) -> float:
    """Amounts of all resources in parts of the largest machine, added up.

    `amounts` (rows, columns): in units, `weight` (R,): 1 over those of the largest machine.
    """
    total = 0.0
    for r in range(len(weight)):
        total += amounts[row, first + r] * weight[r]
    return total


@by_reference
def add_job(queues: SizeQueues, q: int, info: IntArray, weight: FloatArray, slot: int) -> None:
    """Put the job in `slot` into queue q. There must be a spare node."""
    link, key, least = queues.link, queues.key, queues.least
    queues.spares[0] -= 1
    new = queues.spare[queues.spares[0]]
    queues.slot[new] = slot
    key[new, SIZE] = total_share(info, slot, FIRST_DEMAND, weight)
    key[new, PRIORITY] = uniform_of_job(0, info[slot, NUMBER])
    for r in range(least.shape[1]):
        least[new, r] = info[slot, FIRST_DEMAND + r]
    parent, side, at = NO_NODE, LEFT, queues.root[q]
    while at != NO_NODE:
        for r in range(least.shape[1]):
            least[at, r] = min(least[at, r], least[new, r])
        parent, side = at, RIGHT
        # Numbers grow, but for a job that queues up again.
        if key[new, SIZE] > key[at, SIZE] or (
            key[new, SIZE] == key[at, SIZE] and info[slot, NUMBER] < info[queues.slot[at], NUMBER]
        ):
            side = LEFT
        at = link[at, side]
    link[new, LEFT], link[new, RIGHT] = NO_NODE, NO_NODE
    _hang(queues, q, new, parent, side)
    while link[new, PARENT] != NO_NODE and key[new, PRIORITY] > key[link[new, PARENT], PRIORITY]:
        _lift(queues, q, info, new)


@inner
def remove_job(queues: SizeQueues, q: int, info: IntArray, node: int) -> int:
    """Take the job at `node` out of queue q and return its slot."""
    link, key = queues.link, queues.key
    while link[node, LEFT] != NO_NODE and link[node, RIGHT] != NO_NODE:
        left, right = link[node, LEFT], link[node, RIGHT]
        _lift(queues, q, info, left if key[left, PRIORITY] > key[right, PRIORITY] else right)
    child = link[node, LEFT] if link[node, LEFT] != NO_NODE else link[node, RIGHT]
    parent = link[node, PARENT]
    side = RIGHT if parent != NO_NODE and link[parent, RIGHT] == node else LEFT
    _hang(queues, q, child, parent, side)
    while parent != NO_NODE:
        _count_least(queues, info, parent)
        parent = link[parent, PARENT]
    queues.spare[queues.spares[0]] = node
    queues.spares[0] += 1
    return int(queues.slot[node])


@inlined
def _hang(queues: SizeQueues, q: int, node: int, parent: int, side: int) -> None:
    """Make `node`, which may be none, the child of `parent`, or the root."""
    if node != NO_NODE:
        queues.link[node, PARENT] = parent
    if parent == NO_NODE:
        queues.root[q] = node
    else:
        queues.link[parent, side] = node


@inlined
def _lift(queues: SizeQueues, q: int, info: IntArray, node: int) -> None:
    """Let a node change places with its parent; the order stays."""
    link = queues.link
    parent = link[node, PARENT]
    above = link[parent, PARENT]
    side = LEFT if link[parent, LEFT] == node else RIGHT
    above_side = RIGHT if above != NO_NODE and link[above, RIGHT] == parent else LEFT
    _hang(queues, q, link[node, 1 - side], parent, side)
    _hang(queues, q, parent, node, 1 - side)
    _hang(queues, q, node, above, above_side)
    for r in range(queues.least.shape[1]):
        queues.least[node, r] = queues.least[parent, r]
    _count_least(queues, info, parent)


@inlined
def _count_least(queues: SizeQueues, info: IntArray, node: int) -> None:
    left, right = queues.link[node, LEFT], queues.link[node, RIGHT]
    for r in range(queues.least.shape[1]):
        least = info[queues.slot[node], FIRST_DEMAND + r]
        if left != NO_NODE:
            least = min(least, queues.least[left, r])
        if right != NO_NODE:
            least = min(least, queues.least[right, r])
        queues.least[node, r] = least


@inlined
def _may_fit(queues: SizeQueues, node: int, free: IntArray, m: int) -> bool:
    """Whether there is a node and the least demands in its subtree are free on machine m."""
    if node == NO_NODE:
        return False
    for r in range(free.shape[1]):  # noqa: SIM110
        if queues.least[node, r] > free[m, r]:
            return False
    return True


@inner
def largest_fitting(
    queues: SizeQueues, q: int, info: IntArray, free: IntArray, m: int, share: float
) -> int:
    """The node of the largest job of queue q that fits machine m, or -1."""
    link, key = queues.link, queues.key
    node = queues.root[q]
    if not _may_fit(queues, node, free, m):
        return NO_NODE
    begun = True
    while True:
        # `begun`: the left subtree of `node` is not yet seen.
        small = key[node, SIZE] <= share
        if begun and small and _may_fit(queues, link[node, LEFT], free, m):
            node = link[node, LEFT]
            continue
        if small:
            inside = True
            for r in range(free.shape[1]):
                inside &= info[queues.slot[node], FIRST_DEMAND + r] <= free[m, r]
            if inside:
                return int(node)
        if _may_fit(queues, link[node, RIGHT], free, m):
            node = link[node, RIGHT]
            begun = True
            continue
        # Up to the next node whose left subtree this was the end of.
        while link[node, PARENT] != NO_NODE and link[link[node, PARENT], RIGHT] == node:
            node = link[node, PARENT]
        node = link[node, PARENT]
        if node == NO_NODE:
            return NO_NODE
        begun = False
