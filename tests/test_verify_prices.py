"""The theorems whose certificates are prices, horizons or sets of jobs."""

import numpy as np
import pytest
from brute_force import optimum
from certified import proved_within_optima, shop_of, shown, tampered
from hypothesis import given
from hypothesis import strategies as st
from random_instances import with_security

from slotwise import verify, verify_prices
from slotwise.formulations.mapreduce.bounds.packing import packed_span
from slotwise.formulations.mapreduce.bounds.parallel_machines import least_makespan
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


def ends_of_two_jobs():
    """A map slot, two reduce slots: a of 2 s with reduces of 3 and 6 s, b of 5 s with one of 8 s.

    First a: b's reduce task runs from 7 to 15 s, the optimum. First b: its own runs from 5 s, those
    of a from 7 s on.
    """
    cluster = Cluster.uniform(1, map_slots=1, reduce_slots=2)
    return Instance.from_jobs("two", cluster, [Job("a", [2], [3, 6]), Job("b", [5], [8])])


def windows_of_two_jobs(at):
    # Within 14 s the map phases end in [2, 8] and [5, 6]. If both end by 6 s, that is too soon for
    # 7 s of map tasks. If that of a ends at 7 s or later, the slots wait and run for 7 + 5 + 17 s.
    waits = {"proof": "waits"}
    tree = {"job": 0, "at": at, "early": waits, "late": waits}
    return {"proof": "ends of map phases", "horizon": 14, "jobs": [0, 1], "tree": tree}


def test_ends_of_map_phases_of_two_jobs():
    instance = ends_of_two_jobs()
    shop, proof = shop_of(instance), windows_of_two_jobs(6)
    assert optimum(instance) == 15
    assert shown(shop, proof) == 15
    # By 7 s both can be done; from 6 s on, 28 s are just what two slots have.
    for wrong in (
        *(windows_of_two_jobs(at) for at in (5, 7)),
        {**proof, "tree": {"proof": "waits"}},
    ):
        with pytest.raises(verify.Refused, match="some way may be possible"):
            shown(shop, wrong)
    for at in range(16):
        with pytest.raises(verify.Refused, match="some way may be possible"):
            shown(shop, {**windows_of_two_jobs(at), "horizon": 15})


def test_every_kind_of_leaf():
    # Of three tasks of 4 s, two follow each other on one of two slots, after 2 s. The mean slot
    # waits and runs for 2 + 6 s, and the task that waits for 3 s has room.
    cluster = Cluster.uniform(1, map_slots=1, reduce_slots=2)
    jobs = [Job("a", [3], [4]), Job("b", [2], [4, 4])]
    shop = shop_of(Instance.from_jobs("later", cluster, jobs))
    proof = {"proof": "ends of map phases", "horizon": 9, "jobs": []}
    late = {"proof": "units", "phase": "reduce", "job": 1}
    assert shown(shop, {**proof, "tree": late}) == 10
    assert shown(shop, {**proof, "tree": {**late, "proof": "pigeonhole", "k": 1}}) == 10
    for tree in ({"proof": "waits"}, {**late, "phase": "map"}, {**late, "job": 0}):
        with pytest.raises(verify.Refused, match="some way"):
            shown(shop, {**proof, "tree": tree})
    with pytest.raises(verify.Refused, match="some way"):
        shown(shop, {**proof, "horizon": 10, "tree": late})


def test_tampered_ends_of_map_phases():
    shop, proof = shop_of(ends_of_two_jobs()), windows_of_two_jobs(6)
    accepted = 0
    for seed in range(400):
        try:
            bound = shown(shop, tampered(proof, seed))
        except verify.Refused:
            continue
        accepted += 1
        assert bound <= 15, seed
    assert 0 < accepted < 400


def test_ends_of_map_phases_of_wrong_form():
    shop, proof = shop_of(ends_of_two_jobs()), windows_of_two_jobs(6)
    tree = proof["tree"]
    for wrong in (
        {"jobs": [0, 0]}, {"jobs": [2]}, {"horizon": -1}, {"tree": None}, {"tree": {}},
        {"tree": {"proof": "johnson"}}, {"tree": {**tree, "job": 2}}, {"tree": {**tree, "at": 15}},
        {"tree": {**tree, "early": {}}}, {"tree": {**tree, "more": 1}}, {"more": 1},
        {"tree": {"proof": "units", "phase": "map"}},
    ):  # fmt: skip
        with pytest.raises(verify.Refused):
            shown(shop, {**proof, **wrong})
    with pytest.raises(verify.Refused, match="secured"):
        shown(shop_of(with_security(ends_of_two_jobs(), 1)), proof)


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
        order = {"proof": "orders of all jobs", "phase": "map", "map": [], "reduce": []}
        order["horizon"] = max(0, horizon)
        for then in ({"proof": "waits"}, {"proof": "orders", "jobs": jobs}, order):
            yield {**proof, "jobs": rng.choice([jobs, []]), "then": then}
    for horizon in (units - 1, units, rng.randrange(2 * units + 1)):
        tree = some_tree(rng, len(jobs), max(0, horizon), 3)
        proof = {"proof": "ends of map phases", "horizon": max(0, horizon), "tree": tree}
        yield {**proof, "jobs": rng.choice([jobs, []])}
    for _ in range(6):
        cell = units // rng.choice([3, 10, 30, 100]) + 1
        cells = max(0, units // cell + rng.choice([-1, 0, 0, 1]))
        rows = ([rng.randrange(3) * rng.randrange(2) for _ in range(cells)] for _ in range(2))
        yield {"proof": "prices of time", "cell": cell, "map": next(rows), "reduce": next(rows)}


def some_tree(rng, jobs, horizon, branches):
    """A tree of windows with up to so many branches above a leaf."""
    if rng.random() < 0.3 or not branches:
        job, phase = rng.randrange(jobs), rng.choice(["map", "reduce"])
        leaves = ({"proof": "pigeonhole", "k": rng.randrange(2)}, {"proof": "units"})
        leaves = [{**leaf, "phase": phase, "job": job} for leaf in leaves]
        return rng.choice([{"proof": "waits"}, *leaves])
    ways = {name: some_tree(rng, jobs, horizon, branches - 1) for name in ("early", "late")}
    return {"job": rng.randrange(jobs), "at": rng.randrange(horizon + 1), **ways}


@pytest.mark.parametrize("first", range(0, 60, 15))
def test_no_proof_exceeds_the_optimum(first):
    assert proved_within_optima(range(first, first + 15), some_proofs) == set(verify_prices.PROOFS)
