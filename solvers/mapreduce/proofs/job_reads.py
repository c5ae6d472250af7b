"""Proofs by what one job reads, depending on when its map phase ends."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ....formulations.mapreduce.bounds.reads import CLOSE, MOST_CLOSE, JobTail
from ....instances.mapreduce.instance import Instance
from ....instances.mapreduce.usable_slots import usable_slots
from ....verifier.closed_forms import spans
from ....verifier.reads import JobReads, readers, spans_of_sets, with_reads
from ...certificate import Proof
from . import Claim
from .closed_forms import critical_jobs, pigeonholes

MOST_ENDS = 1500
"""So many intervals of time at most."""

PARTS, ROUNDS = 64, 5
"""The end of an interval is looked for among so many times, so often."""

MOST_JOBS = 8
"""So many jobs are looked at, those with the longest reads first."""

SLACKS = 0.0, 4e-7, 1e-5, 2e-4, 3e-3
"""Relative: by so much less than the claim is proved where that takes fewer intervals."""


def reads_of_jobs(claim: Claim) -> Iterator[Proof]:
    """One job's reads, the orders of jobs with them, and what a horizon implies."""
    if claim.shop.secure:
        return
    shop, instance = claim.shop, usable_slots(claim.instance).instance
    reading, (heads, tails) = readers(shop), spans(shop)
    yield from within_horizon(claim, reading)
    jobs = sorted(reading, key=lambda i: -heads[i] - tails[i])[:MOST_JOBS]
    few = critical_jobs(shop)
    for slack in SLACKS:
        target = claim.target - int(claim.target * slack)
        for job in jobs:
            ends = intervals(claim, instance, job, target)
            if ends:
                yield {"proof": "one job's reads", "job": job, "ends": ends}
        if len(few) > 1:
            table = ends_in_orders(claim, instance, few, target)
            if any(table):
                yield {"proof": "orders", "jobs": few, "ends": table}


def ends_in_orders(
    claim: Claim, instance: Instance, jobs: list[int], target: int
) -> list[list[int]]:
    """By job: intervals from the earliest end of its map phase that meets the target."""
    shop = claim.shop
    before = spans_of_sets(shop.maps, jobs)
    table = []
    for k, job in enumerate(jobs):
        starts = sorted({before[some] for some in range(len(before)) if some >> k & 1})
        best: list[int] = []
        low, high = 0, len(starts)
        while low < high:
            middle = (low + high) // 2
            ends = intervals(claim, instance, job, target, starts[middle])
            if ends is None:
                low = middle + 1
            else:
                best, high = ends, middle
        table.append(best)
    return table


def intervals(
    claim: Claim, instance: Instance, job: int, target: int, earliest: int = 0
) -> list[int] | None:
    """Ends of intervals (units) in which the map phase may end, so that the job ends at `target`.

    `earliest`: the map phase does not end before that (units).
    Returns None if there are none, or too many.
    """
    shop = claim.shop
    if not shop.output_of[job] or not shop.reduces.tasks[job]:
        return None
    heads, tails = spans(shop)
    tail, unit = JobTail(instance, job), float(shop.unit)
    start, last, ends = max(heads[job], earliest), target - tails[job], list[int]()
    if start > heads[job]:
        ends.append(start - 1)
    while start < last:
        if len(ends) == MOST_ENDS or claim.stop():
            return None
        # The last time by which enough is left to do.
        low, high = start, last
        for _ in range(ROUNDS):
            if high <= low:
                break
            times = sorted({low + (high - low) * k // PARTS for k in range(PARTS + 1)})
            left = tail(np.array(times, dtype=float) * unit) * (1 + 1e-12)
            enough = np.flatnonzero(left >= (target - start) * unit * (1 - 1e-12))
            if not enough.size:
                return None
            k = int(enough[-1])
            low, high = times[k], times[min(k + 1, len(times) - 1)] - (k + 1 < len(times))
        ends.append(low)
        start = low + 1
    return ends


def within_horizon(claim: Claim, reading: dict[int, JobReads]) -> Iterator[Proof]:
    """What follows, with the reads that it implies, from a schedule shorter than the target."""
    shop, horizon = claim.shop, claim.target - 1
    if horizon < 0:
        return
    heads, tails = spans(shop)
    # Jobs whose map phases have little time, those with least first.
    spare = {i: horizon - tails[i] - CLOSE * heads[i] for i in reading}
    close = [i for i in sorted(spare, key=spare.__getitem__) if spare[i] < 0][:MOST_CLOSE]
    for jobs in ([], close) if close else ([],):
        # If these reads alone exclude the horizon, any theorem will do.
        longer = with_reads(shop, reading, horizon, jobs) or shop
        thens = [{"proof": "waits"}, *pigeonholes(longer)]
        if len(shop.jobs) > 1:
            thens.append({"proof": "orders", "jobs": critical_jobs(longer)})
        for then in thens:
            proof = {"proof": "reads within a horizon", "horizon": horizon, "jobs": jobs}
            yield {**proof, "then": then}
