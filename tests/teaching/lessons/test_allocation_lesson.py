"""The lesson on the allocation program: its rows, its optimum, its checker, its prices."""

import json
import random
from contextlib import suppress
from pathlib import Path
from typing import Any

import lesson_solver
import pytest
from broken_models import without_each

import slotwise
from slotwise.teaching.lessons.family import family

SCRIPTS = ["text.js", "solver.js", "lp.js", "allocation.js", "app.js"]
INSTANCES = 25


def random_datacenter(rng: random.Random, number: int) -> dict[str, Any]:
    """Up to three kinds of machines and classes, with zeros and classes that cannot run."""
    resources = ["cores", "memory", "disks"][: rng.randint(1, 3)]
    machines = [f"m{j}" for j in range(rng.randint(1, 3))]
    amounts = [0, 0.1, 1, 2, 3.7, 16]
    configurations = [
        {
            "name": name,
            "count": rng.randint(1, 9),
            "capacity": {r: rng.choice(amounts[1:]) for r in resources},
        }
        for name in machines
    ]
    parts = [rng.randint(1, 5) for _ in range(rng.randint(1, 3))]
    classes = []
    for k, part in enumerate(parts):
        times = {name: rng.choice([0.03, 0.5, 1, 7]) for name in machines if rng.random() < 0.8}
        request = {r: rng.choice(amounts) for r in resources}
        request[resources[0]] = request[resources[0]] or 0.1
        one: dict[str, Any] = {"name": f"k{k}", "share": part / sum(parts), "request": request}
        one["mean_time"] = times or rng.choice([0.25, 3])
        classes.append(one)
    return {
        "format": "slotwise/datacenter/1",
        "name": f"random {number}",
        "source": "",
        "time_unit": "h",
        "resources": resources,
        "configurations": configurations,
        "classes": classes,
    }


@pytest.fixture(scope="module")
def lessons(tmp_path_factory: pytest.TempPathFactory) -> list[slotwise.Lesson]:
    """Lessons on random datacenters that carry something, and the shipped one."""
    rng = random.Random(7)
    path = tmp_path_factory.mktemp("datacenters") / "one.json"
    found = [slotwise.make_lesson("allocation")]
    while len(found) <= INSTANCES:
        path.write_text(json.dumps(random_datacenter(rng, len(found))))
        with suppress(slotwise.InputError):  # it carries no arrivals
            found.append(slotwise.make_lesson(slotwise.read(path), "allocation"))
    return found


BODY = """
  const told = [];
  for (const shipped of data) {
    const { picture, check, prices, sentences } = lesson.models.allocation;
    const problem = shipped.instance, built = shipped;
    const all = lesson.componentsOn(shipped.statements, new Set());
    const found = await lesson.solve(lesson.lpText(built, all));
    const off = [];
    for (const label of ["2", "4", "A1"]) {
      const on = lesson.componentsOn(shipped.statements, new Set([label]));
      let answer = await lesson.solve(lesson.lpText(built, on));
      const value = answer.status === "unbounded" ? null : answer.value;
      if (value === null) {
        const more = [` limit: lambda <= ${2 * found.value}`];
        answer = await lesson.solve(lesson.lpText(built, on, { more }));
      }
      const rules = check(problem, picture(problem, answer)).map((one) => one.rule);
      off.push([label, value, rules]);
    }
    const drawn = picture(problem, found);
    told.push({
      value: found.value, off,
      violations: check(problem, drawn), prices: prices(problem, found, built, all),
      sentences: sentences(problem, found, all, drawn),
      duals: built.rows.eq4_capacity.map((row, k) =>
        found.rows[lesson.rowName("eq4_capacity", k)].dual * row[2]),
    });
  }
  return told;
"""


@pytest.fixture(scope="module")
def told(lessons: list[slotwise.Lesson], tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    """What the page's scripts say of each."""
    documents = [lesson.document() for lesson in lessons]
    folder: Path = tmp_path_factory.mktemp("highs")
    answer: list[Any] = lesson_solver.answer(SCRIPTS, BODY, documents, folder=folder)
    return answer


def test_the_page_finds_the_optimum_and_nothing_is_broken(
    lessons: list[slotwise.Lesson], told: list[Any]
) -> None:
    for lesson, one in zip(lessons, told, strict=True):
        assert one["value"] == pytest.approx(lesson.optimum, rel=1e-7), lesson
        assert one["violations"] == []


def test_without_a_rule_the_page_says_what_the_model_says_and_what_it_breaks(
    lessons: list[slotwise.Lesson], told: list[Any]
) -> None:
    firsts = {"2": "not served", "4": "more than there is", "A1": "fits no machine"}
    for lesson, one in zip(lessons, told, strict=True):
        for label, value, rules in one["off"]:
            if value is None:
                assert firsts[label] in rules, (lesson, label)
            elif value > one["value"] * (1 + 1e-6):
                assert {firsts[label], "cannot run there"} & set(rules), (lesson, label)
            else:
                assert value == pytest.approx(one["value"], rel=1e-6), (lesson, label)


def test_capacity_is_worth_what_it_carries(told: list[Any]) -> None:
    for one in told:
        assert sum(one["duals"]) == pytest.approx(one["value"], rel=1e-6)
        assert "the optimum itself" in one["prices"]["lead"]


def test_every_rule_is_needed_on_the_shipped_datacenter(told: list[Any]) -> None:
    about = family("allocation")
    problem = slotwise.read(f"example:{about.witness}")
    recomputed = without_each(about, problem)
    assert recomputed.keys() == about.without.keys() == {"2", "4", "A1"}
    for label, value, rules in told[0]["off"]:
        assert about.without[label] == recomputed[label] == pytest.approx(value)
        assert rules, label
    assert recomputed["2"] is None
    assert recomputed["4"] is None
    # 52.06 jobs/h with the fit rule: 22 % more without it.
    assert recomputed["A1"] == pytest.approx(1.2244 * told[0]["value"], rel=1e-3)
