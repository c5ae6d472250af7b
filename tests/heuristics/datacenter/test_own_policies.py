"""Policies of one's own, and by name from another package."""

import json
from importlib.metadata import EntryPoint

import numpy as np
import pytest
from first_fit_policy import FirstFit
from make import cli

from slotwise import (
    BrokenInvariant,
    Configuration,
    Datacenter,
    InputError,
    JobClass,
    Policy,
    guide,
    poisson,
    simulate,
)
from slotwise.core import registry
from slotwise.heuristics.datacenter import POLICIES
from slotwise.instances.datacenter.generators.lotes import generate, google_2011
from slotwise.instances.datacenter.workload import BLOCK, Jobs, Workload

EXAMPLE = "example:google-2011"


class LastFit(FirstFit):
    def arrive(self, job):
        able = [m for m in self.machines if m.has_room(job)]
        if able:
            self.start(job, able[-1])
        else:
            self.queue.append(job)


class Lotes(Policy):
    """LoTES, restricted, without the queue for jobs that fit no planned machine."""

    follows_plan = True
    name = "my lotes"

    def begin(self):
        self.queues = {name: [] for name in self.datacenter.classes}
        self.bins = self.guidance.machine_jobs
        self.serves = self.guidance.running > 0

    def score(self, machine, name):
        k = self.datacenter.classes.index(name)
        return self.bins[machine.number, k] - sum(j.job_class == name for j in machine.running)

    def drawn(self, job):
        shares = self.guidance.proportions[self.datacenter.classes.index(job.job_class)]
        upto = np.cumsum(shares)
        j = int(np.searchsorted(upto, self.draw(job), side="right"))
        return self.datacenter.configurations[min(j, np.flatnonzero(shares)[-1])]

    def arrive(self, job):
        able = list(self.with_room(job))
        able = [m for m in able if m.configuration == self.drawn(job)] or able
        if able:
            self.start(job, max(able, key=lambda m: (self.score(m, job.job_class), -m.number)))
        else:
            self.queues[job.job_class].append(job)

    def depart(self, job):
        machine = job.machine
        j = self.datacenter.configurations.index(machine.configuration)
        while True:
            names = [n for n, serves in zip(self.queues, self.serves[:, j], strict=True) if serves]
            names.sort(key=lambda name: -self.score(machine, name))
            waiting = [job for n in names for job in self.queues[n] if machine.has_room(job)]
            if not waiting:
                return
            self.queues[waiting[0].job_class].remove(waiting[0])
            self.start(waiting[0], machine)


def figures(seen):
    document = seen.document()
    for name in ("policy", "warnings", "seconds", "events_per_second"):
        del document[name]
    arrays = (seen.series, seen.waits, seen.start, seen.machine)
    return json.dumps(document), *(array.tobytes() for array in arrays)


@pytest.fixture(scope="module")
def busy():
    """A few machines of several configurations, more jobs than they can run, and a plan."""
    problem = generate(4, 3, 2, 20, seed=3, speed=(0.5, 2.0), allowed=0.6)
    plan = guide(problem)
    return poisson(problem, 1.2 * plan.arrival_rate_bound, 1500, seed=2, noise=0.3), plan


def test_first_fit_in_python_is_first_fit(busy):
    workload, _ = busy
    compiled = simulate(workload, "first-fit", warm_up=0.2, log=True)
    assert compiled.series[:, 1].max() > 50
    for policy in (FirstFit, FirstFit(), FirstFit):
        seen = simulate(workload, policy, warm_up=0.2, log=True)
        assert figures(seen) == figures(compiled)
        assert seen.policy == "FirstFit"
    entry = POLICIES.lookup("first-fit")
    seen = simulate(workload, entry, warm_up=0.2, log=True)
    assert figures(seen) == figures(compiled)
    assert seen.policy == "first-fit"
    policy = FirstFit()
    assert figures(simulate(workload, policy)) == figures(simulate(workload, policy))


