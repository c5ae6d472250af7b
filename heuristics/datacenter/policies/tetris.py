"""Tetris as printed in [LoTES], section 5.2: demand times free resources, minus remaining work.

Amounts are parts of the largest machine's. With demands d, free amounts C and duration p the score
is omega - g gamma, where omega = sum of d C over the resources and gamma = p times the sum of d.

- *Arrival.* gamma is the same for every machine: of those that can run the job and have room, the
  one with the largest omega takes it, on ties the lowest number. Jobs that wait are not asked
  first. If none has room, the job waits.
- *Exit.* Of the waiting jobs that fit, the machine that a job left starts the one with the highest
  score, on ties the one that arrived first, and so on as long as one fits.

gamma has the unit of time, omega none, so that equal weights mean something else in hours than in
seconds. By default g is the mean omega over the mean gamma of the jobs started so far (0 before the
first), as in [Tetris]; a number is taken as it is, gamma being in the
datacenter's time unit. p is the duration on the first configuration that can run the class.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....core.arrays import FloatArray, IntArray
from ....core.kernels.decorators import by_reference, inlined, inner
from ..engine import event_loop as events
from ..engine.columns import DURATION, FIRST_DEMAND, JOB_CLASS, NUMBER, WAITING
from ..engine.state import System
from ..machines.bitsets import lowest_bit
from ..machines.free_capacity_grid import Grid, choose_ranges, grid_of, large_enough, move
from ..machines.free_capacity_levels import job_fits
from ..policy import CompiledPolicy, Setting
from ..waiting.class_queues import (
    Queues,
    empty_queues,
    may_fit,
    remove_job,
    some_may_fit,
    with_more_places,
)
from ..waiting.global_queue import enqueue

DEPTH = 64
"""Nodes that a search of a queue's tree can put off."""

ORDERS = 8
"""Directions at most."""

SAMPLE = 1024
"""Demands that directions are chosen from."""

LEAST_PART = 1e-6
"""Of a direction, so that every demand is at most some multiple of it."""

OMEGA, GAMMA = 0, 1
"""Entries of `Tetris.started`."""


class Tetris(NamedTuple):
    grid: Grid
    """Machines by what they have free, with an order of the cells for each direction: by its
    product with what is free, largest first."""
    queues: Queues
    """A queue for each class, with greatest demands and least work."""
    directions: FloatArray
    """Shape (orders, R). Parts that add up to 1."""
    ceiling: FloatArray
    """Shape (orders, cells). The product of the direction and the most that is free in the cell at
    each place."""
    stack: IntArray
    """Shape (DEPTH,). Scratch."""
    started: FloatArray
    """Shape (2,). Sums of omega and gamma over the jobs started so far."""
    gamma: float
    """The weight g; NaN if it is scaled."""


def make(setting: Setting, system: System) -> Tetris:
    # Up to ORDERS directions, parts that add up to 1, such that each demand is near one of them.
    # Farthest first, by the largest ratio of two parts between a demand and the nearest direction.
    demand = setting.demands[:SAMPLE] * system.weight**2
    total = demand.sum(axis=1, keepdims=True)
    parts = np.divide(demand, total, out=np.ones_like(demand), where=total > 0)
    parts = np.unique(np.maximum(parts, LEAST_PART), axis=0)
    logs = np.log(parts)
    chosen, far = [0], np.full(len(parts), np.inf)
    while len(chosen) < min(ORDERS, len(parts)):
        difference = logs - logs[chosen[-1]]
        far = np.minimum(far, difference.max(axis=1) - difference.min(axis=1))
        chosen.append(int(far.argmax()))
    directions = np.ascontiguousarray(parts[chosen])
    grid = grid_of(system.free, system.capacity, setting.demands, directions, largest_first=True)
    return Tetris(
        grid=grid,
        queues=empty_queues(len(system.runs), system.free.shape[1], by_work=True),
        directions=directions,
        ceiling=np.stack([
            (grid.top[cells] * direction).sum(axis=1)
            for cells, direction in zip(grid.cell_at, directions, strict=True)
        ]),
        stack=np.zeros(DEPTH, dtype=np.int64),
        started=np.zeros(2),
        gamma=np.nan if setting.gamma is None else setting.gamma,
    )  # fmt: skip


def make_room(policy: Tetris, system: System) -> Tetris:
    work = remaining_work_of_all(system)
    return policy._replace(queues=with_more_places(policy.queues, system.info, work))


@inlined
def omega(amounts: IntArray, i: int, system: System, slot: int) -> float:
    """Demand of the job in `slot` times row i of `amounts`, summed over the resources."""
    total = 0.0
    for r in range(amounts.shape[1]):
        weight = system.weight[r]
        total += (system.info[slot, FIRST_DEMAND + r] * weight) * (amounts[i, r] * weight)
    return total


