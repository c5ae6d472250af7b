"""The dispatcher for other programs: the simulator's decisions, one event at a time."""

import heapq
from dataclasses import replace

import numpy as np
import pytest

import slotwise
from slotwise import Configuration, Datacenter, Dispatcher, JobClass, Placement
from slotwise.heuristics.datacenter.live.dispatcher import POLICIES
from slotwise.heuristics.datacenter.simulator import simulate
from slotwise.instances.datacenter.generators.lotes import generate, google_2011
from slotwise.instances.datacenter.guidance_file import guidance_document
from slotwise.instances.datacenter.workload import poisson
from slotwise.solvers.datacenter.guide import guide


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
            started(dispatcher.depart(str(done)), now)
        demand = dict(zip(problem.resources, amounts[i].tolist(), strict=True))
        name = problem.classes[jobs.job_class[i]]
        place = dispatcher.arrive(str(i), name, demand)
        started([place] if place else [], jobs.arrival[i])
    while ends:
        now, done = heapq.heappop(ends)
        started(dispatcher.depart(str(done)), now)
    assert dispatcher.waiting == []
    return start, machine


@pytest.mark.parametrize(
    "policy",
    [*POLICIES, "lotes, sample", "lotes-unrestricted, sample"],
)
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
    name, _, more = policy.partition(", ")
    options = {"seed": 4, "sample": 3 if more == "sample" else None}
    seen = simulate(jobs, name, guidance=plan, log=True, **options)
    dispatcher = Dispatcher(guidance_document(plan), policy=name, **options)
    start, machine = decisions(jobs, dispatcher)
    np.testing.assert_array_equal(start, seen.start)
    np.testing.assert_array_equal(machine, seen.machine)
    assert seen.at_once.sum() < jobs.jobs


def test_unrestricted_is_a_policy_of_its_own():
    plan = pair()
    dispatcher = Dispatcher(plan, unrestricted=True)
    assert dispatcher.state() == Dispatcher(plan, policy="lotes-unrestricted").state()


def test_a_draw_decides_the_configuration():
    problem = Datacenter.from_classes(
        "two",
        ["cpu"],
        [Configuration(c, 1, {"cpu": 1.0}) for c in "cd"],
        [JobClass("k", 1.0, 1.0, {"cpu": 1.0})],
    )
    dispatcher = Dispatcher(guidance_document(guide(problem)))
    assert dispatcher.arrive("a", "k", {"cpu": 1.0}, draw=0.7) == Placement("a", "d", 0)


def pair(machines=2):
    problem = Datacenter.from_classes(
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


def test_a_job_too_large_for_the_configuration_drawn_is_offered_the_others():
    """A half draw of the small ones is of no use to a job that needs a large one."""
    problem = Datacenter.from_classes(
        "two",
        ["cpu"],
        [Configuration("small", 2, {"cpu": 1.0}), Configuration("large", 1, {"cpu": 2.0})],
        [JobClass("k", 1.0, 1.0, {"cpu": 1.0})],
    )
    dispatcher = Dispatcher(guide(problem), sample=100, reasons=True)
    assert dispatcher.arrive("a", "k", {"cpu": 1.5}, draw=0.0) == Placement("a", "large", 0)
    why = dispatcher.explain("a").text
    assert "small was drawn (50 % of k go there); it has no room; of 100 machines looked" in why
    # A sample larger than all: the job waits only while the large one is busy.
    assert dispatcher.arrive("b", "k", {"cpu": 1.5}, draw=0.0) is None
    assert dispatcher.depart("a") == [Placement("b", "large", 0)]


def test_a_job_whose_sample_drains_starts_elsewhere():
    """It looked at one busy machine of two, and the other starts nothing again by itself."""

    def looking(seed):
        dispatcher = Dispatcher(pair(), sample=1, seed=seed)
        return dispatcher, [dispatcher.arrive(job, "k", {"cpu": 1.0}) for job in "ab"]

    dispatcher, (busy, _) = next(made for made in map(looking, range(99)) if None in made[1])
    assert "1 machine with room, of c: not looked at" in dispatcher.explain("b").text
    assert [started.job for started in dispatcher.drain(busy.name)] == ["b"]


def test_it_reads_a_guidance_file(tmp_path):
    path = tmp_path / "guidance.json.gz"
    slotwise.write_guidance(guide(google_2011(0.01)), path)
    place = Dispatcher.read(path).arrive("a", "k1", {"cores": 0.01, "memory": 0.01})
    assert place is not None
