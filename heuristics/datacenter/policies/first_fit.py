"""First fit: the lowest machine that has room.

- *Arrival.* The lowest machine that can run the job and has room takes it; jobs that wait are not
  asked first. If none has, the job waits in the one queue of the datacenter.
- *Exit.* The machine that a job left starts the jobs of the queue that fit, in order of arrival;
  what does not fit is skipped.

The one queue is kept as a queue for each class; the first job that fits is the earliest of theirs.
"""

from __future__ import annotations

from typing import NamedTuple

from ....core.kernels.decorators import inlined, inner
from ..engine import event_loop as events
from ..engine.columns import JOB_CLASS, NUMBER
from ..engine.state import System
from ..machines.free_capacity_levels import (
    Levels,
    choose_rows,
    first_fit,
    job_fits,
    levels_of,
    update,
)
from ..machines.samples import Sample, choose_able, draw_machines, sample_of
from ..policy import CompiledPolicy, Setting
from ..waiting.class_queues import Queues, empty_queues
from ..waiting.global_queue import enqueue, start_in_order


class FirstFit(NamedTuple):
    levels: Levels
    """Machines by what they have free."""
    queues: Queues
    """A queue for each class."""
    sample: Sample
    """The machines that a job looks at."""


def make(setting: Setting, system: System) -> FirstFit:
    return FirstFit(
        levels_of(system.free, setting.demands),
        empty_queues(len(system.runs), system.free.shape[1], by_work=False),
        sample_of(setting.datacenter, setting.sample, setting.seed),
    )


@inlined
def lowest_with_room(levels: Levels, system: System, slot: int) -> int:
    """The lowest machine that can run the job and has room for it now, or -1."""
    k = system.info[slot, JOB_CLASS]
    choose_rows(levels, system.info, slot)
    for j in range(len(system.words)):
        first, stop = system.words[j, 0], system.words[j, 1]
        if system.runs[k, j] != 0 and stop > first:
            m = first_fit(levels, system.free, system.info, slot, first, stop)
            if m >= 0:
                return m
    return -1


@inner
def _lowest_drawn(sample: Sample, system: System, slot: int) -> int:
    """The same, of machines drawn from those that can run the job."""
    choose_able(sample, system.runs, system, slot)
    best = -1
    for i in range(draw_machines(sample, system.words, system.info[slot, NUMBER])):
        m = sample.drawn[i]
        if (best < 0 or m < best) and job_fits(system.free, system.info, slot, m):
            best = m
    return best


@inlined
def _arrive(policy: FirstFit, system: System, slot: int) -> None:
    if policy.sample.size > 0:
        m = _lowest_drawn(policy.sample, system, slot)
    else:
        m = lowest_with_room(policy.levels, system, slot)
    if m >= 0:
        events.start(system, slot, m)
        update(policy.levels, system.free, m)
        return
    enqueue(policy.queues, system, slot, 0.0)


@inlined
def _depart(policy: FirstFit, system: System, slot: int, m: int) -> None:
    start_in_order(policy.queues, system, m)
    update(policy.levels, system.free, m)


FIRST_FIT = CompiledPolicy(FirstFit, make, _arrive, _depart, samples=True)
"""First fit, for `simulate`."""
