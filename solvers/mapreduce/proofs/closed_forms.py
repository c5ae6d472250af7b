"""Proofs in closed form, with the witnesses that the verifier asks for."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ....formulations.mapreduce.bounds.last_jobs import least_rises
from ....formulations.mapreduce.bounds.orders import MOST_JOBS, SHARE
from ....instances.mapreduce.usable_slots import usable_slots
from ....verifier.closed_forms import spans, waiting_phases
from ....verifier.problem import Shop
from ...certificate import Proof
from . import Claim

MOST_WAITS = 64
"""So many waits of jobs are tried at most, evenly."""


def closed_forms(claim: Claim) -> Iterator[Proof]:
    """Waits of the slots, pigeonholes, Johnson's flow shop, orders of the longest jobs."""
    yield {"proof": "waits"}
    yield from pigeonholes(claim.shop)
    yield {"proof": "johnson"}
    if len(claim.shop.jobs) > 1:
        yield {"proof": "orders", "jobs": critical_jobs(claim.shop)}


def last_jobs(claim: Claim) -> Iterator[Proof]:
    """The price of the slot that decides, in whole units and then with a fraction of one."""
    work, rises = least_rises(usable_slots(claim.instance).instance)
    if not rises.size:
        return
    ends = (work + np.cumsum(rises)) / np.arange(1, rises.size + 1)
    price = float(min(rises[-1], ends.min()) / claim.shop.unit)
    for value in dict.fromkeys((round(price), round(price, 3))):
        yield {"proof": "last jobs", "price": value}


def pigeonholes(shop: Shop) -> Iterator[Proof]:
    """Of each phase the job and the number that give the greatest bound."""
    for kind, (phase, wait) in waiting_phases(shop).items():
        if not phase.least:
            continue
        length = np.array(phase.least, dtype=float)
        falling = np.argsort(-length, kind="stable")
        length, after = length[falling], np.array(wait, dtype=float)[phase.job][falling]
        times, first = np.unique(after, return_index=True)
        best: tuple[float, int, int] = 0.0, 0, 0
        for m in np.unique(np.linspace(0, len(times) - 1, MOST_WAITS).astype(int)):
            late = after >= times[m]
            worked = np.append(0.0, np.cumsum(length[late]))
            turns = np.arange((len(worked) - 2) // len(phase.node) + 1)
            last = turns * len(phase.node)
            earliest = np.minimum.accumulate(after[late])[last]
            bounds = earliest + worked[last + 1] - worked[last - turns]
            k = int(bounds.argmax())
            best = max(best, (float(bounds[k]), phase.job[falling[first[m]]], k))
        yield {"proof": "pigeonhole", "phase": kind, "job": best[1], "k": best[2]}


def critical_jobs(shop: Shop) -> list[int]:
    """The few jobs that alone take longest, the longest first."""
    alone = [a + b for a, b in zip(*spans(shop), strict=True)]
    longest = max(alone)
    jobs = [i for i, time in enumerate(alone) if time >= SHARE * longest]
    return sorted(jobs, key=lambda i: -alone[i])[:MOST_JOBS]
