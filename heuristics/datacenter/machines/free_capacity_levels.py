"""Machines by what they have free: for each resource the sets "at least this much".

The amounts are a few demands that occur. A search intersects the sets for the largest amounts not
above a job's demands, lowest machine first, and checks what is left exactly: the amounts decide how
long it takes, never what it finds.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....core.arrays import IntArray
from ....core.kernels.decorators import by_reference, inlined
from ..engine.columns import FIRST_DEMAND, is_machine
from .bitsets import add, bits_between, empty_sets, lowest_bit, remove

MOST_LEVELS = 24
"""Amounts of each resource."""

UNLIMITED = np.iinfo(np.int64).max
"""Stands for an amount that no machine has."""


class Levels(NamedTuple):
    """Machines by what they have free."""

    amount: IntArray
    """Shape (R, MOST_LEVELS). In units, ascending from 0 on."""
    level: IntArray
    """Shape (machine numbers, R). The last amount that is free; -1 for a number without a machine.
    """
    words: IntArray
    tops: IntArray
    """`words`, `tops`: set `r * MOST_LEVELS + l` has the machines with `amount[r, l]` of resource r
    free."""
    row: IntArray
    """Shape (R,). The sets that a search intersects."""


def amounts(demand: IntArray, most: int) -> IntArray:
    """Return 0 and demands that occur, for each resource, shape (R, most), in units.

    `demand` (jobs, R): a sample of what jobs need, in units.
    `most`: amounts of each resource; where there are fewer, the last ones are `UNLIMITED`.
    """
    table = np.full((demand.shape[1], most), UNLIMITED, dtype=np.int64)
    for r in range(demand.shape[1]):
        distinct = np.unique(demand[:, r])
        if len(distinct) >= most:
            points = np.linspace(0.0, 1.0, most - 1)
            distinct = np.unique(np.quantile(demand[:, r], points, method="lower"))
        chosen = np.unique(np.concatenate([[0], distinct]))[:most]
        table[r, : len(chosen)] = chosen
    return table


def levels_of(free: IntArray, demand: IntArray) -> Levels:
    """`demand` (jobs, R): a sample of what jobs need, in units."""
    machines, resources = free.shape
    words, tops = empty_sets(resources * MOST_LEVELS, machines // 64)
    made = Levels(
        amounts(demand, MOST_LEVELS),
        np.full((machines, resources), -1, dtype=np.int64),
        words,
        tops,
        np.zeros(resources, dtype=np.int64),
    )
    _fill(made, free)
    return made


@by_reference
def _fill(levels: Levels, free: IntArray) -> None:
    for m in range(len(free)):
        if is_machine(free, m):
            update(levels, free, m)


@inlined
def update(levels: Levels, free: IntArray, m: int) -> None:
    """Take note that machine m has another amount free."""
    amount, words, tops = levels.amount, levels.words, levels.tops
    most = amount.shape[1]
    for r in range(len(amount)):
        now = free[m, r]
        level = levels.level[m, r]
        while level + 1 < most and amount[r, level + 1] <= now:
            level += 1
            add(words, tops, r * most + level, m)
        while amount[r, level] > now:
            remove(words, tops, r * most + level, m)
            level -= 1
        levels.level[m, r] = level


@inlined
def choose_rows(levels: Levels, info: IntArray, slot: int) -> None:
    """Choose the sets that `first_fit` intersects: the largest amounts not above a demand."""
    amount = levels.amount
    most = amount.shape[1]
    for r in range(len(amount)):
        need = info[slot, FIRST_DEMAND + r]
        low, high = 0, most
        while high - low > 1:
            middle = (low + high) >> 1
            if amount[r, middle] <= need:
                low = middle
            else:
                high = middle
        levels.row[r] = r * most + low


@inlined
def job_fits(free: IntArray, info: IntArray, slot: int, m: int) -> bool:
    for r in range(free.shape[1]):  # noqa: SIM110
        if info[slot, FIRST_DEMAND + r] > free[m, r]:
            return False
    return True


@inlined
def first_fit(
    levels: Levels, free: IntArray, info: IntArray, slot: int, first: int, stop: int
) -> int:
    """The lowest of some machines that a job fits, or -1; `choose_rows` must come first."""
    words, tops, row = levels.words, levels.tops, levels.row
    for t in range(first >> 6, ((stop - 1) >> 6) + 1):
        top = bits_between(tops[row[0], t], t, first, stop)
        for r in range(1, len(row)):
            top &= tops[row[r], t]
        while top != 0:
            w = (t << 6) + lowest_bit(top)
            top &= top - 1
            word = words[row[0], w]
            for r in range(1, len(row)):
                word &= words[row[r], w]
            while word != 0:
                m = (w << 6) + lowest_bit(word)
                word &= word - 1
                if job_fits(free, info, slot, m):
                    return m
    return -1
