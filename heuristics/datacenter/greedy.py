"""The queues of the greedy policy of [LoTES], section 5.2: one at every machine.

A job that finds no room joins the shortest of the queues of the machines that could run it if they
were empty; of several, one drawn uniformly. A machine that a job left starts the first of its queue
as long as that fits; a first job that does not fit holds up the others.
"""

from __future__ import annotations

from ...core.kernels.decorators import inlined, inner
from .engine.columns import JOB_CLASS, NEXT, NUMBER, is_machine
from .engine.state import System
from .machine_index import job_fits
from .policy_state import PolicyState
from .splitmix import uniform_of_job

LENGTH, FIRST, LAST = 0, 1, 2
"""Columns of `PolicyState.line`."""


@inner
def _with_length(policy: PolicyState, system: System, length: int, number: int) -> tuple[int, int]:
    """Of the machines in `may` with a queue of this length, the one with a number, and how many."""
    count, chosen = 0, -1
    for m in range(len(policy.line)):
        if (
            policy.line[m, LENGTH] == length
            and policy.may[system.configuration[m]] != 0
            and is_machine(system.free, m)
        ):
            if count == number:
                chosen = m
            count += 1
    return chosen, count


@inner
def join_shortest(policy: PolicyState, system: System, slot: int) -> None:
    info, line = system.info, policy.line
    k = info[slot, JOB_CLASS]
    for j in range(len(policy.may)):
        policy.may[j] = system.runs[k, j] != 0 and job_fits(system.capacity, info, slot, j)
    length, count = -1, 0
    while count == 0:
        length += 1
        _, count = _with_length(policy, system, length, -1)
    drawn = int(uniform_of_job(policy.seed, info[slot, NUMBER]) * count)
    m, _ = _with_length(policy, system, length, drawn)
    if length == 0:
        line[m, FIRST] = slot
    else:
        info[line[m, LAST], NEXT] = slot
    line[m, LAST] = slot
    line[m, LENGTH] = length + 1


@inlined
def first_in_line(policy: PolicyState, system: System, m: int) -> int:
    """Take the first job out of machine m's queue if it fits; its slot, or -1."""
    line, slot = policy.line, policy.line[m, FIRST]
    if line[m, LENGTH] == 0 or not job_fits(system.free, system.info, slot, m):
        return -1
    line[m, FIRST] = system.info[slot, NEXT]
    line[m, LENGTH] -= 1
    return int(slot)
