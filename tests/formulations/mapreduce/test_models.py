"""Both formulations against exhaustive enumeration, and their way in and out of schedules."""

from dataclasses import replace

import numpy as np
import pyomo.environ as pyo
import pytest
from brute_force import optimum
from random_instances import tiny, with_outages, with_security, with_speed_factors
from starts import completed

import slotwise
from slotwise import Cluster, Instance, Job, MapTask, check, timed
from slotwise.core.clock import StopReason
from slotwise.core.errors import InputError
from slotwise.formulations.mapreduce.coefficients import Coefficients
from slotwise.formulations.mapreduce.job_order import model as job_order
from slotwise.formulations.mapreduce.sequence import model as sequence
from slotwise.instances.mapreduce.cluster import Rates
from slotwise.instances.mapreduce.eligibility import impossible
from slotwise.instances.mapreduce.generators.ljr import small
from slotwise.instances.mapreduce.instance import SpeedFactors
from slotwise.instances.mapreduce.security import Outages, Security
from slotwise.solvers.backends import highs

BOTH = pytest.mark.parametrize("formulation", [job_order, sequence], ids=["job-order", "sequence"])
CHUNK = 15


def close(a: float, b: float) -> bool:
    return abs(a - b) <= 1e-6 * max(1.0, b)


def unequal(seed: int) -> Instance:
    return with_speed_factors(tiny(seed), seed)


def secured(seed: int) -> Instance:
    """With security, every third with outages, every fourth with speed factors."""
    instance = with_security(tiny(seed, tasks=4), seed)
    if seed % 3 == 0:
        instance = with_outages(instance, seed)
    return with_speed_factors(instance, seed) if seed % 4 == 0 else instance


CHUNKS = [
    pytest.param(
        kind,
        formulation,
        chunk,
        id=f"{chunk}-{name}-{kind.__name__}",
        marks=pytest.mark.slow if chunk >= quick else (),
    )
    for kind, last in ((tiny, 40), (unequal, 17), (secured, 40))
    for formulation, name, quick in ((job_order, "job-order", 3), (sequence, "sequence", 1))
    for chunk in range(last)
]
"""The sequence model takes several times as long."""


@pytest.mark.parametrize(("kind", "formulation", "chunk"), CHUNKS)
def test_agrees_with_brute_force(kind, formulation, chunk):
    for seed in range(chunk * CHUNK, (chunk + 1) * CHUNK):
        instance = kind(seed)
        best = optimum(instance)
        assert (impossible(instance) is None) == np.isfinite(best)
        few = instance.map_tasks + instance.reduce_tasks <= 6
        if not np.isfinite(best) or (formulation is sequence and kind is secured and not few):
            continue
        model = formulation.build(instance)
        outcome = highs.solve(model, threads=1)
        assert outcome.stop is StopReason.GAP_CLOSED, seed
        assert close(outcome.incumbent, best), seed
        assert outcome.bound <= best + 1e-6 * max(1.0, best), seed
        schedule = formulation.schedule(model)
        verdict = check(instance, schedule)
        assert verdict.valid, (seed, verdict.violations)
        assert close(verdict.makespan, best), seed
        model = formulation.build(instance)
        formulation.start(model, schedule)
        assert close(completed(model), best), seed


@pytest.mark.parametrize("seed", range(1000, 1060))
def test_solve_agrees_with_brute_force(seed: int) -> None:
    kind = (secured, unequal, tiny, lambda seed: with_outages(tiny(seed), seed))[seed % 4]
    instance = kind(seed)
    best = optimum(instance)
    result = slotwise.solve(instance, time_limit=60)
    if not np.isfinite(best):
        assert (result.status, result.makespan) == ("infeasible", None)
        assert "nowhere to run" in result.notes[0] or "every reduce slot is lost" in result.notes[0]
        return
    assert result.status == "optimal"
    assert close(result.makespan, best)
    assert check(instance, result.schedule).valid


