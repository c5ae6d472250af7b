"""The greedy policy of LoTES (section 5.2): first fit, and a queue at every machine.

- *Arrival.* The lowest machine that can run the job and has room takes it, whether or not jobs wait
  for it. If none has, the job joins the shortest of the queues of the machines that could run it if
  they were empty; of several, one drawn uniformly.
- *Exit.* The machine that a job left starts the first of its queue as long as that fits; a first
  job that does not fit holds up the others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ....instances.arrays import IntArray
from ....instances.kernels.decorators import inlined, inner, kernel
from ..engine import event_loop as events
from ..engine.job_random import uniform
from ..engine.state import CLASS, FULL, MACHINE, NUMBER, System
from ..machines.bitsets import add, empty_sets, lowest, part_of, remove, size
from ..machines.free_capacity_levels import Levels, job_fits, levels_of, update
from .first_fit import lowest_with_room

if TYPE_CHECKING:
    from ..policy import Setting

LENGTHS = 16
"""Lengths of queues there are sets for at the start."""


class Greedy(NamedTuple):
    """Set l of `words`, `tops` has the machines with l jobs in their queue, `held` (M, sets) how
    many of them are of each configuration; `length`, `first` and `last` (machine numbers,) are the
    queues, by slot.
    """

    levels: Levels
    words: IntArray
    tops: IntArray
    held: IntArray
    length: IntArray
    first: IntArray
    last: IntArray
    seed: int


def policy(setting: Setting, system: System) -> Greedy:
    """Greedy for an empty datacenter."""
    numbers = len(system.free)
    words, tops = empty_sets(LENGTHS, numbers // 64)
    held = np.zeros((len(system.words), LENGTHS), dtype=np.int64)
    held[:, 0] = setting.datacenter.count
    _without_queue(words, tops, system.free)
    nobody = np.full(numbers, -1, dtype=np.int64)
    return Greedy(
        levels=levels_of(system.free, setting.demands),
        words=words,
        tops=tops,
        held=held,
        length=np.zeros(numbers, dtype=np.int64),
        first=nobody,
        last=nobody.copy(),
        seed=setting.seed,
    )


def with_room(greedy: Greedy) -> Greedy:
    """The same with sets for twice the lengths."""

    def doubled(array: IntArray, axis: int) -> IntArray:
        return np.concatenate([array, np.zeros_like(array)], axis=axis)

    return greedy._replace(
        words=doubled(greedy.words, 0),
        tops=doubled(greedy.tops, 0),
        held=np.ascontiguousarray(doubled(greedy.held, 1)),
    )


@kernel
def _without_queue(words: IntArray, tops: IntArray, free: IntArray) -> None:
    for m in range(len(free)):
        if free[m, 0] >= 0:
            add(words, tops, 0, m)


@inlined
def _lengthen(policy: Greedy, j: int, m: int, change: int) -> None:
    length = policy.length[m]
    remove(policy.words, policy.tops, length, m)
    policy.held[j, length] -= 1
    length += change
    policy.length[m] = length
    add(policy.words, policy.tops, length, m)
    policy.held[j, length] += 1


@inner
def _shortest(policy: Greedy, system: System, slot: int) -> int:
    """A machine drawn from those with the shortest queue that could ever run the job."""
    info, words = system.info, system.words
    k = info[slot, CLASS]
    for length in range(policy.held.shape[1]):
        total = 0
        for j in range(len(words)):
            if system.runs[k, j] != 0 and job_fits(system.capacity, info, slot, j):
                total += policy.held[j, length]
        if total == 0:
            continue
        rank = np.int64(uniform(policy.seed, info[slot, NUMBER]) * total)
        for j in range(len(words)):
            if system.runs[k, j] == 0 or not job_fits(system.capacity, info, slot, j):
                continue
            if rank >= policy.held[j, length]:
                rank -= policy.held[j, length]
                continue
            first, stop = words[j, 0], words[j, 1]
            for t in range(first >> 6, ((stop - 1) >> 6) + 1):
                top = part_of(policy.tops[length, t], t, first, stop)
                while top != 0:
                    w = (t << 6) + lowest(top)
                    top &= top - 1
                    word = policy.words[length, w]
                    here = size(word)
                    if rank >= here:
                        rank -= here
                        continue
                    for _ in range(rank):
                        word &= word - 1
                    return (w << 6) + lowest(word)
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
    if policy.length[m] == policy.held.shape[1] - 1:
        system.tally[FULL] = 1


@inlined
def _depart(policy: Greedy, system: System, slot: int, m: int) -> None:
    while policy.length[m] > 0 and job_fits(system.free, system.info, policy.first[m], m):
        chosen = policy.first[m]
        policy.first[m] = -2 - system.info[chosen, MACHINE]
        _lengthen(policy, system.configuration[m], m, -1)
        events.start(system, chosen, m)
    update(policy.levels, system.free, m)


events.follow(Greedy, _arrive, _depart)
