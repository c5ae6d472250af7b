"""The example on which no rule of the job-order model can be dropped, and what is told of it."""

from typing import Any

import broken_models as broken
import lesson_solver
import pyomo.environ as pyo
import pytest

from slotwise import Cluster, Instance, Job, check, read
from slotwise.core.errors import InputError
from slotwise.formulations.mapreduce.job_order import model as job_order
from slotwise.formulations.mapreduce.job_order.statement import STATEMENT
from slotwise.instances.mapreduce.generators.ljr import small
from slotwise.instances.mapreduce.instance_file import instance_document
from slotwise.solvers.backends import highs
from slotwise.teaching.lessons.mapreduce import job_order as lesson
from slotwise.teaching.lessons.rows import plain_model

OPTIMUM = 26.0
SAYS = {
    "each task once": "is not scheduled",
    "one task at a time": "holds until",
    "setup as placed": ": setup is",
    "reduce after maps": "before the end of its job's map phase",
}
"""How Python's checker says it."""


@pytest.mark.parametrize("rule", broken.DROPPED)
def test_the_page_is_told_what_pyomo_says_without_the_rule(rule: str) -> None:
    instance, (breaks, relaxation) = read("example:lesson-job-order"), broken.DROPPED[rule]
    says, schedule = broken.without(instance, rule)
    assert says == pytest.approx(lesson.WITHOUT[rule], rel=1e-6)
    assert says < OPTIMUM
    violations = check(instance, schedule).violations
    assert any(SAYS[breaks] in text for text in violations), violations
    model = job_order.build(instance, cuts=())
    model.component(broken.CORE[rule]).deactivate()
    pyo.TransformationFactory("core.relax_integer_vars").apply_to(model)
    assert highs.solve(model, threads=1).incumbent == pytest.approx(relaxation, rel=1e-6)


def test_with_all_rules_the_schedule_is_right() -> None:
    instance = read("example:lesson-job-order")
    says, schedule = broken.without(instance, None)
    assert says == pytest.approx(OPTIMUM, rel=1e-6)
    assert check(instance, schedule).valid


def test_every_component_has_a_role() -> None:
    core = {
        one.name for row in STATEMENT.statements for one in row.components
    } - lesson.ROLES.keys()
    assert core == set(broken.CORE.values())
    assert broken.DROPPED.keys() == lesson.WITHOUT.keys() == broken.CORE.keys()
    labels = {one.name: row.label for row in STATEMENT.statements for one in row.components}
    assert all(labels[component] == label for label, component in broken.CORE.items())


def test_rules_for_speed_change_no_optimum() -> None:
    instance = read("example:lesson-job-order")
    for component in lesson.SPEED:
        model = job_order.build(instance)
        model.component(component).deactivate()
        assert highs.solve(model, threads=1).incumbent == pytest.approx(OPTIMUM), component


def test_what_is_too_large_or_has_nothing_to_show_is_refused() -> None:
    many = small(5, 2, seed=1, max_maps=4, max_reduces=4)
    tasks = many.map_tasks + many.reduce_tasks
    assert tasks > lesson.MOST_TASKS
    with pytest.raises(InputError, match=f"at most 16 tasks, this instance has {tasks}; "):
        lesson.FAMILY.refuse(many)
    wide = Instance.from_jobs("wide", Cluster.uniform(9), [Job("j0", [1.0], [1.0])])
    with pytest.raises(InputError, match="at most 24 slots, instance 'wide' has 27"):
        lesson.FAMILY.refuse(wide)
    half = Instance.from_jobs("half", Cluster.uniform(1), [Job("j0", [1.0])])
    with pytest.raises(InputError, match="needs map tasks and reduce tasks"):
        lesson.FAMILY.refuse(half)
    lesson.FAMILY.refuse(read("example:lesson-job-order"))


# Words and pictures

