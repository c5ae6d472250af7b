"""The lesson on the machine assignment program: rows, plans, checker, column generation."""

import random
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import lesson_solver
import pytest
from broken_models import without_each

import slotwise
from slotwise.formulations.datacenter.machine_assignment.bins import non_dominated
from slotwise.instances.datacenter.checker import check_guidance
from slotwise.instances.datacenter.datacenter import Configuration, Datacenter, JobClass
from slotwise.instances.datacenter.datacenter_file import datacenter_document
from slotwise.solvers.datacenter.column_generation import generate_columns
from slotwise.teaching.lessons.datacenter.machine_assignment import FAMILY

SCRIPTS = ["text.js", "solver.js", "lp.js", *FAMILY.scripts, "app.js"]
INSTANCES = 8


def random_datacenter(seed: int) -> Datacenter:
    """Up to three configurations and four classes, with zeros and classes that cannot run."""
    rng = random.Random(seed)
    resources = ["cpu", "memory", "gpu"][: 1 + seed % 3]
    part = 10 if seed % 2 else 1
    machines = [
        Configuration(f"c{j}", rng.randint(1, 6), {r: rng.randint(4, 14) / part for r in resources})
        for j in range(rng.randint(1, 3))
    ]
    shares = [rng.randint(1, 5) for _ in range(rng.randint(2, 4))]
    classes = []
    for k, share in enumerate(shares):
        times = {c.name: rng.randint(1, 20) / 10 for c in machines if rng.random() < 0.8}
        time = times if times and seed % 4 == 0 else rng.randint(1, 20) / 10
        request = {r: rng.randint(1 if r == "cpu" else -2, 6) / part for r in resources}
        needs = {r: max(0.0, amount) for r, amount in request.items()}
        classes.append(JobClass(f"k{k}", share / sum(shares), time, needs))
    return Datacenter.from_classes(f"random {seed}", resources, machines, classes)


@pytest.fixture(scope="module")
def lessons() -> list[slotwise.Lesson]:
    """The shipped lesson, and some on random datacenters that a page takes."""
    found = [slotwise.make_lesson("machine-assignment")]
    seed = 0
    while len(found) <= INSTANCES:
        seed += 1
        # Some carry nothing, on some there are too many bins.
        with suppress(slotwise.InputError):
            found.append(slotwise.make_lesson(random_datacenter(seed), "machine-assignment"))
    return found


BODY = """
const told = [];
for (const shipped of data) {
  const plugin = lesson.models["machine-assignment"], problem = shipped.instance;
  const built = shipped;
  const all = lesson.componentsOn(shipped.statements, new Set());
  const answer = await lesson.solve(lesson.lpText(built, all));
  const relaxed = await lesson.solve(lesson.lpText(built, all, { relax: true }));
  const off = [];
  for (const label of ["7", "8", "9"]) {
    const on = lesson.componentsOn(shipped.statements, new Set([label]));
    const { status } = await lesson.solve(lesson.lpText(built, on));
    const more = [` limit: lambda <= ${2 * answer.value}`];
    const held = await lesson.solve(lesson.lpText(built, on, { more }));
    const broken = plugin.check(problem, plugin.picture(problem, held, on, built));
    off.push([status, broken.map(({ rule }) => rule)]);
  }
  const { rounds, steps } = lesson.machineAssignment;
  const found = await rounds(problem, all, lesson.solve);
  told.push({
    off,
    value: answer.value, relaxed: relaxed.value,
    violations: plugin.check(problem, plugin.picture(problem, answer, all, built)),
    prices: plugin.prices(problem, relaxed, built, all),
    rounds: found.map((round) => ({
      value: round.value, best: round.best, worth: round.worth, price: round.price,
      priced: round.priced.map(({ j, bin, value, pays }) => ({ j, bin, value, pays })),
    })),
    steps: await steps(problem, all, lesson.solve,
      { built, whole: answer.value, facts: shipped.facts }),
    stopped: await steps(problem, new Set([...all].slice(0, -1)), lesson.solve, { built }),
  });
}
return told;
"""


