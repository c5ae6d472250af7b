"""Proofs in closed form, with the witnesses that the verifier asks for."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate
from typing import Any

from .... import verify
from ....verify import Shop
from ...certificate import Proof
from .claim import Claim

MOST_WAITS = 64
"""So many waits of jobs are tried at most, evenly."""

MOST_TIMES = 8
"""So many release times, and so many tails, are tried at most, evenly."""

SHARE, MOST_JOBS = 0.4, 6
"""Jobs are ordered that alone take this share of the longest, and so many at most."""


def closed_forms(claim: Claim) -> Iterator[Proof]:
    """Waits of the slots, pigeonholes, Johnson's flow shop, orders of the longest jobs."""
    yield {"proof": "waits"}
    if any(claim.shop.release):
        yield from late_work(claim.shop)
    yield from pigeonholes(claim.shop)
    yield {"proof": "johnson"}
    if len(claim.shop.jobs) > 1:
        yield {"proof": "orders", "jobs": critical_jobs(claim.shop)}


def late_work(shop: Shop) -> Iterator[Proof]:
    """Of each phase the two jobs whose wait and tail give the greatest bound."""
    for kind, (phase, _, times) in verify.waiting_phases(shop).items():
        jobs = sorted(set(phase.job))
        wait = shop.release if kind == "map" else times
        tail = times if kind == "map" else [0] * len(shop.jobs)
        proofs = [
            {"proof": "late work", "phase": kind, "from": a, "to": b}
            for a in _some({wait[job]: job for job in jobs})
            for b in _some({tail[job]: job for job in jobs})
        ]
        if proofs:
            yield max(proofs, key=lambda proof: verify.late_work(shop, proof))


def _some(jobs: dict[Any, int]) -> list[int]:
    """Jobs by rising time, `MOST_TIMES` of them at most."""
    each = [job for _, job in sorted(jobs.items())]
    last = max(len(each) - 1, 0)
    return [each[n] for n in sorted({last * m // MOST_TIMES for m in range(MOST_TIMES + 1)})]


def pigeonholes(shop: Shop) -> Iterator[Proof]:
    """Of each phase the job and the number that give the greatest bound."""
    for kind, (phase, least, wait) in verify.waiting_phases(shop).items():
        tasks = sorted(zip(least, phase.job, strict=True), reverse=True)
        best: tuple[Any, int, int] = -1, 0, 0
        times = sorted({wait[job]: job for job in set(phase.job)}.items())
        last_time = max(len(times) - 1, 0)
        some = {last_time * m // MOST_WAITS for m in range(MOST_WAITS + 1)} if times else set()
        for after, job in (times[m] for m in some):
            late = [(length, wait[i]) for length, i in tasks if wait[i] >= after]
            worked = [0, *accumulate(length for length, _ in late)]
            earliest = list(accumulate((w for _, w in late), min))
            for k in range((len(late) - 1) // len(phase.node) + 1):
                last = k * len(phase.node)
                bound = earliest[last] + worked[last + 1] - worked[last - k]
                best = max(best, (bound, job, k))
        if best[0] > 0:
            yield {"proof": "pigeonhole", "phase": kind, "job": best[1], "k": best[2]}


def critical_jobs(shop: Shop) -> list[int]:
    """The few jobs that alone take longest, the longest first."""
    phases = verify.waiting_phases(shop)
    alone = [a + b for a, b in zip(phases["reduce"][2], phases["map"][2], strict=True)]
    longest = max(alone)
    jobs = [i for i, time in enumerate(alone) if time >= SHARE * longest]
    return sorted(jobs, key=lambda i: -alone[i])[:MOST_JOBS]
