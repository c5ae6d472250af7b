"""The theorems of what slots wait for."""

import pytest
from brute_force import optimum
from certified import proved_within_optima, shop_of, shown

from slotwise import verify, verify_slots
from slotwise.instances.mapreduce.cluster import Cluster
from slotwise.instances.mapreduce.instance import Instance, Job


def test_crowded_ends():
    # In the last second no map slot can work, in the one before it one: 1 + 2 (C - 2) = 16 s of map
    # work are not done before 9.5 s, or 10 whole ones.
    cluster = Cluster.uniform(1, map_slots=2, reduce_slots=1)
    instance = Instance.from_jobs("four", cluster, [Job(f"{i}", [4.0], [1.0]) for i in range(4)])
    shop = shop_of(instance)
    proof = {"proof": "crowded ends", "phase": "map", "times": [1, 2]}
    assert shown(shop, proof) == optimum(instance) == 10
    assert shown(shop, {**proof, "times": [2]}) == 9  # one slot in both seconds, at most
    assert shown(shop, {**proof, "times": []}) == 8
    for wrong in ({"times": [2, 2]}, {"times": [0, 1]}, {"times": [-1]}, {"phase": "both"}):
        with pytest.raises(verify.Refused):
            shown(shop, {**proof, **wrong})


def test_long_tasks_crowd_by_number():
    # Two slots hold two reduce tasks of 3 s within 3 to 5 s, though three by area within 5 s. So
    # two map slots work in units 4 to 6 before the end: 6 + 3 (C - 6) = 64 s after 25.3 s.
    cluster = Cluster.uniform(1, map_slots=3, reduce_slots=2)
    instance = Instance.from_jobs("eight", cluster, [Job(f"{i}", [8.0], [3.0]) for i in range(8)])
    proof = {"proof": "crowded ends", "phase": "map", "times": list(range(1, 8))}
    assert shown(shop_of(instance), proof) == 26


def some_proofs(shop, units, rng):
    """Proofs with good and bad numbers; `units` is the optimal makespan."""
    for price in (0, units // 2, units - 1, units, rng.randrange(2 * units + 2)):
        yield {"proof": "last jobs", "price": max(0, price)}
    for phase in ("map", "reduce"):
        times = sorted({units * m // 40 for m in range(1, 40)} - {0})
        yield {"proof": "crowded ends", "phase": phase, "times": times}


@pytest.mark.parametrize("first", range(0, 60, 30))
def test_no_proof_exceeds_the_optimum(first):
    assert proved_within_optima(range(first, first + 30), some_proofs) == set(verify_slots.PROOFS)