@pytest.fixture(scope="module")
def told(lessons: list[slotwise.Lesson], tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    folder: Path = tmp_path_factory.mktemp("highs")
    documents = [lesson.document() for lesson in lessons]
    answer: list[Any] = lesson_solver.answer(SCRIPTS, BODY, documents, folder=folder)
    return answer


def test_rows_optimum_and_plan_are_those_of_python(
    lessons: list[slotwise.Lesson], told: list[Any]
) -> None:
    for lesson, one in zip(lessons, told, strict=True):
        assert one["value"] == pytest.approx(lesson.optimum, rel=1e-6)
        assert one["violations"] == []


def test_every_family_is_needed(told: list[Any]) -> None:
    for one in told:
        assert [status for status, _ in one["off"]] == ["unbounded"] * 3
        demand, running, machines = (rules for _, rules in one["off"])
        assert "every class is served" in demand
        assert "what runs is in a bin" in running
        assert "no more machines than there are" in machines
    witness = slotwise.read(f"example:{FAMILY.witness}")
    assert without_each(FAMILY, witness) == FAMILY.without


def test_column_generation_ends_where_python_does(
    lessons: list[slotwise.Lesson], told: list[Any]
) -> None:
    for lesson, one in zip(lessons, told, strict=True):
        last = one["rounds"][-1]
        assert last["value"] == pytest.approx(one["relaxed"], rel=1e-7)
        assert last["value"] == pytest.approx(lesson.facts["column_generation"], rel=1e-6)
        assert last["best"] == pytest.approx(last["value"], rel=1e-7)
        assert not any(priced["pays"] for priced in last["priced"])
        assert one["steps"][-1]["title"] == "No bin pays: done"
        assert "too." in one["steps"][-1]["lead"]
        assert "do not trust" not in str(one["steps"])


def test_each_round_keeps_what_duality_says(
    lessons: list[slotwise.Lesson], told: list[Any]
) -> None:
    for lesson, one in zip(lessons, told, strict=True):
        problem = lesson.instance
        counts = [configuration["count"] for configuration in problem["configurations"]]
        shares = [each["share"] for each in problem["classes"]]
        values = [each["value"] for each in one["rounds"]]
        assert values == pytest.approx(sorted(values))
        for each in one["rounds"]:
            # Shares times worth add up to 1, machines times prices to the master's value.
            assert sum(a * b for a, b in zip(shares, each["worth"], strict=True)) == pytest.approx(
                1
            )
            total = sum(a * b for a, b in zip(counts, each["price"], strict=True))
            assert total == pytest.approx(each["value"], rel=1e-6)
            assert each["best"] >= one["relaxed"] * (1 - 1e-9)
            # No machine has a price that its best bin does not earn.
            for priced in each["priced"]:
                assert priced["value"] >= each["price"][priced["j"]] - 1e-6


def test_pricing_finds_the_most_valuable_bin(
    lessons: list[slotwise.Lesson], told: list[Any]
) -> None:
    """By enumeration of all bins, in Python."""
    for lesson, one in zip(lessons[:5], told[:5], strict=True):
        problem = slotwise.read(f"example:{FAMILY.witness}")
        if lesson.instance != datacenter_document(problem):
            problem = random_datacenter(int(lesson.instance["name"].split()[1]))
        for each in one["rounds"]:
            for priced in each["priced"]:
                j = priced["j"]
                worth = each["worth"] * problem.rate[:, j]
                best = float((non_dominated(problem, j) @ worth).max())
                assert priced["value"] == pytest.approx(best, rel=1e-7, abs=1e-9)


def test_the_shipped_lesson_shows_something(told: list[Any]) -> None:
    shipped = told[0]
    assert [each["value"] for each in shipped["rounds"]] == pytest.approx(
        [34.354, 41.667, 42.492, 42.920], abs=1e-3
    )
    assert shipped["value"] == pytest.approx(40)
    assert "the bound itself" in shipped["prices"]["lead"]
    assert shipped["stopped"][-1]["title"] == "The master has no optimum"
    witness = slotwise.read(f"example:{FAMILY.witness}")
    assert generate_columns(witness).value == pytest.approx(shipped["rounds"][-1]["value"])


MUTATED = """
return data.map(({ problem, plan, value }) =>
  lesson.models["machine-assignment"].check(problem, { plan, value }).map(({ rule }) => rule));
"""


def test_checker_agrees_with_the_package_on_changed_plans(told: list[Any]) -> None:
    """Plans of the shipped datacenter with jobs, machines or the rate changed."""
    problem = slotwise.read(f"example:{FAMILY.witness}")
    guidance = slotwise.guide(problem)
    rng = random.Random(3)
    cases, verdicts = [], []
    for _ in range(300):
        changed = mutated(guidance, rng)
        verdicts.append(bool(check_guidance(changed).violations))
        plan = [
            {"j": int(j), "count": int(n), "jobs": jobs.tolist(), "key": str(b)}
            for b, (j, n, jobs) in enumerate(
                zip(changed.bin_configuration, changed.bin_machines, changed.bin_jobs, strict=True)
            )
        ]
        document = datacenter_document(problem)
        cases.append({"problem": document, "plan": plan, "value": changed.arrival_rate})
    found = lesson_solver.answer(SCRIPTS, MUTATED, cases)
    assert [bool(rules) for rules in found] == verdicts
    assert 20 < sum(verdicts) < 280


def mutated(guidance: Any, rng: random.Random) -> Any:
    jobs, count = guidance.bin_jobs.copy(), guidance.bin_machines.copy()
    rate = guidance.arrival_rate
    bin_ = rng.randrange(len(count))
    what = rng.randrange(4)
    if what == 0:
        jobs[bin_, rng.randrange(jobs.shape[1])] += rng.choice([-1, 1])
        jobs = jobs.clip(0)
    elif what == 1:
        count[bin_] = max(1, count[bin_] + rng.choice([-1, 1]))
    else:
        rate *= rng.choice([0.5, 0.9, 0.999, 1.01])
    return replace(guidance, bin_jobs=jobs, bin_machines=count, arrival_rate=rate)
