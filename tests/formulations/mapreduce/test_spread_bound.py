"""The linear program over intervals of time: never above the optimum, and where it leads."""

from dataclasses import replace

import numpy as np
import pyomo.environ as pyo
import pytest
from brute_force import optimum
from hypothesis import given, settings
from hypothesis import strategies as st
from random_instances import instances, tiny, with_outages, with_security, with_speed_factors

from slotwise.core.clock import StopReason
from slotwise.core.errors import InputError
from slotwise.formulations.mapreduce.bounds.closed_form import (
    best_lower_bound,
    heads_and_tails,
    pigeonhole,
)
from slotwise.formulations.mapreduce.spread_bound import model as spread_bound
from slotwise.formulations.mapreduce.spread_bound.statement import STATEMENT
from slotwise.instances.mapreduce.cluster import Cluster, Rates
from slotwise.instances.mapreduce.generators.ljr import generate
from slotwise.instances.mapreduce.instance import Instance, Job, MapTask
from slotwise.reports.explain import size_of
from slotwise.solvers.backends import highs

RATES = [
    Rates(100, 50, 30),
    Rates(100, 90, 80),  # not twice as long off the node
    Rates(100, 20, 2),
    Rates(100, 100, 5),  # only racks matter
]


def bound(instance: Instance, **known: float | None) -> float:
    outcome = highs.solve(spread_bound.build(instance, **known), threads=1)
    if outcome.stop is StopReason.INFEASIBLE:
        return float("inf")
    assert outcome.stop is StopReason.GAP_CLOSED
    return outcome.incumbent


def with_reads(instance: Instance, rates: Rates, factor: float) -> Instance:
    """The instance with other rates, and more output to read."""
    return replace(
        instance,
        cluster=replace(instance.cluster, rates=rates),
        output_ratio=instance.output_ratio * factor,
    )


def two_nodes(nodes: int = 2) -> Instance:
    """Two map tasks and two reduce tasks, one slot of each kind on every node, one rack.

    A map task takes 1 s to read 100 MB and 10 s to process it, a reduce task 4 s and reads 100 MB.
    """
    cluster = Cluster.uniform(nodes, map_slots=1, reduce_slots=1)
    maps = [MapTask(10, 100, ["n0"]), MapTask(10, 100, ["n1"])]
    return Instance.from_jobs("two nodes", cluster, [Job("a", maps, [4.0, 4.0], output_ratio=1.0)])


def test_output_on_two_nodes_cannot_all_be_local() -> None:
    # Both map tasks on one node end at 22 s. Ended at 11 s, each node holds half of what a reduce
    # task reads: 50/100 + 50/50 = 1.5 s, not 1 s as heads and tails have to assume.
    instance = two_nodes()
    expected = 11 + 4 + 50 / 100 + 50 / 50
    local = heads_and_tails(instance)
    assert local == pytest.approx(11 + 4 + 100 / 100)
    assert optimum(instance) == pytest.approx(expected)
    assert bound(instance, horizon=expected, lower_bound=local) == pytest.approx(expected)
    # With all the time in the world the reads may be local, but not before 22 s.
    assert bound(instance, horizon=30.0) <= expected * (1 + 1e-9)
    assert bound(instance, horizon=16.4) == float("inf")


@pytest.mark.parametrize("racks", [1, 2])
def test_reads_between_racks_count_at_their_own_rate(racks: int) -> None:
    instance = two_nodes()
    cluster = Cluster.uniform(2, racks=racks, map_slots=1, reduce_slots=1, rates=Rates(100, 40, 20))
    instance = replace(instance, cluster=cluster)
    expected = 11 + 4 + 50 / 100 + 50 / (40 if racks == 1 else 20)
    assert optimum(instance) == pytest.approx(expected)
    assert bound(instance, horizon=expected) == pytest.approx(expected)


