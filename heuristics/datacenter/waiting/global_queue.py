"""Class queues seen as the one queue of a datacenter, in order of arrival."""

from __future__ import annotations

from ....core.kernels.decorators import inlined, inner
from ..engine import event_loop as events
from ..engine.columns import JOB_CLASS, NUMBER, QUEUES_FULL, WAITING
from ..engine.state import System
from .class_queues import Queues, add_job, first_fitting_leaf, has_room, remove_job, some_may_fit


@inlined
def enqueue(queues: Queues, system: System, slot: int, work: float) -> None:
    """Let the job in `slot` wait in the queue of its class."""
    k = system.info[slot, JOB_CLASS]
    add_job(queues, k, system.info, slot, work)
    if not has_room(queues, k):
        system.tally[QUEUES_FULL] = 1


@inlined
def start_in_order(queues: Queues, system: System, m: int) -> None:
    """Start the waiting jobs that fit machine m there, in order of arrival."""
    while system.tally[WAITING] > 0:
        k, leaf = earliest_fitting_leaf(queues, system, m)
        if k < 0:
            break
        chosen = queues.job[queues.base[k] + leaf]
        remove_job(queues, k, leaf)
        events.start(system, chosen, m)


@inner
def earliest_fitting_leaf(queues: Queues, system: System, m: int) -> tuple[int, int]:
    """Class and leaf of the earliest waiting job that fits machine m, or -1 and -1."""
    j = system.configuration[m]
    best, best_leaf, earliest = -1, -1, 0
    for k in range(len(queues.waiting)):
        if some_may_fit(queues, k, system.free, m) and system.runs[k, j] != 0:
            leaf = first_fitting_leaf(queues, k, system.free, m)
            if leaf >= 0:
                number = system.info[queues.job[queues.base[k] + leaf], NUMBER]
                if best < 0 or number < earliest:
                    best, best_leaf, earliest = k, leaf, number
    return best, best_leaf
