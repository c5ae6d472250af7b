"""Machines as sets of bits: those with room for a job, in an order of the policy's.

For each resource there are sets "at least this much free"; the amounts are demands that occur. And
every machine is in one of 64 *ranks*, the best first, for each of the policy's orders: LoTES has
one for each class, others have one. A search intersects the sets of a job's demands with a rank,
lowest machine first, and checks what is left exactly: amounts and ranks decide how long it takes,
never what it finds.

A set is a row of `words`, machine m as bit `m % 64` of word `m // 64`; `tops` has a bit for every
word that is not zero, so that 64 empty words are passed over at a time.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba.cpython.unsafe import numbers

from ...core.arrays import IntArray
from ...core.kernels.decorators import inlined, inner
from .engine.columns import FIRST_DEMAND
from .engine.state import System

MOST_LEVELS = 24
"""Amounts of each resource."""

RANKS = 64

UNLIMITED = np.iinfo(np.int64).max
"""Stands for an amount that no machine has."""

_RANK_0 = (1025 << 3) - RANKS + 1

_trailing_zeros: Any = numbers.trailing_zeros


class MachineIndex(NamedTuple):
    amount: IntArray
    """Shape (R, MOST_LEVELS). In units, ascending from 0 on."""
    level: IntArray
    """Shape (machine numbers, R). The last amount that is free; -1 for a number without a machine.
    """
    rank: IntArray
    """Shape (orders, machine numbers). -1 as long as a machine has none."""
    words: IntArray
    tops: IntArray
    """`words`, `tops`: set `r * MOST_LEVELS + l` has the machines with `amount[r, l]` of resource r
    free; set `R * MOST_LEVELS + o * RANKS + rank` those of a rank in order o."""
    size: IntArray
    """Shape (orders, M, RANKS). Machines of a configuration in each rank."""
    nonempty: IntArray
    """Shape (orders, M). As bits, which ranks have machines of the configuration."""
    row: IntArray
    """Shape (R + 1,). Scratch: the sets that a search intersects."""


def index_of(system: System, demand: IntArray, orders: int) -> MachineIndex:
    """An index without machines. `demand` (jobs, R): a sample of what jobs need, in units."""
    machines, resources = system.free.shape
    configurations = len(system.words)
    sets = resources * MOST_LEVELS + orders * RANKS
    return MachineIndex(
        _amounts(demand),
        np.full((machines, resources), -1, dtype=np.int64),
        np.full((orders, machines), -1, dtype=np.int64),
        np.zeros((sets, machines // 64), dtype=np.int64),
        np.zeros((sets, -(-machines // 64**2)), dtype=np.int64),
        np.zeros((orders, configurations, RANKS), dtype=np.int64),
        np.zeros((orders, configurations), dtype=np.int64),
        np.zeros(resources + 1, dtype=np.int64),
    )


def _amounts(demand: IntArray) -> IntArray:
    """0 and demands that occur, for each resource; the rest is `UNLIMITED`."""
    table = np.full((demand.shape[1], MOST_LEVELS), UNLIMITED, dtype=np.int64)
    for r in range(demand.shape[1]):
        distinct = np.unique(demand[:, r])
        if len(distinct) >= MOST_LEVELS:
            points = np.linspace(0.0, 1.0, MOST_LEVELS - 1)
            distinct = np.unique(np.quantile(demand[:, r], points, method="lower"))
        chosen = np.unique(np.concatenate([[0], distinct]))[:MOST_LEVELS]
        table[r, : len(chosen)] = chosen
    return table


@inlined
def demand_share(system: System, slot: int) -> float:
    """The job's demand in parts of the largest machine, summed over the resources."""
    total = 0.0
    for r in range(len(system.weight)):
        total += system.info[slot, FIRST_DEMAND + r] * system.weight[r]
    return total


@inlined
def rank_of_share(share: float) -> int:
    """Ranks by what is free or asked for, least first: eight for each power of two, up to 4.

    These are the leading bits of exponent and mantissa.
    """
    bits = int(np.float64(share).view(np.int64)) >> 49
    return min(max(bits - _RANK_0, 0), RANKS - 1)


@inlined
def share_of_rank(rank: int) -> float:
    """The least share of a rank but the first."""
    return float(np.int64((rank + _RANK_0) << 49).view(np.float64))


@inlined
def lowest_bit(bits: int) -> int:
    """The number of the lowest bit of a word that is not zero."""
    return int(_trailing_zeros(bits))


