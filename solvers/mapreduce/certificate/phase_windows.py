"""Proofs that leave no windows for the ends of map phases."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress

from .... import verify, verify_prices
from ....core.clock import Clock
from ...certificate import Proof
from .claim import Claim
from .closed_forms import critical_jobs, pigeonholes
from .job_reads import close_jobs

NAME = "windows of map phases"
"""The bound that these proofs are of."""

SLACKS = 0.0, 4e-7, 1e-5, 2e-4
"""Relative: horizons so much shorter than the target are tried one after another."""

SHARE = 0.5
"""Of the time that is left."""

MOST_BRANCHES = 300
"""Of a tree."""

NARROW = 1e-6
"""Windows no longer than this part of the horizon are not cut."""

PARTS = 64
"""The place of a cut is looked for as precisely as so many parts of a window."""

WORTH = 0.1
"""A cut that excludes more than this part of a window at once goes before all others."""


def ends_of_map_phases(claim: Claim) -> Iterator[Proof]:
    """Trees of windows for the ends of the map phases of the longest jobs."""
    if claim.bound_name != NAME or claim.shop.security is not None:
        return
    clock = Clock(SHARE * claim.stop.left)
    for slack in SLACKS:
        horizon = claim.target - 1 - int(claim.target * slack)
        if horizon <= 0 or clock.over or claim.stop():
            return
        ends = _Ends(claim.shop, horizon, clock)
        tree = ends.excluded(*ends.widest)
        if tree is not None:
            yield {
                "proof": "ends of map phases",
                "horizon": horizon,
                "jobs": ends.jobs,
                "tree": tree,
            }


class _Ends:
    """Looks for a tree that excludes a horizon."""

    def __init__(self, shop: verify.Shop, horizon: int, clock: Clock) -> None:
        self.shop, self.horizon, self.clock = shop, horizon, clock
        heads, tails = verify_prices.spans(self.shop)
        first = [release + head for release, head in zip(self.shop.release, heads, strict=True)]
        self.widest = first, [horizon - tail for tail in tails]
        self.critical = critical_jobs(self.shop)
        self.reading = verify_prices.readers(self.shop)
        self.jobs = sorted({*self.critical, *close_jobs(self.shop, self.reading, horizon)})
        self.left = MOST_BRANCHES

    def excluded(self, first: list[int], last: list[int]) -> Proof | None:
        """A tree that excludes that map phases end from `first` to `last`, if one is found."""
        narrow = self._in_windows(first, last)
        leaf = self._leaf(narrow)
        if leaf is not None or narrow is None:
            return leaf
        if not self.left or self.clock.over:
            return None
        self.left -= 1
        last = [self.horizon - time for time in verify.waiting_phases(narrow)["map"][2]]
        good, job, at = max(self._cut(job, first, last) for job in self.critical)
        if good < 0:
            return None
        early = self.excluded(first, _with(last, job, at))
        late = None if early is None else self.excluded(_with(first, job, at + 1), last)
        return None if late is None else {"job": job, "at": at, "early": early, "late": late}

    def _cut(self, job: int, first: list[int], last: list[int]) -> tuple[float, int, int]:
        """Where to cut a window, and how good that is.

        Best so that the greatest part is excluded at once, else in the middle of a wide window.
        """
        least, most = first[job], last[job]
        width = most - least
        if width <= NARROW * self.horizon:
            return -1.0, job, most
        early = _furthest(least - 1, most, lambda at: self._too_narrow(first, _with(last, job, at)))
        late = _furthest(most + 1, least, lambda at: self._too_narrow(_with(first, job, at), last))
        part, at = max((early - least + 1, early), (most - late + 1, late - 1))
        if part > WORTH * width:
            return 1 + part / width, job, at
        return width / self.horizon, job, (least + most) // 2

    def _too_narrow(self, first: list[int], last: list[int]) -> bool:
        """Whether windows are too narrow for a leaf."""
        return self._leaf(self._in_windows(first, last)) is not None

    def _in_windows(self, first: list[int], last: list[int]) -> verify.Shop | None:
        return verify_prices.in_windows(
            self.shop, self.reading, self.horizon, self.jobs, first, last
        )

    def _leaf(self, narrow: verify.Shop | None) -> Proof | None:
        """Why windows are too narrow, None if they may not be."""
        if narrow is None:
            return {}
        for leaf in self._leaves(narrow):
            with suppress(verify.Refused):  # of too many tasks, or k from floating point
                if verify_prices.no_room(narrow, self.horizon, leaf):
                    return leaf
        return None

    def _leaves(self, narrow: verify.Shop) -> Iterator[Proof]:
        yield {"proof": "waits"}
        yield from pigeonholes(narrow)
        for kind, (phase, _, wait) in verify.waiting_phases(narrow).items():
            some = {wait[job]: job for job in (*set(phase.job), *self.critical)}
            least = min(some)
            for time in {least, *(wait[job] for job in self.critical)}:
                yield {"proof": "units", "phase": kind, "job": some[time]}


def _with(times: list[int], job: int, time: int) -> list[int]:
    """The times, that of one job replaced."""
    return [*times[:job], time, *times[job + 1 :]]


def _furthest(shut: int, open_: int, is_shut: Callable[[int], bool]) -> int:
    """About how far from `shut` towards `open_` times are shut, by bisection."""
    near = max(1, (abs(open_ - shut) - 1) // PARTS)
    while abs(open_ - shut) > near:
        at = (shut + open_) // 2
        shut, open_ = (at, open_) if is_shut(at) else (shut, at)
    return shut