TOLD = """
const model = lesson.models["job-order"], { built } = data;
const on = new Set(Object.keys(built.rows).filter((name) => !data.off.includes(name)));
const picture = model.picture(data.problem, data.columns, on, built);
return {
  sentences: model.sentences(data.problem, data.columns, on, picture, built),
  violations: model.check(data.problem, picture).map(({ rule, text }) => `${rule}: ${text}`),
  value: picture.value,
};
"""


def told(columns: dict[str, float], off: list[str]) -> dict[str, Any]:
    """Three jobs of one map of 1 s and one empty reduce on one map slot and one reduce slot."""
    cluster = Cluster.uniform(1, map_slots=1, reduce_slots=1)
    instance = Instance.from_jobs("three", cluster, [Job(f"j{i}", [1.0], [0.0]) for i in range(3)])
    everywhere = {f"{letter}_{t}_0": 1.0 for letter in "xy" for t in range(3)}
    built = vars(plain_model(job_order.build(instance), lesson.FAMILY.variable))
    problem = instance_document(instance)
    data = {"problem": problem, "built": built, "columns": everywhere | columns, "off": off}
    scripts = ["text.js", "lp.js", *lesson.FAMILY.scripts]
    found: dict[str, Any] = lesson_solver.answer(scripts, TOLD, data)
    return found


def test_an_order_in_words() -> None:
    made = told({"before_0_1": 0.0, "before_0_2": 1.0, "before_1_2": 1.0}, [])
    assert made["violations"] == []
    assert made["value"] == 3.0
    assert made["sentences"] == [
        "Order of the jobs: j1 → j0 → j2.",
        "3 s = 3 s until the maps of j2 and all jobs before it are over "
        "(on n0 map 0: j0, j1 and j2).",
    ]


def test_a_circle_is_called_no_order_and_each_job_waits_for_one() -> None:
    made = told({"before_0_1": 1.0, "before_0_2": 0.0, "before_1_2": 1.0}, ["J5_no_cycle"])
    assert made["sentences"][0] == "No order: j0 → j1 → j2 → j0."
    assert made["value"] == 2.0
    assert made["violations"] == [
        f"one task at a time: j{late} map 0 starts at 1 s on map slot 0 of n0, which j0 map 0 "
        "holds until 2 s"
        for late in (1, 2)
    ]


DRAW = """
const parts = (svg) => ({
  height: Number(/ height="([0-9.]+)" viewBox/.exec(svg)[1]),
  broken: (svg.match(/class="bar broken/g) ?? []).length,
  chosen: (svg.match(/ chosen"/g) ?? []).length,
  labels: [...svg.matchAll(/text-anchor="end">([^<]*)</g)].map((found) => found[1]),
  tops: [...svg.matchAll(/<.title><rect x="[^"]*" y="([^"]*)"/g)].map((found) => found[1]),
});
const bar = (key, begin, end) => ({ lane: 0, begin, end, setup: 0, label: key, group: 0, key });
const picture = (...bars) => ({ lanes: ["n0 map 0"], short: ["n0.0 m"], bars, lines: [] });
const [a, b, c] = [bar("a", 0, 2), bar("b", 1, 3), bar("c", 1.5, 4)];
return [
  lesson.draw(picture(a), { width: 800 }),
  lesson.draw(picture(a, b), { width: 800, broken: ["a", "b"], chosen: new Set(["a"]) }),
  lesson.draw(picture(a, b, c), { width: 360 }),
  lesson.draw(picture({ ...a, label: "<b>&" }), { truth: 3 }),
].map(parts);
"""


def test_bars_that_overlap_stand_side_by_side_in_a_lane_that_grows() -> None:
    one, two, three, named = lesson_solver.answer(["text.js", "draw.js"], DRAW)
    assert two["height"] == one["height"] + 14
    assert three["height"] == one["height"] + 28
    assert len(set(three["tops"])) == 3
    assert (one["broken"], two["broken"], two["chosen"]) == (0, 2, 1)
    assert one["labels"] == ["n0 map 0"]
    assert three["labels"] == ["n0.0 m"]
    assert named["height"] == one["height"] + 15