@inlined
def _add(index: MachineIndex, row: int, m: int) -> None:
    w = m >> 6
    index.words[row, w] |= 1 << (m & 63)
    index.tops[row, w >> 6] |= 1 << (w & 63)


@inlined
def _remove(index: MachineIndex, row: int, m: int) -> None:
    w = m >> 6
    left = index.words[row, w] & ~(1 << (m & 63))
    index.words[row, w] = left
    if left == 0:
        index.tops[row, w >> 6] &= ~(1 << (w & 63))


@inlined
def row_of_rank(index: MachineIndex, o: int, rank: int) -> int:
    return len(index.amount) * MOST_LEVELS + o * RANKS + rank


@inner
def note_free(index: MachineIndex, free: IntArray, m: int) -> None:
    """Take note of what machine m has free."""
    amount = index.amount
    for r in range(len(amount)):
        now = free[m, r]
        level = index.level[m, r]
        while level + 1 < MOST_LEVELS and amount[r, level + 1] <= now:
            level += 1
            _add(index, r * MOST_LEVELS + level, m)
        while amount[r, level] > now:
            _remove(index, r * MOST_LEVELS + level, m)
            level -= 1
        index.level[m, r] = level


@inner
def note_rank(index: MachineIndex, o: int, j: int, m: int, rank: int) -> None:
    """Take note that machine m, of configuration j, has this rank in order o; -1 for none."""
    old = index.rank[o, m]
    if old == rank:
        return
    if old >= 0:
        _remove(index, row_of_rank(index, o, old), m)
        index.size[o, j, old] -= 1
        if index.size[o, j, old] == 0:
            index.nonempty[o, j] &= ~(1 << old)
    index.rank[o, m] = rank
    if rank >= 0:
        _add(index, row_of_rank(index, o, rank), m)
        index.size[o, j, rank] += 1
        index.nonempty[o, j] |= 1 << rank


@inlined
def job_fits(free: IntArray, info: IntArray, slot: int, m: int) -> bool:
    for r in range(free.shape[1]):  # noqa: SIM110
        if info[slot, FIRST_DEMAND + r] > free[m, r]:
            return False
    return True


@inlined
def choose_rows(index: MachineIndex, info: IntArray, slot: int) -> None:
    """Choose the sets that `candidates` intersects: the largest amounts not above the demands."""
    for r in range(len(index.amount)):
        need = info[slot, FIRST_DEMAND + r]
        low, high = 0, MOST_LEVELS
        while high - low > 1:
            middle = (low + high) >> 1
            if index.amount[r, middle] <= need:
                low = middle
            else:
                high = middle
        index.row[r] = r * MOST_LEVELS + low


@inlined
def ranks_in_use(index: MachineIndex, may: IntArray, o: int) -> int:
    """As bits, the ranks in order o of machines whose configurations `may` (M,) run the job."""
    ranks = 0
    for j in range(len(may)):
        if may[j] != 0:
            ranks |= index.nonempty[o, j]
    return ranks


@inner
def candidates(
    index: MachineIndex, system: System, slot: int, may: IntArray, o: int, rank: int,
    found: IntArray, most: int,
) -> int:  # fmt: skip
    """Write machines of a rank with room for a job to `found`, ascending; return their number.

    `may` (M,): which configurations. `most`: that many are enough. `choose_rows` comes first.
    """
    words, tops, row = index.words, index.tops, index.row
    last = len(row) - 1
    row[last] = row_of_rank(index, o, rank)
    count = 0
    for j in range(len(may)):
        if may[j] == 0 or (index.nonempty[o, j] >> rank) & 1 == 0:
            continue
        first, stop = system.words[j, 0], system.words[j, 1]
        for t in range(first >> 6, ((stop - 1) >> 6) + 1):
            top = tops[row[last], t]
            if t == first >> 6:
                top &= -1 << (first & 63)
            if t == (stop - 1) >> 6:
                top &= ~(-2 << ((stop - 1) & 63))
            for r in range(last):
                top &= tops[row[r], t]
            while top != 0:
                w = (t << 6) + lowest_bit(top)
                top &= top - 1
                word = words[row[last], w]
                for r in range(last):
                    word &= words[row[r], w]
                while word != 0:
                    m = (w << 6) + lowest_bit(word)
                    word &= word - 1
                    if job_fits(system.free, system.info, slot, m):
                        found[count] = m
                        count += 1
                        if count == most:
                            return count
    return count
