"""What the judges say of answers, one mistake at a time, without a process."""

from copy import deepcopy
from random import Random

import pytest

from slotwise.teaching.exercises.catalogue import EXERCISES
from slotwise.teaching.exercises.child import events
from slotwise.teaching.exercises.exercise import Answer, Demands, Failure, Malformed, judged
from slotwise.teaching.exercises.grade import Finding
from slotwise.teaching.exercises.hidden import batch_instances, rule_instances
from slotwise.teaching.exercises.hidden.exact import optimum
from slotwise.teaching.exercises.shrinking import changed, plainer, shrink, size_of

HEURISTIC, BOUND, SOLVE, _, RULE = EXERCISES

WORK = {"processing": 2.0}
BATCH = {
    "format": "slotwise/mapreduce/1",
    "name": "two jobs",
    "cluster": {
        "nodes": [
            {"name": "n0", "rack": "r", "map_slots": 1, "reduce_slots": 1},
            {"name": "n1", "rack": "r", "map_slots": 1, "reduce_slots": 1},
        ],
        "rates": batch_instances.RATES,
    },
    "jobs": [
        {
            "name": f"j{i}",
            "output_ratio": 1.0,
            "map_tasks": [{"processing": 1.0, "input_mb": 100.0, "replicas": ["n0"]}],
            "reduce_tasks": [WORK],
        }
        for i in range(2)
    ],
}


def answering(*values):
    """Asks that are answered by these values in turn, by the last for ever."""
    left = list(values)
    return lambda _: Answer("value", left.pop(0) if len(left) > 1 else left[0])


def rows():
    """An optimal schedule, as a heuristic would write it."""
    _, found = optimum(BATCH)
    fields = ("job", "phase", "task", "node", "slot", "start")
    return [{name: row[name] for name in fields} for row in found]


def but(at, **values):
    found = rows()
    found[at] |= values
    return found


def of(value, demands=None):
    return judged(HEURISTIC, BATCH, answering(value), demands or Demands())


def test_a_right_schedule_passes_in_both_forms():
    best, _ = optimum(BATCH)
    assert of(rows()) is None
    assert of({"makespan": best, "tasks": rows()}) is None
    assert of({"makespan": best + 1, "tasks": rows()}).kind == "a wrong makespan"


@pytest.mark.parametrize(
    ("value", "kind", "broken"),
    [
        (but(0, job="j7"), "nowhere to run", ("j7 map 0",)),
        (but(0, task=5), "nowhere to run", ("j0 map 5",)),
        (but(0, slot=1), "nowhere to run", ("j0 map 0",)),
        (but(0, slot=-1), "nowhere to run", ("j0 map 0",)),
        (but(0, node="n9"), "nowhere to run", ("j0 map 0",)),
        ([*rows(), rows()[0]], "a task runs twice", ("j0 map 0",)),
        (rows()[1:], "a task does not run", ("j0 map 0",)),
        ([], "a task does not run", ("j0 map 0", "j1 map 0", "j0 reduce 0", "j1 reduce 0")),
        (but(0, start=-1), "a start before 0", ("j0 map 0",)),
        (but(2, start=0.5), "a reduce task before its job's maps", ("j0 reduce 0",)),
        (but(0, slot=10**30), "nowhere to run", ("j0 map 0",)),
    ],
)
def test_broken_schedules(value, kind, broken):
    failure = of(value)
    assert failure.kind == kind
    assert failure.broken == broken
    assert failure.right["makespan"] == optimum(BATCH)[0]


def test_a_job_without_maps_is_held_by_time_0():
    document = {**BATCH, "jobs": [{**BATCH["jobs"][0], "map_tasks": []}]}
    row = {"job": "j0", "phase": "reduce", "task": 0, "node": "n0", "slot": 0, "start": -1}
    failure = judged(HEURISTIC, document, answering([row]), Demands())
    assert failure.kind == "a start before 0"
    assert failure.text == "job 'j0' reduce task 0 starts at -1, before time 0"


