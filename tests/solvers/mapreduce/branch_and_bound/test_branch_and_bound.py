"""The branch-and-bound method: optima against brute force and the MIP, limits, Ctrl-C, sharing."""

from dataclasses import replace

import numpy as np
import pytest
from brute_force import optimum
from racing import raced, runner_from
from random_instances import tiny

from slotwise.core.clock import Clock
from slotwise.formulations.mapreduce.bounds.closed_form import best_lower_bound
from slotwise.heuristics.mapreduce import annealing, order_annealing
from slotwise.heuristics.mapreduce.list_scheduling.rules import eass
from slotwise.instances.mapreduce.checker import check
from slotwise.instances.mapreduce.cluster import Cluster
from slotwise.instances.mapreduce.generators.ljr import small
from slotwise.instances.mapreduce.instance import Instance, Job, MapTask
from slotwise.instances.mapreduce.integer_time import common_unit
from slotwise.solvers.mapreduce.branch_and_bound import placements
from slotwise.solvers.mapreduce.branch_and_bound import search as branch_and_bound
from slotwise.solvers.mapreduce.branch_and_bound.search import branch_and_bound_method


def searched(instance, **options):
    """Starts from the earliest available slot, whose schedules leave much to improve."""
    return raced(branch_and_bound_method, instance, eass(instance), **options)


def assert_proves(instance, known, outcome):
    assert outcome.why == "gap closed"
    assert check(instance, outcome.schedule).violations == []
    assert outcome.schedule.makespan == pytest.approx(known, rel=1e-6, abs=1e-9)
    bound = outcome.lower_bound or 0.0
    assert bound <= known * (1 + 1e-9)
    assert bound == pytest.approx(known, rel=1e-6, abs=1e-9)


@pytest.fixture
def without_search(monkeypatch):
    """The branch and bound has to find the schedules itself."""
    for search in (annealing, order_annealing):
        monkeypatch.setattr(search, "improve", lambda instance, schedule, stop, **_: schedule)


@pytest.fixture
def all_jobs_at_once(monkeypatch):
    """No proof by some of the jobs: those searched first take no time at all.

    The map tasks of some of the jobs are tried below every placement of the reduce tasks.
    """
    nothing = Instance.from_jobs("nothing", Cluster.uniform(1), [Job("none", [0.0], [])])
    monkeypatch.setattr(branch_and_bound, "with_jobs", lambda instance, jobs: nothing)
    monkeypatch.setattr(placements, "QUICK", 0)


@pytest.mark.usefixtures("without_search")
@pytest.mark.parametrize("seed", range(4))
def test_agrees_with_brute_force_on_more_tasks(seed):
    instance = tiny(seed, tasks=6)
    assert_proves(instance, optimum(instance, shared_order=True), searched(instance))


@pytest.mark.usefixtures("without_search", "all_jobs_at_once")
@pytest.mark.parametrize("first", range(150, 300, 15))
def test_agrees_with_brute_force_without_its_helpers(first):
    for seed in range(first, first + 15):
        instance = tiny(seed)
        assert_proves(instance, optimum(instance, shared_order=True), searched(instance))


def alike_nodes(seed):
    """Two to four jobs on equal nodes that only the replicas tell apart; reads matter."""
    rng = np.random.default_rng(seed)
    nodes = int(rng.integers(2, 5))

    def tasks(most):
        return rng.integers(1, 9, rng.integers(1, most + 1)).astype(float).tolist()

    jobs = [
        Job(
            f"j{j}",
            [MapTask(p, rng.choice([0, 100, 300]), [f"n{rng.integers(nodes)}"]) for p in tasks(3)],
            tasks(2),
            rng.choice([0.5, 2.0, 5.0]),
        )
        for j in range(rng.integers(2, 5))
    ]
    racks, map_slots, reduce_slots = (int(count) for count in rng.integers(1, 3, 3))
    cluster = Cluster.uniform(nodes, racks=racks, map_slots=map_slots, reduce_slots=reduce_slots)
    return Instance.from_jobs(f"alike-{seed}", cluster, jobs)


@pytest.mark.usefixtures("without_search", "all_jobs_at_once")
@pytest.mark.parametrize("seed", range(20))
def test_no_bound_is_above_a_known_schedule(seed):
    # The search is not told of the schedule, so a rule that leaves out too much shows.
    instance = alike_nodes(seed)
    known = annealing.improve(instance, eass(instance), Clock(10.0)).makespan
    outcome = searched(instance, time_limit=0.3)
    assert (outcome.lower_bound or 0.0) <= known * (1 + 1e-9)


