"""The greedy policy of [LoTES], section 5.2: first fit, and a queue at every machine.

- *Arrival.* The lowest machine that can run the job and has room takes it, whether or not jobs wait
  for it. If none has, the job joins the shortest of the queues of the machines that could run it if
  they were empty; of several, one drawn uniformly.
- *Exit.* The machine that a job left starts the first of its queue as long as that fits; a first
  job that does not fit holds up the others.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....core.arrays import IntArray
from ....core.kernels.decorators import inlined, inner, kernel
from ..engine import event_loop as events
from ..engine.columns import JOB_CLASS, MACHINE, NUMBER, QUEUES_FULL, is_machine
from ..engine.state import System
from ..machines.bitsets import add, bits_between, count_bits, empty_sets, lowest_bit, remove
from ..machines.free_capacity_levels import Levels, job_fits, levels_of, update
from ..policy import CompiledPolicy, Setting
from ..splitmix import uniform_of_job
from .first_fit import lowest_with_room

LENGTHS = 16
"""Lengths of queues that there are sets for at the start."""


class Greedy(NamedTuple):
    levels: Levels
    """Machines by what they have free."""
    words: IntArray
    tops: IntArray
    """`words`, `tops`: set l has the machines with l jobs in their queue, see `bitsets`."""
    set_size: IntArray
    """Shape (M, sets). Machines of each configuration in each set."""
    length: IntArray
    first: IntArray
    last: IntArray
    """`length`, `first`, `last`: shape (machine numbers,). The queues: number of jobs, first slot
    and last slot. The slots between are chained in the column `MACHINE`."""
    seed: int
    """Of the draws among machines with equally short queues."""


def make(setting: Setting, system: System) -> Greedy:
    numbers = len(system.free)
    words, tops = empty_sets(LENGTHS, numbers // 64)
    set_size = np.zeros((len(system.words), LENGTHS), dtype=np.int64)
    set_size[:, 0] = setting.datacenter.count
    _without_queue(words, tops, system.free)
    no_slots = np.full(numbers, -1, dtype=np.int64)
    return Greedy(
        levels=levels_of(system.free, setting.demands),
        words=words,
        tops=tops,
        set_size=set_size,
        length=np.zeros(numbers, dtype=np.int64),
        first=no_slots,
        last=no_slots.copy(),
        seed=setting.seed,
    )


def make_room(policy: Greedy, system: System) -> Greedy:
    def doubled(array: IntArray, axis: int) -> IntArray:
        return np.concatenate([array, np.zeros_like(array)], axis=axis)

    return policy._replace(
        words=doubled(policy.words, 0),
        tops=doubled(policy.tops, 0),
        set_size=np.ascontiguousarray(doubled(policy.set_size, 1)),
    )


@kernel
def _without_queue(words: IntArray, tops: IntArray, free: IntArray) -> None:
    for m in range(len(free)):
        if is_machine(free, m):
            add(words, tops, 0, m)


@inlined
def _lengthen(policy: Greedy, j: int, m: int, change: int) -> None:
    length = policy.length[m]
    remove(policy.words, policy.tops, length, m)
    policy.set_size[j, length] -= 1
    length += change
    policy.length[m] = length
    add(policy.words, policy.tops, length, m)
    policy.set_size[j, length] += 1


@inner
def _shortest(policy: Greedy, system: System, slot: int) -> int:
    """A machine drawn from those with the shortest queue that could ever run the job."""
    info, words = system.info, system.words
    k = info[slot, JOB_CLASS]
    for length in range(policy.set_size.shape[1]):
        total = 0
        for j in range(len(words)):
            if system.runs[k, j] != 0 and job_fits(system.capacity, info, slot, j):
                total += policy.set_size[j, length]
        if total == 0:
            continue
        rank = np.int64(uniform_of_job(policy.seed, info[slot, NUMBER]) * total)
        for j in range(len(words)):
            if system.runs[k, j] == 0 or not job_fits(system.capacity, info, slot, j):
                continue
            if rank >= policy.set_size[j, length]:
                rank -= policy.set_size[j, length]
                continue
            first, stop = words[j, 0], words[j, 1]
            for t in range(first >> 6, ((stop - 1) >> 6) + 1):
                top = bits_between(policy.tops[length, t], t, first, stop)
                while top != 0:
                    w = (t << 6) + lowest_bit(top)
                    top &= top - 1
                    word = policy.words[length, w]
                    inside = count_bits(word)
                    if rank >= inside:
                        rank -= inside
                        continue
                    for _ in range(rank):
                        word &= word - 1
                    return (w << 6) + lowest_bit(word)
    return -1


@inlined
def _arrive(policy: Greedy, system: System, slot: int) -> None:
    m = lowest_with_room(policy.levels, system, slot)
    if m >= 0:
        events.start(system, slot, m)
        update(policy.levels, system.free, m)
        return
    m = _shortest(policy, system, slot)
    if policy.length[m] == 0:
        policy.first[m] = slot
    else:
        system.info[policy.last[m], MACHINE] = -2 - slot
    policy.last[m] = slot
    _lengthen(policy, system.configuration[m], m, 1)
    if policy.length[m] == policy.set_size.shape[1] - 1:
        system.tally[QUEUES_FULL] = 1


@inlined
def _depart(policy: Greedy, system: System, slot: int, m: int) -> None:
    while policy.length[m] > 0 and job_fits(system.free, system.info, policy.first[m], m):
        chosen = policy.first[m]
        policy.first[m] = -2 - system.info[chosen, MACHINE]
        _lengthen(policy, system.configuration[m], m, -1)
        events.start(system, chosen, m)
    update(policy.levels, system.free, m)


GREEDY = CompiledPolicy(Greedy, make, _arrive, _depart, make_room)
"""Greedy, for `simulate`."""
