"""Jobs that arrive at a datacenter one by one: drawn from its classes, or replayed from a trace.

A workload delivers its jobs in blocks, so that a simulation never holds all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ...core.arrays import BoolArray, FloatArray, IntArray
from ...core.calls import checked
from ...core.errors import InputError
from ...core.files.inputs import file_name
from ...core.values import ByValue
from ..array_checks import array_of
from ..limits import MOST_AT_ONCE
from .datacenter import Datacenter
from .durations import Durations, Exponential, durations_of
from .guidance import Guidance
from .job_file import read_jobs, seconds_of_unit
from .steady_state import Missing, nothing_missing

BLOCK = 1 << 16
"""Jobs of a block; it is part of what a seed means."""
MOST_HELD = 50_000_000
"""Most jobs of a workload that are held at once."""

BATCH, RUNNING = 1, 2
"""Streams of random numbers beside that of the arrivals: jobs at time 0, and those that run then.
"""


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


@checked
def poisson(
    datacenter: Datacenter,
    rate: float,
    jobs: int,
    *,
    seed: int,
    noise: float = 0.0,
    durations: Durations | str = "exponential",
    batch: int = 0,
    full: bool = False,
    plan: Guidance | None = None,
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
    durations
        Law of the durations, or its name as in `durations.LAWS`.
    batch
        Jobs that arrive at time 0, before and beside the others.
    full
        Whether as many jobs as in the steady state run at time 0: for each class a Poisson number
        with the mean of its arrival rate times its mean time where it runs, each with what is left
        of its duration. The policy places them; they are neither counted nor measured.
    plan
        Its proportions say where the classes run, for `full`. Needed if a class takes longer on one
        configuration than on another.

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
    law = durations_of(durations, datacenter) if isinstance(durations, str) else durations
    drawing = _Drawing(datacenter, law, seed, noise)
    arriving = rate * float(datacenter.share.sum())
    gap = 1.0 / arriving if arriving > 0 else np.inf
    running = drawing.running(rate, plan) if full else None

    def blocks() -> Iterator[Jobs]:
        for number in range(-(-batch // BLOCK)):
            size = min(BLOCK, batch - number * BLOCK)
            yield drawing.jobs(drawing.stream(BATCH, number), np.zeros(size))
        clock = 0.0
        for number in range(-(-jobs // BLOCK)):
            rng = np.random.default_rng((seed, number))
            arrival = clock + np.cumsum(rng.exponential(gap, BLOCK))
            clock, drawn = float(arrival[-1]), drawing.jobs(rng, arrival)
            kept = slice(0, min(BLOCK, jobs - number * BLOCK))
            yield Jobs._make(np.ascontiguousarray(column[kept]) for column in drawn)

    source = [f"Poisson, {rate:.9g} jobs per {datacenter.time_unit}"] if jobs else []
    source += [f"{batch} jobs at time 0"] if batch else []
    source += [f"{len(running.arrival)} more running at time 0"] if running else []
    source.append(f"seed {seed}")
    source += [] if isinstance(law, Exponential) else [f"durations {law}"]
    source += [f"demands with a coefficient of variation of {noise:g}"] if noise > 0 else []
    given, drawn = (float(datacenter.share @ t) for t in (drawing.mean_time, drawing.mean_duration))
    note = (
        f"durations {law} are {drawn / given:.3g} times as long as the classes' mean times, on "
        "average: so is the load"
    )
    return Workload(
        datacenter,
        batch + jobs,
        float(jobs * gap) if jobs else drawing.time_of_batch(batch),
        ", ".join(source),
        blocks,
        (note,) if abs(drawn - given) > 0.05 * given else (),
        rate=rate if jobs else None,
        missing=None if batch else nothing_missing if full else law.missing,
        running=running,
    )


class _Drawing:
    """What is drawn for a job: its class, its duration and its demands.

    Raises `InputError` if a class that arrives fits no machine.
    """

    def __init__(self, datacenter: Datacenter, law: Durations, seed: int, noise: float) -> None:
        self.datacenter, self.law, self.seed, self.noise = datacenter, law, seed, noise
        share = datacenter.share
        self.upto = np.cumsum(share) / share.sum()
        self.mean_time = first_mean_time(datacenter)
        self.mean_duration = law.mean(self.mean_time)
        self.usable = datacenter.fits & (datacenter.count > 0)
        for k in np.flatnonzero(~self.usable.any(axis=1) & (share > 0))[:1]:
            raise InputError(f"class {datacenter.classes[k]!r}: a job of it fits no machine")
        with np.errstate(divide="ignore", invalid="ignore"):
            times = datacenter.capacity[None] / datacenter.request[:, None, :]
        # The configuration with the most room for a job of each class.
        self.home = np.where(self.usable, np.nanmin(times, axis=2), -1.0).argmax(axis=1)

    def stream(self, stream: int, block: int) -> np.random.Generator:
        return np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(stream, block)))

    def jobs(self, rng: np.random.Generator, arrival: FloatArray) -> Jobs:
        drawn = np.searchsorted(self.upto, rng.random(len(arrival)), side="right")
        job_class = np.minimum(drawn, len(self.upto) - 1).astype(np.int64)
        duration = self.law.draw(rng, job_class, self.mean_time)
        return Jobs(arrival, job_class, duration, self._demands(rng, job_class))

    def running(self, rate: float, plan: Guidance | None) -> Jobs:
        """The jobs that run at time 0 if the datacenter has long been in its steady state.

        They are in random order, and their durations are what is left of them.

        `plan`: its proportions say where the classes run, if that matters.
        Raises `InputError` if they are too many, or it matters where they run and there is no plan.
        """
        rng = self.stream(RUNNING, 0)
        mean = rate * self.datacenter.share * self.mean_duration * self._stretch(plan)
        if not mean.sum() <= MOST_AT_ONCE:
            raise InputError(
                f"full start: {mean.sum():.6g} jobs would run at once, need at most {MOST_AT_ONCE}"
            )
        job_class = np.repeat(np.arange(len(mean)), rng.poisson(mean))
        job_class = rng.permutation(job_class).astype(np.int64)
        left = self.law.draw_remaining(rng, job_class, self.mean_time)
        return Jobs(np.zeros(len(job_class)), job_class, left, self._demands(rng, job_class))

    def time_of_batch(self, batch: int) -> float:
        """When a batch without further arrivals is about done."""
        data = self.datacenter
        durations = data.share / data.share.sum() * self.mean_duration
        whole, work = data.count @ data.capacity, durations @ data.request
        loads = np.divide(work, whole, out=np.zeros_like(work), where=whole > 0)
        return max(float(durations.sum()), batch * float(loads.max()))

    def _stretch(self, plan: Guidance | None) -> FloatArray:
        """Mean time of each class where it runs, relative to the first configuration, (K,)."""
        data = self.datacenter
        times = data.mean_time / self.mean_time[:, None]
        least = np.where(self.usable, times, np.inf).min(axis=1)
        most = np.where(self.usable, times, 0.0).max(axis=1)
        fastest = np.where(np.isfinite(least), least, 0.0)
        if (most <= least * (1 + 1e-9)).all():
            return fastest
        if plan is None:
            raise InputError(
                "full start: mean times differ by configuration: give a plan, whose proportions "
                "say where the classes run"
            )
        of = plan.datacenter
        if (of.configurations, of.classes) != (data.configurations, data.classes):
            raise InputError(f"full start: the plan is for another datacenter: {of!r}")
        share = plan.proportions
        stretch = (share * np.where(share > 0, times, 0.0)).sum(axis=1)
        # A class that no bin contains runs where it is fastest.
        return np.where(share.any(axis=1), stretch, fastest)

    def _demands(self, rng: np.random.Generator, job_class: IntArray) -> IntArray:
        data = self.datacenter
        if not self.noise > 0:
            return data.request_units[job_class]
        sigma = np.sqrt(np.log1p(self.noise * self.noise))
        normal = rng.standard_normal((len(job_class), len(data.resources)))
        factor = np.exp(sigma * normal - sigma * sigma / 2)
        demand = data.in_units(data.request[job_class] * factor)
        bad = ~fits_somewhere(data, job_class, demand)
        home = self.home[job_class[bad]]
        demand[bad] = np.minimum(demand[bad], data.capacity_units[home])
        return demand


def first_mean_time(datacenter: Datacenter) -> FloatArray:
    """Mean time of each class on the first configuration that can run it, shape (K,)."""
    can_run = np.isfinite(datacenter.mean_time)
    for k in np.flatnonzero(~can_run.any(axis=1))[:1]:
        raise InputError(f"class {datacenter.classes[k]!r} can run on no configuration")
    times: FloatArray = datacenter.mean_time[np.arange(len(can_run)), can_run.argmax(axis=1)]
    return times


def fits_somewhere(datacenter: Datacenter, job_class: IntArray, demand: IntArray) -> BoolArray:
    """Whether some machine can run each job if it is empty, shape (jobs,).

    `demand`: demand in units, shape (jobs, R).
    """
    fits = np.zeros(len(demand), dtype=bool)
    for j in np.flatnonzero(datacenter.count):
        inside = (demand <= datacenter.capacity_units[j]).all(axis=1)
        fits |= inside & np.isfinite(datacenter.mean_time[job_class, j])
    return fits


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
