"""Fragmentation gradient descent: where a start leaves least free that other jobs cannot use [FGD].

The *fragmentation* of a machine is the amount of free resources that a job drawn from the mix of
classes cannot use, to be expected; amounts are parts of the largest machine, added up over the
resources. A job of class k, with the class's request, cannot use

- anything of a machine where the class cannot run or the request does not fit;
- on the others, the resources that it does not need at all.

The rules:

- *Arrival.* Of the machines that can run the job and have room, the one whose fragmentation the
  start raises least, or lowers most, takes it; on ties the one with the least free, then the lowest
  number. Jobs that wait are not asked first. If none has room, the job waits in the one queue of
  the datacenter.
- *Exit.* As in `first_fit`.

The source measures GPUs alone. A node has several, each is a device of its own whose free part can
be used by a job that the part is large enough for, and processors only decide whether a job fits;
to a job without GPUs all free GPUs are lost. Here a machine has one device of each resource, every
resource counts as GPUs do there, and the mix is that of the classes instead of the pods seen. The
source places pods and has no queue.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....core.arrays import BoolArray, FloatArray
from ....core.kernels.decorators import by_reference, inlined
from ..engine import event_loop as events
from ..engine.columns import FIRST_DEMAND, JOB_CLASS, is_machine
from ..engine.state import System
from ..machines.bitsets import lowest_bit
from ..machines.free_capacity_grid import Grid, choose_ranges, large_enough, move
from ..machines.free_capacity_levels import job_fits
from ..policy import CompiledPolicy, Setting
from ..waiting.class_queues import Queues, empty_queues
from ..waiting.global_queue import enqueue, start_in_order
from .best_fit import free_share, grid_by_free_share

LOST, LOST_LATER, FLOOR = 0, 1, 2
"""Columns of `Fgd.bound`."""


class Fgd(NamedTuple):
    grid: Grid
    """Machines by what they have free, the fullest cells first."""
    queues: Queues
    """A queue for each class."""
    lost: FloatArray
    """Shape (machine numbers,). Share of the classes that cannot run on the machine or do not fit
    it now."""
    everywhere: BoolArray
    """Shape (K,). Whether the class can run on every configuration."""
    bound: FloatArray
    """Shape (cells, 3). Of the cell at each place of the order: no machine of it has more than
    `LOST`, none of this or a later cell more than `LOST_LATER`, and none of it less than `FLOOR` of
    `free_share`."""


def make(setting: Setting, system: System) -> Fgd:
    grid, floor = grid_by_free_share(setting, system)
    policy = Fgd(
        grid=grid,
        queues=empty_queues(len(system.runs), system.free.shape[1], by_work=False),
        lost=np.zeros(len(system.free)),
        everywhere=system.runs.min(axis=1) > 0,
        bound=np.stack([floor, floor, floor], axis=1),
    )
    _fill(policy, system)
    later = np.maximum.accumulate(policy.bound[::-1, LOST])[::-1]
    policy.bound[:, LOST_LATER] = later
    return policy


@by_reference
def _fill(policy: Fgd, system: System) -> None:
    """Fill in `lost`, and `LOST` of `bound`."""
    grid, request = policy.grid, system.request
    classes, resources = request.shape
    for m in range(len(system.free)):
        if is_machine(system.free, m):
            _count_lost(policy, system, m)
    for place in range(len(policy.bound)):
        cell = grid.cell_at[0, place]
        lost = 0.0
        for k in range(classes):
            inside = policy.everywhere[k]
            for r in range(resources):
                line = (cell // grid.stride[r]) % grid.line.shape[1]
                inside &= request[k, r] <= grid.line[r, line]
            if not inside:
                lost += system.share[k]
        policy.bound[place, LOST] = lost


@inlined
def _count_lost(policy: Fgd, system: System, m: int) -> None:
    j = system.configuration[m]
    lost = 0.0
    for k in range(len(system.request)):
        inside = system.runs[k, j] != 0
        for r in range(system.free.shape[1]):
            inside &= system.request[k, r] <= system.free[m, r]
        if not inside:
            lost += system.share[k]
    policy.lost[m] = lost


@inlined
def _rise(policy: Fgd, system: System, slot: int, m: int, size: float) -> float:
    """How much a start of the job, of total demand `size`, raises the fragmentation of machine m.

    Classes that do not fit before cannot use `size` less. Those that fit after as well lose nothing
    but what they never need, those that fit no longer the rest of what they need.
    """
    free, info, request = system.free, system.info, system.request
    j = system.configuration[m]
    spoilt, idle = 0.0, 0.0
    for k in range(len(request)):
        before, after = system.runs[k, j] != 0, True
        needed, unneeded = 0.0, 0.0
        for r in range(free.shape[1]):
            demand = info[slot, FIRST_DEMAND + r]
            left = free[m, r] - demand
            before &= request[k, r] <= free[m, r]
            after &= request[k, r] <= left
            if request[k, r] > 0:
                needed += left * system.weight[r]
            else:
                unneeded += demand * system.weight[r]
        if before:
            idle += system.share[k] * unneeded
            if not after:
                spoilt += system.share[k] * needed
    return float((spoilt - idle) - size * policy.lost[m])


@inlined
def _least_in_cell(policy: Fgd, system: System, slot: int, cell: int, idle: float) -> float:
    """No machine of the cell has a lower rise than this, less the demand times what was lost.

    These are the classes that fit every machine of the cell before the start and none after it,
    and the least that they lose.
    """
    grid, info, request = policy.grid, system.info, system.request
    spoilt = 0.0
    for k in range(len(request)):
        before, after, needed = policy.everywhere[k], True, 0.0
        for r in range(len(grid.line)):
            demand = info[slot, FIRST_DEMAND + r]
            low = grid.line[r, (cell // grid.stride[r]) % grid.line.shape[1]]
            before &= request[k, r] <= low
            after &= request[k, r] <= grid.top[cell, r] - demand
            if request[k, r] > 0:
                needed += max(low - demand, 0) * system.weight[r]
        if before and not after:
            spoilt += system.share[k] * needed
    return spoilt - idle


@inlined
def _alike(system: System, m: int, other: int) -> bool:
    same = system.configuration[m] == system.configuration[other]
    for r in range(system.free.shape[1]):
        same &= system.free[m, r] == system.free[other, r]
    return bool(same)


@inlined
def _least_rise(policy: Fgd, system: System, slot: int) -> int:
    """The machine whose fragmentation rises least, or -1.

    A rise is never below -(size * lost + idle), rounding included, with what a job of a class that
    does not need all resources leaves idle in any case.
    """
    grid, info, bound = policy.grid, system.info, policy.bound
    k = info[slot, JOB_CLASS]
    size, idle = 0.0, 0.0
    for r in range(len(grid.line)):
        size += info[slot, FIRST_DEMAND + r] * system.weight[r]
    for other in range(len(system.request)):
        unneeded = 0.0
        for r in range(len(grid.line)):
            if system.request[other, r] == 0:
                unneeded += info[slot, FIRST_DEMAND + r] * system.weight[r]
        idle += system.share[other] * unneeded
    choose_ranges(grid, info, slot)
    best, rise, share = -1, np.inf, np.inf
    for w in range(grid.occupied.shape[1]):
        word = large_enough(grid, 0, w)
        while word != 0:
            place = (w << 6) + lowest_bit(word)
            word &= word - 1
            least = (0.0 - idle) - size * bound[place, LOST_LATER]
            if least > rise or (least == rise and bound[place, FLOOR] > share):
                return best
            cell = grid.cell_at[0, place]
            least = _least_in_cell(policy, system, slot, cell, idle)
            least -= size * bound[place, LOST]
            if least > rise or (least == rise and bound[place, FLOOR] > share):
                continue
            m = grid.first[cell]
            last, value = -1, 0.0
            while m >= 0:
                if (
                    (0.0 - idle) - size * policy.lost[m] <= rise
                    and job_fits(system.free, info, slot, m)
                    and system.runs[k, system.configuration[m]] != 0
                ):
                    if last < 0 or not _alike(system, last, m):
                        value = _rise(policy, system, slot, m, size)
                    last = m
                    if value <= rise:
                        left = free_share(system.free, system.weight, m)
                        if value < rise or left < share or (left == share and m < best):
                            best, rise, share = m, value, left
                m = grid.after[m]
    return best


@inlined
def _note(policy: Fgd, system: System, m: int) -> None:
    _count_lost(policy, system, m)
    move(policy.grid, system.free, m)


@inlined
def _arrive(policy: Fgd, system: System, slot: int) -> None:
    m = _least_rise(policy, system, slot)
    if m >= 0:
        events.start(system, slot, m)
        _note(policy, system, m)
        return
    enqueue(policy.queues, system, slot, 0.0)


@inlined
def _depart(policy: Fgd, system: System, slot: int, m: int) -> None:
    start_in_order(policy.queues, system, m)
    _note(policy, system, m)


FGD = CompiledPolicy(Fgd, make, _arrive, _depart, stay=("queues",))
"""Fragmentation gradient descent, for `simulate`."""
