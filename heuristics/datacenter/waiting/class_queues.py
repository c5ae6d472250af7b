"""Waiting jobs in the order of their arrivals, one queue for each class, and who fits first.

Each queue is a binary tree over places in order of arrival; a node has the least demand of the
jobs below it for each resource. A search for the first job that fits leaves every subtree whose
least demands do not. Places are filled from the left; when none is left they are closed up.

All queues share `least` (nodes, R) and `job` (nodes,): the nodes of queue q are `base[q] + 1` (the
root) to `base[q] + 2 * places[q] - 1`, the children of node i are 2i and 2i + 1 counted from
`base[q]`, and the leaves, from `places[q]` on, have the slot of their job in `job`.

`most` (nodes, R) and `work` (nodes,), if not empty, have the greatest demands and the least work.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....core.arrays import FloatArray, IntArray
from ....core.kernels.decorators import by_reference, inlined, inner, kernel
from ..engine.columns import FIRST_DEMAND, JOB_CLASS, NO_SLOT

NO_DEMAND = np.iinfo(np.int64).max
"""The least demand below a node without jobs."""

FEWEST = 64
"""Places of a queue at the start."""


class Queues(NamedTuple):
    least: IntArray
    """Shape (nodes, R). Least demands below each node, in units."""
    job: IntArray
    """Shape (nodes,). Slot of the job at each leaf."""
    most: IntArray
    """Shape (nodes, R). Greatest demands below each node, or empty."""
    work: FloatArray
    """Shape (nodes,). Least work below each node, or empty."""
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


def empty_queues(queues: int, resources: int, *, by_work: bool) -> Queues:
    return queues_for(np.zeros(queues, dtype=np.int64), resources, by_work=by_work)


def queues_for(jobs: IntArray, resources: int, *, by_work: bool) -> Queues:
    """Empty queues with places for more than so many `jobs` (queues,) each, in powers of two."""
    doublings = np.floor(np.log2(np.maximum(jobs, FEWEST / 2) / FEWEST)) + 1
    places = FEWEST * 2 ** doublings.astype(np.int64)
    nodes = int(2 * places.sum())
    extra = nodes if by_work else 0
    return Queues(
        least=np.full((nodes, resources), NO_DEMAND, dtype=np.int64),
        job=np.full(nodes, NO_SLOT, dtype=np.int64),
        most=np.full((extra, resources), -1, dtype=np.int64),
        work=np.full(extra, np.inf),
        root=np.full((len(places), resources), NO_DEMAND, dtype=np.int64),
        base=np.concatenate([[0], np.cumsum(2 * places)[:-1]]).astype(np.int64),
        places=places.astype(np.int64),
        used=np.zeros(len(places), dtype=np.int64),
        waiting=np.zeros(len(places), dtype=np.int64),
    )


def with_more_places(queues: Queues, info: IntArray, work: FloatArray | None = None) -> Queues:
    """The same queues with twice the places where more than half are taken.

    `work` (slots,): work of the jobs, for queues that keep it.
    """
    expected = np.where(2 * queues.waiting > queues.places, queues.places, queues.places // 2)
    bigger = queues_for(expected, queues.least.shape[1], by_work=len(queues.most) > 0)
    slots = [waiting_in(queues, q) for q in range(len(expected))]
    of_queue = np.repeat(np.arange(len(expected)), queues.waiting)
    add_jobs(bigger, of_queue, info, np.concatenate(slots), np.zeros(0) if work is None else work)
    return bigger


def waiting_in(queues: Queues, q: int) -> IntArray:
    """The slots of the jobs in a queue, in order of arrival."""
    first = queues.base[q] + queues.places[q]
    jobs: IntArray = queues.job[first : first + queues.used[q]]
    slots: IntArray = jobs[jobs != NO_SLOT]
    return slots


@inlined
def has_room(queues: Queues, q: int) -> bool:
    """Whether one more job can join a queue, after closing it up if necessary."""
    return bool(queues.used[q] < queues.places[q] or 2 * queues.waiting[q] <= queues.places[q])


@by_reference
def add_jobs(
    queues: Queues, of_queue: IntArray, info: IntArray, slots: IntArray, work: FloatArray
) -> None:
    """Put jobs at the end of queues, in order. These must have places for them.

    `of_queue` (jobs,): the queue of each job. `slots` (jobs,): the slot of each job.
    `work` (slots,): work of the jobs, or empty for queues that do not keep it.
    """
    for i in range(len(slots)):
        add_job(queues, of_queue[i], info, slots[i], work[slots[i]] if len(work) > 0 else 0.0)


@inner
def add_job(queues: Queues, q: int, info: IntArray, slot: int, work: float) -> None:
    """Put the job in `slot` at the end of queue q. `has_room` must be true."""
    places = queues.places[q]
    if queues.used[q] == places:
        _close_up(queues, q)
    base = queues.base[q]
    i = places + queues.used[q]
    queues.used[q] += 1
    queues.waiting[q] += 1
    queues.job[base + i] = slot
    resources = queues.least.shape[1]
    by_work = len(queues.most) > 0
    for r in range(resources):
        queues.root[q, r] = min(queues.root[q, r], info[slot, FIRST_DEMAND + r])
    while i >= 1:
        changed = False
        for r in range(resources):
            need = info[slot, FIRST_DEMAND + r]
            if need < queues.least[base + i, r]:
                queues.least[base + i, r] = need
                changed = True
            if by_work and need > queues.most[base + i, r]:
                queues.most[base + i, r] = need
                changed = True
        if by_work and work < queues.work[base + i]:
            queues.work[base + i] = work
            changed = True
        if not changed:
            break
        i >>= 1


@inlined
def _clear(queues: Queues, leaf: int) -> None:
    queues.job[leaf] = NO_SLOT
    for r in range(queues.least.shape[1]):
        queues.least[leaf, r] = NO_DEMAND
    if len(queues.most) > 0:
        queues.work[leaf] = np.inf
        for r in range(queues.least.shape[1]):
            queues.most[leaf, r] = -1


@inner
def remove_job(queues: Queues, q: int, leaf: int) -> None:
    base = queues.base[q]
    resources = queues.least.shape[1]
    by_work = len(queues.most) > 0
    _clear(queues, base + leaf)
    queues.waiting[q] -= 1
    if queues.waiting[q] == 0:
        queues.used[q] = 0
    i = leaf >> 1
    while i >= 1:
        left, right = base + 2 * i, base + 2 * i + 1
        changed = False
        for r in range(resources):
            least = min(queues.least[left, r], queues.least[right, r])
            if least != queues.least[base + i, r]:
                queues.least[base + i, r] = least
                changed = True
            if by_work:
                most = max(queues.most[left, r], queues.most[right, r])
                if most != queues.most[base + i, r]:
                    queues.most[base + i, r] = most
                    changed = True
        if by_work:
            work = min(queues.work[left], queues.work[right])
            if work != queues.work[base + i]:
                queues.work[base + i] = work
                changed = True
        if not changed:
            break
        i >>= 1
    for r in range(resources):
        queues.root[q, r] = queues.least[base + 1, r]


@inner
def _close_up(queues: Queues, q: int) -> None:
    """Move the jobs of queue q to the left, in order."""
    base, places = queues.base[q], queues.places[q]
    by_work = len(queues.most) > 0
    to = base + places
    for i in range(base + places, base + 2 * places):
        if queues.job[i] != NO_SLOT:
            if i != to:
                queues.job[to] = queues.job[i]
                for r in range(queues.least.shape[1]):
                    queues.least[to, r] = queues.least[i, r]
                    if by_work:
                        queues.most[to, r] = queues.most[i, r]
                if by_work:
                    queues.work[to] = queues.work[i]
            to += 1
    queues.used[q] = to - base - places
    for i in range(to, base + 2 * places):
        _clear(queues, i)
    for i in range(places - 1, 0, -1):
        left, right = base + 2 * i, base + 2 * i + 1
        for r in range(queues.least.shape[1]):
            queues.least[base + i, r] = min(queues.least[left, r], queues.least[right, r])
            if by_work:
                queues.most[base + i, r] = max(queues.most[left, r], queues.most[right, r])
        if by_work:
            queues.work[base + i] = min(queues.work[left], queues.work[right])


@inlined
def some_may_fit(queues: Queues, q: int, free: IntArray, m: int) -> bool:
    """Whether queue q has jobs, and their least demands are free on machine m."""
    for r in range(free.shape[1]):  # noqa: SIM110
        if queues.root[q, r] > free[m, r]:
            return False
    return True


@inlined
def may_fit(queues: Queues, node: int, free: IntArray, m: int) -> bool:
    """Whether the least demands below `node` are free on machine m."""
    for r in range(free.shape[1]):  # noqa: SIM110
        if queues.least[node, r] > free[m, r]:
            return False
    return True


@inner
def first_fitting_leaf(queues: Queues, q: int, free: IntArray, m: int) -> int:
    """The leaf of the first job of queue q that fits machine m, or -1."""
    if not some_may_fit(queues, q, free, m):
        return -1
    base, places = queues.base[q], queues.places[q]
    i = 1
    while True:
        if may_fit(queues, base + i, free, m):
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
def home_queue(serves: IntArray, capacity: IntArray, info: IntArray, slot: int) -> int:
    """The class's queue if some machine looks there that the job fits, else its other one.

    With K classes queue k is that of class k; queue K + k has its jobs that fit no machine that
    looks at queue k.
    `serves` (K, M): whether machines of the configuration look at the class's queue.
    """
    k = int(info[slot, JOB_CLASS])
    for j in range(len(capacity)):
        if serves[k, j] != 0:
            inside = True
            for r in range(capacity.shape[1]):
                inside &= info[slot, FIRST_DEMAND + r] <= capacity[j, r]
            if inside:
                return k
    return len(serves) + k
