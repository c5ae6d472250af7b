"""Proofs by search over ever more of the jobs, those with the longest head and tail first."""

from __future__ import annotations

from collections.abc import Iterator

from ....verifier.closed_forms import spans
from ....verifier.documents import Refused
from ....verifier.search import MOST_CASES, Search
from ...certificate import Proof
from . import Claim

QUICK, LONGER = (1_000, 20_000), (200_000, MOST_CASES)
"""Most cases of a search, first and after each round without a proof."""
OF_SOME_JOBS = 20_000
"""Most cases of a search that leaves jobs out."""
CASES_PER_SECOND = 50_000
"""Cases that a slow reader's machine tries in a second."""


def searches(claim: Claim, *, limits: tuple[int, ...] = QUICK + LONGER) -> Iterator[Proof]:
    """Searches of at most `limits` cases, one round for each."""
    if claim.exact < 1:
        return
    shop, horizon = claim.shop, claim.exact - 1
    alone = [head + tail for head, tail in zip(*spans(shop), strict=True)]
    ranking = sorted(range(len(shop.jobs)), key=lambda job: -alone[job])
    subsets = [sorted(ranking[:size]) for size in range(1, len(ranking) + 1)]
    for limit in limits:
        undecided = []
        for jobs in subsets if limit <= OF_SOME_JOBS else subsets[-1:]:
            # Who takes the proof searches once more.
            most = min(limit, int(CASES_PER_SECOND * min(claim.stop.left, 1e6) / 2))
            if claim.stop() or not most:
                return
            try:
                search = Search(shop, jobs, horizon, most)
                if not search.possible():
                    cases = most - search.cases
                    yield {"proof": "search", "jobs": jobs, "horizon": horizon, "cases": cases}
            except Refused:
                undecided.append(jobs)
        subsets = undecided
