"""A few machines drawn at random, for dispatchers that do not look at all [LoTES], section 5.3.

The draws depend on the seed and the job's number alone, not on what was drawn before.
"""

from __future__ import annotations

from ...core.arrays import FloatArray, IntArray
from ...core.kernels.decorators import inlined, inner
from .engine.columns import JOB_CLASS, NUMBER
from .engine.state import WORD, System
from .machine_index import job_fits
from .policy_state import PolicyState
from .splitmix import draw_of_job


@inlined
def drawn_configuration(upto: FloatArray, k: int, u: float) -> int:
    """The configuration that a number in [0, 1) draws for a job of class k; -1 for none."""
    for j in range(upto.shape[1]):
        if u < upto[k, j]:
            return j
    return -1


@inlined
def _choose(policy: PolicyState, system: System, slot: int, able: IntArray) -> bool:
    """Choose the configurations that can run a job and hold it when they are empty.

    `able` (K, M): 1 if the class may run on the configuration, else 0.
    """
    k = system.info[slot, JOB_CLASS]
    some = False
    for j in range(len(policy.may)):
        holds = able[k, j] != 0 and policy.machines[j] > 0
        holds &= job_fits(system.capacity, system.info, slot, j)
        policy.may[j] = holds
        some |= holds
    return some


@inner
def choose_configurations(policy: PolicyState, system: System, slot: int, drawn: int) -> None:
    """Choose the configurations that machines are drawn from: `drawn` alone if there is one.

    If the job fits none of it, those that look at the job when it waits.
    """
    _choose(policy, system, slot, system.runs)
    if drawn < 0:
        return
    if policy.may[drawn] != 0:
        policy.may[:] = 0
        policy.may[drawn] = 1
    elif not _choose(policy, system, slot, policy.homes):
        _choose(policy, system, slot, system.runs)


@inner
def with_room(policy: PolicyState, system: System, slot: int) -> int:
    """Draw machines without replacement, and write those with room to `found`; their number."""
    order, drawn, number = policy.order, policy.found, system.info[slot, NUMBER]
    total = 0
    for j in range(len(policy.may)):
        if policy.may[j] != 0:
            total += policy.machines[j]
    size = min(policy.sample, total)
    # The first steps of a shuffle, which are then taken back.
    for i in range(size):
        at = i + int(draw_of_job(policy.seed, number, i) * (total - i))
        order[i], order[at] = order[at], order[i]
        drawn[i] = at
    for back in range(size):
        i = size - 1 - back
        at = drawn[i]
        drawn[i] = order[i]
        order[i], order[at] = order[at], order[i]
    count = 0
    for i in range(size):
        left = drawn[i]
        for j in range(len(policy.may)):
            if policy.may[j] != 0:
                if left < policy.machines[j]:
                    m = WORD * system.words[j, 0] + left
                    if job_fits(system.free, system.info, slot, m):
                        drawn[count] = m
                        count += 1
                    break
                left -= policy.machines[j]
    return count