def test_a_policy_in_python_can_follow_a_plan():
    problem = google_2011(0.005)
    plan = guide(problem)
    workload = poisson(problem, 1.1 * plan.arrival_rate_bound, 1000, seed=1)
    options = {"guidance": plan, "seed": 4, "log": True}
    compiled = simulate(workload, "lotes", **options)
    own = simulate(workload, Lotes, **options)
    assert own.policy == "my lotes"
    assert figures(own) == figures(compiled)
    with pytest.raises(InputError, match="follows a plan"):
        simulate(workload, Lotes)


def by_hand(*jobs):
    """Jobs of (arrival, duration, cpu) on a slow and a fast machine of 1 cpu."""
    problem = Datacenter.from_classes(
        "by hand",
        ["cpu", "memory"],
        [
            Configuration("slow", 1, {"cpu": 1.0, "memory": 2.0}),
            Configuration("fast", 1, {"cpu": 1.0, "memory": 1.0}),
        ],
        [JobClass("k", 1.0, {"slow": 2.0, "fast": 1.0}, {"cpu": 0.5})],
    )
    arrival, duration, cpu = (np.array(column, dtype=float) for column in zip(*jobs, strict=True))
    demand = problem.in_units(np.stack([cpu, np.zeros(len(cpu))], axis=1))
    whole = Jobs(arrival, np.zeros(len(jobs), dtype=np.int64), duration, demand)
    return Workload(problem, len(jobs), 4.0, "by hand", lambda: iter([whole]))


def test_what_a_policy_sees():
    seen = []

    class Looks(FirstFit):
        def arrive(self, job):
            seen.append((self.now, job.number, job.job_class, job.arrival, job.duration))
            slow, fast = self.machines
            seen.append((job.demand, slow.capacity, slow.free, slow.duration_of(job)))
            assert (fast.duration_of(job), fast.configuration, fast.number) == (2.0, "fast", 1)
            assert [slow.can_run(job), slow.has_room(job), fast.has_room(job)] == [True, True, True]
            assert (job.demand_units <= slow.free_units).all()
            self.start(job, slow)
            assert (job.machine, job.start, slow.running) == (slow, 1.0, [job])
            assert [slow.can_run(job), slow.has_room(job)] == [True, False]
            assert self.datacenter.name == "by hand"
            assert self.guidance is None
            assert 0 <= self.draw(job) < 1

    simulate(by_hand((1, 4, 0.75)), Looks)
    assert seen == [
        (1.0, 0, "k", 1.0, 4.0),
        (
            {"cpu": 0.75, "memory": 0.0},
            {"cpu": 1.0, "memory": 2.0},
            {"cpu": 1.0, "memory": 2.0},
            4.0,
        ),
    ]


class Overfills(FirstFit):
    def arrive(self, job):
        self.start(job, self.machines[0])


class StartsTwice(FirstFit):
    def arrive(self, job):
        self.start(job, self.machines[0])
        self.start(job, self.machines[1])


class StartsTheDeparted(FirstFit):
    def depart(self, job):
        self.start(job, self.machines[0])


class Loses(FirstFit):
    def arrive(self, job):
        pass


class Fails(FirstFit):
    def arrive(self, job):
        return {}["absent"]


class StartsOnAnothersMachine(FirstFit):
    def arrive(self, job):
        other = FirstFit()
        simulate(by_hand((0, 1, 0.1)), other)
        self.start(job, other.machines[0])


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        (Overfills, r"job 1 of class 'k' cannot start on machine 0 \(slow\): a machine was over"),
        (StartsTwice, r"StartsTwice: job 0 .*: it has started before, on machine 0 \(slow\)"),
        (StartsTheDeparted, "job 0 .*: it has started before"),
        (Loses, r"Loses: .*jobs were lost \(number 0, 1, 2\)"),
        (StartsOnAnothersMachine, "different runs"),
    ],
)
def test_a_policy_that_breaks_a_rule_is_stopped(policy, message):
    workload = by_hand((0, 1, 0.6), (0.5, 1, 0.6), (3, 1, 0.6))
    with pytest.raises(BrokenInvariant, match=message):
        simulate(workload, policy)


def test_a_job_that_cannot_run_on_a_configuration_is_not_started_there():
    problem = Datacenter.from_classes(
        "by hand",
        ["cpu"],
        [Configuration("a", 1, {"cpu": 1.0}), Configuration("b", 1, {"cpu": 1.0})],
        [JobClass("k", 1.0, {"b": 1.0}, {"cpu": 0.5})],
    )
    with pytest.raises(BrokenInvariant, match="where its class cannot run"):
        simulate(poisson(problem, 1.0, 10, seed=0), Overfills)


