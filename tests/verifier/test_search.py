"""Searches of the verifier: against exhaustive search, by hand, and from an enemy."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from brute_force import optimum
from certified import claim, read_exactly, shop_of
from random_instances import any_parts

from slotwise.instances.mapreduce.cluster import Cluster
from slotwise.instances.mapreduce.instance import Instance, Job, SpeedFactors
from slotwise.solvers.mapreduce.proofs.searches import searches
from slotwise.verifier.documents import Refused
from slotwise.verifier.judge import lower_bound


def proved(shop, proof):
    """What the verifier says of a proof that has been in a file."""
    return lower_bound(shop, read_exactly(proof))


def near(seconds, shop):
    """Units below and above a time that a double holds: the same if the unit is not tiny."""
    units = Fraction(seconds) / shop.unit
    if units < 10**9:
        return round(units), round(units)
    slack = Fraction(1, 10**7)
    return math.floor(units * (1 - slack)), math.ceil(units * (1 + slack))


@pytest.fixture(scope="module")
def pair():
    """Jobs a and b, each with a map task and two reduce tasks, on two nodes with a slot of each."""
    jobs = [Job("a", [3.0], [5.0, 4.0]), Job("b", [2.0], [6.0, 1.0])]
    return shop_of(Instance.from_jobs("pair", Cluster.uniform(2, map_slots=1), jobs))


@pytest.mark.parametrize("first", range(0, 84, 12))
def test_searches_prove_the_optimum_and_no_more(first):
    for seed in range(first, first + 12):
        instance = any_parts(seed, tiny_every=3)
        shop = shop_of(instance)
        if shop.impossible:
            continue
        least, most = near(optimum(instance, shared_order=True), shop)
        proofs = list(searches(claim(shop, least)))
        assert proofs or least == 0
        assert all(proved(shop, proof) == least for proof in proofs)
        assert list(searches(claim(shop, most + 1))) == []


SEARCH = {"proof": "search", "jobs": [0, 1], "horizon": 11, "cases": 1000}


def test_a_search_by_hand(pair):
    """The reduces of b start at 2 s or later, those of a at 3 s. No schedule ends within 11 s.

    6 s, 5 s, 4 s and 1 s on two slots: 5 s and 4 s on one slot end at 12 s, so 6 s has one of them
    for company and ends with it at 12 s or later.
    """
    assert lower_bound(pair, SEARCH) == 12
    assert lower_bound(pair, {**SEARCH, "jobs": [1], "horizon": 7}) == 8


def test_whole_tasks_of_one_phase_do_not_fit():
    """Twelve reduce tasks of 5 s on five slots: three follow each other on some slot, after 4 s.

    Their work would be done in 16 s. A thousand cases suffice, few of them of map tasks.
    """
    jobs = [Job(name, [4.0] * 3, [5.0] * 4) for name in "abc"]
    shop = shop_of(Instance.from_jobs("whole", Cluster.uniform(5, map_slots=1), jobs))
    assert shop.unit == 1
    few = {"proof": "search", "jobs": [0, 1, 2], "horizon": 18, "cases": 1000}
    assert lower_bound(shop, few) == 19
    with pytest.raises(Refused):
        lower_bound(shop, {**few, "horizon": 21})


def test_a_search_over_much_is_refused():
    jobs = [Job("a", [1.0] * 300, [1.0])]
    shop = shop_of(Instance.from_jobs("much", Cluster.uniform(200, map_slots=1), jobs))
    with pytest.raises(Refused, match="few"):
        lower_bound(shop, {"proof": "search", "jobs": [0], "horizon": 1, "cases": 1})


@pytest.mark.parametrize(
    "change",
    [
        {"jobs": [1, 0]},
        {"jobs": [0, 0]},
        {"jobs": []},
        {"jobs": [2]},
        {"jobs": [-1]},
        {"jobs": 0},
        {"horizon": -1},
        {"horizon": True},
        {"horizon": 12},
        {"horizon": Fraction(21, 2)},
        {"horizon": 10**300},
        {"cases": 3},
        {"cases": -1},
        {"cases": 10**8},
        {"cases": True},
        {"more": 0},
    ],
    ids=str,
)
def test_what_is_no_search_is_refused(change, pair):
    with pytest.raises(Refused):
        lower_bound(pair, {**SEARCH, **change})


def test_slots_of_one_node_may_differ():
    """Slots with other speed factors are no twins, though they are on one node."""
    jobs = [Job("a", [4.0, 4.0], [])]
    instance = Instance.from_jobs("twins", Cluster.uniform(1, map_slots=2), jobs)
    factors = SpeedFactors(np.array([[10.0, 1.0]]), np.ones((1, 1)))
    shop = shop_of(replace(instance, speed_factors=factors))
    assert shop.unit == 4
    assert max(proved(shop, proof) for proof in searches(claim(shop, 2))) == 2
    assert list(searches(claim(shop, 3))) == []
