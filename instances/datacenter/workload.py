"""Jobs that arrive at a datacenter one by one: drawn from its classes, or replayed from a trace.

A workload delivers its jobs in blocks, so that a simulation never holds all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ..arrays import BoolArray, FloatArray, IntArray
from ..errors import InputError
from ..files.inputs import file_name, read_text
from ..limits import MOST_HELD
from .datacenter import Datacenter
from .steady_state import Missing, exponential_missing

BLOCK = 1 << 16
"""Jobs of a block; it is part of what a seed means."""

SECONDS = {"s": 1.0, "min": 60.0, "h": 3600.0, "d": 86400.0}
"""Time units of a datacenter into which a trace in seconds can be converted."""


class Jobs(NamedTuple):
    """Jobs in order of arrival.

    Parameters
    ----------
    arrival
        Time of arrival (`time_unit`), shape (jobs,).
    job_class
        Class, shape (jobs,).
    duration
        Duration (`time_unit`) on the first configuration that can run the class, shape (jobs,).
        Elsewhere it differs as the mean times do.
    demand
        Demand in integer units of `Datacenter.unit`, shape (jobs, R).
    """

    arrival: FloatArray
    job_class: IntArray
    duration: FloatArray
    demand: IntArray


@dataclass(frozen=True)
class Workload:
    """Jobs for a datacenter.

    Parameters
    ----------
    datacenter
        The datacenter.
    jobs
        Number of jobs.
    horizon
        Approximate time of the last arrival (`time_unit`).
    source
        Where the jobs come from.
    blocks
        Iterates over the blocks, from the beginning at each call.
    notes
        What was left out.
    rate
        Arrival rate of all jobs (jobs per `time_unit`) that they are drawn with, None if they are
        not.
    missing
        The part of the load that is missing some time after time 0, for a class with mean duration
        1; None if nobody knows.
    """

    datacenter: Datacenter
    jobs: int
    horizon: float
    source: str
    blocks: Callable[[], Iterator[Jobs]]
    notes: tuple[str, ...] = ()
    rate: float | None = None
    missing: Missing | None = None

    def __repr__(self) -> str:
        return (
            f"Workload({self.jobs} jobs for {self.datacenter.name!r} until {self.horizon:.6g} "
            f"{self.datacenter.time_unit}: {self.source})"
        )

    def whole(self) -> Jobs:
        """All jobs at once. Raises `InputError` if they are too many for that."""
        if self.jobs > MOST_HELD:
            raise InputError(f"jobs: need at most {MOST_HELD} to hold them all, got {self.jobs}")
        parts = list(self.blocks())
        return Jobs._make(np.concatenate(column) for column in zip(*parts, strict=True))


def poisson(
    datacenter: Datacenter, rate: float, jobs: int, *, seed: int, noise: float = 0.0
) -> Workload:
    """Draw Poisson arrivals with exponential durations and classes by share.

    Parameters
    ----------
    datacenter
        The datacenter.
    rate
        Arrival rate of all jobs (jobs per `time_unit`). As in `Datacenter`, shares may add up to
        less than 1; jobs of no class never come.
    jobs
        Number of jobs.
    seed
        Seed of the random numbers.
    noise
        Coefficient of variation of lognormal factors with mean 1, independent for every job and
        resource, by which the requests are multiplied. A request that would then fit no eligible
        machine is cut down to what a machine with the most room for it has.

    Returns
    -------
    Workload
        The workload.

    Raises
    ------
    InputError
        For parameters out of range and classes that fit no machine.

    Notes
    -----
    All numbers come from `numpy.random.default_rng((seed, block))` in blocks of 65 536 jobs, in
    this order: times between arrivals, classes, durations, factors.
    """
    if not (rate > 0 and np.isfinite(rate)):
        raise InputError(f"rate: need a positive number, got {rate}")
    if jobs < 1:
        raise InputError(f"jobs: need at least 1, got {jobs}")
    if not (noise >= 0 and np.isfinite(noise)):
        raise InputError(f"noise: need a number >= 0, got {noise}")
    if seed < 0:
        raise InputError(f"seed: need an integer >= 0, got {seed}")
    home = _home(datacenter)
    total = float(datacenter.share.sum())
    upto = np.cumsum(datacenter.share) / total
    reference = first_mean_time(datacenter)
    gap = 1.0 / (rate * total)
    sigma = np.sqrt(np.log1p(noise * noise))

    def blocks() -> Iterator[Jobs]:
        now = 0.0
        for number in range(-(-jobs // BLOCK)):
            rng = np.random.default_rng((seed, number))
            arrival = now + np.cumsum(rng.exponential(gap, BLOCK))
            now = float(arrival[-1])
            drawn = np.searchsorted(upto, rng.random(BLOCK), side="right")
            job_class = np.minimum(drawn, len(upto) - 1).astype(np.int64)
            duration = rng.exponential(1.0, BLOCK) * reference[job_class]
            demand = datacenter.request_units[job_class]
            if noise > 0:
                factor = np.exp(sigma * rng.standard_normal(demand.shape) - sigma * sigma / 2)
                demand = datacenter.in_units(datacenter.request[job_class] * factor)
                bad = ~_fits_somewhere(datacenter, job_class, demand)
                demand[bad] = np.minimum(
                    demand[bad], datacenter.capacity_units[home[job_class[bad]]]
                )
            kept = slice(0, min(BLOCK, jobs - number * BLOCK))
            yield Jobs(
                arrival[kept],
                job_class[kept],
                duration[kept],
                np.ascontiguousarray(demand[kept]),
            )

    source = f"Poisson, {rate:.9g} jobs per {datacenter.time_unit}, seed {seed}"
    if noise > 0:
        source += f", demands with a coefficient of variation of {noise:g}"
    return Workload(
        datacenter, jobs, jobs * gap, source, blocks, rate=rate, missing=exponential_missing
    )


def replay(
    path: str | Path, datacenter: Datacenter, *, compress: float = 1.0, jobs: int | None = None
) -> Workload:
    """Replay the jobs of a trace (`slotwise import … --jobs`), from its first arrival on.

    Parameters
    ----------
    path
        CSV file with the columns `arrival` and `duration` (s), `class`, and one per resource.
    datacenter
        The datacenter.
    compress
        Divisor > 0 of the times between arrivals; durations stay.
    jobs
        Most jobs, None for all.

    Returns
    -------
    Workload
        The workload. Jobs that fit no eligible machine are left out, as a note says.

    Raises
    ------
    InputError
        If something is wrong; the message names file, line and column.
    """
    if not (compress > 0 and np.isfinite(compress)):
        raise InputError(f"compress: need a positive number, got {compress}")
    if datacenter.time_unit not in SECONDS:
        raise InputError(
            f"{path}: a trace is in seconds, and the datacenter's time unit "
            f"{datacenter.time_unit!r} is none of {', '.join(SECONDS)}"
        )
    table, job_class = _read(path, datacenter)
    second = 1.0 / SECONDS[datacenter.time_unit]
    order = np.argsort(table[:, 0], kind="stable")[:jobs]
    table, job_class = table[order], job_class[order]
    demand = datacenter.in_units(table[:, 2:])
    fitting = _fits_somewhere(datacenter, job_class, demand)
    if not fitting.any():
        raise InputError(f"{path}: no job fits a machine that can run its class")
    left_out = int((~fitting).sum())
    arrival = (table[:, 0] - table[0, 0]) * second / compress
    whole = Jobs(
        arrival[fitting],
        job_class[fitting],
        table[fitting, 1] * second,
        np.ascontiguousarray(demand[fitting]),
    )

    def blocks() -> Iterator[Jobs]:
        for start in range(0, len(whole.arrival), BLOCK):
            yield Jobs._make(column[start : start + BLOCK] for column in whole)

    return Workload(
        datacenter,
        len(whole.arrival),
        float(whole.arrival[-1]),
        file_name(path) + (f", {compress:g} times as fast" if compress != 1 else ""),
        blocks,
        (f"left out: {left_out} jobs that fit no machine",) if left_out else (),
    )


def first_mean_time(datacenter: Datacenter) -> FloatArray:
    """Mean time of each class on the first configuration that can run it, shape (K,)."""
    can_run = np.isfinite(datacenter.mean_time)
    for k in np.flatnonzero(~can_run.any(axis=1))[:1]:
        raise InputError(f"class {datacenter.classes[k]!r} can run on no configuration")
    times: FloatArray = datacenter.mean_time[np.arange(len(can_run)), can_run.argmax(axis=1)]
    return times


def _home(datacenter: Datacenter) -> IntArray:
    """For each class the configuration with the most room for one of its jobs, shape (K,)."""
    usable = datacenter.fits & (datacenter.count > 0)
    for k in np.flatnonzero(~usable.any(axis=1) & (datacenter.share > 0))[:1]:
        raise InputError(f"class {datacenter.classes[k]!r}: a job of it fits no machine")
    with np.errstate(divide="ignore", invalid="ignore"):
        times = datacenter.capacity[None] / datacenter.request[:, None, :]
    room = np.where(usable, np.nanmin(times, axis=2), -1.0)
    home: IntArray = room.argmax(axis=1)
    return home


def _fits_somewhere(datacenter: Datacenter, job_class: IntArray, demand: IntArray) -> BoolArray:
    found = np.zeros(len(demand), dtype=bool)
    for j in np.flatnonzero(datacenter.count):
        inside = (demand <= datacenter.capacity_units[j]).all(axis=1)
        found |= inside & np.isfinite(datacenter.mean_time[job_class, j])
    return found


def _read(path: str | Path, datacenter: Datacenter) -> tuple[FloatArray, IntArray]:
    """Arrival, duration and demands (jobs, 2 + R), and classes (jobs,), in the file's order."""
    lines = read_text(path).splitlines()
    header = lines[0].split(",") if lines else []
    numbers = ("arrival", "duration", *datacenter.resources)
    for name in (*numbers, "class"):
        if name not in header:
            raise InputError(f"{path}: line 1: no column {name!r}")
    columns = [header.index(name) for name in numbers]
    class_column = header.index("class")
    classes = {name: k for k, name in enumerate(datacenter.classes)}
    rows: list[list[float]] = []
    job_class: list[int] = []
    for line, text in enumerate(lines[1:], start=2):
        fields = text.split(",")
        if len(fields) != len(header):
            raise InputError(f"{path}: line {line}: {len(fields)} fields, need {len(header)}")
        if fields[class_column] not in classes:
            raise InputError(f"{path}: line {line}: unknown class {fields[class_column]!r}")
        try:
            row = [float(fields[column]) for column in columns]
        except ValueError:
            raise InputError(f"{path}: line {line}: need numbers, got {text!r}") from None
        for name, value in zip(numbers, row, strict=True):
            if not (np.isfinite(value) and (value >= 0 or name == "arrival")):
                raise InputError(f"{path}: line {line}, {name}: need a number >= 0, got {value}")
        rows.append(row)
        job_class.append(classes[fields[class_column]])
    if not rows:
        raise InputError(f"{path}: no jobs")
    return np.array(rows), np.array(job_class, dtype=np.int64)
