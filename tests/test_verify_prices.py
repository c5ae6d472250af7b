"""The theorems whose certificates are prices, horizons or sets of jobs."""

import numpy as np
import pytest
from certified import proved_within_optima, shop_of, shown
from hypothesis import given
from hypothesis import strategies as st

from slotwise import verify, verify_prices
from slotwise.formulations.mapreduce.bounds.parallel_machines import least_makespan, packed_span
from slotwise.instances.mapreduce.cluster import Cluster, Rates
from slotwise.instances.mapreduce.instance import Instance, Job, MapTask


def one_slot_each(*jobs):
    """Jobs of a map task and a reduce task each, by their times, on one slot for each phase."""
    made = [Job(f"j{k}", [maps], [reduces]) for k, (maps, reduces) in enumerate(jobs)]
    return Instance.from_jobs("shop", Cluster.uniform(1, map_slots=1, reduce_slots=1), made)


@given(lengths=st.lists(st.integers(0, 30), max_size=12), slots=st.integers(1, 4))
def test_packed_tasks(lengths, slots):
    bound = verify_prices.packed(lengths, slots)
    assert bound <= least_makespan(lengths, slots) * (1 + 1e-9)
    assert bound >= verify.span(lengths, slots)
    if lengths:
        assert bound >= packed_span(np.array(lengths, dtype=float), slots) - 1e-6


def test_pairs_that_do_not_fit():
    # Within 10 a slot with a 7 has no 4 beside it, and two 4 share a slot: 3.5 slots of three.
    assert verify.span([7, 7, 4, 4, 4], 3) == 9
    assert verify_prices.packed([7, 7, 4, 4, 4], 3) == 11


def test_the_better_order_counts():
    # Maps of 4 and 3, reduces of 6 and 2: first job first gives 12, the other order 13.
    shop = shop_of(one_slot_each((4, 6), (3, 2)))
    assert shown(shop, {"proof": "orders", "jobs": [0, 1]}) == 12
    assert shown(shop, {"proof": "orders", "jobs": [1]}) == 5


def spread_or_gathered():
    """Two racks of a node each, four map tasks whose input both hold, a reduce task of 5 s."""
    cluster = Cluster(
        ("n0", "n1"), ("r0", "r1"), np.array([0, 1]), np.array([2, 2]),
        np.array([1, 1]), Rates(100, 50, 25),
    )  # fmt: skip
    maps = [MapTask(9, 100, ["n0", "n1"])] * 4
    return Instance.from_jobs("spread", cluster, [Job("a", maps, [5], 1)])


def test_one_job_is_spread_or_gathered():
    # At 10 s each node has half: 200 MB are read in 2 s and 200 MB in 8 s, 25 s. On one node the
    # maps take until 20 s, and the reads 4 s: 29 s. Heads and tails say 19 s.
    shop = shop_of(spread_or_gathered())
    before = int(20 / shop.unit) - 1
    assert shown(shop, {"proof": "waits"}) == 19
    assert shown(shop, {"proof": "one job's reads", "job": 0, "ends": [before]}) == 25
    assert shown(shop, {"proof": "one job's reads", "job": 0, "ends": []}) == 19
    assert shown(shop, {"proof": "orders", "jobs": [0], "ends": [[before]]}) == 25


def test_reads_within_a_horizon():
    # Two slots on two nodes: within 24 s each runs one of two reduce tasks of 5 s, one of which
    # reads as far as half of the output is.
    instance = spread_or_gathered()
    shop = shop_of(instance)
    proof = {"proof": "reads within a horizon", "horizon": int(24 / shop.unit), "jobs": [0]}
    assert shown(shop, {**proof, "then": {"proof": "waits"}}) > 19
    with pytest.raises(verify.Refused, match="ends of jobs"):
        shown(shop, {**proof, "then": {"proof": "orders", "jobs": [0], "ends": [[]]}})
    with pytest.raises(verify.Refused, match="there is no"):
        shown(shop, {**proof, "then": {"proof": "last jobs", "price": 1}})


def test_prices_of_time():
    # Both jobs have to map in the first unit: the first in [0, 1], the second in [0, 2].
    shop = shop_of(one_slot_each((1, 2), (2, 1)))
    proof = {"proof": "prices of time", "cell": 1, "map": [1, 0, 0], "reduce": [0, 0, 0]}
    assert shown(shop, proof) == 4
    with pytest.raises(verify.Refused, match="prove nothing"):
        shown(shop, {**proof, "map": [0, 0, 1]})


def some_proofs(shop, units, rng):
    """Proofs with good and bad numbers; `units` is the optimal makespan."""
    jobs = list(range(len(shop.jobs)))
    heads, _ = verify_prices.spans(shop)
    yield {"proof": "orders", "jobs": jobs}
    table = []
    for job in jobs:
        reads = shop.output_of[job] and shop.reduces.tasks[job]
        ends = sorted({heads[job] + units * m // 100 for m in range(101)})
        table.append(ends if reads else [])
        if reads:
            yield {"proof": "one job's reads", "job": job, "ends": ends}
    yield {"proof": "orders", "jobs": jobs, "ends": table}
    for horizon in (units - 1, units, rng.randrange(units + 1)):
        proof = {"proof": "reads within a horizon", "horizon": max(0, horizon)}
        for then in ({"proof": "waits"}, {"proof": "orders", "jobs": jobs}):
            yield {**proof, "jobs": rng.choice([jobs, []]), "then": then}
    for _ in range(6):
        cell = units // rng.choice([3, 10, 30, 100]) + 1
        cells = max(0, units // cell + rng.choice([-1, 0, 0, 1]))
        rows = ([rng.randrange(3) * rng.randrange(2) for _ in range(cells)] for _ in range(2))
        yield {"proof": "prices of time", "cell": cell, "map": next(rows), "reduce": next(rows)}


@pytest.mark.parametrize("first", range(0, 60, 15))
def test_no_proof_exceeds_the_optimum(first):
    assert proved_within_optima(range(first, first + 15), some_proofs) == set(verify_prices.PROOFS)
