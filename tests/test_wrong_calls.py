"""Calls that cannot be meant: one line names the argument and says what to give."""

from collections.abc import Callable
from typing import Any

import pytest

import slotwise

INSTANCE = slotwise.read("example:five-jobs")
DATACENTER = slotwise.read("example:four-machines")
TREE = slotwise.read("example:departments")
RESULT = slotwise.heuristic(INSTANCE, "EFSS")
SCHEDULE = RESULT.schedule
CLUSTER = slotwise.Cluster.uniform(2)
WORKLOAD = slotwise.poisson(DATACENTER, 1.0, 50, seed=1)

Job, Leaf, Group = slotwise.Job, slotwise.Leaf, slotwise.Group
Configuration, JobClass = slotwise.Configuration, slotwise.JobClass


def of_classes(configuration: Any, job_class: Any) -> slotwise.Datacenter:
    return slotwise.Datacenter.from_classes("d", ["cpu"], [configuration], [job_class])


CALLS: list[tuple[Callable[[], Any], str]] = [
    (lambda: slotwise.solve(), "solve: missing a required argument: 'instance': it takes"),
    (lambda: slotwise.solve(None), "solve: instance: needs an Instance, got None"),
    (
        lambda: slotwise.solve(INSTANCE, 20),
        "solve: too many positional arguments: it takes .instance, ",
    ),
    (lambda: slotwise.solve(INSTANCE, time_limit="20"), "time_limit: needs a number, got the str"),
    (lambda: slotwise.solve(INSTANCE, time_limt=20), "'time_limt': did you mean time_limit?"),
    (lambda: slotwise.solve(INSTANCE, threads=2.5), "threads: needs a whole number, got 2.5"),
    (lambda: slotwise.solve(INSTANCE, methods=3), "methods: needs a word, a function, an Entry or"),
    (lambda: slotwise.solve(INSTANCE, relative_gap=-1.0), "relative_gap: need at least 0, got -1"),
    (lambda: slotwise.solve(INSTANCE, on_progress=True), "on_progress: needs a function, got True"),
    (lambda: slotwise.gap(DATACENTER), "gap: instance: needs an Instance, got a Datacenter"),
    (lambda: slotwise.bounds(INSTANCE, [1]), "bounds: needs a word, .* got a list with 1"),
    (lambda: slotwise.heuristic(INSTANCE, "EFSS", omga=1), "'omga': did you mean omega?"),
    (
        lambda: slotwise.heuristic(INSTANCE, "EFSS", omega="x"),
        "omega: needs a number from 0 to 1, got the",
    ),
    (lambda: slotwise.heuristic(INSTANCE, "EFSS", lower_bound="3"), "lower_bound: needs a number"),
    (lambda: slotwise.check(SCHEDULE, INSTANCE), "check: problem: needs an Instance, a Datacenter"),
    (lambda: slotwise.read(3), "read: path: needs a word or a path, got 3"),
    (lambda: slotwise.read("example:five-jobs", kind=str), "holds an Instance, and kind asks for"),
    (lambda: slotwise.read("example:five-jobs", kind="str"), "read: kind: needs a class, got the"),
    (
        lambda: slotwise.read_schedule("example:five-jobs-schedule"),
        "read_schedule: missing .* 'instance'",
    ),
    (lambda: slotwise.write("x.json", INSTANCE), "write: path: needs a word or a path, got an Ins"),
    (lambda: slotwise.generate("ljr-small"), "'ljr-small': missing .* 'seed': it takes"),
    (lambda: slotwise.generate("ljr-small", job=2, seed=1), "'job': did you mean jobs?"),
    (lambda: slotwise.generate("ljr-small", jobs="ten", seed=1), "jobs: needs a whole number, got"),
    (lambda: slotwise.generate("hmhs", maps=3, seed=1), "maps: needs .a whole number, a whole num"),
    (lambda: slotwise.guide(DATACENTER, target_rate="5"), "target_rate: needs a number, got the"),
    (
        lambda: slotwise.poisson(DATACENTER, 1.0, 100),
        "poisson: missing a required argument: 'seed'",
    ),
    (lambda: slotwise.poisson(DATACENTER, 1.0, 1e3, seed=1), "jobs: needs a whole number, got 10"),
    (lambda: slotwise.poisson(DATACENTER, 1.0, 9, seed=1, burst=3), "no argument 'burst'"),
    (lambda: slotwise.simulate(DATACENTER, "first-fit"), "Workload, got a Datacenter: make one of"),
    (lambda: slotwise.simulate(WORKLOAD, "first-fit", sampel=3), "'sampel': did you mean sample?"),
    (lambda: slotwise.simulate(WORKLOAD, "lotes", guidance="p.json"), "guidance: needs a Guidance"),
    (lambda: slotwise.fair(INSTANCE), "fair: hierarchy: needs a Hierarchy, got an Instance"),
    (lambda: slotwise.fair(TREE, "exact", depth=1), "allocator 'exact': no argument 'depth'"),
    (lambda: slotwise.why(TREE, "eng"), "why: allocation: needs an Allocation, got a Hierarchy"),
    (lambda: slotwise.follow(TREE, [1, 2]), "events: needs a sequence, each an Event, .* with 1"),
    (lambda: slotwise.explain(), "explain: model: needs the name of a formulation: job-order"),
    (lambda: slotwise.explain(DATACENTER, "job-order"), "job-order: instance: needs an Instance"),
    (lambda: slotwise.build(INSTANCE, "job-order", horizn=3), "'horizn': did you mean horizon?"),
    (lambda: slotwise.build(INSTANCE, 3), "build: model: needs a word, a function or an Entry"),
    (lambda: slotwise.steps(INSTANCE, "EFSS", optimum="x"), "optimum: needs a number, got the str"),
    (lambda: slotwise.write_gantt(INSTANCE, RESULT, "x.html"), "schedule: needs a Schedule, got a"),
    (lambda: slotwise.export(INSTANCE, "yarn"), "export to yarn: hierarchy: needs a Hierarchy"),
    (lambda: slotwise.import_("rumen"), "importer 'rumen': missing .* 'trace': it"),
    (lambda: slotwise.read_swim("x.tsv", nodes="3"), "read_swim: nodes: needs a whole number, got"),
    (lambda: slotwise.grade("x.py", "any", instances="many"), "instances: needs a whole number"),
    (lambda: slotwise.campaign(3), "campaign: study: needs a Study, a word or a path, got 3"),
    (lambda: slotwise.report("folder", 3), "report: path: needs a word or a path, got 3"),
    (lambda: slotwise.timed(INSTANCE, [0], [0], [0], [0]), "map_slot: needs an array of shape"),
    (lambda: Job("a", map_tasks=[1.0]), "Job: no argument 'map_tasks': did you mean maps?"),
    (lambda: slotwise.Cluster.uniform("2"), "uniform: nodes: needs a whole number, got the stri"),
    (lambda: slotwise.Instance.from_jobs("x", CLUSTER, Job("a")), "jobs: needs a sequence, each a"),
    (lambda: slotwise.Instance.from_jobs("x", CLUSTER, [Job("a", ["long"])]), "job 'a': maps: nee"),
    (
        lambda: slotwise.Hierarchy.from_tree({"cpu": 1}, Leaf("a", {"cpu": 1})),
        "the root must be",
    ),
    (lambda: slotwise.Hierarchy.from_tree({"cpu": 1}, Group("r", ["a"])), "Group: children: needs"),
    (lambda: of_classes("m", JobClass("k", 1.0, 1.0, {"cpu": 1})), "each a Configuration, got a l"),
    (
        lambda: of_classes(Configuration("m", 1, {"cpu": 1}), JobClass("k", 1.0, "1h", {"cpu": 1})),
        "class 'k': mean_time: needs a number or a mapping to a number, got the string '1h'",
    ),
]


@pytest.mark.parametrize(("call", "says"), CALLS, ids=[says[:40] for _, says in CALLS])
def test_a_wrong_call_is_told_in_one_line(call: Callable[[], Any], says: str) -> None:
    with pytest.raises(slotwise.InputError, match=says.replace("?", r"\?")) as raised:
        call()
    message = str(raised.value)
    assert "\n" not in message
    assert not any(word in message.lower() for word in ("pydantic", "numba", "pyomo", "__init__"))


def test_a_wrong_call_is_a_type_error_too() -> None:
    with pytest.raises(TypeError, match="time_limit"):
        slotwise.solve(INSTANCE, time_limit="20")


def test_numbers_of_numpy_and_lists_are_taken() -> None:
    import numpy as np

    assert slotwise.generate("ljr-small", jobs=np.int64(2), seed=1).jobs == 2
    assert slotwise.poisson(DATACENTER, np.float64(1), 5, seed=1).jobs == 5
    assert slotwise.generate("hmhs", 2, maps=[1, 2], seed=1).jobs == 2