@pytest.mark.usefixtures("without_search")
def test_equal_racks_and_nodes():
    # Four nodes that only the replicas tell apart: most placements are left out as symmetric.
    cluster = Cluster.uniform(4, racks=2, map_slots=1, reduce_slots=1)
    jobs = [
        Job("a", [MapTask(4.0, 100, ["n2"])], [6.0, 6.0], output_ratio=2.0),
        Job("b", [MapTask(4.0, 100, ["n3"])], [5.0, 7.0], output_ratio=2.0),
    ]
    instance = Instance.from_jobs("racks", cluster, jobs)
    known = optimum(instance, shared_order=True)
    assert_proves(instance, known, searched(instance))


@pytest.mark.usefixtures("without_search")
def test_jobs_with_slack_do_not_hide_those_that_rule_a_placement_out(monkeypatch):
    monkeypatch.setattr(branch_and_bound, "GROWTH", 0)  # only the first round has nodes
    instance = small(4, 4, seed=319)
    assert searched(instance).why == "gap closed"


HARD = {"nodes": 4, "map_slots": 1, "seed": 4}
"""With 8 jobs: 42 tasks whose gap takes long to close."""


def test_time_limit_keeps_a_bound():
    instance = small(8, **HARD)
    outcome = searched(instance, time_limit=5.0)
    assert outcome.why == "time limit"
    assert check(instance, outcome.schedule).violations == []
    assert best_lower_bound(instance)[0] < outcome.lower_bound < outcome.schedule.makespan


def test_another_method_has_the_optimum():
    # With the optimum known elsewhere nothing shorter is found, and that is the proof.
    instance = small(4, 3, seed=0)
    outcome = searched(instance, told=328.448)
    assert outcome.why == "gap closed"
    assert outcome.lower_bound == pytest.approx(328.448, rel=2e-7)
    assert outcome.lower_bound <= 328.448 * (1 + 1e-12)


def test_of_too_many_jobs_some_are_searched(monkeypatch):
    monkeypatch.setattr(branch_and_bound, "MOST_JOBS", 2)
    by_one_job = small(4, 3, seed=4)
    assert searched(by_one_job).why == "gap closed"
    by_all = small(4, 3, seed=0)
    outcome = searched(by_all)
    assert outcome.why == "not applicable: 4 jobs, searched 2 at most"
    assert 0 < outcome.lower_bound < 328.448


def in_units(seed, unit):
    """No data, all processing times multiples of `unit` s."""
    instance = tiny(seed)
    return replace(
        instance,
        map_processing=unit * np.rint(instance.map_processing),
        reduce_processing=unit * np.rint(instance.reduce_processing),
        input_mb=np.zeros(instance.map_tasks),
    )


@pytest.mark.usefixtures("without_search", "all_jobs_at_once")
@pytest.mark.parametrize("first", range(0, 60, 15))
def test_whole_units_agree_with_brute_force(first):
    for seed in range(first, first + 15):
        instance = in_units(seed, 3.0)
        unit, known = common_unit(instance), optimum(instance, shared_order=True)
        assert unit % 3 == 0
        assert known == 0 or known % unit == 0
        assert_proves(instance, known, searched(instance))


def test_a_bound_is_rounded_up_to_a_whole_unit():
    # Both stages on one machine: 1 + 5 + 2 with job 0 first, 5 + 2 + 1 with job 1 first.
    cluster = Cluster.uniform(1, map_slots=1, reduce_slots=1)
    jobs = [Job("a", [1.0], [5.0]), Job("b", [5.0], [2.0])]
    instance = Instance.from_jobs("flow shop", cluster, jobs)
    outcome = searched(instance, bound=7.5)
    assert outcome.why == "gap closed"
    assert outcome.lower_bound == outcome.schedule.makespan == 8.0
    assert outcome.proof == "makespans are multiples of 1 s"
    # A sum of floating-point numbers that should be whole is not above it.
    runner = runner_from(instance, eass(instance), np.nextafter(7.0, 8.0))
    branch_and_bound._Search(instance, runner).tell_bound()
    assert runner.race.outcomes["method"].lower_bound == 7.0
