"""Waiting jobs in the order of their arrivals, one queue for each class, and who fits first.

Each queue is a binary tree over places in order of arrival; a node has the least and the greatest
demands of the jobs below it for each resource, and the least work. A search leaves every subtree
whose least demands do not fit. Places are filled from the left; when none is left, `with_room`
closes the queue up.

All queues share their arrays: the nodes of queue q are `base[q] + 1` (the root) to
`base[q] + 2 * places[q] - 1`, the children of node i are 2i and 2i + 1 counted from `base[q]`, and
the leaves, from `places[q]` on, have the slot of their job in `job`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...core.arrays import FloatArray, IntArray
from ...core.kernels.decorators import inlined, inner, kernel
from .engine.columns import FIRST_DEMAND, JOB_CLASS, NO_SLOT

NO_DEMAND = np.iinfo(np.int64).max
"""The least demand below a node without jobs."""

FEWEST = 256
"""Places of a queue at the start."""


class Queues(NamedTuple):
    job: IntArray
    """Shape (nodes,). Slot of the job at each leaf."""
    least: IntArray
    most: IntArray
    """`least`, `most`: shape (nodes, R). Demands below each node, in units."""
    work: FloatArray
    """Shape (nodes,). Least work below each node."""
    root: IntArray
    """Shape (queues, R). Least demands in each queue: its root again, side by side with the others.
    """
    base: IntArray
    places: IntArray
    used: IntArray
    waiting: IntArray
    """`base`, `places`, `used`, `waiting`: shape (queues,). Where the nodes of a queue begin, its
    leaves, how many of them are taken or have been left since the queue was closed up, and how many
    jobs wait."""


def empty_queues(places: IntArray, resources: int) -> Queues:
    """`places` (queues,): powers of two."""
    nodes, queues = int(2 * places.sum()), len(places)
    return Queues(
        job=np.full(nodes, NO_SLOT, dtype=np.int64),
        least=np.full((nodes, resources), NO_DEMAND, dtype=np.int64),
        most=np.full((nodes, resources), -1, dtype=np.int64),
        work=np.full(nodes, np.inf),
        root=np.full((queues, resources), NO_DEMAND, dtype=np.int64),
        base=np.concatenate([[0], np.cumsum(2 * places)[:-1]]).astype(np.int64),
        places=places.astype(np.int64),
        used=np.zeros(queues, dtype=np.int64),
        waiting=np.zeros(queues, dtype=np.int64),
    )


def with_room(queues: Queues) -> Queues:
    """The same queues closed up, with twice the places where more than half are taken."""
    doubled = np.where(2 * queues.waiting > queues.places, 2, 1)
    made = empty_queues(queues.places * doubled, queues.least.shape[1])
    for q, base in enumerate(made.base.tolist()):
        leaves = queues.base[q] + queues.places[q] + np.arange(queues.used[q])
        leaves = leaves[queues.job[leaves] != NO_SLOT]
        at, count = int(made.places[q]), len(leaves)
        made.used[q] = made.waiting[q] = count
        for new, old in zip(made[:4], queues[:4], strict=True):
            new[base + at : base + at + count] = old[leaves]
        while at > 1:
            above, below = slice(base + at // 2, base + at), slice(base + at, base + 2 * at)
            made.least[above] = made.least[below].reshape(at // 2, 2, -1).min(axis=1)
            made.most[above] = made.most[below].reshape(at // 2, 2, -1).max(axis=1)
            made.work[above] = made.work[below].reshape(at // 2, 2).min(axis=1)
            at //= 2
        made.root[q] = made.least[base + 1]
    return made


@inner
def add_job(queues: Queues, q: int, info: IntArray, slot: int, work: float) -> bool:
    """Put a job at the end of queue q; return whether there is no room for another one."""
    base, i = queues.base[q], queues.places[q] + queues.used[q]
    queues.used[q] += 1
    queues.waiting[q] += 1
    queues.job[base + i] = slot
    for r in range(queues.least.shape[1]):
        queues.root[q, r] = min(queues.root[q, r], info[slot, FIRST_DEMAND + r])
    while i >= 1:
        node = base + i
        changed = work < queues.work[node]
        queues.work[node] = min(work, queues.work[node])
        for r in range(queues.least.shape[1]):
            need = info[slot, FIRST_DEMAND + r]
            changed |= need < queues.least[node, r] or need > queues.most[node, r]
            queues.least[node, r] = min(need, queues.least[node, r])
            queues.most[node, r] = max(need, queues.most[node, r])
        if not changed:
            break
        i >>= 1
    return bool(queues.used[q] == queues.places[q])


@inner
def remove_job(queues: Queues, q: int, leaf: int) -> int:
    """Take the job at a leaf out of queue q, and return its slot."""
    base, resources = queues.base[q], queues.least.shape[1]
    slot = queues.job[base + leaf]
    queues.job[base + leaf], queues.work[base + leaf] = NO_SLOT, np.inf
    for r in range(resources):
        queues.least[base + leaf, r], queues.most[base + leaf, r] = NO_DEMAND, -1
    queues.waiting[q] -= 1
    if queues.waiting[q] == 0:
        queues.used[q] = 0
    i = leaf >> 1
    while i >= 1:
        node, left, right = base + i, base + 2 * i, base + 2 * i + 1
        work = min(queues.work[left], queues.work[right])
        changed = work != queues.work[node]
        queues.work[node] = work
        for r in range(resources):
            least = min(queues.least[left, r], queues.least[right, r])
            most = max(queues.most[left, r], queues.most[right, r])
            changed |= least != queues.least[node, r] or most != queues.most[node, r]
            queues.least[node, r], queues.most[node, r] = least, most
        if not changed:
            break
        i >>= 1
    for r in range(resources):
        queues.root[q, r] = queues.least[base + 1, r]
    return int(slot)


@inlined
def some_may_fit(least: IntArray, row: int, free: IntArray, m: int) -> bool:
    """Whether the least demands in a row of `least` or `root` are free on machine m."""
    for r in range(free.shape[1]):  # noqa: SIM110
        if least[row, r] > free[m, r]:
            return False
    return True


@inner
def first_fitting_leaf(queues: Queues, q: int, free: IntArray, m: int) -> int:
    """The leaf of the first job of queue q that fits machine m, or -1."""
    base, places = queues.base[q], queues.places[q]
    i = 1
    while True:
        if some_may_fit(queues.least, base + i, free, m):
            if i >= places:
                return i
            i *= 2
        else:
            while i & 1:
                i >>= 1
            if i == 0:
                return -1
            i += 1


@kernel
def home_queue(homes: IntArray, capacity: IntArray, info: IntArray, slot: int) -> int:
    """The class's queue if some machine looks there that the job fits, else its other one.

    With K classes queue k is that of class k; queue K + k has its jobs that fit no machine that
    looks at queue k.
    `homes` (K, M): whether machines of the configuration look at the class's queue.
    """
    k = int(info[slot, JOB_CLASS])
    for j in range(len(capacity)):
        if homes[k, j] != 0:
            inside = True
            for r in range(capacity.shape[1]):
                inside &= info[slot, FIRST_DEMAND + r] <= capacity[j, r]
            if inside:
                return k
    return len(homes) + k
