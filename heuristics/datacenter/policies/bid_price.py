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
- With `keep_after`, a machine is kept for a job that has waited for so long
  (`waiting/kept_machines.py`). Of those that could hold it, were they empty, it is the one with the
  most free, as `best_fit` measures it. When the job starts, there or elsewhere, the machine looks
  through the queue as after an exit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ....core.arrays import FloatArray, IntArray
from ....core.kernels.decorators import by_reference, inlined, inner
from ..engine import event_loop as events
from ..engine.columns import (
    JOB_CLASS,
    NO_MACHINE,
    NO_SLOT,
    NUMBER,
    QUEUES_FULL,
    WAITING,
    is_machine,
    machine_numbers,
)
from ..engine.state import System
from ..machines.bitsets import lowest_bit
from ..machines.free_capacity_grid import choose_ranges, large_enough
from ..machines.free_capacity_levels import job_fits
from ..machines.heaps import lowest_above_zero
from ..machines.shapes import take_out
from ..policy import CompiledPolicy
from ..waiting.class_queues import add_job, first_fitting_leaf, has_room, remove_job, waiting_in
from ..waiting.kept_machines import keep, overdue, release
from ..worth.tables import worth_after
from .best_fit import free_share
from .bid_price_state import BidPrice, at_prices, look_at, make, put_all_in, renew
from .home_queues import home_queue, queued

if TYPE_CHECKING:
    from ....instances.datacenter.guidance import Guidance


@by_reference
def _take_all_out(policy: BidPrice) -> None:
    for m in range(len(policy.score)):
        take_out(policy.shapes, policy.score, m)


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
    if policy.kept.after < np.inf:
        _help(policy, system)


@inner
def _next_of(policy: BidPrice, system: System, m: int, lacking: bool) -> tuple[int, int]:
    """The first waiting job that may start on machine m.

    Its queue and leaf, or -1 and the place of its kept machine; -2 and -2 if there is none.
    `lacking`: only of classes of which the machine's bin has more than it runs.
    """
    queues, kept, info = policy.queues, policy.kept, system.info
    j = system.configuration[m]
    classes = len(policy.belongs)
    best, best_leaf, earliest = -2, -2, 0
    for q in range(2 * classes):
        if queues.waiting[q] > 0 and _may_go(policy.belongs, system.runs, q, j):
            if lacking and policy.score[m, q % classes] <= 0:
                continue
            leaf = first_fitting_leaf(queues, q, system.free, m)
            if leaf >= 0:
                number = info[queues.job[queues.base[q] + leaf], NUMBER]
                if best == -2 or number < earliest:
                    best, best_leaf, earliest = q, leaf, number
    for at in range(kept.counts[0]):
        slot, q = kept.slot[at], kept.queue[at]
        if _may_go(policy.belongs, system.runs, q, j) and job_fits(system.free, info, slot, m):
            if lacking and policy.score[m, q % classes] <= 0:
                continue
            if best == -2 or info[slot, NUMBER] < earliest:
                best, best_leaf, earliest = -1, at, info[slot, NUMBER]
    return best, best_leaf


@inner
def _look_through(policy: BidPrice, system: System, m: int) -> None:
    """Start what may start on machine m, which is taken out; kept machines may be released."""
    kept, queues = policy.kept, policy.queues
    for lacking in (True, False):
        while system.tally[WAITING] > 0:
            q, at = _next_of(policy, system, m, lacking)
            if q == -2:
                break
            if q == -1:
                slot = kept.slot[at]
                kept.released[kept.counts[1]] = release(kept, at)
                kept.counts[1] += 1
            else:
                slot = queues.job[queues.base[q] + at]
                remove_job(queues, q, at)
            _start(policy, system, slot, m)


@inner
def _serve(policy: BidPrice, system: System, m: int) -> None:
    """Machine m, which is taken out, starts waiting jobs, and so do those that are released."""
    kept = policy.kept
    while True:
        slot = kept.for_job[m]
        if slot != NO_SLOT and job_fits(system.free, system.info, slot, m):
            at = 0
            while kept.machine[at] != m:
                at += 1
            release(kept, at)
            _start(policy, system, slot, m)
        if kept.for_job[m] == NO_SLOT:
            _look_through(policy, system, m)
        look_at(policy, system, m)
        if kept.counts[1] == 0:
            return
        m = kept.released[0]
        kept.counts[1] -= 1
        for i in range(kept.counts[1]):
            kept.released[i] = kept.released[i + 1]


@inlined
def _depart(policy: BidPrice, system: System, slot: int, m: int) -> None:
    take_out(policy.shapes, policy.score, m)
    policy.score[m, system.info[slot, JOB_CLASS]] += 1
    if system.tally[WAITING] > 0:
        _serve(policy, system, m)
    else:
        look_at(policy, system, m)
    if policy.kept.after < np.inf:
        _help(policy, system)


@by_reference
def _serve_all(policy: BidPrice, system: System) -> None:
    """Let every machine, in order, start waiting jobs as after an exit."""
    for m in range(len(system.free)):
        if system.tally[WAITING] == 0:
            return
        if is_machine(system.free, m):
            take_out(policy.shapes, policy.score, m)
            _serve(policy, system, m)


@inner
def _help(policy: BidPrice, system: System) -> None:
    """Keep machines for the jobs that have waited longest, if that is long enough."""
    kept, queues = policy.kept, policy.queues
    while system.tally[WAITING] > kept.counts[0]:
        q, leaf = overdue(kept, queues, system)
        if q < 0:
            return
        slot = queues.job[queues.base[q] + leaf]
        best, most = NO_MACHINE, -1.0
        for m in range(len(system.free)):
            j = system.configuration[m]
            if (
                is_machine(system.free, m)
                and kept.for_job[m] == NO_SLOT
                and _may_go(policy.belongs, system.runs, q, j)
                and job_fits(system.capacity, system.info, slot, j)
            ):
                share = free_share(system.free, system.weight, m)
                if share > most:
                    best, most = m, share
        if best == NO_MACHINE:
            return
        take_out(policy.shapes, policy.score, best)
        remove_job(queues, q, leaf)
        keep(kept, best, slot, q)
        _serve(policy, system, best)


def replan(policy: BidPrice, system: System, guidance: Guidance, old: Guidance) -> BidPrice:
    """Return the same with another plan in the middle of a run.

    The waiting jobs queue up again, and every machine, in order, looks through the queue once.

    `policy`: its arrays; some of them change.
    `guidance`: the plan from now on.
    """
    tables, bonus, belongs = at_prices(guidance, system)
    _take_all_out(policy)
    numbers = machine_numbers(system.free)
    policy.score[numbers] += guidance.machine_jobs - old.machine_jobs
    policy = policy._replace(tables=tables, bonus=bonus, belongs=belongs)
    waiting = np.concatenate([waiting_in(policy.queues, q) for q in range(2 * len(belongs))])
    kept = policy.kept
    for at in range(int(kept.counts[0])):
        kept.queue[at] = home_queue(
            policy.belongs, system.capacity, system.info, int(kept.slot[at])
        )
    policy = policy._replace(queues=queued(belongs, system, waiting))
    put_all_in(policy, system)
    _serve_all(policy, system)
    return policy


BID_PRICE = CompiledPolicy(BidPrice, make, _arrive, _depart, renew=renew, replan=replan)
"""Bid prices, for `simulate`."""
