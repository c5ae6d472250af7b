"""Compiled dispatching policies that do what none may do, and one that does nothing wrong."""

from typing import NamedTuple

import numpy as np

from slotwise import CompiledPolicy
from slotwise.core.kernels.decorators import inlined
from slotwise.heuristics.datacenter.engine import event_loop as events
from slotwise.heuristics.datacenter.engine.columns import JOB_CLASS
from slotwise.heuristics.datacenter.machines.free_capacity_levels import job_fits
from slotwise.heuristics.datacenter.waiting.class_queues import (
    Queues,
    empty_queues,
    with_more_places,
)
from slotwise.heuristics.datacenter.waiting.global_queue import enqueue, start_in_order


class Overfills(NamedTuple):
    nothing: np.ndarray


class EntersTwice(NamedTuple):
    nothing: np.ndarray


class Loses(NamedTuple):
    nothing: np.ndarray


class LastFit(NamedTuple):
    queues: Queues


@inlined
def _start_anyhow(policy, system, slot):
    events.start(system, slot, 0)


@inlined
def _start_twice(policy, system, slot):
    system.free[0, 0] = system.capacity[0, 0]
    events.start(system, slot, 0)
    events.start(system, slot, 0)


@inlined
def _forget(policy, system, slot):
    pass


@inlined
def _nothing(policy, system, slot, m):
    pass


@inlined
def _on_the_last_with_room(policy, system, slot):
    k = system.info[slot, JOB_CLASS]
    for m in range(len(system.free) - 1, -1, -1):
        able = system.runs[k, system.configuration[m]] != 0
        if able and job_fits(system.free, system.info, slot, m):
            events.start(system, slot, m)
            return
    enqueue(policy.queues, system, slot, 0.0)


@inlined
def _start_those_that_fit(policy, system, slot, m):
    start_in_order(policy.queues, system, m)


def _empty(setting, system):
    return LastFit(empty_queues(len(system.runs), system.free.shape[1], by_work=False))


def _longer(policy, system):
    return LastFit(with_more_places(policy.queues, system.info))


def _breaking(arrays, arrive):
    return CompiledPolicy(
        arrays, lambda *_: arrays(np.zeros(1)), arrive, _nothing, lambda policy, _: policy
    )


OVERFILLS = _breaking(Overfills, _start_anyhow)
ENTERS_TWICE = _breaking(EntersTwice, _start_twice)
LOSES = _breaking(Loses, _forget)
LAST_FIT = CompiledPolicy(LastFit, _empty, _on_the_last_with_room, _start_those_that_fit, _longer)
