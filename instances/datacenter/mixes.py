"""Mixes of classes that change over time, and the clock on which arrivals stay one Poisson stream.

Arrivals are drawn on a clock that goes at the rate of the first mix, and are then moved to the
times at which a stream with the rates of all mixes has them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...core.advice import did_you_mean
from ...core.arrays import FloatArray, IntArray
from ...core.equality import ByValue
from ...core.errors import InputError
from .datacenter import Datacenter


@dataclass(frozen=True, eq=False)
class Mix(ByValue):
    """Shares of the classes from some time on.

    Parameters
    ----------
    time
        From when on (`time_unit`), at least 0.
    share
        Share of each class in all arrivals, as in `Datacenter`, shape (K,).
    rate
        Arrival rate of all jobs from then on (jobs per `time_unit`); None: as before.
    """

    time: float
    share: FloatArray
    rate: float | None = None


def mix_of(text: str, datacenter: Datacenter) -> Mix:
    """Parse `T:class=share,…`: from time T on these shares of all arrivals.

    The other classes share the rest in the datacenter's own proportions.

    Raises `InputError` for unknown classes, and shares that are no numbers or do not add up.
    """
    when, colon, named = text.partition(":")
    if not colon or not named:
        raise InputError(f"mix {text!r}: need TIME:CLASS=SHARE,…, such as 24:k1=0.1,k3=0.6")
    time = _number(text, when)
    given: dict[int, float] = {}
    for part in named.split(","):
        name, _, value = part.rpartition("=")
        if name not in datacenter.classes:
            guess = did_you_mean(name, datacenter.classes)
            raise InputError(f"mix {text!r}: unknown class {name!r} {guess}".rstrip())
        k = datacenter.classes.index(name)
        if k in given:
            raise InputError(f"mix {text!r}: class {name!r} is named twice")
        given[k] = _number(text, value)
    whole = sum(given.values())
    others = datacenter.share.copy()
    others[list(given)] = 0.0
    if whole > 1 + 1e-9:
        raise InputError(f"mix {text!r}: shares add up to {whole:.6g}, need at most 1")
    rest = max(0.0, 1.0 - whole)
    if rest > 1e-9 and not others.any():
        raise InputError(f"mix {text!r}: shares add up to {whole:.6g}, and no other class arrives")
    share = others * (rest / others.sum() if others.any() else 0.0)
    share[list(given)] = list(given.values())
    return Mix(time, share * datacenter.share.sum())


def _number(text: str, value: str) -> float:
    try:
        number = float(value)
    except ValueError:
        number = np.nan
    if not 0 <= number < np.inf:
        raise InputError(f"mix {text!r}: need a number >= 0, got {value!r}")
    return number


class Timetable:
    """Which mix holds when: P phases, the first of which begins at time 0.

    Raises `InputError` for changes that are not in order, and shares and rates out of range.

    `rate`: arrival rate of all jobs at the beginning (jobs per `time_unit`).
    `share`: shares of the classes at the beginning, shape (K,).
    `mixes`: changes, by time.
    `share`: shape (P, K). Shares of the classes.
    `rate`: shape (P,). Arrival rates.
    `changes`: when the mix changes.
    `gap`: mean time between arrivals at the beginning.
    """

    def __init__(self, rate: float, share: FloatArray, mixes: Sequence[Mix] = ()) -> None:
        begin, shares, rates = [0.0], [share], [rate]
        for number, mix in enumerate(mixes):
            _check(mix, shares[-1], begin[-1] if number else -1.0)
            if mix.time == 0:
                begin, shares, rates = [], [], []
            begin.append(mix.time)
            shares.append(mix.share)
            rates.append(rate if mix.rate is None else mix.rate)
            rate = rates[-1]
        self.changes = [mix.time for mix in mixes]
        self.share, self.rate = np.array(shares), np.array(rates)
        self._begin = np.array(begin)
        total = np.array([row.sum() for row in self.share])
        self._upto = [np.cumsum(row) / row.sum() for row in self.share]
        arriving = self.rate * total
        self.gap = 1.0 / arriving[0] if arriving[0] > 0 else np.inf
        self._pace = arriving / arriving[0] if arriving[0] > 0 else np.ones(len(total))
        passed = np.diff(self._begin) * self._pace[:-1]
        self._clock = np.concatenate([[0.0], np.cumsum(passed)])

    def time_of(self, clock: FloatArray) -> FloatArray:
        """Times at which what is drawn at the first mix's rate arrives, any shape."""
        phase = np.searchsorted(self._clock, clock, side="right") - 1
        times = self._begin[phase] + (clock - self._clock[phase]) / self._pace[phase]
        ends = np.append(self._begin[1:], np.inf)
        arrivals: FloatArray = np.minimum(times, ends[phase])
        return arrivals

    def classes_at(self, arrival: FloatArray, uniform: FloatArray) -> IntArray:
        """Classes of jobs."""
        ends = np.searchsorted(arrival, self._begin[1:], side="left").tolist()
        drawn = [
            np.searchsorted(upto, uniform[first:last], side="right")
            for upto, first, last in zip(self._upto, [0, *ends], [*ends, len(arrival)], strict=True)
        ]
        last = self.share.shape[1] - 1
        job_class: IntArray = np.minimum(np.concatenate(drawn), last).astype(np.int64)
        return job_class


def _check(mix: Mix, before: FloatArray, earlier: float) -> None:
    if not earlier < mix.time < np.inf:
        after = f"above {earlier:g}, the one before" if earlier >= 0 else "of at least 0"
        raise InputError(f"mixes: need a time {after}, got {mix.time:g}")
    if mix.share.shape != before.shape:
        raise InputError(f"mix from {mix.time:g}: need {len(before)} shares, got {mix.share.shape}")
    if not ((mix.share >= 0).all() and 0 < mix.share.sum() <= 1.001):
        raise InputError(
            f"mix from {mix.time:g}: need shares >= 0 that add up to more than 0, at most 1"
        )
    if mix.rate is not None and not 0 < mix.rate < np.inf:
        raise InputError(f"mix from {mix.time:g}: need a positive rate, got {mix.rate}")
