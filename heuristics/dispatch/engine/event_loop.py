"""The event loop: jobs arrive and depart, a policy says where and when they start.

To the loop a policy is a named tuple of arrays and two compiled functions: what it does when a job
arrives, and when one departs. `register_kernels` tells the loop of them, and `run` is compiled for
each type of policy that is used. All that a policy can do to the datacenter is to `start` a job,
and that is checked: a job starts once, on a machine that can run it and has room.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numba.extending import overload

from ....instances.arrays import FloatArray, IntArray
from ....instances.datacenter.workload import Jobs
from ....instances.errors import BrokenInvariant as BrokenInvariant
from ....instances.kernels.decorators import OPTIONS, inlined, inner, kernel, not_kept
from . import departures as calendar
from .columns import (
    ALL_STARTED,
    ALL_WAIT,
    ARRIVAL,
    ARRIVED,
    DEPARTED,
    DURATION,
    FIRST_DEMAND,
    FIRST_IN_USE,
    FIRST_MEASURED,
    FRAGMENTATION,
    HEAP_LENGTH,
    JOB_CLASS,
    JOBS_RUNNING,
    JOBS_WAITING,
    MACHINE,
    NEXT_JOB,
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
from .state import BUCKETS, EXPONENT, MANTISSA, System

BLOCK_DONE, TIME_IS_UP, NEEDS_SLOTS, NEEDS_ROOM, DRAINED, STOPPED = range(6)
"""Why `run` came back."""

Loop = Callable[[Any, System, Jobs, float, bool], int]
"""`run`, or the same compiled otherwise."""


def arrive(policy: Any, system: System, slot: int) -> None:
    """The job in `slot` arrives: the policy starts it or lets it wait."""
    raise NotImplementedError


def depart(policy: Any, system: System, slot: int, m: int) -> None:
    """The job in `slot` has left machine m: the policy may start jobs that wait."""
    raise NotImplementedError


_kernels: dict[type[Any], tuple[Callable[..., None], Callable[..., None]]] = {}


def register_kernels(
    arrays: type[Any], arriving: Callable[..., None], departing: Callable[..., None]
) -> None:
    """Make `run` call these functions for policies of a type.

    Raises `ValueError` if policies of this type have other functions already.
    """
    if _kernels.setdefault(arrays, (arriving, departing)) != (arriving, departing):
        raise ValueError(
            f"{arrays.__name__} has other kernels already: need a named tuple for each policy"
        )


def _kernels_of(policy: Any) -> tuple[Any, Any]:
    return _kernels.get(getattr(policy, "instance_class", type(None)), (None, None))


@overload(arrive, strict=False, jit_options=OPTIONS)
def _on_arrival(policy: Any, system: Any, slot: Any) -> Any:
    arriving, _ = _kernels_of(policy)
    if arriving is None:
        return None
    return lambda policy, system, slot: arriving(policy, system, slot)


@overload(depart, strict=False, jit_options=OPTIONS)
def _on_departure(policy: Any, system: Any, slot: Any, m: Any) -> Any:
    _, departing = _kernels_of(policy)
    if departing is None:
        return None
    return lambda policy, system, slot, m: departing(policy, system, slot, m)


@inlined
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
    calendar.push(system.calendar, info, system.time, now + duration, slot)
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


@kernel
def run(policy: Any, system: System, block: Jobs, until: float, last: bool) -> int:
    """Go through the events before `until` and up to the last arrival of the block.

    `system`: the state, which changes.
    `last`: whether no block follows: then the loop goes on until no job waits.
    Returns why it came back. `STOPPED` if another thread, or the policy, set `STOP_ASKED` of the
    tally.
    Raises `BrokenInvariant` if the policy breaks a rule, or loses a job.
    """
    info, tally, clock = system.info, system.tally, system.clock
    ends = system.calendar
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
        if running > 0 and ends.state[HEAP_LENGTH] == 0:
            calendar.next_epoch(ends, info, system.time)
        if running > 0 and (not arriving or ends.time[0] <= block.arrival[at]):
            arriving = False
            time = ends.time[0]
        elif arriving:
            time = block.arrival[at]
        else:
            raise BrokenInvariant("jobs wait, nothing runs, and no more arrive: jobs were lost")
        if time < clock[NOW]:
            raise BrokenInvariant("time runs backwards: an event was overlooked")
        if time >= until:
            return TIME_IS_UP
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
            arrive(policy, system, slot)
        else:
            slot = calendar.pop(ends, info)
            tally[RUNNING] = running - 1
            tally[DEPARTED] += 1
            m = info[slot, MACHINE]
            j = system.configuration[m]
            for r in range(resources):
                left = system.free[m, r] + info[slot, FIRST_DEMAND + r]
                if left > system.capacity[j, r]:
                    raise BrokenInvariant("a machine has more free than it has")
                system.free[m, r] = left
            system.spare[tally[SPARE]] = slot
            tally[SPARE] += 1
            depart(policy, system, slot, m)


@cache
def uncached_run() -> Loop:
    """`run`, compiled in this process alone.

    It is for policies of other packages: what is kept on disk is known by this package's sources,
    and would be used after theirs have changed.
    """
    return not_kept(run)


@kernel
def start_job(system: System, slot: int, m: int) -> None:
    """Start a job now: `start` for Python, which cannot be interrupted half-way.

    `slot`: the job's slot; nothing happens for -1.
    Raises `BrokenInvariant` as `start` does.
    """
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
