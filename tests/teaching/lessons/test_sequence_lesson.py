"""The lesson on the sequence model: rows, drawing, and what breaks without each rule."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import lesson_solver
import numpy as np
import pytest
from random_instances import tiny

import slotwise
from slotwise.instances.mapreduce.instance import Instance
from slotwise.instances.mapreduce.instance_file import instance_document
from slotwise.teaching.lessons.mapreduce.sequence import FAMILY, MOST_TASKS
from slotwise.teaching.lessons.rows import plain_model

SCRIPTS = ["text.js", "solver.js", "lp.js", *FAMILY.scripts, "app.js"]
FIRST_BROKEN = {
    "1": "promised makespan",
    "1*": "promised makespan",
    "2": "not before 0",
    "3": "not before 0",
    "3*": "not before 0",
    "4": "setup as placed",
    "4*": "setup as placed",
    "5": "one task at a time",
    "10": "one task at a time",
}
"""What the checker says first if a rule is off; the rules that others imply break nothing."""

ONE_PHASE = ("1*", "3*")
"""Rules for jobs of one phase, which the shipped instance does not have."""


def rows_of(instance: Instance) -> dict[str, Any]:
    model, _ = FAMILY.build(instance)
    return dict(vars(plain_model(model, FAMILY.variable)))


def small(seed: int) -> bool:
    instance = tiny(seed)
    return 2 < instance.map_tasks + instance.reduce_tasks < MOST_TASKS


SOLVED = """
const told = [];
for (const { instance: problem, built, labels } of data.problems) {
  const plugin = lesson.models.sequence;
  for (const off of labels) {
    const on = lesson.componentsOn(data.statements, new Set(off));
    const answer = await lesson.solve(lesson.lpText(built, on));
    const picture = plugin.picture(problem, answer, on, built);
    told.push({
      off, value: answer.value, drawn: picture.value, implied: plugin.implied(on),
      rules: plugin.check(problem, picture).map(({ rule }) => rule),
      words: plugin.sentences(problem, answer, on, picture),
    });
  }
}
return told;
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("highs")


def solved(folder: Path, problems: list[tuple[Instance, list[list[str]]]]) -> list[dict[str, Any]]:
    lesson = slotwise.make_lesson("sequence")
    given = [
        {"instance": instance_document(one), "built": rows_of(one), "labels": labels}
        for one, labels in problems
    ]
    data = {"statements": lesson.document()["statements"], "problems": given}
    answer: list[dict[str, Any]] = lesson_solver.answer(SCRIPTS, SOLVED, data, folder=folder)
    return answer


def test_with_all_rules_the_drawing_is_an_optimal_schedule(folder: Path) -> None:
    instances = [tiny(seed) for seed in range(60) if small(seed)][:6]
    assert len(instances) == 6
    for instance, told in zip(
        instances, solved(folder, [(i, [[]]) for i in instances]), strict=True
    ):
        assert told["rules"] == [], instance.name
        assert told["drawn"] == pytest.approx(told["value"], abs=1e-6)
        assert told["value"] == pytest.approx(slotwise.solve(instance).makespan, abs=1e-6)


def test_every_rule_is_needed_unless_others_imply_it(folder: Path) -> None:
    """On the shipped instance; the values are also those of Python's model without the rule."""
    shipped = slotwise.read(f"example:{FAMILY.witness}")
    alone = [[label] for label in FAMILY.without]
    told = solved(folder, [(shipped, [*alone, ["6", "7"], ["8", "9"]])])
    for one in told[: len(alone)]:
        (label,) = one["off"]
        assert one["value"] == pytest.approx(FAMILY.without[label], abs=1e-6)
        assert one["drawn"] == pytest.approx(one["value"], abs=1e-6), label
        first = None if label in ONE_PHASE else FIRST_BROKEN.get(label)
        assert one["rules"][:1] == ([first] if first else []), label
        assert (one["implied"] is None) == (label in FIRST_BROKEN)
    assert [one["rules"][0] for one in told[-2:]] == ["each task once", "one task at a time"]
    assert [one["implied"] for one in told[-2:]] == [None, None]


def test_jobs_of_one_phase_need_the_starred_rules(folder: Path) -> None:
    told = solved(folder, [(slotwise.read("example:lesson-sequence"), [[], ["1*"], ["3*"]])])
    # Both maps in a chain on one slot, setup + processing each: 10 + 19 + 4.5 + 20 = 53.5.
    assert told[0]["words"] == [
        "53.5 s = j0 map 0 (10 + 19 s), then j1 map 0 (4.5 + 20 s): setup + processing of each."
    ]
    assert [one["value"] for one in told] == pytest.approx([53.5, 46.0, 53.5], abs=1e-6)
    assert [one["rules"][:1] for one in told[1:]] == [[FIRST_BROKEN[rule]] for rule in ONE_PHASE]


def test_what_a_page_cannot_take_is_refused() -> None:
    large = slotwise.read("example:five-jobs")
    with pytest.raises(
        slotwise.InputError, match=r"at most 8 tasks for the sequence model.*has 29"
    ):
        slotwise.make_lesson(large, "sequence")
    secure = slotwise.read("example:lesson-sequence")
    factors = slotwise.SpeedFactors(np.full((3, 2), 2.0), np.full((3, 2), 2.0))
    with pytest.raises(slotwise.InputError, match="knows no speed factors"):
        slotwise.make_lesson(replace(secure, speed_factors=factors), "sequence")
