"""Best fit: the machine that has the least left.

- *Arrival.* Of the machines that can run the job and have room, the one with the least free takes
  it: the sum over the resources of what is free divided by what the largest machine has; on ties
  the lowest number. Jobs that wait are not asked first. If none has room, the job waits in the one
  queue of the datacenter.
- *Exit.* As in `first_fit`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....core.arrays import FloatArray, IntArray
from ....core.kernels.decorators import inlined, inner
from ..engine import event_loop as events
from ..engine.columns import JOB_CLASS, NUMBER
from ..engine.state import System
from ..machines.bitsets import lowest_bit
from ..machines.free_capacity_grid import Grid, choose_ranges, grid_of, large_enough, move
from ..machines.free_capacity_levels import job_fits
from ..machines.samples import Sample, choose_able, draw_machines, sample_of
from ..policy import CompiledPolicy, Setting
from ..waiting.class_queues import Queues, empty_queues
from ..waiting.global_queue import enqueue, start_in_order


class BestFit(NamedTuple):
    grid: Grid
    """Machines by what they have free, the fullest cells first."""
    queues: Queues
    """A queue for each class."""
    floor: FloatArray
    """Shape (cells,). The least `free_share` of a machine in the cell at each place of the order.
    """
    sample: Sample
    """The machines that a job looks at."""


def make(setting: Setting, system: System) -> BestFit:
    grid, floor = grid_by_free_share(setting, system)
    queues = empty_queues(len(system.runs), system.free.shape[1], by_work=False)
    sample = sample_of(setting.datacenter, setting.sample, setting.seed)
    return BestFit(grid, queues, floor, sample)


def grid_by_free_share(setting: Setting, system: System) -> tuple[Grid, FloatArray]:
    """A grid with one order, the fullest cells first, that fits what machines have free now.

    Returns `floor` (cells,), too: the least `free_share` of a machine in the cell at each place.
    """
    grid = grid_of(
        system.free, system.capacity, setting.demands, system.weight[None], largest_first=False
    )
    cells = len(grid.first)
    level = (np.arange(cells)[:, None] // grid.stride) % grid.line.shape[1]
    floor = np.zeros(cells)
    for r in range(len(grid.line)):
        floor += grid.line[r][level[:, r]] * system.weight[r]
    return grid, floor[grid.cell_at[0]]


@inlined
def free_share(free: IntArray, weight: FloatArray, m: int) -> float:
    """What machine m has free, in parts of the largest machine, summed over the resources."""
    total = 0.0
    for r in range(free.shape[1]):
        total += free[m, r] * weight[r]
    return total


@inlined
def fullest_with_room(grid: Grid, floor: FloatArray, system: System, slot: int) -> int:
    """The machine with the least free of those that can run the job and have room, or -1."""
    k = system.info[slot, JOB_CLASS]
    choose_ranges(grid, system.info, slot)
    best, least = -1, np.inf
    for w in range(grid.occupied.shape[1]):
        word = large_enough(grid, 0, w)
        while word != 0:
            place = (w << 6) + lowest_bit(word)
            word &= word - 1
            if floor[place] > least:
                return best
            m = grid.first[grid.cell_at[0, place]]
            while m >= 0:
                if (
                    job_fits(system.free, system.info, slot, m)
                    and system.runs[k, system.configuration[m]] != 0
                ):
                    value = free_share(system.free, system.weight, m)
                    if value < least or (value == least and m < best):
                        best, least = m, value
                m = grid.after[m]
    return best


@inner
def _fullest_drawn(sample: Sample, system: System, slot: int) -> int:
    """The same, of machines drawn from those that can run the job."""
    choose_able(sample, system.runs, system, slot)
    best, least = -1, np.inf
    for i in range(draw_machines(sample, system.words, system.info[slot, NUMBER])):
        m = sample.drawn[i]
        if job_fits(system.free, system.info, slot, m):
            value = free_share(system.free, system.weight, m)
            if value < least or (value == least and m < best):
                best, least = m, value
    return best


@inlined
def _arrive(policy: BestFit, system: System, slot: int) -> None:
    if policy.sample.size > 0:
        m = _fullest_drawn(policy.sample, system, slot)
    else:
        m = fullest_with_room(policy.grid, policy.floor, system, slot)
    if m >= 0:
        events.start(system, slot, m)
        move(policy.grid, system.free, m)
        return
    enqueue(policy.queues, system, slot, 0.0)


@inlined
def _depart(policy: BestFit, system: System, slot: int, m: int) -> None:
    start_in_order(policy.queues, system, m)
    move(policy.grid, system.free, m)


BEST_FIT = CompiledPolicy(BestFit, make, _arrive, _depart, samples=True, stay=("queues",))
"""Best fit, for `simulate`."""