@pytest.mark.parametrize(
    "chunk", [*range(2), *(pytest.param(chunk, marks=pytest.mark.slow) for chunk in range(2, 8))]
)
def test_job_order_within_the_optimum_as_horizon(chunk):
    """The tightest horizon there is leaves an optimal schedule in the model."""
    for seed in range(chunk * CHUNK, (chunk + 1) * CHUNK):
        instance = tiny(seed)
        best = optimum(instance, shared_order=True)
        outcome = highs.solve(job_order.build(instance, horizon=best), threads=1)
        assert outcome.incumbent is not None, seed
        assert close(outcome.incumbent, best), seed


@pytest.mark.parametrize("cut", [(), *[(cut,) for cut in job_order.CUTS]], ids=str)
@pytest.mark.parametrize(
    "seeds", [range(20), pytest.param(range(20, 40), marks=pytest.mark.slow)], ids=["some", "more"]
)
def test_no_cut_changes_the_optimum(cut, seeds):
    for seed in seeds:
        instance = tiny(seed)
        outcome = highs.solve(job_order.build(instance, cuts=cut), threads=1)
        assert close(outcome.incumbent, optimum(instance, shared_order=True)), (seed, cut)


def test_unknown_cut_is_named():
    with pytest.raises(InputError, match="unknown cuts nonsense"):
        job_order.build(tiny(0), cuts=["nonsense"])


@BOTH
def test_hand_worked_optimum(formulation):
    """One node, one map and one reduce slot: Johnson's two-machine flow shop.

    Jobs (map, reduce): a (5, 2), b (1, 6), c (3, 3). Johnson's order is b, c, a: maps end at
    1, 4, 9; reduces at 7, 10, 12. The bound 1 + (2 + 6 + 3) = 12 shows that 12 is optimal.
    """
    cluster = Cluster.uniform(1, map_slots=1, reduce_slots=1)
    jobs = [Job("a", [5.0], [2.0]), Job("b", [1.0], [6.0]), Job("c", [3.0], [3.0])]
    instance = Instance.from_jobs("flow shop", cluster, jobs)
    model = formulation.build(instance)
    assert close(highs.solve(model, threads=1).incumbent, 12.0)


@BOTH
def test_reads_follow_the_maps(formulation):
    """A reduce task is worth moving to the node that holds the map output.

    Two nodes in two racks, one slot of each kind. The input (100 MB) lies on n0, so the map task
    takes 100/100 + 9 = 10 s there and 100/10 + 9 = 19 s on n1. The reduce task reads 100 MB: 1 s
    on the map's node, 10 s on the other; 5 s of processing. Optimum 10 + 1 + 5 = 16.
    """
    rates = Rates(100.0, 50.0, 10.0)
    cluster = Cluster.uniform(2, racks=2, map_slots=1, reduce_slots=1, rates=rates)
    job = Job("a", [MapTask(9.0, 100.0, ["n0"])], [5.0], output_ratio=1.0)
    instance = Instance.from_jobs("reads", cluster, [job])
    model = formulation.build(instance)
    assert close(highs.solve(model, threads=1).incumbent, 16.0)
    schedule = formulation.schedule(model)
    assert schedule.map.slot.tolist() == schedule.reduce.slot.tolist() == [0]


@BOTH
def test_users_may_add_a_constraint(formulation):
    """Forbid the first task's best slot: the optimum cannot fall, and the model obeys."""
    instance = small(2, 2, seed=5, max_maps=2, max_reduces=2)
    free = formulation.build(instance)
    optimum_before = highs.solve(free, threads=1).incumbent
    slot = int(formulation.schedule(free).map.slot[0])
    model = formulation.build(instance)
    if formulation is job_order:
        model.mine = pyo.Constraint(expr=model.on_map[0, slot] == 0)
    else:
        arcs = [model.map_follows[k, v, w] for k, v, w in model.map_follows if (k, v) == (slot, 0)]
        model.mine = pyo.Constraint(expr=sum(arcs) == 0)
    outcome = highs.solve(model, threads=1)
    assert outcome.incumbent >= optimum_before - 1e-6
    assert int(formulation.schedule(model).map.slot[0]) != slot


