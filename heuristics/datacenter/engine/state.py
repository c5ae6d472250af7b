"""The state of a simulated datacenter: machines, jobs in it, departures, and what was seen.

Machines are numbered so that every configuration begins a new word of 64 bits. The numbers left
over stand for no machine and have less than nothing free. The order is that of the datacenter, so
that "the lowest machine" is the same in both. A job in the system has a slot from its arrival to
its departure. Memory is linear in the numbers of machines and slots.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....core.arrays import FloatArray, IntArray
from ....instances.datacenter.datacenter import Datacenter
from .columns import (
    CLOCKS,
    FIRST_DEMAND,
    FIRST_IN_USE,
    FIRST_MEASURED,
    NOT_STARTED,
    SAMPLE_INTERVAL,
    SPARE,
    TALLIES,
    machine_numbers,
)
from .departures import Departures

WORD = 64
"""Machine numbers in a word of bits."""

EXPONENT, MANTISSA = 40, 8
BUCKETS = 64 << MANTISSA
"""The histogram of waits has 256 buckets for each power of two from 2 ** -40 on."""

FIRST_SLOTS = 1 << 12
"""Slots at the beginning."""


class System(NamedTuple):
    """A simulated datacenter as arrays, for kernels.

    There are P machine numbers, R resources, M configurations, K classes and S slots of jobs. The
    columns and entries of `info`, `time`, `tally`, `clock`, `all_jobs` and `series` have names in
    `columns`. Kernels that take `free`, `info`, `configuration`, `words` or `weight` alone take
    these arrays, and `time` as `times`.
    """

    free: IntArray
    """Shape (P, R). What each machine has free, in units."""
    configuration: IntArray
    """Shape (P,). Configuration of each machine number."""
    words: IntArray
    """Shape (M, 2). First word of each configuration's machine numbers, and one past the last."""
    capacity: IntArray
    """Shape (M, R). Of one machine, in units."""
    runs: IntArray
    """Shape (K, M). 1 if the class can run on the configuration, else 0."""
    factor: FloatArray
    """Shape (K, M). Duration of the class's jobs there, relative to the first configuration that
    can run it."""
    weight: FloatArray
    """Shape (R,). 1 over the units of the largest machine."""
    request: IntArray
    """Shape (K, R). What a job of the class needs in the plan, in units."""
    share: FloatArray
    """Shape (K,). Part of the arrivals."""
    pooled: FloatArray
    """Shape (R,). Scratch."""
    info: IntArray
    """Shape (S, 4 + R). The job in each slot."""
    time: FloatArray
    """Shape (S, 2). Times of the job in each slot."""
    spare: IntArray
    """Shape (S,). The slots that are not in use."""
    departures: Departures
    """When running jobs end."""
    tally: IntArray
    clock: FloatArray
    """`tally`, `clock`: counters and times."""
    measured: IntArray
    at_once: IntArray
    wait_sum: FloatArray
    wait_max: FloatArray
    """`measured`, `at_once`, `wait_sum`, `wait_max`: shape (K,). Jobs after the warm-up that
    started, how many of them without a wait, the sum of their waits and the longest."""
    waits: IntArray
    """Shape (K, BUCKETS). Histogram of the positive waits."""
    durations: FloatArray
    """Shape (K,). Sum of the durations of these jobs, where they run."""
    all_jobs: FloatArray
    """Shape (2,). Number and waits of all jobs that started."""
    series: FloatArray
    """Shape (samples, 6 + R). The state at regular times."""
    log_start: FloatArray
    log_machine: IntArray
    """`log_start`, `log_machine`: shape (jobs,). When and where each job started; empty if nobody
    asked for it."""