def test_two_tasks_on_a_slot():
    found = rows()
    maps, reduces = found[:2], [{**row, "node": "n0", "start": 9.0} for row in found[2:]]
    failure = of(maps + reduces)
    assert failure.kind == "two tasks at once on a slot"
    assert "starts at 9 on a reduce slot of node 'n0'" in failure.text
    # j0 reads 100 MB where its map ran (1 s), j1 from the other node of the rack (2 s).
    assert [row["end"] for row in failure.answer["tasks"][2:]] == [12.0, 13.0]


def test_runs_that_differ_and_answers_that_fail():
    failure = judged(HEURISTIC, BATCH, answering(rows(), but(3, start=20)), Demands())
    assert failure.kind == "two runs differ"
    assert failure.answer["makespan"] == optimum(BATCH)[0] < failure.again["makespan"]
    late = iter([Answer("value", rows()), Answer("time-out", text="no answer in 2 s")])
    assert judged(HEURISTIC, BATCH, lambda _: next(late), Demands()).kind == "no answer in time"
    error = Answer("error", error="KeyError", text="line 3: KeyError")
    for exercise in (HEURISTIC, BOUND, SOLVE):
        failure = judged(exercise, BATCH, lambda _: error, Demands())
        assert (failure.kind, failure.text) == ("raises KeyError", "line 3: KeyError")
        assert failure.right["tasks"]


def test_bounds_and_optima():
    best, _ = optimum(BATCH)

    def bound(value, **demands):
        return judged(BOUND, BATCH, answering(value), Demands(**demands))

    def solve(value):
        return judged(SOLVE, BATCH, answering(value), Demands())

    assert bound(best) is bound(best * (1 + 1e-12)) is bound(-3) is None
    assert bound(best * (1 + 1e-6)).kind == "a bound above the optimum"
    assert bound(0, not_below="LB2").kind == "a bound below LB2"
    assert bound(float("nan")).kind == "not a number"
    assert bound(10**400).kind == "a bound above the optimum"
    assert solve(best) is solve(best * (1 - 1e-8)) is None
    assert solve(best - 0.01).kind == "too low: a rule is missing"
    assert solve(best + 0.01).kind == "too high: something legal is cut off"
    assert solve({"status": "optimal", "makespan": best}) is None
    assert solve({"status": "infeasible", "makespan": None}).kind == "the model is infeasible"
    for exercise in (BOUND, SOLVE):
        for value in ("3", None, True, [1.0]):
            with pytest.raises(Malformed):
                judged(exercise, BATCH, answering(value), Demands())


RUN = {
    "datacenter": {
        "resources": ["cores"],
        "configurations": [{"name": "c", "count": 2, "capacity": {"cores": 2.0}}],
        "classes": [{"name": "k", "share": 1.0, "mean_time": 1.0, "request": {"cores": 1.5}}],
    },
    "jobs": [{"class": "k", "arrival": float(t), "duration": 2.0} for t in (0, 0, 1)],
}


def starts(*triples):
    return [{"job": job, "machine": machine, "time": float(at)} for job, machine, at in triples]


@pytest.mark.parametrize(
    ("value", "kind", "broken"),
    [
        (starts((0, 0, 0), (1, 1, 0), (2, 0, 2)), None, ()),
        (starts((0, 0, 0), (1, 0, 0), (2, 1, 1)), "a start that does not fit", ("job 1",)),
        (starts((0, 0, 0), (1, 1, 0), (2, 0, 1)), "a start that does not fit", ("job 2",)),
        (starts((0, 0, 0), (1, 1, 0), (1, 0, 2)), "a job that starts twice", ("job 1",)),
        (starts((0, 0, 0), (1, 1, 0)), "a job that never starts", ("job 2",)),
        ([], "a job that never starts", ("job 0",)),
        ([{**starts((4, 0, 1))[0], "foreign": "job"}], "a start of another run", ()),
        ([{**starts((0, 7, 1))[0], "foreign": "machine"}], "a start of another run", ()),
    ],
)
def test_starts_of_a_rule(value, kind, broken):
    failure = judged(RULE, RUN, answering(value), Demands())
    assert (failure.kind, failure.broken) == (kind, broken) if kind else failure is None
    if failure:
        assert [row["end"] for row in failure.right["starts"]] == [2, 2, 4]


