"""Jobs that arrive at a datacenter one by one: drawn from its classes, or replayed from a trace.

A workload delivers its jobs in blocks, so that a simulation never holds all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, TypedDict, Unpack

import numpy as np

from ...core.arrays import FloatArray, IntArray
from ...core.calls import checked
from ...core.errors import InputError
from ...core.files.inputs import file_name
from ...core.values import ByValue
from ..array_checks import array_of
from ..limits import MOST_AT_ONCE
from .datacenter import Datacenter
from .drawing import Drawing, fits_somewhere
from .durations import Durations, Exponential, durations_of
from .guidance import Guidance
from .job_file import read_jobs, seconds_of_unit
from .steady_state import Missing, nothing_missing

BLOCK = 1 << 16
"""Jobs of a block; it is part of what a seed means."""
MOST_HELD = 50_000_000
"""Most jobs of a workload that are held at once."""


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


def checked_jobs(jobs: Jobs, datacenter: Datacenter) -> Jobs:
    """Jobs as compiled code reads them. Raises `InputError` unless they suit the datacenter."""
    number, classes = np.size(jobs.arrival), len(datacenter.classes)
    arrival = array_of("jobs, arrival", jobs.arrival, np.float64, (number,))
    job_class = array_of("jobs, job_class", jobs.job_class, np.int64, (number,))
    duration = array_of("jobs, duration", jobs.duration, np.float64, (number,))
    shape = number, len(datacenter.resources)
    demand = array_of("jobs, demand", jobs.demand, np.int64, shape)
    for name, values, most in (
        ("arrival", arrival, np.inf),
        ("job_class", job_class, classes),
        ("duration", duration, np.inf),
        ("demand", demand, np.inf),
    ):
        for k in np.argwhere(~((values >= 0) & (values < most)))[:1, 0]:
            raise InputError(
                f"jobs, {name}, job {k}: need at least 0, below {most}, got {values[k]}"
            )
    return Jobs(arrival, job_class, duration, demand)


@dataclass(frozen=True, eq=False)
class Workload(ByValue):
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
        What was left out, or is unlike the datacenter.
    rate
        Arrival rate of all jobs (jobs per `time_unit`) that they are drawn with, None if they are
        not.
    missing
        The part of the load that is missing some time after time 0, for a class with mean duration
        1; None if nobody knows, as after a batch.
    running
        Jobs that the datacenter runs at time 0, beside `jobs`: with the arrival 0 and the durations
        that are left of them. None: it begins empty.
    """

    how_to_make = "make one of a datacenter with slotwise.poisson or slotwise.replay"

    datacenter: Datacenter
    jobs: int
    horizon: float
    source: str
    blocks: Callable[[], Iterator[Jobs]] = field(compare=False)
    notes: tuple[str, ...] = ()
    rate: float | None = None
    missing: Missing | None = field(default=None, compare=False)
    running: Jobs | None = None

    def __repr__(self) -> str:
        return (
            f"Workload({self.jobs} jobs for {self.datacenter.name!r} until {self.horizon:.6g} "
            f"{self.datacenter.time_unit}: {self.source})"
        )

    @property
    def running_at_start(self) -> int:
        """Number of the jobs that run at time 0, beside `jobs`."""
        return 0 if self.running is None else len(self.running.arrival)

    def whole(self) -> Jobs:
        """All jobs at once. Raises `InputError` if they are too many for that."""
        if self.jobs > MOST_HELD:
            raise InputError(f"jobs: need at most {MOST_HELD} to hold them all, got {self.jobs}")
        parts = list(self.blocks())
        return Jobs._make(np.concatenate(column) for column in zip(*parts, strict=True))


class DrawOptions(TypedDict, total=False):
    """Further keywords of `poisson`, all optional.

    Attributes
    ----------
    durations
        Law of the durations, or its name as in `durations.LAWS`; exponential by default.
    batch
        Jobs that arrive at time 0, before and beside the others.
    full
        Whether as many jobs as in the steady state run at time 0: for each class a Poisson number
        with the mean of its arrival rate times its mean time where it runs, each with what is left
        of its duration. The policy places them; they are neither counted nor measured.
    plan
        Its proportions say where the classes run, for `full`. Needed if a class takes longer on one
        configuration than on another.
    """

    durations: Durations | str
    batch: int
    full: bool
    plan: Guidance | None