@pytest.mark.parametrize("setting", range(len(RATES)))
def test_never_above_the_optimum(setting: int) -> None:
    stronger = 0
    for seed in range(100 * setting, 100 * setting + 40):
        instance = tiny(seed) if setting == 0 else with_reads(tiny(seed), RATES[setting], 4)
        # Without the closed form that knows as well that reads cannot all be local.
        best, closed = optimum(instance), max(heads_and_tails(instance), pigeonhole(instance))
        # At the optimum as horizon an optimal schedule is left; longer ones do not count.
        found = bound(instance, horizon=best, lower_bound=closed)
        assert found <= best * (1 + 1e-7) + 1e-9, seed
        stronger += found > closed * (1 + 1e-6)
        if seed % 7 == 0:
            assert bound(instance, horizon=1.3 * best + 1, lower_bound=0.6 * closed) <= best * (
                1 + 1e-7
            ), seed
            assert bound(instance) <= best * (1 + 1e-7) + 1e-9, seed
    assert stronger > 0


@settings(max_examples=20, deadline=None)
@given(instances(tasks=4), st.sampled_from(RATES), st.sampled_from([1.0, 1.05, 1.5]))
def test_never_above_the_optimum_of_any_instance(
    instance: Instance, rates: Rates, longer: float
) -> None:
    instance = with_reads(instance, rates, 3)
    best = optimum(instance)
    assert bound(instance, horizon=best * longer) <= best * (1 + 1e-7) + 1e-9


def test_map_tasks_have_to_read_elsewhere_to_spare_the_reduce_tasks() -> None:
    """At the paper's size, both phases nearly as long: neither has room for the reads of both."""
    instance = generate(100, 30, seed=1, map_slots=8)
    closed = best_lower_bound(instance)[0]
    model = spread_bound.build(instance, horizon=1.025 * closed, lower_bound=closed)
    outcome = highs.solve(model, threads=1)
    assert outcome.incumbent is not None
    assert outcome.incumbent > 1.005 * closed
    # The closed forms are right about each phase alone.
    model.P2_map_work.deactivate()
    assert highs.solve(model, threads=1).incumbent < 1.001 * closed


def test_jobs_without_maps_or_reduces() -> None:
    cluster = Cluster.uniform(1, map_slots=1, reduce_slots=1)
    jobs = [Job("maps", [9.0]), Job("reduces", [], [4.0]), Job("both", [1.0], [4.0]), Job("none")]
    instance = Instance.from_jobs("mixed", cluster, jobs)
    assert optimum(instance) == pytest.approx(10)
    assert bound(instance, horizon=10.0) == pytest.approx(10)
    nothing = Instance.from_jobs(
        "nothing", Cluster.uniform(1, map_slots=0, reduce_slots=0), [Job("e")]
    )
    assert bound(nothing, horizon=1.0) == 0


def test_nodes_with_slots_of_one_kind_only() -> None:
    # What the map tasks leave on n0 is read from n1, and the other way round.
    cluster = replace(Cluster.uniform(2), map_slots=np.array([2, 0]), reduce_slots=np.array([0, 2]))
    instance = replace(two_nodes(), cluster=cluster)
    expected = 10 + 100 / 50 + 4 + 100 / 50
    assert optimum(instance) == pytest.approx(expected)
    assert bound(instance, horizon=expected) <= expected * (1 + 1e-9)


@pytest.mark.parametrize("part", [with_speed_factors, with_security, with_outages])
def test_parts_that_the_proof_does_not_cover(part) -> None:
    instance = part(tiny(3), 1)
    assert not spread_bound.can_build(instance)
    with pytest.raises(InputError, match="spread bound does not cover"):
        spread_bound.build(instance)


def test_statement_and_model_have_the_same_components() -> None:
    model = spread_bound.build(two_nodes())
    stated = {c.name for s in STATEMENT.statements for c in s.components}
    assert stated == {c.name for c in model.component_objects(pyo.Constraint)}
    named = {c.name for s in STATEMENT.variables for c in s.components}
    assert named == {c.name for c in model.component_objects(pyo.Var)}
    size = size_of(STATEMENT, model, two_nodes())
    assert size.binary == size.integer == 0
    assert size.components["P1_one_end"].rows == 1
    assert size.nonzeros <= spread_bound.estimated_terms(two_nodes()) * 2
