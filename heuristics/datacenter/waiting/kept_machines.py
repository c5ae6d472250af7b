"""Machines that are kept for jobs that have waited for long: a guard against starvation.

A job may need more room than small jobs ever leave on one machine. Once it has waited for a given
time, one machine is kept for it, on which nothing else starts; only so many are kept at once. With
durations of at most D and G kept machines, the q-th job to have waited so long starts at most
ceil(q / G) D later: a kept machine is empty after D at the latest, and can hold the job then.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....core.arrays import IntArray
from ....core.errors import InputError
from ....core.kernels.decorators import inlined, inner
from ....instances.datacenter.datacenter import Datacenter
from ..engine.columns import ARRIVAL, NO_SLOT, NOW, NUMBER
from ..engine.state import System
from ..worth.recipe import MOST_KEPT, mean_duration
from .class_queues import NO_DEMAND, Queues, first_fitting_leaf


class Kept(NamedTuple):
    """Machines that are kept, and for whom; G at most."""

    after: float
    """A job that has waited for so long may get a machine (time units); inf: none are kept."""
    for_job: IntArray
    """Shape (machine numbers,). Slot of the job that the machine is kept for, or `NO_SLOT`."""
    machine: IntArray
    slot: IntArray
    queue: IntArray
    """`machine`, `slot`, `queue`: shape (G + 1,). The machines, their jobs and the queues that
    these were in."""
    released: IntArray
    """Shape (G + 1,). Machines no longer kept that have not looked through the queue yet."""
    counts: IntArray
    """Shape (2,). How many are kept, and how many released."""
    nothing_needed: IntArray
    """Shape (1, R). Free amounts that every job fits."""


def nothing_kept(system: System, datacenter: Datacenter, after: float | None) -> Kept:
    """Return room for kept machines, none of which is kept yet.

    `after`: the wait after which a job may get a machine; None for never.
    Raises `InputError` if that is less than the mean duration of a job.
    """
    if after is not None:
        least = mean_duration(datacenter.share.tolist(), datacenter.mean_time.tolist())
        if not after >= least:
            raise InputError(
                f"keep after: need at least the jobs' mean duration, {least:.6g} "
                f"{datacenter.time_unit}, got {after:g}"
            )
    most = max(1, int(MOST_KEPT * datacenter.machines))
    machine, slot, queue, released = np.zeros((4, most + 1), dtype=np.int64)
    return Kept(
        after=np.inf if after is None else after,
        for_job=np.full(len(system.free), NO_SLOT, dtype=np.int64),
        machine=machine,
        slot=slot,
        queue=queue,
        released=released,
        counts=np.zeros(2, dtype=np.int64),
        nothing_needed=np.full((1, system.free.shape[1]), NO_DEMAND - 1, dtype=np.int64),
    )


@inner
def overdue(kept: Kept, queues: Queues, system: System) -> tuple[int, int]:
    """Return queue and leaf of the job that is to get a machine, or -1 and -1.

    `queues`: the queues of those that have none.
    """
    best, best_leaf, earliest = -1, -1, 0
    if kept.counts[0] == len(kept.machine) - 1:
        return best, best_leaf
    for q in range(len(queues.waiting)):
        if queues.waiting[q] > 0:
            leaf = first_fitting_leaf(queues, q, kept.nothing_needed, 0)
            number = system.info[queues.job[queues.base[q] + leaf], NUMBER]
            if best < 0 or number < earliest:
                best, best_leaf, earliest = q, leaf, number
    if best >= 0:
        slot = queues.job[queues.base[best] + best_leaf]
        if system.clock[NOW] - system.time[slot, ARRIVAL] < kept.after:
            return -1, -1
    return best, best_leaf


@inlined
def keep(kept: Kept, m: int, slot: int, q: int) -> None:
    """Keep machine m for a job.

    `kept`: it changes.
    """
    at = kept.counts[0]
    kept.counts[0] = at + 1
    kept.machine[at], kept.slot[at], kept.queue[at] = m, slot, q
    kept.for_job[m] = slot


@inlined
def release(kept: Kept, at: int) -> int:
    """No longer keep a machine, as its job starts now, and return the machine.

    `kept`: it changes.
    """
    m = int(kept.machine[at])
    kept.for_job[m] = NO_SLOT
    last = kept.counts[0] - 1
    kept.counts[0] = last
    for i in range(at, last):
        kept.machine[i], kept.slot[i] = kept.machine[i + 1], kept.slot[i + 1]
        kept.queue[i] = kept.queue[i + 1]
    return m
