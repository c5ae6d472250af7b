"""Machines alike, in one shape: of one configuration, with the same amounts free.

Where demands are those of a few classes there are far fewer shapes than machines. The index has all
machines in one order and the lowest of each shape in another, by the same ranks.
"""

from __future__ import annotations

from ...core.kernels.decorators import inner
from .engine.columns import NO_MACHINE
from .engine.state import System
from .machine_index import lowest_bit, note_rank, row_of_rank
from .policy_state import PolicyState

ALL, LOWEST = 0, 1
"""Orders of the index: all machines, and the lowest of each shape."""


@inner
def lowest_alike(policy: PolicyState, system: System, m: int, rank: int, o: int, k: int) -> int:
    """The lowest machine in order o that has the shape of machine m, of a rank, or `NO_MACHINE`.

    k: of which the bin has more jobs of this class than it runs; -1 for any.
    """
    index, free, j = policy.by_room, system.free, system.configuration[m]
    row = row_of_rank(index, o, rank)
    for w in range(system.words[j, 0], system.words[j, 1]):
        word = index.words[row, w]
        while word != 0:
            other = (w << 6) + lowest_bit(word)
            word &= word - 1
            same = k < 0 or policy.score[other, k] > 0
            for r in range(free.shape[1]):
                same &= free[m, r] == free[other, r]
            if same:
                return other
    return NO_MACHINE


@inner
def take_out(policy: PolicyState, system: System, m: int) -> None:
    """Take machine m out of its shape, before it changes."""
    index, lacking, j = policy.by_room, policy.lacking, system.configuration[m]
    rank = index.rank[ALL, m]
    lowest = lowest_alike(policy, system, m, rank, LOWEST, -1)
    for k in range(lacking.shape[1]):
        if policy.score[m, k] > 0:
            lacking[lowest, k] -= 1
    note_rank(index, ALL, j, m, -1)
    if lowest == m:
        note_rank(index, LOWEST, j, m, -1)
        lowest = lowest_alike(policy, system, m, rank, ALL, -1)
        if lowest != NO_MACHINE:
            note_rank(index, LOWEST, j, lowest, rank)
            for k in range(lacking.shape[1]):
                lacking[lowest, k] = lacking[m, k]


@inner
def put_in(policy: PolicyState, system: System, m: int, rank: int) -> None:
    """Put machine m, which has changed, into its shape."""
    index, lacking, j = policy.by_room, policy.lacking, system.configuration[m]
    lowest = lowest_alike(policy, system, m, rank, LOWEST, -1)
    note_rank(index, ALL, j, m, rank)
    if lowest == NO_MACHINE or m < lowest:
        for k in range(lacking.shape[1]):
            lacking[m, k] = 0 if lowest == NO_MACHINE else lacking[lowest, k]
        if lowest != NO_MACHINE:
            note_rank(index, LOWEST, j, lowest, -1)
        note_rank(index, LOWEST, j, m, rank)
        lowest = m
    for k in range(lacking.shape[1]):
        if policy.score[m, k] > 0:
            lacking[lowest, k] += 1
