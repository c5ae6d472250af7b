"""The theorem whose certificate is prices of work by intervals of time."""

import json
import math
import random
from fractions import Fraction

import numpy as np
import pytest
from brute_force import optimum
from certified import claim, read_exactly, shop_of, shown, spread_or_gathered, tampered
from random_instances import any_parts

from slotwise import generate
from slotwise.core.clock import Clock
from slotwise.formulations.mapreduce.bounds import closed_form
from slotwise.formulations.mapreduce.spread_bound import model as formulation
from slotwise.heuristics.mapreduce.list_scheduling.rules import eass
from slotwise.instances.mapreduce.cluster import Cluster, Rates
from slotwise.instances.mapreduce.eligibility import impossible
from slotwise.instances.mapreduce.instance import Instance, Job, MapTask
from slotwise.solvers.backends import highs
from slotwise.solvers.mapreduce.proofs.spread import Program, intervals, spread
from slotwise.verifier.documents import Refused
from slotwise.verifier.judge import lower_bound
from slotwise.verifier.spread import cases_by_job


def prices(count, price=1, opened=1, everything=0):
    return {"price": [price] * count, "open": [opened] * count, "all": everything}


def before(shop, *seconds):
    """The last units before some times."""
    return [int(time / shop.unit) - 1 for time in seconds]


def test_a_job_is_spread_or_gathered():
    # The map tasks take 10 s each. Before 20 s each node has at most half of the input, so the
    # reduce task takes 5 s + 200 MB / 100 + 200 MB / 25 = 15 s, and there is no time before 10 s.
    # After 20 s all may be on one node: 5 s + 4 s.
    shop = shop_of(spread_or_gathered())
    ends = before(shop, 10, 20, 25)
    (cases,) = cases_by_job(shop, tuple(ends))
    assert [(case.interval, case.tail * shop.unit) for case in cases] == [(1, 15)]
    assert {work * shop.unit for _, work in cases[0].works} == {15}
    proof = {"proof": "spread", "ends": ends, "map": prices(3, 0, 0), "reduce": prices(3)}
    assert shown(shop, proof) == 25
    with pytest.raises(Refused, match="prove nothing"):
        shown(shop, {**proof, "reduce": prices(3, opened=2)})
    with pytest.raises(Refused, match="prove nothing"):  # a schedule takes 25 s
        shown(shop, {**proof, "ends": [*ends[:2], ends[2] + 1]})


def test_input_is_moved_or_output():
    # One map slot on each of two nodes of one rack; both tasks' input is on the first node. It may
    # take both, 2 s + 2 s, or the other node reads 100 MB off its node, 1 s longer.
    cluster = Cluster(
        ("n0", "n1"), ("r",), np.array([0, 0]), np.array([1, 1]), np.array([0, 1]),
        Rates(100, 50, 50),
    )  # fmt: skip
    maps = [MapTask(1, 100, ["n0"])] * 2
    instance = Instance.from_jobs("moved", cluster, [Job("a", maps, [5], 1)])
    shop = shop_of(instance)
    (cases,) = cases_by_job(shop, tuple(before(shop, 4, 50)))
    by_interval = {case.interval: np.array(case.works) * float(shop.unit) for case in cases}
    # The reduce task is on the second node. Before 4 s that has half of the input at most, and if
    # it has none the reduce task reads 200 MB from the first: 5 s + 4 s, else 1 s less.
    assert by_interval[0].tolist() == [[4, 9], [5, 8]]
    assert by_interval[1].tolist() == [[4, 9], [6, 7]]


def two_jobs(slots):
    """Two jobs of a map task of 4 s and a reduce task of 3 s each on one node."""
    cluster = Cluster.uniform(1, map_slots=slots, reduce_slots=1)
    return shop_of(Instance.from_jobs("two", cluster, [Job("a", [4], [3]), Job("b", [4], [3])]))


def test_slots_work_all_the_time_at_most():
    # The maps take 8 s. One slot has not so much before 8 s, two slots have 15.99 s.
    proof = {"proof": "spread", "map": prices(1, opened=0), "reduce": prices(1, 0, 0)}
    assert shown(two_jobs(1), {**proof, "ends": before(two_jobs(1), 8)}) == 8
    with pytest.raises(Refused, match="prove nothing"):
        shown(two_jobs(2), {**proof, "ends": before(two_jobs(2), 8)})


