"""The heuristic of [SMSO]: matchmaking, queue ordering, outage verifying.

`smso` is the algorithm as its text means it, `smso_johnson` the same with the jobs of each map slot
in Johnson's order, `smso_as_printed` its listings taken literally, which may break the rules. With
load in seconds and data ignored `smso` is what Table I was made with.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ....core.parameters import documented
from ....instances.mapreduce.eligibility import map_eligible
from ....instances.mapreduce.instance import Instance
from ....instances.mapreduce.schedule import Schedule
from ....instances.mapreduce.security import PLAIN
from .matchmaking import security_levels
from .outage_verifying import rescheduled
from .queue_ordering import ordered
from .reading import THETA, USUAL, Data, Load, Reading, Reduces, Theta


@documented
def smso(
    instance: Instance,
    *,
    theta: Theta = THETA,
    load: Load = "seconds",
    data: Data = "near",
    reduces: Reduces = "stay",
) -> Schedule:
    """[SMSO], Algorithm 4 as intended; the schedule's notes name every task that outages moved."""
    return _scheduled(instance, Reading(theta, load, data, reduces), by_johnson=False)


@documented
def smso_johnson(
    instance: Instance,
    *,
    theta: Theta = THETA,
    load: Load = "seconds",
    data: Data = "near",
    reduces: Reduces = "stay",
) -> Schedule:
    """SMSO with the jobs of each map slot in Johnson's order instead of all tasks by LPT."""
    return _scheduled(instance, Reading(theta, load, data, reduces), by_johnson=True)


def _scheduled(instance: Instance, reading: Reading, *, by_johnson: bool) -> Schedule:
    schedule = rescheduled(instance, reading=reading, by_johnson=by_johnson).schedule
    return replace(schedule, notes=schedule.notes + idle_settings(instance, reading))


def idle_settings(instance: Instance, reading: Reading) -> tuple[str, ...]:
    """Parameters that change nothing on an instance, a line each."""
    idle: tuple[str, ...] = ()
    if reading.reduces != USUAL.reduces and instance.outages is None:
        idle += (f"reduces={reading.reduces} changes nothing: the instance has no outages",)
    if reading.theta != USUAL.theta and reading.data == "ignored":
        idle += (f"theta={reading.theta:g} changes nothing with data=ignored",)
    return idle


def smso_as_printed(instance: Instance) -> Schedule:
    """[SMSO], Algorithms 1, 2 and 4 as printed: the schedule may use forbidden and lost slots.

    Algorithm 1 takes the first eligible slot below the threshold, wherever the data is. At the
    first slot that the priority forbids it looks for a slot that takes that slot's data
    unencrypted, and otherwise gives the task to the slot with the fewest tasks, eligible or not.
    Algorithm 2 puts all reduce tasks of a job on one slot. Algorithm 4 repeats itself for ever
    while there is no outage (here once) and stops at once if there is one, so nothing is moved.
    """
    without = replace(instance, outages=None)
    allowed, levels = map_eligible(without), security_levels(without)
    node = without.cluster.map_slot_node
    count = np.zeros(len(node), dtype=np.int64)
    threshold = THETA * without.map_tasks / max(len(node), 1)
    slot = np.empty(without.map_tasks, dtype=np.int64)
    for t in range(without.map_tasks):
        fits = allowed[t] & (count < threshold)
        forbidden = np.flatnonzero(~allowed[t])[:1]
        first = np.flatnonzero(fits)[:1]
        if first.size and (not forbidden.size or first[0] < forbidden[0]):
            chosen = first[0]
        else:
            plain = np.flatnonzero(fits & (levels[node[forbidden[0]]] == PLAIN))[:1]
            chosen = plain[0] if plain.size else np.argmin(count)
        slot[t] = chosen
        count[chosen] += 1
    return ordered(without, slot, job_on_one_slot=True)
