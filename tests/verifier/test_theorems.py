"""The theorems by hand, and none exceeds the optimum."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from certified import proved_within_optima, shop_of, shown, spread_or_gathered
from hypothesis import given
from hypothesis import strategies as st

from slotwise.formulations.mapreduce.bounds.packing import least_makespan, packed_span
from slotwise.instances.mapreduce.cluster import Cluster
from slotwise.instances.mapreduce.instance import Instance, Job, SpeedFactors
from slotwise.verifier import prices
from slotwise.verifier.closed_forms import packed, span, spans
from slotwise.verifier.documents import Refused


def one_slot_each(*jobs):
    """Jobs of a map task and a reduce task each, by their times, on one slot for each phase."""
    made = [Job(f"j{k}", [maps], [reduces]) for k, (maps, reduces) in enumerate(jobs)]
    return Instance.from_jobs("shop", Cluster.uniform(1, map_slots=1, reduce_slots=1), made)


@given(lengths=st.lists(st.integers(0, 30), max_size=12), slots=st.integers(1, 4))
def test_packed_tasks(lengths, slots):
    bound = packed(lengths, slots)
    assert bound <= least_makespan(lengths, slots) * (1 + 1e-9)
    assert bound >= span(lengths, slots)
    if lengths:
        assert bound >= packed_span(np.array(lengths, dtype=float), slots) - 1e-6


def test_pairs_that_do_not_fit():
    # Within 10 a slot with a 7 has no 4 beside it, and two 4 share a slot: 3.5 slots of three.
    assert span([7, 7, 4, 4, 4], 3) == 9
    assert packed([7, 7, 4, 4, 4], 3) == 11


def test_the_better_order_counts():
    # Maps of 4 and 3, reduces of 6 and 2: first job first gives 12, the other order 13.
    shop = shop_of(one_slot_each((4, 6), (3, 2)))
    assert shown(shop, {"proof": "orders", "jobs": [0, 1]}) == 12
    assert shown(shop, {"proof": "orders", "jobs": [1]}) == 5


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
    with pytest.raises(Refused, match="ends of jobs"):
        shown(shop, {**proof, "then": {"proof": "orders", "jobs": [0], "ends": [[]]}})
    with pytest.raises(Refused, match="there is no"):
        shown(shop, {**proof, "then": {"proof": "last jobs", "price": 1}})


def test_prices_of_time():
    # Both jobs have to map in the first unit: the first in [0, 1], the second in [0, 2].
    shop = shop_of(one_slot_each((1, 2), (2, 1)))
    proof = {"proof": "prices of time", "cell": 1, "map": [1, 0, 0], "reduce": [0, 0, 0]}
    assert shown(shop, proof) == 4
    with pytest.raises(Refused, match="prove nothing"):
        shown(shop, {**proof, "map": [0, 0, 1]})


def test_patterns_on_unequal_slots():
    # Two tasks of 2 s; the second slot takes 6 s for one. Within 3 s only one is done.
    cluster = Cluster.uniform(1, map_slots=2, reduce_slots=1)
    instance = Instance.from_jobs("unequal", cluster, [Job("a", [2, 2], [])])
    factors = SpeedFactors(np.array([[1.0, 3.0]]), np.array([[1.0]]))
    shop = shop_of(replace(instance, speed_factors=factors))
    proof = {"proof": "patterns", "phase": "map", "horizon": int(3 / shop.unit), "cells": 3}
    assert shown(shop, {**proof, "prices": [1]}) > 3
    # The optimum has both on the first slot.
    with pytest.raises(Refused, match="prove nothing"):
        shown(shop, {**proof, "horizon": int(4 / shop.unit), "prices": [1]})


def flow_shop():
    """Jobs of 1 + 2, 4 + 4, 3 + 1 s on one slot each: in this, Johnson's order, 10 s are least."""
    jobs = [Job("a", [1], [2]), Job("b", [4], [4]), Job("c", [3], [1])]
    return Instance.from_jobs("shop", Cluster.uniform(1, map_slots=1, reduce_slots=1), jobs)


