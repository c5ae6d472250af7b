"""Class queues seen as the one queue of a datacenter, in order of arrival."""

from __future__ import annotations

from .compiled import inner
from .queues import Queues, first_that_fits
from .system import NUMBER, System


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
