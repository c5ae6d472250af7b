"""Proofs that leave no windows for the ends of map phases."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from .... import verify, verify_prices
from ....core.clock import Clock
from ....formulations.mapreduce.bounds.reads_within_horizon import CLOSE, MOST_CLOSE
from ...certificate import Proof
from .claim import Claim
from .closed_forms import critical_jobs, pigeonholes

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
        spare = {i: horizon - tails[i] - CLOSE * heads[i] for i in self.reading}
        close = [i for i in sorted(spare, key=spare.__getitem__) if spare[i] < 0][:MOST_CLOSE]
        self.jobs = sorted({*self.critical, *close})
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
        early, late = list(last), list(first)
        early[job], late[job] = at, at + 1
        if (before := self.excluded(first, early)) is None:
            return None
        if (after := self.excluded(late, last)) is None:
            return None
        return {"job": job, "at": at, "early": before, "late": after}

    def _cut(self, job: int, first: list[int], last: list[int]) -> tuple[float, int, int]:
        """Where to cut a window, and how good that is.

        Best so that the greatest part is excluded at once, else in the middle of a wide window.
        """
        least, most = first[job], last[job]
        width = most - least
        if width <= NARROW * self.horizon:
            return -1.0, job, most
        shut, open_ = least - 1, most
        while open_ - shut > max(1, width // PARTS):
            at = (shut + open_) // 2
            early = list(last)
            early[job] = at
            excluded = self._leaf(self._in_windows(first, early)) is not None
            shut, open_ = (at, open_) if excluded else (shut, at)
        best = (shut - least + 1) / width, job, shut
        shut, open_ = most + 1, least
        while shut - open_ > max(1, width // PARTS):
            at = (shut + open_) // 2
            late = list(first)
            late[job] = at
            excluded = self._leaf(self._in_windows(late, last)) is not None
            shut, open_ = (at, open_) if excluded else (shut, at)
        best = max(best, ((most - shut + 1) / width, job, shut - 1))
        if best[0] > WORTH:
            return 1 + best[0], job, best[2]
        return width / self.horizon, job, (least + most) // 2

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
