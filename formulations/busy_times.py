"""What the program of mean busy times reads: jobs of stages, whose tasks are in groups.

Every schedule makes a point of the program. All times are seconds, or
any other one unit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..core.arrays import FloatArray, IntArray

RATIO, MOST_PER_STAGE = 1.4, 4


@dataclass(frozen=True)
class Stages:
    """Jobs of stages. Per stage its job (-1 for none), pool (-1 without tasks), earliest begin
    and end, least time alone and from its end to that of its job; per job its share in the mean,
    its release, and when alone it ends; arcs as parent, child and lag; `held` is how long each task
    of a stage holds a slot at least, the longest first."""

    job: IntArray
    pool: IntArray
    head: FloatArray
    earliest_end: FloatArray
    alone: FloatArray
    tail: FloatArray
    held: Sequence[FloatArray]
    arcs: Sequence[tuple[int, int, float]]
    slots: Sequence[int]
    share: FloatArray
    release: FloatArray
    job_alone: FloatArray

    @cached_property
    def groups(self) -> list[tuple[int, FloatArray]]:
        """Stage and tasks of each group; jobs without weight may wait for ever: none of theirs."""
        counts = (self.pool >= 0) & (self.job >= 0) & (self.share[self.job] > 0)
        return [
            (s, held)
            for s in np.flatnonzero(counts).tolist()
            for held in _groups(self.held[s])
            if held.sum() > 0
        ]


def _groups(held: FloatArray) -> list[FloatArray]:
    """The tasks of a stage in groups: times within a factor, the last takes all that is left."""
    groups: list[FloatArray] = []
    while len(held):
        alike = held * RATIO >= held[0]
        last = len(groups) == MOST_PER_STAGE - 1 or alike.all()
        size = len(held) if last else int(np.argmin(alike))
        groups.append(held[:size])
        held = held[size:]
    return groups


def spread(held: FloatArray, slots: int) -> float:
    """How far (s) the mean busy time of tasks on so many slots is at least from begin and end.

    A slot with load l that ends by C has moment at most l C - l²/2: the least sum of l²/2 counts.
    Tasks alone on slots while they are at least the mean of what is left, the rest level.
    """
    longest = np.sort(held)[::-1]
    work = float(longest.sum())
    left, squares, free = work, 0.0, slots
    for time in longest.tolist():
        if free <= 1 or time * free < left:
            break
        squares += time * time / 2
        left -= time
        free -= 1
    squares += left * left / (2 * free)
    return max(squares, float((longest * longest).sum()) / 2) / work
