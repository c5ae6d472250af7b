"""The theorems whose certificates are prices of whole tasks on slots."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from certified import proved_within_optima, shop_of, shown

from slotwise import verify, verify_patterns
from slotwise.instances.mapreduce.cluster import Cluster
from slotwise.instances.mapreduce.instance import Instance, Job, SpeedFactors


def test_patterns_on_unequal_slots():
    # Two tasks of 2 s; the second slot takes 6 s for one. Within 3 s only one is done.
    cluster = Cluster.uniform(1, map_slots=2, reduce_slots=1)
    instance = Instance.from_jobs("unequal", cluster, [Job("a", [2, 2], [])])
    factors = SpeedFactors(np.array([[1.0, 3.0]]), np.array([[1.0]]))
    shop = shop_of(replace(instance, speed_factors=factors))
    proof = {"proof": "patterns", "phase": "map", "horizon": int(3 / shop.unit), "cells": 3}
    assert shown(shop, {**proof, "prices": [1]}) > 3
    # The optimum has both on the first slot.
    with pytest.raises(verify.Refused, match="prove nothing"):
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
        with pytest.raises(verify.Refused, match="some way may be possible"):
            shown(shop, {**proof, phase: rest})
    with pytest.raises(verify.Refused):
        shown(shop, {**proof, "horizon": 10})
    proof["map"][0]["due"][2] = 8  # all map tasks are done by then
    with pytest.raises(verify.Refused, match="prove nothing"):
        shown(shop, proof)
    with pytest.raises(verify.Refused, match="some way"):  # a and b alone end at 9 s
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
        with pytest.raises(verify.Refused):
            shown(shop, {**proof, **wrong})


def some_proofs(shop, units, rng):
    """Proofs with good and bad numbers; `units` is the optimal makespan."""
    prices = {
        phase: [min((t for t in times if t), default=0) for _, times in kinds]
        for phase in shop.phases
        for kinds in [verify_patterns.task_kinds(shop, phase)]
    }
    for _ in range(6):
        phase, horizon = rng.choice(["map", "reduce"]), units * rng.choice([5, 9, 10]) // 10
        proof = {"proof": "patterns", "phase": phase, "horizon": horizon}
        yield {**proof, "prices": prices[phase], "cells": rng.choice([1, 7, 100])}
    jobs = list(range(len(shop.jobs)))
    for horizon in (units * 9 // 10, units):
        proof = {"proof": "windows", "jobs": jobs, "horizon": horizon, "cells": 60}
        # All points of a grid that the prices exclude: more than any search would name.
        for phase in shop.phases:
            kinds = verify_patterns.task_kinds(shop, phase)
            proof[phase] = []
            for tenths in product(range(11), repeat=len(jobs)):
                due = [horizon * part // 10 for part in tenths]
                by_job = dict(enumerate(due))
                try:
                    verify_patterns.exclude(by_job, kinds, prices[phase], horizon, 60, "")
                except verify.Refused:
                    continue
                proof[phase].append({"due": due, "prices": prices[phase]})
        yield proof


@pytest.mark.parametrize("few", [1, 48])
@pytest.mark.parametrize("first", range(0, 60, 15))
def test_no_proof_exceeds_the_optimum(first, few, monkeypatch):
    monkeypatch.setattr(verify_patterns, "FEW", few)
    assert proved_within_optima(range(first, first + 15), some_proofs) == set(
        verify_patterns.PROOFS
    )
