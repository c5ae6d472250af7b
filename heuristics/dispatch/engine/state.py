"""The state of a simulated datacenter: machines, jobs in it, departures, and what was seen.

Machines are numbered so that every configuration begins a new word of 64 bits; the numbers left
over stand for no machine and have less than nothing free. The order is that of the datacenter, so
that "the lowest machine" is the same. A job in the system has a slot from its arrival to its
departure; memory is linear in machines plus slots.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....instances.arrays import FloatArray, IntArray
from ....instances.datacenter.datacenter import Datacenter
from .departures import Calendar, empty_calendar

MACHINE, CLASS, NUMBER, DEMAND = 0, 1, 2, 3
"""Columns of `info`; DEMAND and those after it are the demands, in units."""

ARRIVAL, DURATION = 0, 1
"""Columns of `time` until the job starts; from then on it belongs to the calendar."""

SPARE, RUNNING, WAITING, ARRIVED, STARTED, DEPARTED = range(6)
NEXT, FULL, SAMPLED, MEASURED_FROM, STOP = range(6, 11)
"""Entries of `tally`: spare slots; jobs now running and waiting; so far arrived, started,
departed; next job of the block; 1 if the policy needs room; samples taken; first job measured; 1
if the run is to end."""

NOW, INTERVAL, WORK, FIT = range(4)
"""Entries of `clock`: the time, that between samples, and sums that Tetris scales with."""

EXPONENT, MANTISSA = 40, 8
BUCKETS = 64 << MANTISSA
"""The histogram of waits has 256 buckets for each power of two from 2 ** -40 on."""

NOT_STARTED = -1
FIRST_SLOTS = 1 << 12


class System(NamedTuple):
    """P machine numbers, R resources, M configurations, K classes, S slots.

    `free` (P, R) in units; `configuration` (P,); `words` (M, 2), first and one past the last word;
    `capacity` (M, R) in units; `runs` (K, M), whether the class can; `factor` (K, M), by which a
    job's duration differs there; `weight` (R,), 1 over the units of the largest machine.

    `info` (S, 3 + R) and `time` (S, 2) of the jobs; the machine is negative as long as a job waits,
    and a policy may keep there, as -2 - slot, which job comes next in a queue.
    `spare` (S,), slots not in use.

    Of jobs measured, per class: `jobs`, of them `at_once` without a wait, `wait_sum`, `wait_max`,
    `waits` (K, BUCKETS); `all_jobs` (2,), number and wait of every job that started.

    `series` (samples, 6 + R): time, waiting, running, fragmentation, and of the interval up to the
    next sample jobs started and their wait; then what is in use of each resource, in units.

    `log_start` and `log_machine` (jobs,), if not empty: when and where each job started.
    """

    free: IntArray
    configuration: IntArray
    words: IntArray
    capacity: IntArray
    runs: IntArray
    factor: FloatArray
    weight: FloatArray
    request: IntArray
    share: FloatArray
    pooled: FloatArray
    info: IntArray
    time: FloatArray
    spare: IntArray
    calendar: Calendar
    tally: IntArray
    clock: FloatArray
    jobs: IntArray
    at_once: IntArray
    wait_sum: FloatArray
    wait_max: FloatArray
    waits: IntArray
    all_jobs: FloatArray
    series: FloatArray
    log_start: FloatArray
    log_machine: IntArray


def new_system(
    datacenter: Datacenter,
    *,
    arrivals_per_time: float,
    interval: float,
    samples: int,
    measured_from: int,
    log: int,
) -> System:
    """The empty datacenter at time 0; `log` is the number of jobs whose start is kept."""
    first = np.cumsum([0, *(-(-datacenter.count // 64))])
    words = np.stack([first[:-1], first[1:]], axis=1).astype(np.int64)
    numbers = 64 * int(first[-1])
    resources, classes = len(datacenter.resources), len(datacenter.classes)
    free = np.full((numbers, resources), -1, dtype=np.int64)
    configuration = np.repeat(np.arange(len(words)), 64 * (words[:, 1] - words[:, 0]))
    for j, machines in enumerate(datacenter.count.tolist()):
        free[64 * words[j, 0] : 64 * words[j, 0] + machines] = datacenter.capacity_units[j]
    largest = datacenter.capacity_units.max(axis=0)
    can_run = np.isfinite(datacenter.mean_time)
    reference = datacenter.mean_time[np.arange(classes), can_run.argmax(axis=1)]
    tally = np.zeros(11, dtype=np.int64)
    tally[SPARE] = FIRST_SLOTS
    tally[MEASURED_FROM] = measured_from
    clock = np.zeros(4)
    clock[INTERVAL] = interval
    return System(
        free=free,
        configuration=configuration.astype(np.int64),
        words=words,
        capacity=np.ascontiguousarray(datacenter.capacity_units),
        runs=can_run.astype(np.int64),
        factor=np.where(can_run, datacenter.mean_time / reference[:, None], np.inf),
        weight=1.0 / np.where(largest > 0, largest, 1),
        request=np.ascontiguousarray(datacenter.request_units),
        share=np.ascontiguousarray(datacenter.share, dtype=float),
        pooled=np.zeros(resources),
        info=np.full((FIRST_SLOTS, DEMAND + resources), NOT_STARTED, dtype=np.int64),
        time=np.zeros((FIRST_SLOTS, 2)),
        spare=np.arange(FIRST_SLOTS, dtype=np.int64)[::-1].copy(),
        calendar=empty_calendar(FIRST_SLOTS, arrivals_per_time),
        tally=tally,
        clock=clock,
        jobs=np.zeros(classes, dtype=np.int64),
        at_once=np.zeros(classes, dtype=np.int64),
        wait_sum=np.zeros(classes),
        wait_max=np.zeros(classes),
        waits=np.zeros((classes, BUCKETS), dtype=np.int64),
        all_jobs=np.zeros(2),
        series=np.zeros((samples, 6 + resources)),
        log_start=np.full(log, np.nan),
        log_machine=np.full(log, -1, dtype=np.int64),
    )


def with_more_slots(system: System) -> System:
    """The same with twice the slots."""
    slots, ends = len(system.info), system.calendar
    spare = np.zeros(2 * slots, dtype=np.int64)
    spares = int(system.tally[SPARE])
    spare[:slots] = np.arange(2 * slots - 1, slots - 1, -1)
    spare[slots : slots + spares] = system.spare[:spares]
    system.tally[SPARE] = slots + spares
    return system._replace(
        info=np.concatenate([system.info, np.full_like(system.info, NOT_STARTED)]),
        time=np.concatenate([system.time, np.zeros_like(system.time)]),
        spare=spare,
        calendar=ends._replace(
            time=np.concatenate([ends.time, np.zeros(slots)]),
            slot=np.concatenate([ends.slot, np.zeros(slots, dtype=np.int64)]),
        ),
    )


def wait_of_bucket() -> FloatArray:
    """The middle of each bucket of `waits`."""
    number = np.arange(BUCKETS)
    low = (1 + (number & ((1 << MANTISSA) - 1)) / (1 << MANTISSA)) * 2.0 ** (
        (number >> MANTISSA) - EXPONENT
    )
    middle: FloatArray = low + 2.0 ** ((number >> MANTISSA) - EXPONENT - MANTISSA - 1)
    return middle
