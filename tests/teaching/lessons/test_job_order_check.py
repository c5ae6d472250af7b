"""The checker in the page of the job-order model against Python's, on schedules with mistakes."""

from dataclasses import replace
from typing import Any

import lesson_solver
import numpy as np
import pytest
from random_instances import tiny, with_outages, with_security, with_speed_factors

from slotwise import check, timed
from slotwise.instances.mapreduce.instance import Instance
from slotwise.instances.mapreduce.instance_file import instance_document
from slotwise.instances.mapreduce.schedule import Schedule

CHECK = """
const { check } = lesson.models["job-order"];
return data.map(({ problem, picture }) => check(problem, picture).map(({ rule }) => rule));
"""

KINDS = {
    "is not scheduled": "each task once",
    "the cluster has": "a slot that exists",
    "has no finite start": "a start",
    "which is lost": "a slot that is not lost",
    "priority forbids": "a slot of its priority",
    "before time 0": "not before 0",
    "before the end of its job's map phase": "reduce after maps",
    ": setup is": "setup as placed",
    ": end is": "as long as it takes",
    "holds until": "one task at a time",
    "makespan is": "promised makespan",
}
"""What the page calls what Python's checker says."""


def kinds(violations: list[str]) -> set[str]:
    """Kinds of broken rules, each text by the first words that fit."""
    return {next(kind for words, kind in KINDS.items() if words in text) for text in violations}


def random_schedule(instance: Instance, rng: np.random.Generator) -> Schedule:
    """Right for the slots it has, which may be lost or forbidden."""
    cluster = instance.cluster
    slots = [
        rng.integers(0, max(1, len(nodes)), tasks)
        for nodes, tasks in (
            (cluster.map_slot_node, instance.map_tasks),
            (cluster.reduce_slot_node, instance.reduce_tasks),
        )
    ]
    ranks = [rng.random(instance.map_tasks), rng.random(instance.reduce_tasks)]
    return timed(instance, slots[0], ranks[0], slots[1], ranks[1])


def mutated(schedule: Schedule, rng: np.random.Generator) -> Schedule:
    """A mistake in one number or slot of one task, or in the makespan."""
    phase = str(rng.choice(["map", "reduce"]))
    rows = getattr(schedule, phase)
    kind = rng.integers(0, 7)
    if kind == 6 or not len(rows.slot):
        return replace(
            schedule, makespan=schedule.makespan * rng.choice([0.9, 1.1, 1 + 1e-12]) + 0.5
        )
    t = int(rng.integers(0, len(rows.slot)))
    columns = {name: getattr(rows, name).copy() for name in ("slot", "start", "setup", "end")}
    by = float(rng.choice([-20.0, -1.0, -0.25, 1e-13, 0.25, 1.0, 20.0]))
    if kind == 0:
        columns["slot"][t] = rng.integers(-1, 5)
    elif kind in (1, 2):
        columns["start"][t] += by
        columns["end"][t] += by
    elif kind == 3:
        columns["start"][t] += by
    elif kind == 4:
        columns["setup"][t] = max(0.0, columns["setup"][t] + by)
    else:
        columns["end"][t] += by
    return replace(schedule, **{phase: replace(rows, **columns)})


def picture(instance: Instance, schedule: Schedule) -> dict[str, Any]:
    """The schedule as bars; a task that is not scheduled has none."""
    slots = len(instance.cluster.map_slot_node)
    bars = []
    for phase, rows, job_of, first in (
        ("map", schedule.map, instance.map_job, instance.map_offsets),
        ("reduce", schedule.reduce, instance.reduce_job, instance.reduce_offsets),
    ):
        for t in np.flatnonzero(rows.slot >= 0).tolist():
            job = int(job_of[t])
            lane = int(rows.slot[t]) + (slots if phase == "reduce" else 0)
            one = {"phase": phase, "job": job, "task": int(t - first[job]), "lane": lane}
            one |= {"key": f"{phase}{t}", "begin": rows.start[t], "setup": rows.setup[t]}
            bars.append(one | {"end": rows.end[t]})
    return {"bars": bars, "value": schedule.makespan}


def cases(first: int, count: int) -> list[tuple[Instance, Schedule]]:
    made = []
    seed = first
    while len(made) < count:
        rng = np.random.default_rng(seed)
        instance = tiny(seed)
        if seed % 2:
            instance = with_speed_factors(instance, seed)
        if seed % 3 == 1:
            instance = with_security(instance, seed)
        if seed % 4 == 3:
            instance = with_outages(instance, seed)
        seed += 1
        if not instance.map_tasks + instance.reduce_tasks:
            continue
        schedule = random_schedule(instance, rng)
        made.append((instance, schedule))
        made += [(instance, mutated(schedule, rng)) for _ in range(2)]
    return made[:count]


@pytest.mark.parametrize(
    ("first", "count"), [(0, 1000), pytest.param(5000, 20_000, marks=pytest.mark.slow)]
)
def test_both_checkers_say_the_same(first: int, count: int) -> None:
    """Verdicts are equal. The page goes on where Python stops, at tasks that are not placed, and
    calls a wrong end a consequence of a wrong setup."""
    made = cases(first, count)
    asked = [
        {"problem": instance_document(instance), "picture": picture(instance, schedule)}
        for instance, schedule in made
    ]
    scripts = ["text.js", "job_order_data.js", "job_order_check.js", "job_order.js"]
    answers = lesson_solver.answer(scripts, CHECK, asked)
    seen: dict[str, int] = {}
    valid = 0
    for (instance, schedule), found in zip(made, answers, strict=True):
        verdict = check(instance, schedule)
        where = (instance.name, verdict.violations, found)
        assert verdict.valid == (not found), where
        valid += verdict.valid
        ours, theirs = set(found), kinds(verdict.violations)
        if theirs & {"each task once", "a slot that exists", "a start"}:
            assert theirs <= ours, where
        else:
            assert ours - {"not before 0"} <= theirs, where
            assert theirs - {"as long as it takes"} <= ours, where
        for kind in theirs:
            seen[kind] = seen.get(kind, 0) + 1
    assert count / 10 < valid < count / 2
    assert min(seen.get(kind, 0) for kind in KINDS.values() if kind != "a start") >= 5, seen
