"""Proofs that the map phases of all jobs have no order to end within a horizon."""

from __future__ import annotations

from collections.abc import Iterator

from .... import verify, verify_slots
from ...certificate import Proof
from .claim import Claim
from .job_reads import longer_reads

NAME = "orders of all jobs"

MOST_ORDERS = 40
"""So many orders that seem possible are looked at more closely."""


def orders_of_all_jobs(claim: Claim) -> Iterator[Proof]:
    """Of each phase the sets of jobs whose tasks count in whole units of time."""
    horizon = claim.target - 1
    if horizon < 0 or len(claim.shop.jobs) > verify_slots.MOST_JOBS:
        return
    yield from without_order(claim, claim.shop, horizon)
    if claim.shop.security is None:
        for proof, longer in longer_reads(claim, horizon):
            yield from ({**proof, "then": then} for then in without_order(claim, longer, horizon))


def without_order(claim: Claim, shop: verify.Shop, horizon: int) -> Iterator[Proof]:
    """Proofs that no order of a problem's jobs is within a horizon (units)."""
    try:
        known = verify_slots.spans_of_all_sets(shop)
    except verify.Refused:
        return
    for kind in shop.phases:
        spans = verify_slots.Spans(known.map.copy(), known.reduce.copy())
        for _ in range(MOST_ORDERS):
            if claim.stop():
                return
            order = verify_slots.possible_order(shop, kind, horizon, spans)
            if order is None:
                sets = {
                    name: [some for some, span in enumerate(new) if span > old[some]]
                    for name, new, old in zip(spans._fields, spans, known, strict=True)
                }
                yield {"proof": NAME, "horizon": horizon, "phase": kind, **sets}
                break
            if not pack_sets(shop, order, spans):
                break


def pack_sets(shop: verify.Shop, order: dict[int, int], spans: verify_slots.Spans) -> bool:
    """Count whole units in the sets of an order; whether one of them takes longer than known."""
    everything = some = len(spans.map) - 1
    longer = False
    while some:
        after = some
        some &= ~(1 << order[after])
        for phase, least, of_sets, jobs in (
            (shop.reduces, shop.least_reduce, spans.reduce, after),
            (shop.maps, shop.least_map, spans.map, everything & ~some),
        ):
            span = verify_slots.packed_set(phase, least, jobs)
            longer |= span > of_sets[jobs]
            of_sets[jobs] = max(of_sets[jobs], span)
    return longer
