"""The policy of [LoTES], section 4.3: jobs go where they bring a machine nearest to its bin.

The score of a machine for a class is the number of the class's jobs in its bin minus the number
that it runs: v = N - kappa, which may be negative.

- *Arrival.* A configuration is drawn with the plan's proportions of the class. Of its machines with
  room for the job, the one with the highest score takes it, on ties the lowest number. If none has
  room, the same among the machines of all other configurations that can run the class. If none
  has, the job waits in its class's queue. Jobs that wait are not asked first.
- *Exit.* The machine that a job left goes through the classes that the plan gives to its
  configuration (`lotes`) or that it can run (`lotes-unrestricted`), highest score first, on ties in
  the datacenter's order; the first job in the class's queue that fits starts; scores are ranked
  again after every start. It ends when no waiting job of these classes fits.
- With a *sample* of N an arriving job looks at N machines only, drawn from those of its
  configuration ([LoTES], section 5.3), and waits if none of them has room.
- A job too large for all machines whose configuration the plan gives its class would wait for ever.
  It waits in a queue of its own, which every machine that can run the class looks through last,
  in order of arrival.

Machines are kept in sets by class and score, 64 scores around 0; machines beyond are in the outer
two, where scores are compared one by one.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np

from ....core.arrays import FloatArray, IntArray
from ....core.kernels.decorators import by_reference, inlined, inner
from ..engine import event_loop as events
from ..engine.columns import (
    JOB_CLASS,
    NUMBER,
    QUEUES_FULL,
    WAITING,
    is_machine,
    machine_numbers,
)
from ..engine.state import System
from ..machines.bitsets import add, bits_between, empty_sets, lowest_bit, remove
from ..machines.free_capacity_levels import Levels, choose_rows, job_fits, levels_of, update
from ..machines.samples import Sample, choose_able, draw_machines, sample_of
from ..policy import CompiledPolicy, Setting
from ..splitmix import uniform_of_job
from ..waiting.class_queues import (
    Queues,
    add_job,
    empty_queues,
    first_fitting_leaf,
    has_room,
    home_queue,
    remove_job,
)

SCORES = 64
"""Sets of machines for each class."""

ZERO = 31
"""The set of the machines with score v is number `ZERO - v` of its class, 0 to 63."""


class Lotes(NamedTuple):
    levels: Levels
    """Machines by what they have free."""
    queues: Queues
    """Queue k is that of class k; queue K + k has its jobs that fit no machine whose configuration
    the plan gives the class."""
    score: IntArray
    """Shape (machine numbers, K). Jobs of the class in the machine's bin minus those that it runs.
    """
    words: IntArray
    tops: IntArray
    """`words`, `tops`: set `k * SCORES + s` has the machines with score `ZERO - s` for class k, see
    `bitsets`."""
    set_size: IntArray
    """Shape (K, M, SCORES). Machines of a configuration in each set."""
    nonempty: IntArray
    """Shape (K, M). As bits, which of these sets have any."""
    cumulative: FloatArray
    """Shape (K, M). The plan's proportions, added up over the configurations."""
    serves: IntArray
    """Shape (K, M). Whether machines of the configuration look at the class on exits."""
    looked: IntArray
    """Shape (K,). Scratch."""
    seed: int
    """Of the draws of configurations."""
    sample: Sample
    """The machines that a job looks at."""


