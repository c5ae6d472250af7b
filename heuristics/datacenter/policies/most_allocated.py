"""kube-scheduler's NodeResourcesFit with strategy MostAllocated, the weights as they are exported.

- *Arrival.* Of the nodes with room the job goes to the one with the highest score, to any of them
  on ties. The score of a resource is what is used of it with the job, in whole hundredths of what
  the node has; that of the node the weighted mean, rounded down. A resource that is neither cpu
  nor memory counts only for jobs that need it. If no node has room, the job waits.
- *Exit.* The node starts the waiting jobs that fit, in order of arrival.

kube-scheduler adds the scores of its other plugins, and its waiting pods come back after a pause;
neither is here.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....core.arrays import IntArray
from ....core.kernels.decorators import inlined, inner
from ....core.random_numbers import uniform_of_job
from ....instances.datacenter.exporters.kubernetes_scoring import is_counted_always, weights_of
from ..engine import event_loop as events
from ..engine.columns import FIRST_DEMAND, JOB_CLASS, NUMBER
from ..engine.state import System
from ..machines.free_capacity_levels import job_fits
from ..policy import CompiledPolicy, Setting
from ..waiting.class_queues import Queues, empty_queues
from ..waiting.global_queue import enqueue, start_in_order


class MostAllocated(NamedTuple):
    """The plugin at work."""

    weight: IntArray
    """Shape (R,). Of the resources, at the plan's prices."""
    always: IntArray
    """Shape (R,). 1 for a resource that counts whether the job needs it or not."""
    queues: Queues
    """A queue for each class."""
    score: IntArray
    """Shape (P,). Scratch: the score of each machine, -1 without room."""
    seed: int


def make(setting: Setting, system: System) -> MostAllocated:
    """Return the arrays for an empty datacenter.

    `system`: the empty datacenter.
    """
    guidance = setting.required_guidance()
    numbers, resources = system.free.shape
    always = [is_counted_always(name) for name in setting.datacenter.resources]
    return MostAllocated(
        weights_of(guidance),
        np.array(always, dtype=np.int64),
        empty_queues(len(system.runs), resources, by_work=False),
        np.zeros(numbers, dtype=np.int64),
        setting.seed,
    )


@inlined
def _score(policy: MostAllocated, system: System, slot: int, m: int) -> int:
    """The score of a machine with room."""
    total, weights = 0, 0
    j = system.configuration[m]
    for r in range(len(policy.weight)):
        need, most = system.info[slot, FIRST_DEMAND + r], system.capacity[j, r]
        if most > 0 and (need > 0 or policy.always[r] != 0):
            used = most - system.free[m, r] + need
            total += policy.weight[r] * int(100.0 * float(used) / float(most))
            weights += policy.weight[r]
    return total // weights if weights > 0 else 0


@inner
def _best(policy: MostAllocated, system: System, slot: int) -> int:
    """One of the machines with the highest score, or -1."""
    best, ties, k = -1, 0, system.info[slot, JOB_CLASS]
    for j in range(len(system.words)):
        if system.runs[k, j] == 0:
            continue
        for m in range(system.words[j, 0] << 6, system.words[j, 1] << 6):
            policy.score[m] = -1
            if job_fits(system.free, system.info, slot, m):
                score = _score(policy, system, slot, m)
                policy.score[m] = score
                if score > best:
                    best, ties = score, 0
                if score == best:
                    ties += 1
    if best < 0:
        return -1
    left = int(uniform_of_job(policy.seed, system.info[slot, NUMBER]) * ties)
    for j in range(len(system.words)):
        if system.runs[k, j] != 0:
            for m in range(system.words[j, 0] << 6, system.words[j, 1] << 6):
                if policy.score[m] == best:
                    if left == 0:
                        return m
                    left -= 1
    return -1


@inlined
def _arrive(policy: MostAllocated, system: System, slot: int) -> None:
    m = _best(policy, system, slot)
    if m >= 0:
        events.start(system, slot, m)
    else:
        enqueue(policy.queues, system, slot, 0.0)


@inlined
def _depart(policy: MostAllocated, system: System, slot: int, m: int) -> None:
    start_in_order(policy.queues, system, m)


MOST_ALLOCATED = CompiledPolicy(MostAllocated, make, _arrive, _depart)
"""The plugin, for `simulate`."""
