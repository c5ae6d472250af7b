"""What is drawn for a job: its class, its duration and its demands."""

from __future__ import annotations

import numpy as np

from ...core.arrays import BoolArray, FloatArray, IntArray
from ...core.errors import InputError
from .datacenter import Datacenter
from .durations import Durations
from .guidance import Guidance

BATCH, RUNNING = 1, 2
"""Streams of random numbers beside that of the arrivals: jobs at time 0, and those that run then.
"""

Drawn = tuple[FloatArray, IntArray, FloatArray, IntArray]
"""Arrival, class, duration and demand, as in `Jobs`."""


class Drawing:
    """Random jobs of a datacenter.

    Raises `InputError` if a class that arrives fits no machine.

    `rate`: arrival rate of all jobs (jobs per `time_unit`).
    `durations`: law of the durations.
    `seed`: seed of the random numbers.
    `noise`: coefficient of variation of the factors by which requests are multiplied.
    `mean_time`: shape (K,). Mean time of each class on the first configuration that can run it.
    """

    def __init__(
        self,
        datacenter: Datacenter,
        rate: float,
        durations: Durations,
        seed: int,
        noise: float,
    ) -> None:
        self.datacenter, self.rate, self.durations = datacenter, rate, durations
        arriving = rate * datacenter.share.sum()
        self._gap = 1.0 / arriving if arriving > 0 else np.inf
        self._upto = np.cumsum(datacenter.share) / datacenter.share.sum()
        self.mean_time = first_mean_time(datacenter)
        self.seed, self.noise = seed, noise
        self._home = _home(datacenter, datacenter.share > 0)

    def arrivals(self, clock: float, block: int, jobs: int) -> tuple[float, Drawn]:
        """Draw a block of Poisson arrivals.

        `clock`: where the block before ended; 0 at the beginning.
        Returns where the block ends, and its jobs.
        """
        rng = np.random.default_rng((self.seed, block))
        arrival = clock + np.cumsum(rng.exponential(self._gap, jobs))
        return float(arrival[-1]), self._jobs(rng, arrival)

    def batch(self, block: int, jobs: int) -> Drawn:
        """Draw a block of jobs that arrive at time 0."""
        return self._jobs(self._stream(BATCH, block), np.zeros(jobs))

    def running(self, plan: Guidance | None, most: int) -> Drawn:
        """Draw the jobs that run at time 0 if the datacenter has long been in its steady state.

        They are in random order, and their durations are what is left of them.

        `plan`: its proportions say where the classes run, if that matters.
        Raises `InputError` if there are too many, or it matters where they run and there is no
        plan.
        """
        rng = self._stream(RUNNING, 0)
        mean = self.mean_running(plan)
        if not mean.sum() <= most:
            raise InputError(
                f"full start: {mean.sum():.6g} jobs would run at once, need at most {most}"
            )
        job_class = np.repeat(np.arange(len(mean)), rng.poisson(mean))
        job_class = rng.permutation(job_class).astype(np.int64)
        left = self.durations.draw_remaining(rng, job_class, self.mean_time)
        return np.zeros(len(job_class)), job_class, left, self._demands(rng, job_class)

    def mean_running(self, plan: Guidance | None) -> FloatArray:
        """Mean number of jobs of each class that run in the steady state, shape (K,).

        `plan`: its proportions say where the classes run. None only if each class takes the same
        time wherever it can run.
        Raises `InputError` if there is no plan and it matters.
        """
        arriving = self.rate * self.datacenter.share
        first: FloatArray = self.durations.mean(self.mean_time)
        running: FloatArray = arriving * first * self._stretch(plan)
        return running

    def span(self, jobs: int, batch: int) -> float:
        """Approximate time of the last arrival; of a batch alone, when it is about done."""
        if jobs:
            return float(jobs * self._gap)
        share = self.datacenter.share / self.datacenter.share.sum()
        durations = share * self.durations.mean(self.mean_time)
        whole = self.datacenter.count @ self.datacenter.capacity
        work = durations @ self.datacenter.request
        loads = np.divide(work, whole, out=np.zeros_like(work), where=whole > 0)
        return max(float(durations.sum()), batch * float(loads.max()))

    def notes(self) -> tuple[str, ...]:
        """What is said of means that are not those of the classes."""
        share = self.datacenter.share
        given = float(share @ self.mean_time)
        drawn = float(share @ self.durations.mean(self.mean_time))
        if abs(drawn - given) <= 0.05 * given:
            return ()
        return (
            f"durations {self.durations} are {drawn / given:.3g} times as long as the classes' "
            "mean times, on average: so is the load",
        )

    def _stretch(self, plan: Guidance | None) -> FloatArray:
        """Mean time of each class where it runs, relative to the first configuration, (K,)."""
        datacenter = self.datacenter
        usable = datacenter.fits & (datacenter.count > 0)
        times = datacenter.mean_time / self.mean_time[:, None]
        least = np.where(usable, times, np.inf).min(axis=1)
        most = np.where(usable, times, 0.0).max(axis=1)
        if (most <= least * (1 + 1e-9)).all():
            return np.where(np.isfinite(least), least, 0.0)
        if plan is None:
            raise InputError(
                "full start: mean times differ by configuration: give a plan, whose proportions "
                "say where the classes run"
            )
        if plan.datacenter.configurations != datacenter.configurations or (
            plan.datacenter.classes != datacenter.classes
        ):
            raise InputError(f"full start: the plan is for another datacenter: {plan.datacenter!r}")
        share = plan.proportions
        stretch = np.where(share > 0, share * times, 0.0).sum(axis=1)
        # A class that no bin contains runs where it is fastest.
        return np.where(share.any(axis=1), stretch, np.where(np.isfinite(least), least, 0.0))

    def _stream(self, stream: int, block: int) -> np.random.Generator:
        return np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(stream, block)))

    def _jobs(self, rng: np.random.Generator, arrival: FloatArray) -> Drawn:
        drawn = np.searchsorted(self._upto, rng.random(len(arrival)), side="right")
        job_class = np.minimum(drawn, len(self._upto) - 1).astype(np.int64)
        duration = self.durations.draw(rng, job_class, self.mean_time)
        return arrival, job_class, duration, self._demands(rng, job_class)

    def _demands(self, rng: np.random.Generator, job_class: IntArray) -> IntArray:
        datacenter = self.datacenter
        if not self.noise > 0:
            return datacenter.request_units[job_class]
        sigma = np.sqrt(np.log1p(self.noise * self.noise))
        normal = rng.standard_normal((len(job_class), len(datacenter.resources)))
        factor = np.exp(sigma * normal - sigma * sigma / 2)
        demand = datacenter.in_units(datacenter.request[job_class] * factor)
        bad = ~fits_somewhere(datacenter, job_class, demand)
        home = self._home[job_class[bad]]
        demand[bad] = np.minimum(demand[bad], datacenter.capacity_units[home])
        return demand


def _home(datacenter: Datacenter, arrives: BoolArray) -> IntArray:
    """For each class the configuration with the most room for one of its jobs, shape (K,)."""
    usable = datacenter.fits & (datacenter.count > 0)
    for k in np.flatnonzero(~usable.any(axis=1) & arrives)[:1]:
        raise InputError(f"class {datacenter.classes[k]!r}: a job of it fits no machine")
    with np.errstate(divide="ignore", invalid="ignore"):
        times = datacenter.capacity[None] / datacenter.request[:, None, :]
    room = np.where(usable, np.nanmin(times, axis=2), -1.0)
    home: IntArray = room.argmax(axis=1)
    return home


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
