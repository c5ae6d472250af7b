"""The lesson on the job-order model: its scripts in Node against Python, and its witness."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import broken_models as broken
import lesson_solver
import pyomo.environ as pyo
import pytest
from brute_force import optimum
from random_instances import tiny, with_outages, with_security, with_speed_factors

from slotwise import Cluster, Job, check
from slotwise.formulations.mapreduce.job_order import model as job_order
from slotwise.instances.mapreduce.eligibility import impossible
from slotwise.instances.mapreduce.generators.ljr import small
from slotwise.instances.mapreduce.instance import Instance
from slotwise.instances.mapreduce.instance_file import instance_document
from slotwise.instances.mapreduce.schedule import Schedule
from slotwise.solvers.backends import highs
from slotwise.teaching.lessons.mapreduce.job_order import FAMILY, SPEED
from slotwise.teaching.lessons.mapreduce.sequence import FAMILY as SEQUENCE
from slotwise.teaching.lessons.rows import plain_model

SCRIPTS = ["text.js", "lp.js", *FAMILY.scripts]


def node(body: str, data: Any) -> Any:
    return lesson_solver.answer(SCRIPTS, body, data)


def with_parts(instance: Instance, seed: int) -> Instance:
    """One of two with speed factors, one of three with security, one of four with lost slots."""
    if seed % 2:
        instance = with_speed_factors(instance, seed)
    if seed % 3 == 1:
        instance = with_security(instance, seed)
    return with_outages(instance, seed) if seed % 4 == 3 else instance


def some(first: int, count: int) -> Iterator[Instance]:
    """Random instances on which a schedule exists, most of them tiny, some with four jobs."""
    seed = first
    while count:
        if seed % 5:
            drawn = tiny(seed)
        else:
            drawn = small(3 + seed % 2, 2, seed=seed, max_maps=2, max_reduces=2)
        instance = with_parts(drawn, seed)
        seed += 1
        if impossible(instance) is None:
            count -= 1
            yield instance


def rows_of(instance: Instance) -> dict[str, Any]:
    return dict(vars(plain_model(job_order.build(instance), FAMILY.variable)))


# The drawing

SINGLE = [None, *SPEED, *broken.CORE.values()]

DRAW = """
const model = lesson.models["job-order"];
return data.map(({ problem, built, columns, on }) => {
  const picture = model.picture(problem, { columns }, new Set(on), built);
  return {
    value: picture.value,
    bars: picture.bars.map(({ phase, job, task, lane, begin, end, setup }) =>
      [phase, job, task, lane, begin, setup, end]),
    rules: model.check(problem, picture).map(({ rule }) => rule),
    sentences: model.sentences(problem, { columns }, new Set(on), picture, built),
  };
});
"""


def solved_without(instance: Instance, component: str | None) -> dict[str, Any]:
    """A solution without a component, with cuts only if every core rule is there."""
    core = component is not None and FAMILY.role(component) == "core"
    model = job_order.build(instance, cuts=() if core else tuple(job_order.CUTS))
    if component is not None and model.component(component) is not None:
        model.component(component).deactivate()
    value = highs.solve(model, threads=1).incumbent
    columns = {
        FAMILY.variable(variable.parent_component().name, _tuple(variable.index())): variable.value
        for variable in model.component_data_objects(pyo.Var)
    }
    on = [one.name for one in model.component_objects(pyo.Constraint, active=True)]
    return {
        "problem": instance_document(instance),
        "built": rows_of(instance),
        "columns": columns,
        "on": on,
        "objective": value,
        "schedule": broken.believed(model),
    }


def _tuple(index: Any) -> tuple[Any, ...]:
    return () if index is None else index if isinstance(index, tuple) else (index,)


def with_both(first: int, count: int) -> Iterator[Instance]:
    """Instances that a lesson accepts: with map tasks and with reduce tasks."""
    found = (one for one in some(first, 100 * count) if one.map_tasks and one.reduce_tasks)
    for _ in range(count):
        yield next(found)


@cache
def drawn() -> list[tuple[Instance, str | None, dict[str, Any], dict[str, Any]]]:
    cases = [
        (instance, off, solved_without(instance, off))
        for instance in with_both(0, 3)
        for off in SINGLE
    ]
    made = node(DRAW, [{**case, "schedule": None} for _, _, case in cases])
    return [(*case, one) for case, one in zip(cases, made, strict=True)]


def test_the_drawing_tells_what_the_solver_said() -> None:
    for instance, off, case, made in drawn():
        where = (instance.name, off)
        assert abs(made["value"] - case["objective"]) <= 1e-6 * max(1.0, case["objective"]), where


def test_the_drawing_is_that_of_python() -> None:
    for instance, off, case, made in drawn():
        schedule: Schedule = case["schedule"]
        slots = len(instance.cluster.map_slot_node)
        for phase, job, task, lane, *times in made["bars"]:
            rows = getattr(schedule, phase)
            offsets = instance.map_offsets if phase == "map" else instance.reduce_offsets
            t = offsets[job] + task
            if off in (broken.CORE["J1"], broken.CORE["J2"]) and rows.slot[t] != lane:
                continue  # On several slots.
            assert lane == rows.slot[t] + (slots if phase == "reduce" else 0)
            true = (rows.start[t], rows.setup[t], rows.end[t])
            assert times == pytest.approx(true, rel=1e-9, abs=1e-6), (instance.name, off)


def test_a_drawing_with_all_core_rules_is_valid_and_one_without_never_lies() -> None:
    for instance, off, case, made in drawn():
        verdict = check(instance, case["schedule"])
        if off is None or FAMILY.role(off) != "core":
            assert made["rules"] == [], (instance.name, off, made["rules"])
        assert verdict.valid == (not made["rules"]), (instance.name, off, verdict.violations)


def test_the_longest_path_adds_up() -> None:
    for instance, off, case, made in drawn():
        order, path = made["sentences"]
        assert order.startswith(("Order of the jobs:", "No order:"))
        if case["objective"] < 1e-6:
            continue
        numbers = [float(word) for word in path.replace(" s", "").split() if _is_number(word)]
        total, *parts = numbers
        parts = parts[: path.count(" s until") + path.count(" s of reduce work")]
        assert total == pytest.approx(case["objective"], rel=1e-4), (instance.name, off, path)
        assert sum(parts) == pytest.approx(total, rel=1e-4), (instance.name, off, path)


def _is_number(word: str) -> bool:
    return word.replace(".", "", 1).isdigit()


SOLVE = """
const model = lesson.models["job-order"], found = [];
for (const { problem, built } of data) {
  const on = new Set(Object.keys(built.rows));
  const answer = await lesson.solve(lesson.lpText(built, on));
  const picture = model.picture(problem, answer, on, built);
  found.push({ answer, value: picture.value, violations: model.check(problem, picture) });
}
return found;
"""


def test_the_optimum_of_the_page_is_that_of_enumeration(tmp_path: Path) -> None:
    few = [one for one in some(300, 15) if one.map_tasks + one.reduce_tasks <= 9]
    instances = few[:12]
    documents = [{"problem": instance_document(one), "built": rows_of(one)} for one in instances]
    scripts = ["text.js", "solver.js", *SCRIPTS[1:]]
    found = lesson_solver.answer(scripts, SOLVE, documents, folder=tmp_path)
    for instance, one in zip(instances, found, strict=True):
        best = optimum(instance, shared_order=True)
        assert one["answer"]["status"] == "optimal"
        assert one["answer"]["value"] == pytest.approx(best, rel=1e-6, abs=1e-6), instance.name
        assert one["value"] == pytest.approx(best, rel=1e-6, abs=1e-6), instance.name
        assert one["violations"] == []


BIG_M = """
const found = [];
for (const [name, shipped] of Object.entries(data.models))
  for (const bigM of [0.5, 1, 2]) {
    const model = lesson.models[name], built = lesson.scaled(shipped, model.scaled, bigM);
    const on = new Set(Object.keys(built.rows).filter((component) => !/^J1[3-9]/.test(component)));
    const answer = await lesson.solve(lesson.lpText(built, on));
    const picture = model.picture(data.problem, answer, on, built);
    found.push([answer.value, picture.value, answer.nodes]);
  }
return found;
"""


def test_half_of_a_big_m_cuts_off_the_optimum_and_twice_changes_nothing(tmp_path: Path) -> None:
    """A map task and a reduce task of two jobs, 1 s each, run side by side. Half of what j1 would
    leave after j0 stays in (J11), and 0.5 s before j1 in (J9); (5) has nothing to bite on."""
    cluster = Cluster.uniform(1, map_slots=1, reduce_slots=1)
    instance = Instance.from_jobs("two", cluster, [Job("j0", [1.0], []), Job("j1", [], [1.0])])
    scripts = ["text.js", "solver.js", *SCRIPTS[1:]]
    models = {
        about.model: vars(plain_model(about.build(instance)[0], about.variable))
        for about in (FAMILY, SEQUENCE)
    }
    data = {"problem": instance_document(instance), "models": models}
    told = lesson_solver.answer(scripts, BIG_M, data, folder=tmp_path)
    assert [value for value, _, _ in told] == pytest.approx([1.5, 1, 1, 1, 1, 1])
    assert [drawn for _, drawn, _ in told] == pytest.approx([1.5, 1, 1, 1, 1, 1])
    assert all(isinstance(nodes, int) for _, _, nodes in told)
