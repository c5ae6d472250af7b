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


def test_slots_wait_for_jobs_in_one_order():
    # If j0 ends last, its map slot waits for 1 s and the two others for 1 + 2 s; otherwise all
    # three wait for 2 s. With 24 s of map tasks that is 30 s, three times 10.
    cluster = Cluster.uniform(1, map_slots=3, reduce_slots=1)
    jobs = [Job("j0", [6.0], [1.0]), Job("j1", [1.0] * 18, [2.0])]
    shop = shop_of(Instance.from_jobs("places", cluster, jobs))
    proof = {"proof": "orders of all jobs", "phase": "map", "map": [], "reduce": []}
    assert shown(shop, {**proof, "horizon": 9}) == 10
    assert shown(shop, {**proof, "horizon": 10}) == 0
    mirrored = [Job(job.name, job.reduces, job.maps) for job in jobs]
    cluster = Cluster.uniform(1, map_slots=1, reduce_slots=3)
    shop = shop_of(Instance.from_jobs("mirrored", cluster, mirrored))
    assert shown(shop, {**proof, "phase": "reduce", "horizon": 9}) == 10
    assert shown(shop, {**proof, "phase": "reduce", "horizon": 10}) == 0
    # Map slots do not wait long enough for that: a job at the end leaves one of them for 6 s.
    assert shown(shop, {**proof, "horizon": 9}) == 0


def test_whole_units_of_sets_that_are_named():
    # After the first map task 5, 3, 3 and 3 s are to come on two slots: 8 s, by work 7 s only.
    cluster = Cluster.uniform(1, map_slots=1, reduce_slots=2)
    jobs = [Job("x", [1.0], [5.0, 3.0]), Job("y", [1.0], [3.0, 3.0])]
    instance = Instance.from_jobs("whole", cluster, jobs)
    shop = shop_of(instance)
    proof = {"proof": "orders of all jobs", "phase": "map", "horizon": 8, "map": []}
    assert shown(shop, {**proof, "reduce": [3]}) == optimum(instance) == 9
    assert shown(shop, {**proof, "reduce": [1, 2]}) == 0
    for wrong in ({"reduce": [4]}, {"reduce": [-1]}, {"reduce": None}, {"phase": "both"}):
        with pytest.raises(verify.Refused):
            shown(shop, {**proof, **wrong})


def test_too_many_jobs_are_refused():
    cluster = Cluster.uniform(1, map_slots=1, reduce_slots=2)
    jobs = [Job(f"{i}", [1.0], [1.0]) for i in range(13)]
    proof = {"proof": "orders of all jobs", "phase": "map", "horizon": 1, "map": [], "reduce": []}
    with pytest.raises(verify.Refused, match="too many jobs"):
        shown(shop_of(Instance.from_jobs("many", cluster, jobs)), proof)


def test_no_tasks_are_in_time():
    cluster = Cluster.uniform(1, map_slots=1, reduce_slots=1)
    for jobs in ([], [Job("late", [], [], release=5.0)]):
        shop = shop_of(Instance.from_jobs("none", cluster, jobs))
        for phase in ("map", "reduce"):
            proof = {"proof": "orders of all jobs", "phase": phase, "map": [], "reduce": []}
            assert shown(shop, {**proof, "horizon": 0}) == 0


def some_proofs(shop, units, rng):
    """Proofs with good and bad numbers; `units` is the optimal makespan."""
    for price in (0, units // 2, units - 1, units, rng.randrange(2 * units + 2)):
        yield {"proof": "last jobs", "price": max(0, price)}
    for phase in ("map", "reduce"):
        times = sorted({units * m // 40 for m in range(1, 40)} - {0})
        yield {"proof": "crowded ends", "phase": phase, "times": times}
        every = list(range(1 << len(shop.jobs)))
        for horizon in (units - 1, units, rng.randrange(2 * units + 2)):
            sets = {name: rng.choice([every, []]) for name in ("map", "reduce")}
            proof = {"proof": "orders of all jobs", "phase": phase, "horizon": max(0, horizon)}
            yield {**proof, **sets}


@pytest.mark.parametrize("first", range(0, 60, 30))
def test_no_proof_exceeds_the_optimum(first):
    assert proved_within_optima(range(first, first + 30), some_proofs) == set(verify_slots.PROOFS)
