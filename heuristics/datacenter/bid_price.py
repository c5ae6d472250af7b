"""Bid prices: a job goes where it takes the least worth of room, at the prices of the plan.

The worth V of a machine's room is the most that jobs which fit there bring per time, at the plan's
class prices (`worth.recipe`). A job of class k that starts on configuration j costs
tau_kj (V(free) - V(free - demand)), the worth of the room that it takes while it runs; it costs a
bonus less on a machine whose bin has more jobs of the class than it runs. Prices of what is sold
one after the other are called bid prices in revenue management [TalluriVanRyzin1998].

Machines of one configuration with the same free amounts are a shape; only the first 32 shapes in
the order of best fit are looked at. On ties the first of them; in a shape the lowest machine whose
bin has more of the class, or else the lowest.
"""

from __future__ import annotations

import numpy as np

from ...core.kernels.decorators import inner
from .engine.columns import JOB_CLASS, NO_MACHINE
from .engine.state import System
from .machine_index import (
    candidates,
    choose_rows,
    demand_share,
    lowest_bit,
    rank_of_share,
    ranks_in_use,
)
from .policy_state import PolicyState
from .shapes import ALL, LOWEST, lowest_alike
from .worth.tables import worth_after


@inner
def cheapest(policy: PolicyState, system: System, slot: int) -> int:
    """The machine on which the job costs least, or `NO_MACHINE`; on configurations in `may`."""
    info, near, share, found = system.info, policy.near, policy.share, policy.found
    k, may = info[slot, JOB_CLASS], policy.may
    choose_rows(policy.by_room, info, slot)
    ranks = ranks_in_use(policy.by_room, may, LOWEST)
    ranks &= -1 << rank_of_share(demand_share(system, slot))
    count = 0
    # Later ranks have a larger share.
    while ranks != 0 and count < len(near):
        rank = lowest_bit(ranks)
        ranks &= ranks - 1
        n = candidates(policy.by_room, system, slot, may, LOWEST, rank, found, len(found))
        for i in range(n):
            m, at = found[i], count
            while at > 0 and share[near[at - 1]] > share[m]:
                if at < len(near):
                    near[at] = near[at - 1]
                at -= 1
            if at < len(near):
                near[at] = m
                count = min(count + 1, len(near))
    best, least = NO_MACHINE, np.inf
    for i in range(count):
        m = near[i]
        j = system.configuration[m]
        after = worth_after(policy.tables, j, system.free, m, info, slot)
        cost = policy.time[k, j] * float(policy.worth[m] - after)
        if policy.lacking[m, k] > 0:
            cost -= policy.bonus
        if cost < least:
            best, least = m, cost
    if best != NO_MACHINE and policy.bonus > 0 and policy.lacking[best, k] > 0:
        rank = rank_of_share(share[best])
        return lowest_alike(policy, system, best, rank, ALL, k)
    return best
