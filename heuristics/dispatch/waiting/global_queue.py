"""Class queues seen as the one queue of a datacenter, in order of arrival."""

from __future__ import annotations

from ....instances.kernels.decorators import inlined, inner
from ..engine import event_loop as events
from ..engine.state import CLASS, FULL, NUMBER, WAITING, System
from .class_queues import Queues, first_that_fits, has_room, join, leave


@inlined
def wait(queues: Queues, system: System, slot: int, work: float) -> None:
    """The job in `slot` waits."""
    k = system.info[slot, CLASS]
    join(queues, k, system.info, slot, work)
    if not has_room(queues, k):
        system.tally[FULL] = 1


@inlined
def start_in_order(queues: Queues, system: System, m: int) -> None:
    """Machine m starts the waiting jobs that fit, in order of arrival."""
    while system.tally[WAITING] > 0:
        k, leaf = earliest_that_fits(queues, system, m)
        if k < 0:
            break
        chosen = queues.job[queues.base[k] + leaf]
        leave(queues, k, leaf)
        events.start(system, chosen, m)


@inner
def earliest_that_fits(queues: Queues, system: System, m: int) -> tuple[int, int]:
    """Class and leaf of the earliest waiting job that fits machine m, or -1 and -1."""
    j = system.configuration[m]
    best, best_leaf, earliest = -1, -1, 0
    for k in range(len(queues.waiting)):
        if queues.waiting[k] > 0 and system.runs[k, j] != 0:
            leaf = first_that_fits(queues, k, system.free, m)
            if leaf >= 0:
                number = system.info[queues.job[queues.base[k] + leaf], NUMBER]
                if best < 0 or number < earliest:
                    best, best_leaf, earliest = k, leaf, number
    return best, best_leaf