def test_a_schedule_in_any_order_is_a_start():
    """Slots numbered the wrong way round and jobs crossing: the rest still fits every row."""
    cluster = Cluster.uniform(1, map_slots=2, reduce_slots=2)
    jobs = [Job("a", [3.0, 4.0], [1.0, 2.0]), Job("b", [2.0], [5.0])]
    instance = Instance.from_jobs("crossing", cluster, jobs)
    schedule = timed(
        instance, np.array([1, 0, 1]), np.array([1, 0, 0]), np.array([1, 0, 1]), np.array([0, 1, 1])
    )
    model = job_order.build(instance, horizon=schedule.makespan)
    job_order.start(model, schedule)
    assert completed(model) is not None


def unrelated(map_slots, reduce_slots, nodes):
    """Two jobs without data on unrelated slots: on one node, or each slot on its own."""
    cluster = Cluster.uniform(nodes, map_slots=map_slots, reduce_slots=reduce_slots)
    jobs = [Job("a", [4.0, 4.0, 6.0], [5.0, 5.0]), Job("b", [3.0, 3.0], [8.0])]
    factors = SpeedFactors(
        map=np.array([[1.0, 0.5, 0.5], [0.2, 1.0, 1.0]]),
        reduce=np.array([[0.3, 0.3, 0.9], [1.0, 1.0, 0.4]]),
    )
    return replace(Instance.from_jobs("unrelated", cluster, jobs), speed_factors=factors)


@BOTH
def test_slots_of_one_node_may_differ(formulation):
    """Without data it does not matter which node a slot is on."""
    together, apart = unrelated(3, 3, 1), unrelated(1, 1, 3)
    model = formulation.build(together)
    assert close(highs.solve(model, threads=1).incumbent, optimum(apart, shared_order=True))
    assert check(together, formulation.schedule(model)).valid


def two_slots(task: MapTask, ratio: float = 0.0, nodes: int = 2) -> Instance:
    """Two map and two reduce slots on one node or two."""
    slots = 2 // nodes
    cluster = Cluster.uniform(nodes, map_slots=slots, reduce_slots=slots)
    return Instance.from_jobs("alike", cluster, [Job("a", [task, 2.0], [3.0], ratio)])


PLAIN = two_slots(MapTask(1.0))
ONES, SLOWER = np.ones((1, 2)), np.array([[1.0, 0.5]])
NONE, LAST = np.array([False, False]), np.array([False, True])
ONE_WAY = Security(np.array([[True, False], [True, True]]), np.array([[0, 1], [1, 0]], np.int8))


@pytest.mark.parametrize(
    ("instance", "alike"),
    {
        "without data": (PLAIN, True),
        "one node": (two_slots(MapTask(1.0, 100.0, ["n0"]), 1.0, nodes=1), True),
        "equal factors": (replace(PLAIN, speed_factors=SpeedFactors(ONES * 0.5, ONES)), True),
        "no slot lost": (replace(PLAIN, outages=Outages(NONE, NONE)), True),
        "input": (two_slots(MapTask(1.0, 100.0, ["n0"])), False),
        # Read with the same effort everywhere, as there is no copy; what comes out is not.
        "output": (two_slots(MapTask(1.0, 100.0), 1.0), False),
        "map speed": (replace(PLAIN, speed_factors=SpeedFactors(SLOWER, ONES)), False),
        "reduce speed": (replace(PLAIN, speed_factors=SpeedFactors(ONES, SLOWER)), False),
        "map slot lost": (replace(PLAIN, outages=Outages(LAST, NONE)), False),
        "reduce slot lost": (replace(PLAIN, outages=Outages(NONE, LAST)), False),
        "security": (replace(PLAIN, security=ONE_WAY), False),
    }.values(),
)
def test_slots_are_alike_if_nothing_makes_a_difference(instance: Instance, alike: bool) -> None:
    assert Coefficients(instance).identical_slots == alike
