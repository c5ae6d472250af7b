"""A few machines drawn at random, for dispatchers that do not look at all [LoTES], section 5.3.

The draws depend on the seed and the job's number alone, not on what was drawn before.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....core.arrays import IntArray
from ....core.kernels.decorators import inlined, inner
from ....instances.datacenter.datacenter import Datacenter
from ..engine.columns import JOB_CLASS
from ..engine.state import WORD, System
from ..splitmix import draw_of_job
from .free_capacity_levels import job_fits


class Sample(NamedTuple):
    """How many machines a job looks at, and which."""

    size: int
    """How many; 0 for all."""
    seed: int
    """Of the draws."""
    machines: IntArray
    """Shape (M,). Machines of each configuration."""
    may: IntArray
    """Shape (M,). Which configurations machines are drawn from."""
    order: IntArray
    """Shape (machines,). Scratch: the numbers from 0 on."""
    drawn: IntArray
    """Shape (size,). The machines drawn."""


def sample_of(datacenter: Datacenter, size: int | None, seed: int) -> Sample:
    """`size`: how many machines a job looks at; None for all."""
    numbers = datacenter.machines if size else 0
    return Sample(
        size=min(size or 0, datacenter.machines),
        seed=seed,
        machines=datacenter.count.astype(np.int64),
        may=np.zeros(len(datacenter.count), dtype=np.int64),
        order=np.arange(numbers, dtype=np.int64),
        drawn=np.zeros(min(size or 0, datacenter.machines), dtype=np.int64),
    )


@inlined
def choose_able(sample: Sample, able: IntArray, system: System, slot: int) -> bool:
    """Choose the configurations that can run a job and hold it when they are empty.

    `able` (K, M): 1 if the class may run on the configuration, else 0.
    """
    k = system.info[slot, JOB_CLASS]
    some = False
    for j in range(len(sample.may)):
        holds = able[k, j] != 0 and sample.machines[j] > 0
        holds &= job_fits(system.capacity, system.info, slot, j)
        sample.may[j] = holds
        some |= holds
    return some


@inner
def draw_machines(sample: Sample, words: IntArray, number: int) -> int:
    """Draw machines for a job without replacement into `drawn`.

    Returns `size`, or as many as there are if these are fewer.
    """
    total = 0
    for j in range(len(words)):
        if sample.may[j] != 0:
            total += sample.machines[j]
    size = min(sample.size, total)
    order = sample.order
    # The first steps of a shuffle, which are then taken back.
    for i in range(size):
        at = i + int(draw_of_job(sample.seed, number, i) * (total - i))
        order[i], order[at] = order[at], order[i]
        sample.drawn[i] = at
    for back in range(size):
        i = size - 1 - back
        at = sample.drawn[i]
        sample.drawn[i] = order[i]
        order[i], order[at] = order[at], order[i]
    for i in range(size):
        left = sample.drawn[i]
        for j in range(len(words)):
            if sample.may[j] != 0:
                if left < sample.machines[j]:
                    sample.drawn[i] = WORD * words[j, 0] + left
                    break
                left -= sample.machines[j]
    return size