@inlined
def remaining_work(system: System, slot: int) -> float:
    """Gamma of a job, in time units: its duration times the sum of its demands."""
    total = 0.0
    for r in range(system.free.shape[1]):
        total += system.info[slot, FIRST_DEMAND + r] * system.weight[r]
    return float(system.time[slot, DURATION] * total)


def remaining_work_of_all(system: System) -> FloatArray:
    work = np.zeros(len(system.info))
    _remaining_work_of_all(system, work)
    return work


@by_reference
def _remaining_work_of_all(system: System, work: FloatArray) -> None:
    for slot in range(len(work)):
        work[slot] = remaining_work(system, slot)


@inlined
def _roomiest(policy: Tetris, system: System, slot: int) -> int:
    """The machine with room and the largest omega, or -1."""
    grid, info = policy.grid, system.info
    k = info[slot, JOB_CLASS]
    choose_ranges(grid, info, slot)
    # The demand is at most `ratio` times a direction, and so is omega of any cell.
    order, ratio = 0, np.inf
    for o in range(len(policy.directions)):
        largest = 0.0
        for r in range(system.free.shape[1]):
            need = info[slot, FIRST_DEMAND + r] * system.weight[r] * system.weight[r]
            largest = max(largest, need / policy.directions[o, r])
        if largest < ratio:
            order, ratio = o, largest
    ratio *= 1 + 1e-9
    best, most = -1, -1.0
    for w in range(grid.occupied.shape[1]):
        word = large_enough(grid, order, w)
        while word != 0:
            place = (w << 6) + lowest_bit(word)
            word &= word - 1
            if ratio * policy.ceiling[order, place] < most:
                return best
            cell = grid.cell_at[order, place]
            if omega(grid.top, cell, system, slot) < most:
                continue
            m = grid.first[cell]
            while m >= 0:
                value = omega(system.free, m, system, slot)
                if (
                    (value > most or (value == most and m < best))
                    and job_fits(system.free, info, slot, m)
                    and system.runs[k, system.configuration[m]] != 0
                ):
                    best, most = m, value
                m = grid.after[m]
    return best


@inner
def _start(policy: Tetris, system: System, slot: int, m: int) -> None:
    policy.started[OMEGA] += omega(system.free, m, system, slot)
    policy.started[GAMMA] += remaining_work(system, slot)
    events.start(system, slot, m)


@inner
def _highest(policy: Tetris, system: System, m: int) -> tuple[int, int]:
    """Class and leaf of the waiting job with the highest score that fits machine m, or -1, -1."""
    queues, stack = policy.queues, policy.stack
    weight = policy.gamma
    if np.isnan(weight):
        done = policy.started[GAMMA]
        weight = policy.started[OMEGA] / done if done > 0 else 0.0
    j = system.configuration[m]
    best, best_leaf, best_number, most = -1, -1, -1, -np.inf
    for k in range(len(queues.waiting)):
        if not some_may_fit(queues, k, system.free, m) or system.runs[k, j] == 0:
            continue
        base, places = queues.base[k], queues.places[k]
        depth = 1
        stack[0] = 1
        while depth > 0:
            depth -= 1
            i = stack[depth]
            if not may_fit(queues, base + i, system.free, m):
                continue
            bound = _bound(queues, system, base + i, m, weight)
            if bound < most:
                continue
            if i < places:
                left = _bound(queues, system, base + 2 * i, m, weight)
                right = _bound(queues, system, base + 2 * i + 1, m, weight)
                # The better half is looked at first.
                later = 2 * i if left < right else 2 * i + 1
                stack[depth], stack[depth + 1] = later, 4 * i + 1 - later
                depth += 2
                continue
            number = system.info[queues.job[base + i], NUMBER]
            if bound > most or number < best_number:
                best, best_leaf, best_number, most = k, i, number, bound
    return best, best_leaf


@inlined
def _bound(queues: Queues, system: System, node: int, m: int, weight: float) -> float:
    """No job below `node` that fits machine m has a higher score there; of a leaf, the job's."""
    total = 0.0
    for r in range(system.free.shape[1]):
        part, free = system.weight[r], system.free[m, r]
        total += (min(queues.most[node, r], free) * part) * (free * part)
    return float(total - weight * queues.work[node])


@inlined
def _arrive(policy: Tetris, system: System, slot: int) -> None:
    m = _roomiest(policy, system, slot)
    if m >= 0:
        _start(policy, system, slot, m)
        move(policy.grid, system.free, m)
        return
    enqueue(policy.queues, system, slot, remaining_work(system, slot))


@inlined
def _depart(policy: Tetris, system: System, slot: int, m: int) -> None:
    queues = policy.queues
    while system.tally[WAITING] > 0:
        k, leaf = _highest(policy, system, m)
        if k < 0:
            break
        chosen = queues.job[queues.base[k] + leaf]
        remove_job(queues, k, leaf)
        _start(policy, system, chosen, m)
    move(policy.grid, system.free, m)


TETRIS = CompiledPolicy(Tetris, make, _arrive, _depart, make_room, stay=("queues", "started"))
"""Tetris, for `simulate`."""
