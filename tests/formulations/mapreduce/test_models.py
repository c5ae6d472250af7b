"""Both formulations against exhaustive enumeration, and their way in and out of schedules."""

import numpy as np
import pyomo.environ as pyo
import pytest
from brute_force import optimum
from random_instances import tiny
from starts import completed

from slotwise import Cluster, Instance, Job, MapTask, check, timed
from slotwise.core.clock import StopReason
from slotwise.core.errors import InputError
from slotwise.formulations.mapreduce.job_order import model as job_order
from slotwise.formulations.mapreduce.sequence import model as sequence
from slotwise.instances.mapreduce.generators.ljr import small
from slotwise.solvers.backends import highs

FORMULATIONS = [job_order, sequence]
CHUNK = 15


def close(a: float, b: float) -> bool:
    return abs(a - b) <= 1e-6 * max(1.0, b)


BOTH = [
    pytest.param(
        chunk,
        formulation,
        id=f"{chunk}-{name}",
        marks=pytest.mark.slow if chunk >= quick else (),
    )
    for formulation, name, quick in ((job_order, "job-order", 4), (sequence, "sequence", 1))
    for chunk in range(40)
]
"""The sequence model takes several times as long."""


@pytest.mark.parametrize(("chunk", "formulation"), BOTH)
def test_agrees_with_brute_force(formulation, chunk):
    for seed in range(chunk * CHUNK, (chunk + 1) * CHUNK):
        instance = tiny(seed)
        best = optimum(instance, shared_order=True)
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


@pytest.mark.parametrize(
    "chunk", [*range(4), *(pytest.param(chunk, marks=pytest.mark.slow) for chunk in range(4, 8))]
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


def test_a_span_is_the_work_spread_over_all_slots():
    # Four maps of 2 s on two slots take 4 s, four reduces of 3 s on two slots 6 s.
    cluster = Cluster.uniform(1, map_slots=2, reduce_slots=2)
    instance = Instance.from_jobs("spans", cluster, [Job("a", [2.0] * 4, [3.0] * 4)])
    model = job_order.build(instance, cuts=("spans",))
    model.map_completion[0].value = 4.0
    model.makespan.value = 10.0
    spans = (model.J18_head[0], model.J18_tail[0])
    assert [span.slack() for span in spans] == pytest.approx([0.0, 0.0])


def test_unknown_cut_is_named():
    with pytest.raises(InputError, match="unknown cuts nonsense"):
        job_order.build(tiny(0), cuts=["nonsense"])


@pytest.mark.parametrize("formulation", FORMULATIONS, ids=["job-order", "sequence"])
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


@pytest.mark.parametrize("formulation", FORMULATIONS, ids=["job-order", "sequence"])
def test_reads_follow_the_maps(formulation):
    """A reduce task is worth moving to the node that holds the map output.

    Two nodes in two racks, one slot of each kind. The input (100 MB) lies on n0, so the map task
    takes 100/100 + 9 = 10 s there and 100/10 + 9 = 19 s on n1. The reduce task reads 100 MB: 1 s
    on the map's node, 10 s on the other; 5 s of processing. Optimum 10 + 1 + 5 = 16.
    """
    cluster = Cluster.uniform(2, racks=2, map_slots=1, reduce_slots=1)
    cluster = Cluster(**{**cluster.__dict__, "rates": type(cluster.rates)(100.0, 50.0, 10.0)})
    job = Job("a", [MapTask(9.0, 100.0, ["n0"])], [5.0], output_ratio=1.0)
    instance = Instance.from_jobs("reads", cluster, [job])
    model = formulation.build(instance)
    assert close(highs.solve(model, threads=1).incumbent, 16.0)
    schedule = formulation.schedule(model)
    assert schedule.map.slot.tolist() == schedule.reduce.slot.tolist() == [0]


@pytest.mark.parametrize("formulation", FORMULATIONS, ids=["job-order", "sequence"])
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
