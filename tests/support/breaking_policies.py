"""Dispatching policies that do what none may do."""

from typing import NamedTuple

import numpy as np

from slotwise.heuristics.dispatch.engine import event_loop as events
from slotwise.instances.kernels.decorators import inlined


class Overfills(NamedTuple):
    nothing: np.ndarray


class EntersTwice(NamedTuple):
    nothing: np.ndarray


class Loses(NamedTuple):
    nothing: np.ndarray


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


events.register_kernels(Overfills, _start_anyhow, _nothing)
events.register_kernels(EntersTwice, _start_twice, _nothing)
events.register_kernels(Loses, _forget, _nothing)
