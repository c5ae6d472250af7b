"""The event loop: jobs arrive and depart, a policy says where and when they start.

A job starts once, on a machine that can run it and has room: that is checked at every start.
"""

from __future__ import annotations

import numpy as np

from ...core.arrays import FloatArray, IntArray
from ...core.errors import BrokenInvariant as BrokenInvariant
from ...core.kernels.decorators import by_reference, inlined, inner
from ...instances.datacenter.workload import Jobs
from . import rules
from .engine import departures
from .engine.columns import (
    ALL_STARTED,
    ALL_WAIT,
    ARRIVAL,
    ARRIVED,
    DEPARTED,
    DURATION,
    EVENT_MACHINE,
    EVENT_SLOT,
    FIRST_DEMAND,
    FIRST_IN_USE,
    FIRST_MEASURED,
    FRAGMENTATION,
    JOB_CLASS,
    JOBS_RUNNING,
    JOBS_WAITING,
    MACHINE,
    NEXT_JOB,
    NO_MACHINE,
    NOT_STARTED,
    NOW,
    NUMBER,
    QUEUES_FULL,
    RUNNING,
    SAMPLE_INTERVAL,
    SAMPLE_TIME,
    SAMPLES_TAKEN,
    SPARE,
    STARTED,
    STARTS,
    STOP_ASKED,
    WAIT_OF_STARTS,
    WAITING,
    is_machine,
)
from .engine.state import BUCKETS, EXPONENT, MANTISSA, System
from .policy_state import PYTHON, PolicyState

BLOCK_DONE, NEEDS_SLOTS, NEEDS_ROOM, DRAINED, STOPPED = range(5)
"""Why `run` came back."""


@inner
def start(system: System, slot: int, m: int) -> None:
    """Start a job now.

    Raises `BrokenInvariant` if the job runs already, its class cannot run there, or the machine has
    no room.
    """
    info, tally = system.info, system.tally
    if info[slot, MACHINE] >= 0:
        raise BrokenInvariant("a job was started that is running already")
    k = info[slot, JOB_CLASS]
    j = system.configuration[m]
    if system.runs[k, j] == 0:
        raise BrokenInvariant("a job was started where its class cannot run")
    info[slot, MACHINE] = m
    for r in range(system.free.shape[1]):
        left = system.free[m, r] - info[slot, FIRST_DEMAND + r]
        if left < 0:
            raise BrokenInvariant("a machine was overfilled")
        system.free[m, r] = left
    now = system.clock[NOW]
    wait = now - system.time[slot, ARRIVAL]
    duration = system.time[slot, DURATION] * system.factor[k, j]
    departures.push(system.departures, info, tally[RUNNING], now + duration, slot)
    tally[RUNNING] += 1
    tally[WAITING] -= 1
    tally[STARTED] += 1
    number = info[slot, NUMBER]
    if number < 0:
        # It is part of the state at time 0, and nothing of it is measured.
        return
    if number >= tally[FIRST_MEASURED]:
        system.measured[k] += 1
        system.durations[k] += duration
        if wait > 0:
            system.wait_sum[k] += wait
            system.wait_max[k] = max(system.wait_max[k], wait)
            system.waits[k, _bucket(wait)] += 1
        else:
            system.at_once[k] += 1
    system.all_jobs[ALL_STARTED] += 1
    system.all_jobs[ALL_WAIT] += wait
    at = tally[SAMPLES_TAKEN] - 1
    if at >= 0:
        system.series[at, STARTS] += 1
        system.series[at, WAIT_OF_STARTS] += wait
    if number < len(system.log_start):
        system.log_start[number] = now
        system.log_machine[number] = m


@inlined
def _bucket(wait: float) -> int:
    """Of a positive wait: the leading bits of its exponent and mantissa."""
    bits = int(np.float64(wait).view(np.int64)) >> (52 - MANTISSA)
    return min(max(bits - ((1023 - EXPONENT) << MANTISSA), 0), BUCKETS - 1)


