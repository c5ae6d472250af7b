"""The lesson on the job-order model: its scripts in Node against Python, and its witness."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import broken_models as broken
import lesson_solver
import numpy as np
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
from slotwise.teaching.lessons.rows import plain_model

SCRIPTS = ["text.js", "lp.js", *FAMILY.scripts]
CLOSE = 1e-12


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


def rows_of(instance: Instance, horizon: float | None = None) -> dict[str, Any]:
    model = job_order.build(instance, horizon=horizon)
    return dict(vars(plain_model(model, FAMILY.variable)))


def turned(row: list[Any]) -> tuple[dict[str, float], float, float]:
    """A row as it may stand here or there: greater or less, all signs changed."""
    terms, lower, upper = row
    lower = -np.inf if lower is None else lower
    upper = np.inf if upper is None else upper
    first = min(terms)
    sign = -1.0 if terms[first] < 0 else 1.0
    low, high = sorted((sign * lower, sign * upper))
    return {name: sign * value for name, value in terms.items()}, low, high


def difference(one: list[Any], other: list[Any]) -> float:
    """The greatest difference of two rows relative to their greatest number."""
    (terms, *bounds), (others, *limits) = turned(one), turned(other)
    names = terms.keys() | others.keys()
    pairs = [(terms.get(name, 0.0), others.get(name, 0.0)) for name in names]
    pairs += [(a, b) for a, b in zip(bounds, limits, strict=True) if a != b]
    size = max(abs(value) for pair in pairs for value in pair)
    return max(abs(a - b) for a, b in pairs) / size


def assert_same(ours: dict[str, Any], theirs: dict[str, Any]) -> float:
    """Compares the page's model with Python's and gives the worst difference of their rows."""
    assert ours["sense"] == theirs["sense"]
    assert ours["objective"] == theirs["objective"]
    assert ours["variables"].keys() == theirs["variables"].keys()
    for name, known in theirs["variables"].items():
        assert ours["variables"][name] == pytest.approx(known, rel=CLOSE), name
    filled = {name for name, rows in theirs["rows"].items() if rows}
    assert filled == {name for name, rows in ours["rows"].items() if rows}
    worst = 0.0
    for name in filled:
        for a, b in zip(ours["rows"][name], theirs["rows"][name], strict=True):
            worst = max(worst, difference(a, b))
    return worst


@pytest.mark.parametrize(
    ("first", "count"), [(0, 60), pytest.param(1000, 2000, marks=pytest.mark.slow)]
)
def test_the_page_builds_the_rows_of_python(first: int, count: int) -> None:
    instances = list(some(first, count))
    # Every other one with a horizon that bites: then it is the big-Ms.
    horizons = [None if k % 2 else 100.0 / (1 + k % 7) for k in range(count)]
    cases = [
        {"problem": instance_document(instance), "horizon": horizon}
        for instance, horizon in zip(instances, horizons, strict=True)
    ]
    built = node(
        """return data.map(({ problem, horizon }) =>
          lesson.jobOrder.build(problem, { longest: horizon }));""",
        cases,
    )
    worst = max(
        assert_same(ours, rows_of(instance, horizon))
        for ours, instance, horizon in zip(built, instances, horizons, strict=True)
    )
    assert worst <= CLOSE


# The drawing

SINGLE = [None, *SPEED, *broken.CORE.values()]

DRAW = """
const model = lesson.models["job-order"];
return data.map(({ problem, columns, on }) => {
  const picture = model.picture(problem, { columns }, new Set(on));
  return {
    value: picture.value,
    bars: picture.bars.map(({ phase, job, task, lane, begin, end, setup }) =>
      [phase, job, task, lane, begin, setup, end]),
    rules: model.check(problem, picture).map(({ rule }) => rule),
    sentences: model.sentences(problem, { columns }, new Set(on), picture),
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
for (const problem of data) {
  const built = model.build(problem), on = new Set(Object.keys(built.rows));
  const answer = await lesson.solve(lesson.lpText(built, on));
  const picture = model.picture(problem, answer, on);
  found.push({ answer, value: picture.value, violations: model.check(problem, picture) });
}
return found;
"""


def test_the_optimum_of_the_page_is_that_of_enumeration(tmp_path: Path) -> None:
    few = [one for one in some(300, 15) if one.map_tasks + one.reduce_tasks <= 9]
    instances = few[:12]
    documents = [instance_document(instance) for instance in instances]
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
for (const name of ["job-order", "sequence"])
  for (const bigM of [0.5, 1, 2]) {
    const model = lesson.models[name], built = model.build(data, {}, { bigM });
    const on = new Set(Object.keys(built.rows).filter((component) => !/^J1[3-9]/.test(component)));
    const answer = await lesson.solve(lesson.lpText(built, on));
    const picture = model.picture(data, answer, on, built);
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
    told = lesson_solver.answer(scripts, BIG_M, instance_document(instance), folder=tmp_path)
    assert [value for value, _, _ in told] == pytest.approx([1.5, 1, 1, 1, 1, 1])
    assert [drawn for _, drawn, _ in told] == pytest.approx([1.5, 1, 1, 1, 1, 1])
    assert all(isinstance(nodes, int) for _, _, nodes in told)