def make(setting: Setting, system: System, *, unrestricted: bool) -> Lotes:
    """`unrestricted`: whether on exits a machine looks at all classes that it can run.

    Raises `InputError` without a plan, and for one of other machines or classes.
    """
    guidance = setting.required_guidance()
    classes, configurations = system.runs.shape
    total = np.cumsum(guidance.proportions, axis=1)
    serves = system.runs if unrestricted else (guidance.running > 0) & (system.runs > 0)
    words, tops = empty_sets(classes * SCORES, len(system.free) // 64)
    policy = Lotes(
        levels=levels_of(system.free, setting.demands),
        queues=empty_queues(2 * classes, system.free.shape[1], by_work=False),
        score=np.zeros((len(system.free), classes), dtype=np.int64),
        words=words,
        tops=tops,
        set_size=np.zeros((classes, configurations, SCORES), dtype=np.int64),
        nonempty=np.zeros((classes, configurations), dtype=np.int64),
        # The last one with a share takes what rounding left.
        cumulative=np.where(total >= total[:, -1:], np.where(total > 0, 2.0, 0.0), total),
        serves=serves.astype(np.int64),
        looked=np.zeros(classes, dtype=np.int64),
        seed=setting.seed,
        sample=sample_of(setting.datacenter, setting.sample, setting.seed),
    )
    policy.score[machine_numbers(system.free)] = guidance.machine_jobs
    _fill(policy, system.free, system.configuration)
    return policy


@by_reference
def _fill(policy: Lotes, free: IntArray, configuration: IntArray) -> None:
    for m in range(len(free)):
        if is_machine(free, m):
            for k in range(policy.score.shape[1]):
                _into_set(policy, k, configuration[m], m, policy.score[m, k])


@inlined
def _into_set(policy: Lotes, k: int, j: int, m: int, score: int) -> None:
    s = min(max(ZERO - score, 0), SCORES - 1)
    add(policy.words, policy.tops, k * SCORES + s, m)
    policy.set_size[k, j, s] += 1
    policy.nonempty[k, j] |= 1 << s


@inlined
def _changed(policy: Lotes, system: System, m: int, k: int, change: int) -> None:
    """The score of machine m for class k has changed, and what it has free."""
    j = system.configuration[m]
    before = policy.score[m, k]
    policy.score[m, k] = before + change
    old = min(max(ZERO - before, 0), SCORES - 1)
    if old != min(max(ZERO - before - change, 0), SCORES - 1):
        remove(policy.words, policy.tops, k * SCORES + old, m)
        policy.set_size[k, j, old] -= 1
        if policy.set_size[k, j, old] == 0:
            policy.nonempty[k, j] &= ~(1 << old)
        _into_set(policy, k, j, m, before + change)
    update(policy.levels, system.free, m)


@inlined
def _in_set(policy: Lotes, system: System, slot: int, k: int, j: int, s: int) -> int:
    """The lowest of the machines with the highest score in set s that the job fits, or -1."""
    first, stop = system.words[j, 0], system.words[j, 1]
    levels, own = policy.levels, k * SCORES + s
    row = levels.row
    best = -1
    for t in range(first >> 6, ((stop - 1) >> 6) + 1):
        top = bits_between(policy.tops[own, t], t, first, stop)
        for r in range(len(row)):
            top &= levels.tops[row[r], t]
        while top != 0:
            w = (t << 6) + lowest_bit(top)
            top &= top - 1
            word = policy.words[own, w]
            for r in range(len(row)):
                word &= levels.words[row[r], w]
            while word != 0:
                m = (w << 6) + lowest_bit(word)
                word &= word - 1
                if job_fits(system.free, system.info, slot, m):
                    if 0 < s < SCORES - 1:
                        return m
                    if best < 0 or policy.score[m, k] > policy.score[best, k]:
                        best = m
    return best


@inner
def _anywhere_else(policy: Lotes, system: System, slot: int, k: int, drawn: int) -> int:
    """The machine with the highest score outside configuration `drawn`, or -1."""
    some = 0
    for j in range(len(system.words)):
        if j != drawn and system.runs[k, j] != 0:
            some |= policy.nonempty[k, j]
    best = -1
    while some != 0 and best < 0:
        s = lowest_bit(some)
        some &= some - 1
        for j in range(len(system.words)):
            if j == drawn or system.runs[k, j] == 0 or (policy.nonempty[k, j] >> s) & 1 == 0:
                continue
            m = _in_set(policy, system, slot, k, j, s)
            if m >= 0 and (best < 0 or policy.score[m, k] > policy.score[best, k]):
                best = m
    return best


@inner
def _nearest_drawn(policy: Lotes, system: System, slot: int, drawn: int) -> int:
    """Of machines drawn from a configuration the one with the highest score, or -1.

    If the job fits none of it, they are drawn from those that look at the job when it waits.
    """
    sample = policy.sample
    k, number = system.info[slot, JOB_CLASS], system.info[slot, NUMBER]
    choose_able(sample, system.runs, system, slot)
    if drawn >= 0 and sample.may[drawn] != 0:
        sample.may[:] = 0
        sample.may[drawn] = 1
    elif not choose_able(sample, policy.serves, system, slot):
        choose_able(sample, system.runs, system, slot)
    best = -1
    for i in range(draw_machines(sample, system.words, number)):
        m = sample.drawn[i]
        if job_fits(system.free, system.info, slot, m) and (
            best < 0
            or policy.score[m, k] > policy.score[best, k]
            or (policy.score[m, k] == policy.score[best, k] and m < best)
        ):
            best = m
    return best


@inlined
def _arrive(policy: Lotes, system: System, slot: int) -> None:
    k = system.info[slot, JOB_CLASS]
    choose_rows(policy.levels, system.info, slot)
    drawn = -1
    u = uniform_of_job(policy.seed, system.info[slot, NUMBER])
    for j in range(len(system.words)):
        if u < policy.cumulative[k, j]:
            drawn = j
            break
    m = -1
    if policy.sample.size > 0:
        m = _nearest_drawn(policy, system, slot, drawn)
    elif drawn >= 0 and system.runs[k, drawn] != 0:
        some = policy.nonempty[k, drawn]
        while some != 0 and m < 0:
            m = _in_set(policy, system, slot, k, drawn, lowest_bit(some))
            some &= some - 1
    if m < 0 and policy.sample.size == 0:
        m = _anywhere_else(policy, system, slot, k, drawn)
    if m >= 0:
        events.start(system, slot, m)
        _changed(policy, system, m, k, -1)
        return
    q = home_queue(policy.serves, system.capacity, system.info, slot)
    add_job(policy.queues, q, system.info, slot, 0.0)
    if not has_room(policy.queues, q):
        system.tally[QUEUES_FULL] = 1


@inner
def _serve(policy: Lotes, system: System, m: int) -> None:
    """Machine m starts waiting jobs as long as one fits."""
    j = system.configuration[m]
    queues, looked = policy.queues, policy.looked
    classes = len(looked)
    for k in range(classes):
        looked[k] = 0
    while True:
        best = -1
        for k in range(classes):
            if (
                looked[k] == 0
                and queues.waiting[k] > 0
                and policy.serves[k, j] != 0
                and (best < 0 or policy.score[m, k] > policy.score[m, best])
            ):
                best = k
        if best < 0:
            break
        leaf = first_fitting_leaf(queues, best, system.free, m)
        if leaf < 0:
            looked[best] = 1
        else:
            _start_waiting(policy, system, best, leaf, m)
    while True:
        best, best_leaf, earliest = -1, -1, 0
        for k in range(classes):
            q = classes + k
            if queues.waiting[q] > 0 and system.runs[k, j] != 0:
                leaf = first_fitting_leaf(queues, q, system.free, m)
                if leaf >= 0:
                    number = system.info[queues.job[queues.base[q] + leaf], NUMBER]
                    if best < 0 or number < earliest:
                        best, best_leaf, earliest = q, leaf, number
        if best < 0:
            return
        _start_waiting(policy, system, best, best_leaf, m)


@inner
def _start_waiting(policy: Lotes, system: System, q: int, leaf: int, m: int) -> None:
    slot = policy.queues.job[policy.queues.base[q] + leaf]
    remove_job(policy.queues, q, leaf)
    events.start(system, slot, m)
    _changed(policy, system, m, system.info[slot, JOB_CLASS], -1)


@inlined
def _depart(policy: Lotes, system: System, slot: int, m: int) -> None:
    _changed(policy, system, m, system.info[slot, JOB_CLASS], 1)
    if system.tally[WAITING] > 0:
        _serve(policy, system, m)


RESTRICTED = CompiledPolicy(
    Lotes,
    partial(make, unrestricted=False),
    _arrive,
    _depart,
    follows_plan=True,
    samples=True,
)
"""LoTES as printed, for `simulate`: on exits a machine starts classes that the plan gives its
configuration."""

UNRESTRICTED = replace(RESTRICTED, make=partial(make, unrestricted=True))
"""LoTES that on exits starts whatever class fits, for `simulate`."""
