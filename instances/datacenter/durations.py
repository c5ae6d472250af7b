"""How long jobs run: laws of durations, and of what is left of a job that is found running.

At a random time of the steady state the job that is met is a long one: the law of its duration is
the given one weighted by length, and the time that it still runs is a uniform part of that.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...core.advice import did_you_mean
from ...core.arrays import FloatArray, IntArray
from ...core.errors import InputError
from ...core.files.inputs import file_name
from ..limits import MOST
from .datacenter import Datacenter
from .job_file import read_jobs, seconds_of_unit

LAWS = ("exponential", "lognormal:CV", "constant", "trace:FILE")
"""What `durations_of` understands."""

Rng = np.random.Generator


class Durations(ABC):
    """A law of durations on the first configuration that can run the class, for K classes.

    `job_class`: classes of the jobs, shape (jobs,).
    `mean_time`: the datacenter's mean times there, shape (K,).
    """

    def mean(self, mean_time: FloatArray) -> FloatArray:
        """Mean duration of each class, shape (K,)."""
        return mean_time

    @abstractmethod
    def draw(self, rng: Rng, job_class: IntArray, mean_time: FloatArray) -> FloatArray:
        """Draw durations of jobs that arrive, shape (jobs,)."""

    @abstractmethod
    def draw_remaining(self, rng: Rng, job_class: IntArray, mean_time: FloatArray) -> FloatArray:
        """Draw what is left of jobs that are found running in the steady state, shape (jobs,)."""

    @abstractmethod
    def missing(self, time: float) -> float:
        """Part of the load that is not there yet a time >= 0 after an empty start.

        Time is in mean durations. This is the probability that a job found running has more than
        that left.
        """


@dataclass(frozen=True)
class Exponential(Durations):
    """Exponential durations: what is left of one is distributed as the whole."""

    def __str__(self) -> str:
        return "exponential"

    def draw(self, rng: Rng, job_class: IntArray, mean_time: FloatArray) -> FloatArray:
        return rng.exponential(1.0, len(job_class)) * mean_time[job_class]

    draw_remaining = draw

    def missing(self, time: float) -> float:
        return math.exp(-time)


@dataclass(frozen=True)
class Lognormal(Durations):
    """Lognormal durations.

    Weighted by length, the law with the parameters (m, s) is that with (m + s², s).
    """

    cv: float
    """Coefficient of variation >= 0."""

    def __post_init__(self) -> None:
        if not 0 <= self.cv <= MOST:
            raise InputError(
                f"lognormal durations: need a coefficient of variation from 0 to {MOST:g}, "
                f"got {self.cv}"
            )

    def __str__(self) -> str:
        return f"lognormal with a coefficient of variation of {self.cv:g}"

    @property
    def sigma(self) -> float:
        """Standard deviation of the logarithm."""
        return math.sqrt(math.log1p(self.cv * self.cv))

    def draw(self, rng: Rng, job_class: IntArray, mean_time: FloatArray) -> FloatArray:
        normal = rng.standard_normal(len(job_class))
        return np.exp(self.sigma * normal - self.sigma**2 / 2) * mean_time[job_class]

    def draw_remaining(self, rng: Rng, job_class: IntArray, mean_time: FloatArray) -> FloatArray:
        normal = rng.standard_normal(len(job_class))
        met = np.exp(self.sigma * normal + self.sigma**2 / 2) * mean_time[job_class]
        return met * rng.random(len(job_class))

    def missing(self, time: float) -> float:
        """E (D - t)⁺ / E D is Black and Scholes's formula."""
        if time == 0 or self.sigma == 0:
            return max(0.0, 1.0 - time)
        at = (self.sigma**2 / 2 - math.log(time)) / self.sigma
        return _normal(at) - time * _normal(at - self.sigma)


def _normal(x: float) -> float:
    """Distribution function of the standard normal law."""
    return math.erfc(-x / math.sqrt(2)) / 2


@dataclass(frozen=True)
class Constant(Durations):
    """All jobs of a class run equally long."""

    def __str__(self) -> str:
        return "constant"

    def draw(self, rng: Rng, job_class: IntArray, mean_time: FloatArray) -> FloatArray:
        return mean_time[job_class]

    def draw_remaining(self, rng: Rng, job_class: IntArray, mean_time: FloatArray) -> FloatArray:
        return rng.random(len(job_class)) * mean_time[job_class]

    def missing(self, time: float) -> float:
        return max(0.0, 1.0 - time)


@dataclass(frozen=True, eq=False)
class Resampled(Durations):
    """Durations seen elsewhere, drawn with replacement within the class and left as they are."""

    durations: Sequence[FloatArray]
    """Durations of each class, in the datacenter's time unit; shape (jobs of the class,) each."""
    source: str = "a sample"
    """Where they are from."""

    def __str__(self) -> str:
        return f"from {self.source}"

    def mean(self, mean_time: FloatArray) -> FloatArray:
        """The datacenter's for a class without any durations."""
        means = zip(self.durations, mean_time.tolist(), strict=True)
        return np.array([seen.mean() if len(seen) else mean for seen, mean in means])

    def draw(self, rng: Rng, job_class: IntArray, mean_time: FloatArray) -> FloatArray:
        number = np.array([len(seen) for seen in self.durations])
        first = np.cumsum(number) - number
        drawn = (rng.random(len(job_class)) * number[job_class]).astype(np.int64)
        durations: FloatArray = np.concatenate(self.durations)[first[job_class] + drawn]
        return durations

    def draw_remaining(self, rng: Rng, job_class: IntArray, mean_time: FloatArray) -> FloatArray:
        place, left = rng.random(len(job_class)), rng.random(len(job_class))
        for k in np.unique(job_class).tolist():
            own = job_class == k
            upto = np.cumsum(self.durations[k])
            index = np.searchsorted(upto, place[own] * upto[-1], side="right")
            left[own] *= self.durations[k][np.minimum(index, len(upto) - 1)]
        return left

    def missing(self, time: float) -> float:
        """Of all classes together, each in mean durations of its own."""
        times = np.concatenate([seen / seen.mean() for seen in self.durations if seen.any()])
        return float(np.maximum(times - time, 0.0).mean())


def durations_of(text: str, datacenter: Datacenter) -> Durations:
    """Return the law of durations that a text names.

    Raises `InputError` if it names none, or a trace without durations of some class.
    """
    name, colon, value = text.partition(":")
    if text == "exponential":
        return Exponential()
    if text == "constant":
        return Constant()
    if name == "lognormal" and colon:
        try:
            return Lognormal(float(value))
        except ValueError as error:
            if isinstance(error, InputError):
                raise
            raise InputError(f"lognormal durations: need a number, got {value!r}") from None
    if name == "trace" and value:
        second = 1.0 / seconds_of_unit(value, datacenter)
        table, job_class = read_jobs(value, datacenter)
        seen = [table[job_class == k, 1] * second for k in range(len(datacenter.classes))]
        for one, times in zip(datacenter.classes, seen, strict=True):
            if not times.any():
                raise InputError(
                    f"{value}: need durations above 0 of class {one!r}, there are none"
                )
        return Resampled(seen, file_name(value))
    guess = did_you_mean(name, [law.partition(":")[0] for law in LAWS])
    raise InputError(f"durations: {guess}choose {' or '.join(LAWS)}, got {text!r}")