def test_a_class_that_keeps_jobs_of_another_run():
    class Policy:
        kept = []

        def arrive(self, job):
            self.kept.append((job, self.machines[0]))
            self.start(*self.kept[0])

        def depart(self, job):
            pass

    assert "foreign" not in events.answer("policy", Policy, RUN)[0]
    again = events.answer("policy", Policy, RUN)
    assert [start["foreign"] for start in again] == ["job"] * 3
    failure = judged(RULE, RUN, answering(again), Demands())
    assert failure.text.startswith("job 0 starts at 0 on machine 0: that job is not of this run")
    assert failure.answer == {"starts": []}


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda one: one.name)
def test_hidden_problems_belong_to_their_domain(exercise):
    for domain in exercise.domains:
        assert exercise.problems.inside(exercise.problems.first(), domain)
        for k in range(60):
            document = exercise.problems.draw(Random(f"d:{k}"), domain)
            assert exercise.problems.inside(document, domain)
            assert document == exercise.problems.draw(Random(f"d:{k}"), domain)


@pytest.mark.parametrize("exercise", [EXERCISES[0], EXERCISES[-1]], ids=lambda one: one.name)
def test_shrinking_ends_at_the_least_and_keeps_the_kind(exercise):
    def fails(document):
        jobs = document["jobs"]
        return Failure("many" if len(jobs) > 1 else "few", "") if jobs else None

    def size(document):
        return size_of(document, exercise.problems.counts)

    for k in range(8):
        domain = list(exercise.domains)[k % 2]
        document = exercise.problems.draw(Random(f"s:{k}"), domain)
        before = deepcopy(document)
        failure = fails(document)
        case = Finding(1, document, failure, size(document), size(document))
        found = shrink(case, exercise, domain, fails, float("inf"))
        assert document == before
        assert found.failure.kind == failure.kind
        assert found.minimal
        assert exercise.problems.inside(found.document, domain)
        assert found.size == size(found.document) <= size(document)
        assert len(found.document["jobs"]) == (2 if failure.kind == "many" else 1)
        smaller = [
            one
            for one in repaired(exercise, found.document)
            if exercise.problems.inside(one, domain) and size(one) < found.size
        ]
        assert all(getattr(fails(one), "kind", None) != failure.kind for one in smaller)
    cut = shrink(case, exercise, domain, fails, 0.0)
    assert (cut.document, cut.minimal) == (before, False)


def repaired(exercise, document):
    """What one change makes of a problem."""
    for copy in changed(document):
        exercise.problems.repair(copy)
        yield copy


def test_changes_change_what_they_say():
    document = deepcopy(BATCH)
    document["cluster"]["nodes"][1]["rack"] = "other"
    document["jobs"][0]["map_tasks"][0]["replicas"] = ["n0", "n1"]
    found = list(repaired(HEURISTIC, document))
    assert any(len(one["jobs"]) == 1 and len(one["jobs"][0]["map_tasks"]) == 2 for one in found)
    assert any(len({n["rack"] for n in one["cluster"]["nodes"]}) == 1 for one in found)
    alone = next(one for one in found if [n["name"] for n in one["cluster"]["nodes"]] == ["n1"])
    assert [t["replicas"] for job in alone["jobs"] for t in job["map_tasks"]] == [["n1"], ["n1"]]
    run = rule_instances.draw(Random("m:4"), rule_instances.ANY)
    assert len(run["datacenter"]["resources"]) == 2
    assert any(len(one["datacenter"]["resources"]) == 1 for one in repaired(RULE, run))


def test_plain_numbers():
    def effort(*numbers):
        return size_of({"rows": [{"time": float(one)} for one in numbers]}, lambda _: ())

    assert effort(0, 1) < effort(2) < effort(3) < effort(12) < effort(0.5) < effort(0.125)
    assert list(plainer(4.0)) == [0, 1, 2, 100, 2, 4][:5]
    assert list(plainer(1.0)) == [0, 2, 100, 0.5]
