"""The dispatcher for other programs: the simulator's decisions, one event at a time."""

import ast
import heapq
import sys
from dataclasses import replace

import numpy as np
import pytest

import slotwise
from slotwise import Configuration, Dispatcher, JobClass, Placement, datacenter
from slotwise.heuristics.dispatch import dispatcher as module
from slotwise.heuristics.dispatch.dispatcher import POLICIES, mean_duration
from slotwise.heuristics.dispatch.simulator import simulate
from slotwise.instances.datacenter.guidance_file import guidance_document
from slotwise.instances.datacenter.workload import poisson
from slotwise.instances.generators.lotes import generate, google_2011
from slotwise.solvers.guidance.guide import guide


def decisions(workload, dispatcher):
    """Start and (configuration, machine) of every job, from the dispatcher's answers."""
    problem = workload.datacenter
    jobs = workload.whole()
    amounts = jobs.demand * problem.unit
    first = np.cumsum([0, *problem.count])[:-1]
    start = np.full(workload.jobs, np.nan)
    machine = np.full(workload.jobs, -1)
    ends = []

    def started(placements, now):
        for placement in placements:
            i = int(placement.job)
            j = problem.configurations.index(placement.configuration)
            times = problem.mean_time[jobs.job_class[i]]
            factor = times[j] / times[np.isfinite(times)][0]
            start[i], machine[i] = now, first[j] + placement.machine
            heapq.heappush(ends, (now + jobs.duration[i] * factor, i))

    for i in range(workload.jobs):
        while ends and ends[0][0] <= jobs.arrival[i]:
            now, done = heapq.heappop(ends)
            started(dispatcher.depart(str(done), now=now), now)
        demand = dict(zip(problem.resources, amounts[i].tolist(), strict=True))
        name = problem.classes[jobs.job_class[i]]
        place = dispatcher.arrive(str(i), name, demand, now=jobs.arrival[i])
        started([place] if place else [], jobs.arrival[i])
    while ends:
        now, done = heapq.heappop(ends)
        started(dispatcher.depart(str(done), now=now), now)
    assert dispatcher.waiting == []
    return start, machine


@pytest.mark.parametrize("policy", [*POLICIES, "bid-price, keeping machines"])
@pytest.mark.parametrize(
    ("problem", "noise"),
    [
        (google_2011(0.01), 0.0),
        (google_2011(0.01), 0.5),
        (generate(4, 3, 2, 20, seed=3, speed=(0.5, 2.0), allowed=0.6), 0.3),
        (generate(5, 3, 3, 120, seed=6, speed=(0.5, 2.0)), 0.3),
    ],
)
def test_it_decides_as_the_simulator_does(problem, noise, policy):
    plan = guide(problem, spread=noise)
    # Few draws: the plain tables take time.
    plan = replace(plan, class_prices=replace(plan.class_prices, draws=1))
    jobs = poisson(problem, 1.8 * plan.arrival_rate_bound, 3000, seed=2, noise=noise)
    name, _, keeping = policy.partition(", ")
    mean = mean_duration(problem.share.tolist(), problem.mean_time.tolist())
    after = 1.01 * mean if keeping else None
    seen = simulate(jobs, name, guidance=plan, seed=4, log=True, keep_after=after)
    dispatcher = Dispatcher(guidance_document(plan), policy=name, seed=4, keep_after=after)
    start, machine = decisions(jobs, dispatcher)
    np.testing.assert_array_equal(start, seen.start)
    np.testing.assert_array_equal(machine, seen.machine)
    assert seen.at_once.sum() < jobs.jobs


def test_unrestricted_is_a_policy_of_its_own():
    plan = pair()
    dispatcher = Dispatcher(plan, unrestricted=True)
    assert dispatcher.state() == Dispatcher(plan, policy="lotes-unrestricted").state()


def test_a_draw_decides_the_configuration():
    problem = datacenter(
        "two",
        ["cpu"],
        [Configuration(c, 1, {"cpu": 1.0}) for c in "cd"],
        [JobClass("k", 1.0, 1.0, {"cpu": 1.0})],
    )
    dispatcher = Dispatcher(guidance_document(guide(problem)))
    assert dispatcher.arrive("a", "k", {"cpu": 1.0}, draw=0.7) == Placement("a", "d", 0)


def pair(machines=2):
    problem = datacenter(
        "pair",
        ["cpu"],
        [Configuration("c", machines, {"cpu": 1.0})],
        [JobClass("k", 1.0, 1.0, {"cpu": 0.5})],
    )
    return guidance_document(guide(problem))


def test_arrivals_queue_and_start_from_the_queue():
    dispatcher = Dispatcher(pair())
    full = [dispatcher.arrive(name, "k", {"cpu": 0.5}) for name in "abcd"]
    assert full == [
        Placement("a", "c", 0),
        Placement("b", "c", 1),
        Placement("c", "c", 0),
        Placement("d", "c", 1),
    ]
    assert dispatcher.arrive("e", "k", {"cpu": 0.6}) is None
    assert dispatcher.arrive("f", "k", {"cpu": 0.5}) is None
    assert dispatcher.waiting == ["e", "f"]
    assert dispatcher.depart("b") == [Placement("f", "c", 1)]  # 0.6 does not fit
    assert dispatcher.depart("f") == []
    assert dispatcher.depart("e") == []  # taken back while it waits
    assert dispatcher.waiting == []


def test_a_sample_looks_at_some_machines_of_the_configuration_drawn():
    """With one of fifty machines looked at, some jobs wait though others have room."""
    document = pair(50)
    waited = 0
    dispatcher = Dispatcher(document, sample=1, seed=1)
    for i in range(80):
        waited += dispatcher.arrive(str(i), "k", {"cpu": 0.5}) is None
    assert 0 < waited < 80
    whole = Dispatcher(document, sample=50)
    assert all(whole.arrive(str(i), "k", {"cpu": 0.5}) for i in range(100))
    again = Dispatcher(document, sample=1, seed=1)
    assert waited == sum(again.arrive(str(i), "k", {"cpu": 0.5}) is None for i in range(80))


def test_mistakes_are_value_errors():
    dispatcher = Dispatcher(pair())
    dispatcher.arrive("a", "k", {"cpu": 0.5})
    for call, message in (
        (lambda: dispatcher.arrive("a", "k", {"cpu": 0.5}), "'a' is there already"),
        (lambda: dispatcher.arrive("b", "x", {"cpu": 0.5}), "unknown class 'x'"),
        (lambda: dispatcher.arrive("b", "k", {"gpu": 0.5}), "unknown resource 'gpu'"),
        (lambda: dispatcher.arrive("b", "k", {"cpu": 1.5}), "'b' fits no machine"),
        (lambda: dispatcher.depart("z"), "'z' is not there"),
        (lambda: Dispatcher({"format": "slotwise/schedule/1"}), "slotwise/guidance/1"),
        (lambda: Dispatcher(pair(), sample=0), "sample"),
    ):
        with pytest.raises(ValueError, match=message):
            call()


def test_it_reads_a_guidance_file(tmp_path):
    path = tmp_path / "guidance.json.gz"
    slotwise.write_guidance(guide(google_2011(0.01)), path)
    place = Dispatcher.read(path).arrive("a", "k1", {"cores": 0.01, "memory": 0.01})
    assert place is not None


def test_the_file_needs_nothing_but_the_standard_library():
    with open(module.__file__, encoding="utf-8") as file:
        tree = ast.parse(file.read())
    for node in ast.walk(tree):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0
            names = [node.module]
        assert all(name.split(".")[0] in sys.stdlib_module_names for name in names)
