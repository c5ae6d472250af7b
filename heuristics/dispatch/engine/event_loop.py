"""The event loop: jobs arrive and depart, a policy says where and when they start.

A policy is a named tuple of arrays with two compiled functions, what it does when a job arrives and
when one departs, told by `follow`; `run` is compiled for each policy that is used. All that
a policy can do to the datacenter is to `start` a job, and that is checked: a job starts once, on a
machine that can run it and has room.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba.extending import overload

from ....instances.arrays import FloatArray, IntArray
from ....instances.datacenter.workload import Jobs
from ....instances.errors import BrokenInvariant as BrokenInvariant
from ....instances.kernels.decorators import OPTIONS, inlined, inner, kernel
from . import departures as calendar
from .state import (
    ARRIVAL,
    ARRIVED,
    BUCKETS,
    CLASS,
    DEMAND,
    DEPARTED,
    DURATION,
    EXPONENT,
    FULL,
    INTERVAL,
    MACHINE,
    MANTISSA,
    MEASURED_FROM,
    NEXT,
    NOT_STARTED,
    NOW,
    NUMBER,
    RUNNING,
    SAMPLED,
    SPARE,
    STARTED,
    STOP,
    WAITING,
    System,
)

BLOCK_DONE, TIME_IS_UP, NEEDS_SLOTS, NEEDS_ROOM, DRAINED, STOPPED = range(6)
"""Why `run` came back."""


def arrive(policy: Any, system: System, slot: int) -> None:
    """The job in `slot` arrives: the policy starts it or lets it wait."""
    raise NotImplementedError


def depart(policy: Any, system: System, slot: int, m: int) -> None:
    """The job in `slot` has left machine m: the policy may start jobs that wait."""
    raise NotImplementedError


def follow(kind: type[Any], arriving: Callable[..., None], departing: Callable[..., None]) -> None:
    """From now on `run` asks these compiled functions if the policy is of this kind."""

    def chosen(policy: Any) -> bool:
        return getattr(policy, "instance_class", None) is kind

    @overload(arrive, strict=False, jit_options=OPTIONS)
    def on_arrival(policy: Any, system: Any, slot: Any) -> Any:
        if chosen(policy):
            return lambda policy, system, slot: arriving(policy, system, slot)
        return None

    @overload(depart, strict=False, jit_options=OPTIONS)
    def on_departure(policy: Any, system: Any, slot: Any, m: Any) -> Any:
        if chosen(policy):
            return lambda policy, system, slot, m: departing(policy, system, slot, m)
        return None


@inlined
def start(system: System, slot: int, m: int) -> None:
    """The job in `slot` starts on machine m now."""
    info, tally = system.info, system.tally
    if info[slot, MACHINE] >= 0:
        raise BrokenInvariant("a job was started that is running already")
    k = info[slot, CLASS]
    j = system.configuration[m]
    if system.runs[k, j] == 0:
        raise BrokenInvariant("a job was started where its class cannot run")
    info[slot, MACHINE] = m
    for r in range(system.free.shape[1]):
        left = system.free[m, r] - info[slot, DEMAND + r]
        if left < 0:
            raise BrokenInvariant("a machine was overfilled")
        system.free[m, r] = left
    now = system.clock[NOW]
    wait = now - system.time[slot, ARRIVAL]
    end = now + system.time[slot, DURATION] * system.factor[k, j]
    calendar.push(system.calendar, info, system.time, end, slot)
    tally[RUNNING] += 1
    tally[WAITING] -= 1
    tally[STARTED] += 1
    number = info[slot, NUMBER]
    if number >= tally[MEASURED_FROM]:
        system.jobs[k] += 1
        if wait > 0:
            system.wait_sum[k] += wait
            system.wait_max[k] = max(system.wait_max[k], wait)
            system.waits[k, _bucket(wait)] += 1
        else:
            system.at_once[k] += 1
    system.all_jobs[0] += 1
    system.all_jobs[1] += wait
    at = tally[SAMPLED] - 1
    if at >= 0:
        system.series[at, 4] += 1
        system.series[at, 5] += wait
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

    If it is the `last` block, go on until no job waits. Another thread may set `STOP` of the tally.
    Says why it came back.
    """
    info, tally, clock = system.info, system.tally, system.clock
    ends = system.calendar
    resources = system.free.shape[1]
    jobs = len(block.arrival)
    while True:
        if tally[STOP] != 0:
            return STOPPED
        at = tally[NEXT]
        running = tally[RUNNING]
        arriving = at < jobs
        if not arriving and (not last or tally[WAITING] == 0):
            return DRAINED if last else BLOCK_DONE
        # Of events at the same time departures come first: what they free can be used.
        if running > 0 and ends.state[calendar.LENGTH] == 0:
            calendar.turn(ends, info, system.time)
        if running > 0 and (not arriving or ends.time[0] <= block.arrival[at]):
            arriving = False
            time = ends.time[0]
        elif arriving:
            time = block.arrival[at]
        else:
            raise BrokenInvariant("jobs wait, nothing runs, and no more arrive: jobs were lost")
        if time >= until:
            return TIME_IS_UP
        if arriving:
            if tally[SPARE] == 0:
                return NEEDS_SLOTS
            if tally[FULL] != 0:
                return NEEDS_ROOM
        if tally[SAMPLED] < len(system.series) and time >= tally[SAMPLED] * clock[INTERVAL]:
            _sample(system, time)
        clock[NOW] = time
        if arriving:
            tally[SPARE] -= 1
            slot = system.spare[tally[SPARE]]
            info[slot, MACHINE] = NOT_STARTED
            info[slot, CLASS] = block.job_class[at]
            info[slot, NUMBER] = tally[ARRIVED]
            for r in range(resources):
                info[slot, DEMAND + r] = block.demand[at, r]
            system.time[slot, ARRIVAL] = time
            system.time[slot, DURATION] = block.duration[at]
            tally[NEXT] = at + 1
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
                left = system.free[m, r] + info[slot, DEMAND + r]
                if left > system.capacity[j, r]:
                    raise BrokenInvariant("a machine has more free than it has")
                system.free[m, r] = left
            system.spare[tally[SPARE]] = slot
            tally[SPARE] += 1
            depart(policy, system, slot, m)


@inner
def _sample(system: System, time: float) -> None:
    """Note the state at every sampling time up to `time`; nothing happened since the last event."""
    tally, series = system.tally, system.series
    fragmented = -1.0
    while tally[SAMPLED] < len(series) and time >= tally[SAMPLED] * system.clock[INTERVAL]:
        at = tally[SAMPLED]
        tally[SAMPLED] += 1
        if fragmented < 0:
            fragmented = _fragmentation(
                system.free,
                system.configuration,
                system.runs,
                system.request,
                system.share,
                system.pooled,
            )
        series[at, 0] = at * system.clock[INTERVAL]
        series[at, 1] = tally[WAITING]
        series[at, 2] = tally[RUNNING]
        series[at, 3] = fragmented
        for r in range(system.free.shape[1]):
            used = 0.0
            for m in range(len(system.free)):
                if system.free[m, r] >= 0:
                    used += system.capacity[system.configuration[m], r] - system.free[m, r]
            series[at, 6 + r] = used


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
            if free[m, 0] < 0 or runs[k, configuration[m]] == 0:
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
