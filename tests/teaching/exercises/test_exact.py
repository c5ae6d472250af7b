"""The exact answers: cases worked by hand, and `slotwise.solve`, with which they share nothing."""

from random import Random

import numpy as np
import pytest

import slotwise
from slotwise.core.errors import InputError
from slotwise.formulations.mapreduce.bounds.closed_form import lb1_as_printed
from slotwise.formulations.mapreduce.job_order.model import build
from slotwise.teaching.exercises.batch_judges import instance_of
from slotwise.teaching.exercises.child.functions import solved
from slotwise.teaching.exercises.hidden.batch_instances import DOMAINS, draw, inside
from slotwise.teaching.exercises.hidden.exact import optimum

RATES = {"node": 100.0, "rack": 50.0, "remote": 25.0}


def batch(nodes, *jobs, ratio=0.0):
    """An instance: slots of each node, and times of each job's tasks; 100 MB where `(time,)`."""
    return {
        "format": "slotwise/mapreduce/1",
        "name": "by hand",
        "cluster": {
            "nodes": [
                {"name": f"n{k}", "rack": "r", "map_slots": maps, "reduce_slots": reduces}
                for k, (maps, reduces) in enumerate(nodes)
            ],
            "rates": RATES,
        },
        "jobs": [
            {
                "name": f"j{i}",
                "output_ratio": ratio,
                "map_tasks": [
                    {
                        "processing": float(t if reads is None else t[0]),
                        "input_mb": 0.0 if reads is None else 100.0,
                        "replicas": [] if reads is None else ["n0"],
                    }
                    for t in maps
                    for reads in [t if isinstance(t, tuple) else None]
                ],
                "reduce_tasks": [{"processing": float(t)} for t in reduces],
            }
            for i, (maps, reduces) in enumerate(jobs)
        ],
    }


CYCLE = batch([(1, 1)], *[([1], [0])] * 3)
READ = batch([(1, 0), (0, 1)], ([(0,)], [0]), ratio=1.0)
PRINTED = batch([(2, 1)], ([0], [1]), ([2, 2], [0]))
RELEASE = batch([(2, 1)], ([1, 0], [0]))
NO_REDUCE_SLOT = batch([(1, 0)], ([1], []))
BIG_M = batch([(1, 1)], ([1], []), ([], [1]))


@pytest.mark.parametrize(
    ("document", "makespan"),
    [(CYCLE, 3), (READ, 3), (PRINTED, 2), (RELEASE, 1), (NO_REDUCE_SLOT, 1), (BIG_M, 1)],
)
def test_cases_worked_by_hand(document, makespan):
    best, rows = optimum(document)
    assert best == makespan
    assert max(row["end"] for row in rows) == makespan


def without(document, *names):
    """What the job-order model without cuts says when these constraints are off."""
    model = build(instance_of(document), cuts=())
    for name in names:
        getattr(model, name).deactivate()
    return solved(model)["makespan"]


def test_broken_models_say_what_was_worked_out():
    assert without(CYCLE, "J5_no_cycle") == pytest.approx(2)
    assert without(READ, "J7_read") == pytest.approx(2)
    assert without(NO_REDUCE_SLOT, "J10b_makespan") == pytest.approx(0)
    model = build(instance_of(BIG_M), cuts=())
    model.J11_reduce_work_after.deactivate()
    model.halved = _halved(model)
    assert solved(model)["makespan"] == pytest.approx(1.5)
    assert lb1_as_printed(instance_of(PRINTED)) == 2.5
    for document in (CYCLE, READ, PRINTED, RELEASE, NO_REDUCE_SLOT, BIG_M):
        assert without(document) == pytest.approx(optimum(document)[0])


def test_a_model_is_not_blamed_for_a_false_proof_of_its_solver():
    """With presolve, HiGHS 1.15.1 proves 33 s here; a schedule of 32 s satisfies every row."""
    ones = np.ones(2, dtype=np.int64)
    rates = slotwise.Rates(100, 50, 25)
    cluster = slotwise.Cluster(("n0", "n1"), ("r0", "r1"), np.arange(2), ones, ones, rates)
    jobs = [
        slotwise.Job(
            "j0", [slotwise.MapTask(10, 200, ("n1",)), slotwise.MapTask(3)], [8], output_ratio=0.5
        ),
        slotwise.Job("j1", [slotwise.MapTask(10, 200, ("n1",))], [12], output_ratio=1),
        slotwise.Job("j2", [slotwise.MapTask(9, 100, ("n0",))], [5], output_ratio=1),
        slotwise.Job("j3", [slotwise.MapTask(1, 100, ("n0",))], [1, 6], output_ratio=1),
    ]
    instance = slotwise.Instance.from_jobs("false proof", cluster, jobs)
    assert slotwise.solve(instance, methods="branch-and-bound", time_limit=300).makespan == 32
    assert slotwise.solve(instance, methods="job-order", time_limit=300).makespan == pytest.approx(
        32
    )
    assert solved(build(instance))["makespan"] == pytest.approx(32)


def _halved(model):
    import pyomo.environ as pyo

    data = model.data
    return pyo.Constraint(
        data.pairs,
        data.reduce_slots,
        rule=lambda m, j, i, k: (
            m.reduce_work_after[j, i, k]
            >= m.reduce_work[j, k]
            - min(data.most_reduce_work[j, k], m.horizon - data.head[j])
            / 2
            * (1 - m.precedes[i, j])
        ),
    )


def test_it_agrees_with_solve_and_the_checker():
    domains = list(DOMAINS)
    for k in range(26):
        document = draw(Random(f"solve:{k}"), domains[k % 2])
        assert inside(document, domains[k % 2])
        best, rows = optimum(document)
        instance = instance_of(document)
        result = slotwise.solve(instance, methods="job-order", time_limit=60, threads=1)
        assert result.status.value == "optimal"
        assert best == pytest.approx(result.makespan, rel=1e-6, abs=1e-9)
        schedule, missing = schedule_of(instance, best, rows)
        assert missing == []
        assert slotwise.check(instance, schedule).violations == []


def schedule_of(instance, makespan, rows):
    from slotwise.instances.mapreduce.schedule_file import ScheduleDocument, schedule_from

    document = {"format": "slotwise/schedule/1", "instance": instance.name}
    document |= {"makespan": makespan, "tasks": rows}
    return schedule_from(instance, ScheduleDocument(**document))


def test_large_instances_are_refused():
    with pytest.raises(InputError, match="at most 8 tasks"):
        optimum(batch([(1, 1)], ([1] * 5, [1] * 4)))
    with pytest.raises(InputError, match=r"on 4 \+ 1$"):
        optimum(batch([(4, 1)], ([1], [1])))
    with pytest.raises(InputError, match="reduce tasks and no reduce slot"):
        optimum(batch([(1, 0)], ([1], [1])))
    assert optimum(batch([(1, 1)])) == (0.0, [])