def new_system(
    datacenter: Datacenter,
    *,
    interval: float,
    samples: int,
    measured_from: int,
    log: int,
) -> System:
    """The empty datacenter at time 0."""
    resources, classes = len(datacenter.resources), len(datacenter.classes)
    words, configuration, free = _machines(datacenter)
    largest = datacenter.capacity_units.max(axis=0)
    can_run = np.isfinite(datacenter.mean_time)
    reference = datacenter.mean_time[np.arange(classes), can_run.argmax(axis=1)]
    tally = np.zeros(TALLIES, dtype=np.int64)
    tally[SPARE] = FIRST_SLOTS
    tally[FIRST_MEASURED] = measured_from
    clock = np.zeros(CLOCKS)
    clock[SAMPLE_INTERVAL] = interval
    return System(
        free=free,
        configuration=configuration,
        words=words,
        capacity=np.ascontiguousarray(datacenter.capacity_units),
        runs=can_run.astype(np.int64),
        factor=np.where(can_run, datacenter.mean_time / reference[:, None], np.inf),
        weight=1.0 / np.where(largest > 0, largest, 1),
        request=np.ascontiguousarray(datacenter.request_units),
        share=np.ascontiguousarray(datacenter.share, dtype=float),
        pooled=np.zeros(resources),
        info=np.full((FIRST_SLOTS, FIRST_DEMAND + resources), NOT_STARTED, dtype=np.int64),
        time=np.zeros((FIRST_SLOTS, 2)),
        spare=np.arange(FIRST_SLOTS, dtype=np.int64)[::-1].copy(),
        departures=Departures(np.zeros(FIRST_SLOTS), np.zeros(FIRST_SLOTS, dtype=np.int64)),
        tally=tally,
        clock=clock,
        measured=np.zeros(classes, dtype=np.int64),
        at_once=np.zeros(classes, dtype=np.int64),
        wait_sum=np.zeros(classes),
        wait_max=np.zeros(classes),
        waits=np.zeros((classes, BUCKETS), dtype=np.int64),
        durations=np.zeros(classes),
        all_jobs=np.zeros(2),
        series=np.zeros((samples, FIRST_IN_USE + resources)),
        log_start=np.full(log, np.nan),
        log_machine=np.full(log, -1, dtype=np.int64),
    )


def _machines(datacenter: Datacenter) -> tuple[IntArray, IntArray, IntArray]:
    """`words`, `configuration` and `free` of a system."""
    first = np.cumsum([0, *(-(-datacenter.count // WORD))])
    words = np.stack([first[:-1], first[1:]], axis=1).astype(np.int64)
    configuration = np.repeat(np.arange(len(words)), WORD * np.diff(first)).astype(np.int64)
    free = np.full((len(configuration), len(datacenter.resources)), -1, dtype=np.int64)
    for j, machines in enumerate(datacenter.count.tolist()):
        begin = WORD * int(first[j])
        free[begin : begin + machines] = datacenter.capacity_units[j]
    return words, configuration, free


def with_more_slots(system: System) -> System:
    slots, ends = len(system.info), system.departures
    spare = np.zeros(2 * slots, dtype=np.int64)
    spares = int(system.tally[SPARE])
    spare[:slots] = np.arange(2 * slots - 1, slots - 1, -1)
    spare[slots : slots + spares] = system.spare[:spares]
    system.tally[SPARE] = slots + spares
    return system._replace(
        info=np.concatenate([system.info, np.full_like(system.info, NOT_STARTED)]),
        time=np.concatenate([system.time, np.zeros_like(system.time)]),
        spare=spare,
        departures=Departures(*(np.concatenate([a, np.zeros_like(a)]) for a in ends)),
    )


def place_in_datacenter(system: System, numbers: IntArray) -> IntArray:
    """Turn machine numbers of the system into those of the datacenter, without gaps.

    `numbers`: machine numbers, any shape; -1 stays -1.
    """
    machines = machine_numbers(system.free)
    places = np.zeros(len(system.free), dtype=np.int64)
    places[machines] = np.arange(len(machines))
    return np.where(numbers >= 0, places[numbers], -1)


def wait_of_bucket() -> FloatArray:
    """The middle of each bucket of `System.waits`, in time units."""
    number = np.arange(BUCKETS)
    low = (1 + (number & ((1 << MANTISSA) - 1)) / (1 << MANTISSA)) * 2.0 ** (
        (number >> MANTISSA) - EXPONENT
    )
    middle: FloatArray = low + 2.0 ** ((number >> MANTISSA) - EXPONENT - MANTISSA - 1)
    return middle
