"""Proofs by search: the verifier tries all orders and slots, if that is soon done."""

from __future__ import annotations

from collections.abc import Iterator

from ....verify import Refused
from ....verify_search import MOST_CASES, Search
from ...certificate import Proof
from .claim import Claim

QUICK, LONGER = (1_000, 20_000), (200_000, MOST_CASES)
"""Most cases of a search, first and after each round without a proof."""
OF_SOME_JOBS = 20_000
"""Most cases of a search that leaves jobs out."""
CASES_PER_SECOND = 50_000
"""Cases that a slow reader's machine tries in a second."""


def searches(claim: Claim, limits: tuple[int, ...] = QUICK + LONGER) -> Iterator[Proof]:
    """Searches over ever more of the jobs, those with the longest head and tail first."""
    if claim.exact < 1:
        return
    jobs = range(len(claim.shop.jobs))
    ranking = sorted(jobs, key=lambda job: -_work(claim, job))
    subsets = [sorted(ranking[:size]) for size in range(1, len(ranking) + 1)]
    for limit in limits:
        undecided = []
        for subset in subsets if limit <= OF_SOME_JOBS else subsets[-1:]:
            # Who takes the proof searches once more.
            most = min(limit, int(CASES_PER_SECOND * min(claim.stop.left, 1e6) / 2))
            if claim.stop() or not most:
                return
            try:
                search = Search(claim.shop, subset, claim.exact - 1, most)
                if not search.possible():
                    yield {
                        "proof": "search",
                        "jobs": subset,
                        "horizon": claim.exact - 1,
                        "cases": most - search.cases,
                    }
            except Refused:
                undecided.append(subset)
        subsets = undecided


def _work(claim: Claim, job: int) -> float:
    """A job's head and tail, roughly (units)."""
    shop = claim.shop
    both = (
        (shop.maps, shop.least_map),
        (shop.reduces, shop.least_reduce),
    )
    spans = (
        max(max(times), sum(times) / len(phase.node))
        for phase, least in both
        if (times := [least[task] for task in phase.tasks[job]])
    )
    return float(sum(spans))
