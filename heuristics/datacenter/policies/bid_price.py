"""Bid prices: a job goes where it takes the least worth of room, at the prices of the plan.

The worth V of a machine's room is the most that jobs which fit there bring per time, at the plan's
class prices (`worth_recipe`). A job of class k that starts on configuration j costs
tau_kj (V(free) - V(free - demand)), the worth of the room that it takes while it runs; it costs a
bonus less on a machine whose bin has more jobs of the class than it runs. Prices of what is sold
one after the other are called bid prices in revenue management [TalluriVanRyzin1998].

- *Arrival.* Of the machines with room where its class belongs (`ClassPrices.belongs`), the one
  where the job costs least takes it. A job that fits no machine where its class belongs may go
  wherever the class can run, and so may every job while none waits. Machines of one configuration
  with the same free amounts are a shape; only the first 32 shapes in the order of `best_fit` are
  looked at. On ties the first of them; in a shape the lowest machine whose bin has more of the
  class, or else the lowest. If no machine has room, the job waits in the one queue of the
  datacenter.
- *Exit.* The machine starts waiting jobs that fit and belong there (or belong nowhere that they
  fit), in order of arrival: first those of whose class its bin has more than it runs, then all.
"""

from __future__ import annotations

import numpy as np

from ....core.arrays import FloatArray, IntArray
from ....core.kernels.decorators import inlined, inner
from ..engine import event_loop as events
from ..engine.columns import (
    JOB_CLASS,
    NO_MACHINE,
    NUMBER,
    QUEUES_FULL,
    WAITING,
)
from ..engine.state import System
from ..machines.bitsets import lowest_bit
from ..machines.free_capacity_grid import choose_ranges, large_enough
from ..machines.free_capacity_levels import job_fits
from ..machines.heaps import lowest_above_zero
from ..machines.shapes import take_out
from ..policy import CompiledPolicy
from ..waiting.class_queues import (
    add_job,
    first_fitting_leaf,
    has_room,
    home_queue,
    remove_job,
)
from ..worth.tables import worth_after
from .bid_price_state import BidPrice, look_at, make, renew


@inlined
def _may_go(belongs: IntArray, runs: IntArray, q: int, j: int) -> bool:
    """Whether jobs of a queue may start on a configuration."""
    classes = len(belongs)
    if q < classes:
        return bool(belongs[q, j] != 0)
    return bool(runs[q - classes, j] != 0)


@inlined
def _sort_in(near: IntArray, share: FloatArray, lowest: IntArray, count: int, s: int) -> int:
    """Put a shape among the `count` first ones, and return how many there are now."""
    at = count
    while at > 0:
        other = near[at - 1]
        if share[other] < share[s] or (share[other] == share[s] and lowest[other] < lowest[s]):
            break
        if at < len(near):
            near[at] = other
        at -= 1
    if at < len(near):
        near[at] = s
    return min(count + 1, len(near))


@inlined
def _cheapest(policy: BidPrice, system: System, slot: int, q: int) -> int:
    """The machine on which the job costs least, or `NO_MACHINE`; jobs of queue q may go there."""
    shapes, near, share, info = policy.shapes, policy.near, policy.share, system.info
    grid = shapes.grid
    count, w, words = 0, 0, grid.occupied.shape[1]
    choose_ranges(grid, info, slot)
    while w < words:
        word = large_enough(grid, 0, w)
        while word != 0:
            place = (w << 6) + lowest_bit(word)
            word &= word - 1
            if count == len(near) and policy.floor[place] > share[near[count - 1]]:
                words = 0
                break
            s = grid.first[grid.cell_at[0, place]]
            while s >= 0:
                if job_fits(shapes.free, info, slot, s) and _may_go(
                    policy.belongs, system.runs, q, shapes.configuration[s]
                ):
                    count = _sort_in(near, share, shapes.lowest, count, s)
                s = grid.after[s]
        w += 1
    k = system.info[slot, JOB_CLASS]
    best, least = -1, np.inf
    for i in range(count):
        s = near[i]
        j = shapes.configuration[s]
        after = worth_after(policy.tables, j, shapes.free, s, system.info, slot)
        cost = policy.time[k, j] * float(policy.worth[s] - after)
        if shapes.lacking[s, k] > 0:
            cost -= policy.bonus
        if cost < least:
            best, least = s, cost
    if best < 0:
        return NO_MACHINE
    if policy.bonus > 0 and shapes.lacking[best, k] > 0:
        return lowest_above_zero(shapes.heaps, shapes.lowest[best], policy.score, k)
    return int(shapes.lowest[best])


@inlined
def _start(policy: BidPrice, system: System, slot: int, m: int) -> None:
    """Start a job on a machine that is taken out of its shape."""
    events.start(system, slot, m)
    policy.score[m, system.info[slot, JOB_CLASS]] -= 1


@inlined
def _arrive(policy: BidPrice, system: System, slot: int) -> None:
    k = system.info[slot, JOB_CLASS]
    classes = len(policy.belongs)
    # This job counts as waiting, too.
    alone = system.tally[WAITING] == 1
    q = classes + k if alone else home_queue(policy.belongs, system.capacity, system.info, slot)
    m = _cheapest(policy, system, slot, q)
    if m != NO_MACHINE:
        take_out(policy.shapes, policy.score, m)
        _start(policy, system, slot, m)
        look_at(policy, system, m)
    else:
        if alone:
            q = home_queue(policy.belongs, system.capacity, system.info, slot)
        add_job(policy.queues, q, system.info, slot, 0.0)
        if not has_room(policy.queues, q):
            system.tally[QUEUES_FULL] = 1


@inner
def _next_of(policy: BidPrice, system: System, m: int, lacking: bool) -> tuple[int, int]:
    """Queue and leaf of the first waiting job that may start on machine m, -1 and -1 without one.

    `lacking`: only of classes of which the machine's bin has more than it runs.
    """
    queues, info = policy.queues, system.info
    j = system.configuration[m]
    classes = len(policy.belongs)
    best, best_leaf, earliest = -1, -1, 0
    for q in range(2 * classes):
        if queues.waiting[q] > 0 and _may_go(policy.belongs, system.runs, q, j):
            if lacking and policy.score[m, q % classes] <= 0:
                continue
            leaf = first_fitting_leaf(queues, q, system.free, m)
            if leaf >= 0:
                number = info[queues.job[queues.base[q] + leaf], NUMBER]
                if best < 0 or number < earliest:
                    best, best_leaf, earliest = q, leaf, number
    return best, best_leaf


@inner
def _serve(policy: BidPrice, system: System, m: int) -> None:
    """Machine m, which is taken out, starts waiting jobs."""
    queues = policy.queues
    for lacking in (True, False):
        while system.tally[WAITING] > 0:
            q, leaf = _next_of(policy, system, m, lacking)
            if q < 0:
                break
            slot = queues.job[queues.base[q] + leaf]
            remove_job(queues, q, leaf)
            _start(policy, system, slot, m)


@inlined
def _depart(policy: BidPrice, system: System, slot: int, m: int) -> None:
    take_out(policy.shapes, policy.score, m)
    policy.score[m, system.info[slot, JOB_CLASS]] += 1
    _serve(policy, system, m)
    look_at(policy, system, m)


BID_PRICE = CompiledPolicy(BidPrice, make, _arrive, _depart, renew=renew, follows_plan=True)
"""Bid prices, for `simulate`."""
