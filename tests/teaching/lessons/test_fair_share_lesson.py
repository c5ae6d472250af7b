"""The lesson on fair shares: rows, stages, guarantees, and what breaks without each family."""

import random
from pathlib import Path
from typing import Any

import lesson_solver
import numpy as np
import pytest
from broken_models import without_each
from trees import figure_4, leaf, tree

import slotwise
from slotwise.heuristics.hierarchy.exact import exact
from slotwise.instances.hierarchy.allocation import Allocation
from slotwise.instances.hierarchy.checker import check_allocation
from slotwise.instances.hierarchy.generators.mch import generate
from slotwise.instances.hierarchy.hierarchy import Hierarchy
from slotwise.instances.hierarchy.hierarchy_file import hierarchy_document
from slotwise.teaching.lessons.family import family
from slotwise.teaching.lessons.hierarchy.fair_share import FAMILY, MOST_LEAVES, in_file_order

SCRIPTS = ["text.js", "solver.js", "lp.js", *FAMILY.scripts, "app.js"]
LABELS = ["F1", "F2", "F3", "F4"]
TREES = 25


def random_trees() -> list[Hierarchy]:
    found: list[Hierarchy] = []
    seed = 0
    while len(found) < TREES:
        seed += 1
        weight = (1, 1) if seed % 2 else (0.1, 10)
        drawn = generate(
            1 + seed % 3, seed=seed, partial=[0.2, 0.5, 0.0, 0.9][seed % 4],
            resources=2 + seed % 3, weight=weight,
        )  # fmt: skip
        if drawn.leaves <= MOST_LEAVES:
            found.append(drawn)
    return found


BODY = """
const told = [];
for (const shipped of data) {
  const plugin = lesson.models["fair-share"], problem = shipped.instance;
  const built = shipped;
  const answers = [];
  for (const label of [null, "F1", "F2", "F3", "F4"]) {
    const on = lesson.componentsOn(shipped.statements, new Set([label]));
    const answer = await lesson.solve(lesson.lpText(built, on));
    const further = await plugin.further(problem, on, lesson.solve);
    const picture = plugin.picture(problem, { ...answer, further });
    answers.push({
      label, status: answer.status, value: answer.value, shares: picture.shares,
      violations: plugin.check(problem, picture), stages: further.map(({ level }) => level),
      prices: plugin.prices(problem, answer, built, on),
      steps: lesson.fairShare.steps(problem, further, shipped.facts),
    });
  }
  told.push({ answers });
}
return told;
"""


@pytest.fixture(scope="module")
def lessons() -> list[slotwise.Lesson]:
    made = [slotwise.make_lesson(one, "fair-share") for one in [figure_4(), *random_trees()]]
    return [slotwise.make_lesson("fair-share"), *made]


@pytest.fixture(scope="module")
def told(lessons: list[slotwise.Lesson], tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    folder: Path = tmp_path_factory.mktemp("highs")
    documents = [lesson.document() for lesson in lessons]
    answer: list[Any] = lesson_solver.answer(SCRIPTS, BODY, documents, folder=folder)
    return answer


def test_rows_stages_and_shares_are_those_of_python(
    lessons: list[slotwise.Lesson], told: list[Any]
) -> None:
    for lesson, one in zip(lessons, told, strict=True):
        with_all = one["answers"][0]
        assert with_all["value"] == pytest.approx(lesson.optimum, rel=1e-7)
        assert with_all["stages"][0] == with_all["value"]
        assert with_all["violations"] == []
        # The package's allocator flattens the tree and solves no program.
        assert sorted(with_all["shares"]) == pytest.approx(
            sorted(lesson.facts["shares"].values()), abs=1e-7
        )
        assert "gives the same shares" in with_all["steps"][-1]["lead"]
        assert "the level itself" in with_all["prices"]["lead"]


def test_every_family_is_needed_on_the_shipped_tree(told: list[Any]) -> None:
    witness = slotwise.read(f"example:{FAMILY.witness}")
    recomputed = without_each(FAMILY, witness)
    broken = {"F1": "guarantee", "F2": "guarantee", "F3": "guarantee", "F4": "capacity"}
    for label, answer in zip(LABELS, told[0]["answers"][1:], strict=True):
        assert answer["label"] == label
        assert answer["violations"][0]["rule"] == broken[label]
        value = None if answer["status"] == "unbounded" else answer["value"]
        assert value == pytest.approx(FAMILY.without[label])
        assert recomputed[label] == pytest.approx(FAMILY.without[label])
    # At twice the level the GPUs are used twice.
    assert told[0]["answers"][4]["violations"][0]["text"] == "200\u00a0% of gpu is used"
    # One stage for each resource.
    assert len(told[0]["answers"][0]["stages"]) == 3


def test_without_capacities_or_leaf_levels_nothing_limits_the_level(told: list[Any]) -> None:
    for one in told:
        for answer in (one["answers"][1], one["answers"][4]):
            assert answer["status"] == "unbounded"
            assert answer["violations"]


MUTATED = """
return data.map(({ problem, shares }) =>
  lesson.models["fair-share"].check(problem, { shares }).map(({ rule }) => rule));
"""
KINDS = {"resource": "capacity", "leaf": "guarantee", "group": "guarantee of a group"}


def test_checker_agrees_with_the_package_on_changed_shares() -> None:
    """Capacities and guarantees; fairness beyond them is the package's checker's alone."""
    rng = random.Random(5)
    cases, wanted = [], []
    for drawn in [figure_4(), *random_trees()] * 12:
        problem = in_file_order(drawn)
        share = exact(problem).share.copy()
        for _ in range(rng.randrange(4)):
            share[rng.randrange(len(share))] *= rng.choice([0.3, 0.9, 0.99, 1.01, 1.5])
        tasks = share / problem.task_share
        none = np.full(problem.leaves, -1)
        verdict = check_allocation(Allocation(problem, "changed", tasks, share, none))
        lines = [line for line in verdict.violations if "could grow" not in line]
        kinds = {KINDS[line.split()[0]] for line in lines if "fair share" not in line}
        wanted.append(kinds)
        cases.append({"problem": hierarchy_document(problem), "shares": share.tolist()})
    found = lesson_solver.answer(SCRIPTS, MUTATED, cases)
    assert [set(rules) - {"nothing that helps is left over"} for rules in found] == wanted
    assert all(any(kind in kinds for kinds in wanted) for kind in KINDS.values())


def test_what_a_page_cannot_take_is_refused() -> None:
    with pytest.raises(slotwise.InputError, match="'eng/dev': its task limit binds"):
        slotwise.make_lesson(slotwise.read("example:departments"), "fair-share")
    wide = tree(*(leaf(f"l{k}", 1, 1) for k in range(MOST_LEAVES + 1)))
    with pytest.raises(slotwise.InputError, match="at most 12 leaves, here are 13"):
        slotwise.make_lesson(wide, "fair-share")
    assert family("fair-share") is FAMILY