def windows_of_flow_shop():
    # Within 9 s the map phases end in [1, 7], [4, 5] and [3, 8]. That of c ends at 8 s, as all take
    # that long. If then that of b ends at 5 s, 5 s of the reduce tasks of b and c have 4 s left. If
    # at 4 s, that of a ends after it, and all 7 s of reduce tasks have 5 s left.
    return {
        "proof": "windows", "jobs": [0, 1, 2], "horizon": 9, "cells": 9,
        "map": [
            {"due": [7, 5, 7], "prices": [1, 4, 3]},
            {"due": [4, 4, 8], "prices": [1, 4, 0]},
        ],
        "reduce": [
            {"due": [8, 4, 1], "prices": [0, 4, 1]},
            {"due": [4, 5, 1], "prices": [2, 4, 1]},
        ],
    }  # fmt: skip


def test_windows_of_a_flow_shop():
    shop = shop_of(flow_shop())
    proof = windows_of_flow_shop()
    assert shown(shop, proof) == 10
    # Of 1, 4 and 3 s only what is in the certificate is believed: each part of it is needed.
    for phase, k in product(("map", "reduce"), range(2)):
        rest = [one for j, one in enumerate(proof[phase]) if j != k]
        with pytest.raises(Refused, match="some way may be possible"):
            shown(shop, {**proof, phase: rest})
    with pytest.raises(Refused):
        shown(shop, {**proof, "horizon": 10})
    proof["map"][0]["due"][2] = 8  # all map tasks are done by then
    with pytest.raises(Refused, match="prove nothing"):
        shown(shop, proof)
    with pytest.raises(Refused, match="some way"):  # a and b alone end at 9 s
        shown(shop, {**proof, "jobs": [0, 1], "map": [], "reduce": []})


def test_windows_of_wrong_form():
    shop = shop_of(flow_shop())
    proof = windows_of_flow_shop()
    for wrong in (
        {"jobs": [0, 0, 1]}, {"jobs": [0, 1]}, {"jobs": [0, 1, 3]}, {"cells": 0}, {"horizon": 0},
        {"map": [{"due": [1, 2, 3]}]}, {"map": [{"due": [1, 2], "prices": [1, 1, 1]}]},
        {"map": [{"due": [1, 2, 10], "prices": [1, 1, 1]}]}, {"map": None}, {"more": 1},
        {"reduce": [{"due": [1, 2, 3], "prices": [1, -1, 1]}]},
    ):  # fmt: skip
        with pytest.raises(Refused):
            shown(shop, {**proof, **wrong})


def some_proofs(shop, units, rng):
    """Proofs with good and bad numbers; `units` is the optimal makespan."""
    jobs = list(range(len(shop.jobs)))
    heads, _ = spans(shop)
    yield from ({"proof": "waits"}, {"proof": "johnson"}, {"proof": "orders", "jobs": jobs})
    for phase, job, k in product(shop.phases, jobs, range(3)):
        yield {"proof": "pigeonhole", "phase": phase, "job": job, "k": k}
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
    for price in (0, units // 2, units - 1, units, rng.randrange(2 * units + 2)):
        yield {"proof": "last jobs", "price": max(0, price)}
    of_kinds = {
        phase: [min((t for t in times if t), default=0) for _, times in kinds]
        for phase in shop.phases
        for kinds in [prices.task_kinds(shop, phase)]
    }
    for _ in range(6):
        phase, horizon = rng.choice(["map", "reduce"]), units * rng.choice([5, 9, 10]) // 10
        proof = {"proof": "patterns", "phase": phase, "horizon": horizon}
        yield {**proof, "prices": of_kinds[phase], "cells": rng.choice([1, 7, 100])}
    for horizon in (units * 9 // 10, units):
        proof = {"proof": "windows", "jobs": jobs, "horizon": horizon, "cells": 60}
        # All points of a grid that the prices exclude: more than any search would name.
        for phase in shop.phases:
            kinds = prices.task_kinds(shop, phase)
            proof[phase] = []
            for tenths in product(range(11), repeat=len(jobs)):
                due = [horizon * part // 10 for part in tenths]
                by_job = dict(enumerate(due))
                try:
                    prices.exclude(by_job, kinds, of_kinds[phase], horizon, 60)
                except Refused:
                    continue
                proof[phase].append({"due": due, "prices": of_kinds[phase]})
        yield proof


@pytest.mark.parametrize("few", [1, 48])
@pytest.mark.parametrize("first", range(0, 60, 15))
def test_no_proof_exceeds_the_optimum(first, few, monkeypatch):
    monkeypatch.setattr(prices, "FEW", few)
    assert proved_within_optima(range(first, first + 15), some_proofs) == {
        "waits", "johnson", "pigeonhole", "orders", "one job's reads",
        "reads within a horizon", "last jobs", "prices of time", "patterns", "windows",
    }  # fmt: skip