def test_all_work_waits():
    # The maps take 8 s on one slot, and a reduce task of 3 s follows.
    shop = two_jobs(1)
    proof = {"proof": "spread", "ends": before(shop, 11), "reduce": prices(1, 0, 0)}
    assert shown(shop, {**proof, "map": prices(1, 1, 0, 1)}) == 11
    later = {"ends": before(shop, 5, 11), "map": prices(2, 1, 0, 1), "reduce": prices(2, 0, 0)}
    assert shown(shop, {**proof, **later}) == 11
    with pytest.raises(Refused, match="prove nothing"):
        shown(shop, {**proof, "map": prices(1, 1, 0, 0)})


@pytest.mark.parametrize(
    "change",
    [
        {"ends": []}, {"ends": [0, 5]}, {"ends": [5, 5]}, {"ends": [-1]}, {"ends": 5},
        {"map": None}, {"map": prices(3)}, {"map": {**prices(2), "all": -1}},
        {"map": {**prices(2), "open": [1, 0.5]}}, {"more": 1},
        {"ends": list(range(1, 5000)), "map": prices(4999)},
    ],
    ids=lambda change: str(change)[:30],
)  # fmt: skip
def test_what_is_no_proof_is_refused(change):
    shop = shop_of(spread_or_gathered())
    proof = {"proof": "spread", "ends": [5, 9], "map": prices(2), "reduce": prices(2)}
    assert lower_bound(shop, proof) == 10  # the job cannot end so early
    with pytest.raises(Refused):
        lower_bound(shop, read_exactly({**proof, **change}))


def best_proof(shop, ends):
    """Prices for intervals, the best there are; None if they prove nothing."""
    found = Program(shop, ends).prices(Clock(20))
    return found and {"proof": "spread", "ends": ends, **found}


def cut(rng, horizon):
    return sorted({rng.randrange(1, horizon + 1) for _ in range(rng.randint(1, 9))} | {horizon})


@pytest.mark.parametrize("first", range(0, 200, 50))
def test_nothing_false_is_proved(first):
    """Neither the best prices nor any others exclude a horizon in which a schedule is."""
    proved = 0
    for seed in range(first, first + 50):
        instance, rng = any_parts(seed, tiny_every=4), random.Random(seed)
        if impossible(instance) is not None:
            continue
        shop = shop_of(instance)
        least = Fraction(optimum(instance)) / shop.unit
        horizon = math.ceil(least * (1 + Fraction(1, 10**9))) + 1
        for ends in (cut(rng, horizon), intervals(shop, horizon, horizon // 9)):
            proof = best_proof(shop, ends)
            count = len(ends)
            random_ones = [[rng.randrange(4) for _ in range(count)] for _ in range(4)]
            wrong = [
                {"price": price, "open": opened, "all": rng.randrange(3)}
                for price, opened in zip(random_ones[:2], random_ones[2:], strict=True)
            ]
            for some in (
                proof,
                {"proof": "spread", "ends": ends, "map": wrong[0], "reduce": wrong[1]},
            ):
                if some is not None:
                    with pytest.raises(Refused, match="prove nothing"):
                        lower_bound(shop, some)
        early = int(least * 9 / 10)
        if early and (proof := best_proof(shop, cut(rng, early))) is not None:
            proved += lower_bound(shop, proof) == early + 1
    assert proved > 10


@pytest.fixture(scope="module")
def workload():
    """A workload of whose reads many are not local."""
    return generate("ljr", 6, 10, map_slots=8, seed=3)


def test_the_bound_of_the_formulation_is_proved(workload):
    shop, horizon = shop_of(workload), eass(workload).makespan
    closed, _ = closed_form.best_lower_bound(workload)
    model = formulation.build(workload, horizon=horizon, lower_bound=closed)
    bound = highs.solve(model).incumbent
    assert closed * 1.005 < bound < horizon
    target = math.floor(Fraction(bound) * (1 - Fraction(1, 10**6)) / shop.unit)
    proof = next(spread(claim(shop, target)))
    assert len(json.dumps(proof)) < 5000
    assert lower_bound(shop, read_exactly(proof)) == target


def test_tampered_prices_prove_nothing_false(workload):
    shop, most = shop_of(workload), eass(workload).makespan
    horizon = int(closed_form.best_lower_bound(workload)[0] / float(shop.unit))
    proof = best_proof(shop, intervals(shop, horizon, horizon // 1000))
    proved = 0
    for how in range(60):
        try:
            proved += lower_bound(shop, read_exactly(tampered(proof, how))) > 0
        except Refused:
            continue
        assert shown(shop, tampered(proof, how)) <= most
    assert 0 < proved < 60