@by_reference
def run(policy: PolicyState, system: System, block: Jobs, last: bool) -> int:
    """Go through the events up to the last arrival of the block.

    `system`: the state, which changes.
    `last`: whether no block follows: then the loop goes on until no job waits.
    Returns why it came back. `STOPPED` if another thread, or the policy, set `STOP_ASKED` of the
    tally.
    Raises `BrokenInvariant` if the policy breaks a rule, or loses a job.
    """
    info, tally, clock = system.info, system.tally, system.clock
    ends = system.departures
    resources = system.free.shape[1]
    jobs = len(block.arrival)
    while True:
        if tally[STOP_ASKED] != 0:
            return STOPPED
        at = tally[NEXT_JOB]
        running = tally[RUNNING]
        arriving = at < jobs
        if not arriving and (not last or tally[WAITING] == 0):
            return DRAINED if last else BLOCK_DONE
        # Of events at the same time departures come first: what they free can be used.
        if running > 0 and (not arriving or ends.time[0] <= block.arrival[at]):
            arriving = False
            time = ends.time[0]
        elif arriving:
            time = block.arrival[at]
        else:
            raise BrokenInvariant("jobs wait, nothing runs, and no more arrive: jobs were lost")
        if time < clock[NOW]:
            raise BrokenInvariant("time runs backwards: an event was overlooked")
        if arriving:
            if tally[SPARE] == 0:
                return NEEDS_SLOTS
            if tally[QUEUES_FULL] != 0:
                return NEEDS_ROOM
        if (
            tally[SAMPLES_TAKEN] < len(system.series)
            and time >= tally[SAMPLES_TAKEN] * clock[SAMPLE_INTERVAL]
        ):
            _sample(system, time)
        clock[NOW] = time
        if arriving:
            tally[SPARE] -= 1
            slot = system.spare[tally[SPARE]]
            info[slot, MACHINE] = NOT_STARTED
            info[slot, JOB_CLASS] = block.job_class[at]
            info[slot, NUMBER] = tally[ARRIVED]
            for r in range(resources):
                info[slot, FIRST_DEMAND + r] = block.demand[at, r]
            system.time[slot, ARRIVAL] = time
            system.time[slot, DURATION] = block.duration[at]
            tally[NEXT_JOB] = at + 1
            tally[ARRIVED] += 1
            tally[WAITING] += 1
            if policy.rule == PYTHON:
                tally[EVENT_SLOT], tally[EVENT_MACHINE] = slot, NO_MACHINE
                tally[STOP_ASKED] = 1
                continue
            m = rules.place(policy, system, slot)
            if m == NO_MACHINE:
                rules.wait(policy, system, slot)
            else:
                rules.before(policy, system, m)
                rules.count(policy, system, slot, m, -1)
                start(system, slot, m)
                rules.note(policy, system, m)
        else:
            slot = departures.pop(ends, info, running)
            tally[RUNNING] = running - 1
            tally[DEPARTED] += 1
            m = info[slot, MACHINE]
            j = system.configuration[m]
            if policy.rule != PYTHON:
                rules.before(policy, system, m)
            for r in range(resources):
                left = system.free[m, r] + info[slot, FIRST_DEMAND + r]
                if left > system.capacity[j, r]:
                    raise BrokenInvariant("a machine has more free than it has")
                system.free[m, r] = left
            system.spare[tally[SPARE]] = slot
            tally[SPARE] += 1
            if policy.rule == PYTHON:
                tally[EVENT_SLOT], tally[EVENT_MACHINE] = slot, m
                tally[STOP_ASKED] = 1
                continue
            rules.count(policy, system, slot, m, 1)
            while tally[WAITING] > 0:
                slot = rules.next_waiting(policy, system, m)
                if slot < 0:
                    break
                rules.count(policy, system, slot, m, -1)
                start(system, slot, m)
            rules.note(policy, system, m)


@by_reference
def start_job(system: System, slot: int, m: int) -> None:
    """`start` for Python, which cannot be interrupted half-way; nothing happens for slot -1."""
    if slot >= 0:
        start(system, slot, m)


@inner
def _sample(system: System, time: float) -> None:
    """Note the state at every sampling time up to `time`; nothing happened since the last event."""
    tally, series = system.tally, system.series
    fragmented = -1.0
    while (
        tally[SAMPLES_TAKEN] < len(series)
        and time >= tally[SAMPLES_TAKEN] * system.clock[SAMPLE_INTERVAL]
    ):
        at = tally[SAMPLES_TAKEN]
        tally[SAMPLES_TAKEN] += 1
        if fragmented < 0:
            fragmented = _fragmentation(
                system.free,
                system.configuration,
                system.runs,
                system.request,
                system.share,
                system.pooled,
            )
        series[at, SAMPLE_TIME] = at * system.clock[SAMPLE_INTERVAL]
        series[at, JOBS_WAITING] = tally[WAITING]
        series[at, JOBS_RUNNING] = tally[RUNNING]
        series[at, FRAGMENTATION] = fragmented
        for r in range(system.free.shape[1]):
            used = 0.0
            for m in range(len(system.free)):
                if is_machine(system.free, m):
                    used += system.capacity[system.configuration[m], r] - system.free[m, r]
            series[at, FIRST_IN_USE + r] = used


@inner
def _fragmentation(
    free: IntArray,
    configuration: IntArray,
    runs: IntArray,
    request: IntArray,
    share: FloatArray,
    pooled: FloatArray,
) -> float:
    """Part of the jobs that the pooled free resources could take and the machines cannot."""
    lost = 0.0
    whole = 0.0
    resources = free.shape[1]
    for k in range(len(request)):
        for r in range(resources):
            pooled[r] = 0.0
        places = 0
        for m in range(len(free)):
            if not is_machine(free, m) or runs[k, configuration[m]] == 0:
                continue
            fitting = np.iinfo(np.int64).max
            for r in range(resources):
                pooled[r] += free[m, r]
                if request[k, r] > 0:
                    fitting = min(fitting, free[m, r] // request[k, r])
            places += fitting
        most = np.inf
        for r in range(resources):
            if request[k, r] > 0:
                most = min(most, pooled[r] / request[k, r])
        if most >= 1.0:
            lost += share[k] * (1.0 - places / most)
            whole += share[k]
    return lost / whole if whole > 0 else 0.0