def test_what_is_no_policy_is_refused():
    workload = by_hand((0, 1, 0.6))

    class NoDeparture(Policy):
        def arrive(self, job):
            pass

    class TooEarly(FirstFit):
        def __init__(self):
            self.first = self.machines[0]

    with pytest.raises(InputError, match=r"NoDeparture: write a method depart\(self, job\)"):
        simulate(workload, NoDeparture)
    for thing in (7, dict, None):
        with pytest.raises(InputError, match=r"need a name or a subclass of slotwise\.Policy"):
            simulate(workload, thing)
    with pytest.raises(RuntimeError, match=r"at work from begin\(\) on"):
        simulate(workload, TooEarly)
    with pytest.raises(TypeError, match="'gama'"):
        simulate(workload, "tetris", gama=1.0)


def test_ctrl_c_in_a_policy_keeps_what_was_seen():
    class Interrupted(FirstFit):
        def arrive(self, job):
            super().arrive(job)
            if job.number == 10:
                raise KeyboardInterrupt

    problem = google_2011(0.005)
    workload = poisson(problem, 0.5 * guide(problem).arrival_rate_bound, 100, seed=0)
    seen = simulate(workload, Interrupted, log=True)
    assert seen.interrupted
    assert seen.all_jobs == 11
    assert (seen.machine[:11] >= 0).all()
    assert (seen.machine[11:] == -1).all()


def test_jobs_of_several_blocks_and_more_than_the_first_slots():
    """As many jobs in the system as make it grow; a new block in the middle of a run."""
    problem = Datacenter.from_classes(
        "large",
        ["cpu"],
        [Configuration("c", 1, {"cpu": 1e5})],
        [JobClass("k", 1.0, 1.0, {"cpu": 1.0})],
    )
    workload = poisson(problem, 6000.0, 9000, seed=0)
    whole = workload.whole()
    halves = [
        Jobs(*(column[part] for column in whole)) for part in (slice(5000), slice(5000, None))
    ]
    split = Workload(problem, 9000, workload.horizon, "halves", lambda: iter(halves))
    assert workload.jobs < BLOCK
    one, other = (simulate(w, FirstFit, log=True) for w in (workload, split))
    assert one.series[:, 2].max() > 4096
    assert one.start.tobytes() == other.start.tobytes()


@pytest.fixture
def plugins(monkeypatch):
    """Policies of another package: some that keep the rules, and some that break them."""
    found = {"mine": FirstFit, "last": LastFit, "bad": Overfills, "worse": Fails}
    points = [EntryPoint(name, f"package:{name}", POLICIES.group) for name in found]
    monkeypatch.setattr(EntryPoint, "load", lambda point: found[point.name])
    monkeypatch.setattr(registry, "_entry_points", lambda group: points)
    POLICIES.__dict__.pop("_all", None)
    yield
    POLICIES.__dict__.pop("_all", None)


@pytest.mark.usefixtures("plugins")
def test_policies_of_other_packages_run_by_name():
    small = (EXAMPLE, "--scale", "0.005", "--jobs", "500", "--load", "1.3", "--json")
    end = cli("simulate", *small, "--policy", "first-fit", "--against", "mine", "--against", "last")
    assert end.code == 0
    first, *others = (document := json.loads(end.out)), *document.pop("against")
    assert [figures["policy"] for figures in (first, *others)] == ["first-fit", "mine", "last"]
    for name in ("mean_wait", "max_wait", "utilisation", "fragmentation", "events"):
        assert first[name] == others[0][name]
    assert first["fragmentation"] != others[1]["fragmentation"]
    for name, message in (
        ("bad", "policy 'bad' of package 'package' failed: BrokenInvariant: Overfills: job"),
        ("worse", "policy 'worse' of package 'package' failed: KeyError: 'absent'"),
    ):
        end = cli("simulate", *small, "--policy", name)
        assert end.code == 3
        assert end.err.count("\n") == 1
        assert message in end.err