@checked
def poisson(
    datacenter: Datacenter,
    rate: float,
    jobs: int,
    *,
    seed: int,
    noise: float = 0.0,
    **options: Unpack[DrawOptions],
) -> Workload:
    """Draw Poisson arrivals with classes by share.

    Parameters
    ----------
    datacenter
        The datacenter.
    rate
        Arrival rate of all jobs (jobs per `time_unit`). As in `Datacenter`, shares may add up to
        less than 1; jobs of no class never come.
    jobs
        Number of jobs, those of a batch aside. 0 if nothing but a batch arrives.
    seed
        Seed of the random numbers.
    noise
        Coefficient of variation of lognormal factors with mean 1, independent for every job and
        resource, by which the requests are multiplied. A request that would then fit no eligible
        machine is cut down to what a machine with the most room for it has.
    **options
        See `DrawOptions`.

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
    All numbers of the arrivals come from `numpy.random.default_rng((seed, block))` in blocks of
    65 536 jobs, in this order: times between arrivals, classes, durations, factors. So a seed gives
    the same arrivals and classes with other durations, and beside a batch. The batch and the jobs
    that run at time 0 have streams of their own.
    """
    batch, full = options.get("batch", 0), options.get("full", False)
    _check_numbers(rate, jobs, batch, seed, noise)
    law = options.get("durations", Exponential())
    if isinstance(law, str):
        law = durations_of(law, datacenter)
    drawing = Drawing(datacenter, rate, law, seed, noise)
    running = Jobs(*drawing.running(options.get("plan"), MOST_AT_ONCE)) if full else None

    def blocks() -> Iterator[Jobs]:
        for number in range(-(-batch // BLOCK)):
            yield Jobs(*drawing.batch(number, min(BLOCK, batch - number * BLOCK)))
        clock = 0.0
        for number in range(-(-jobs // BLOCK)):
            clock, drawn = drawing.arrivals(clock, number, BLOCK)
            kept = slice(0, min(BLOCK, jobs - number * BLOCK))
            yield Jobs._make(np.ascontiguousarray(column[kept]) for column in drawn)

    return Workload(
        datacenter,
        batch + jobs,
        drawing.span(jobs, batch),
        _source(drawing, jobs, batch, running),
        blocks,
        drawing.notes(),
        rate=rate if jobs else None,
        missing=None if batch else nothing_missing if full else law.missing,
        running=running,
    )


def _check_numbers(rate: float, jobs: int, batch: int, seed: int, noise: float) -> None:
    if not (np.isfinite(rate) and (rate > 0 or (rate == 0 and batch > 0 and jobs == 0))):
        raise InputError(f"rate: need a positive number, got {rate}")
    if not 0 <= batch <= MOST_AT_ONCE:
        raise InputError(f"batch: need from 0 to {MOST_AT_ONCE} jobs, got {batch}")
    if jobs < (0 if batch else 1):
        raise InputError(f"jobs: need at least 1, got {jobs}")
    if not (noise >= 0 and np.isfinite(noise)):
        raise InputError(f"noise: need a number >= 0, got {noise}")
    if seed < 0:
        raise InputError(f"seed: need an integer >= 0, got {seed}")


def _source(drawing: Drawing, jobs: int, batch: int, running: Jobs | None) -> str:
    """What was drawn, in a line."""
    unit = drawing.datacenter.time_unit
    parts = [f"Poisson, {drawing.rate:.9g} jobs per {unit}"] if jobs else []
    if batch:
        parts.append(f"{batch} jobs at time 0")
    if running is not None:
        parts.append(f"{len(running.arrival)} more running at time 0")
    parts.append(f"seed {drawing.seed}")
    if not isinstance(drawing.durations, Exponential):
        parts.append(f"durations {drawing.durations}")
    if drawing.noise > 0:
        parts.append(f"demands with a coefficient of variation of {drawing.noise:g}")
    return ", ".join(parts)


@checked
def replay(
    datacenter: Datacenter, path: str | Path, *, compress: float = 1.0, jobs: int | None = None
) -> Workload:
    """Replay the jobs of a trace (`slotwise import … --jobs`), from its first arrival on.

    Parameters
    ----------
    datacenter
        The datacenter.
    path
        CSV file with the columns `arrival` and `duration` (s), `class`, and one per resource.
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
    second = 1.0 / seconds_of_unit(path, datacenter)
    table, job_class = read_jobs(path, datacenter)
    order = np.argsort(table[:, 0], kind="stable")[:jobs]
    table, job_class = table[order], job_class[order]
    demand = datacenter.in_units(table[:, 2:])
    fitting = fits_somewhere(datacenter, job_class, demand)
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
