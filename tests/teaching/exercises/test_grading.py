"""Right answers pass, and every seeded mistake is found and shown on a small instance."""

from dataclasses import replace

import pytest
from seeded_bugs import HANG, MODELS, QUICK, ROWS, right

import slotwise
from slotwise.core.errors import InputError
from slotwise.teaching.exercises.exercise import Demands, Limits
from slotwise.teaching.exercises.grading import grade_source, wanted

NAMES = ["heuristic", "bound", "solve", "build", "rule"]

LONG = Limits(time=600.0, per_instance=20.0)


def graded(exercise, source, *, seed=1, instances=300, domain=None, demands=None, limits=LONG):
    how = wanted(exercise, seed, instances, domain, demands, limits)
    return grade_source(source, "mine.py", how)


def shows(found, bug):
    """Whether a verdict shows a mistake on an instance that is small enough, and minimal."""
    assert found.broken
    sizes = {one.failure.kind: one for one in found.findings}
    assert bug.kind in sizes
    one = sizes[bug.kind]
    assert one.size[0] <= bug.most
    assert one.size < one.before or one.trials == 0
    assert one.minimal
    return one


@pytest.mark.parametrize("bug", QUICK, ids=lambda bug: bug.name)
def test_seeded_mistakes(bug):
    one = shows(graded(bug.exercise, bug.source), bug)
    if bug.exercise == "bound":  # whose domain it is that every job has both phases
        assert all(job["map_tasks"] and job["reduce_tasks"] for job in one.document["jobs"])


def test_a_model_without_a_rule():
    shows(graded("solve", MODELS[0].source, seed=2, instances=5), MODELS[0])


def test_an_endless_loop():
    found = graded("heuristic", HANG.source, limits=Limits(time=60.0, per_instance=0.05))
    one = shows(found, HANG)
    assert one.failure.text == "no answer in 0.05 s"
    assert any("while instances are made smaller" in note for note in found.notes)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("bug", [*QUICK, *MODELS, *ROWS], ids=lambda bug: bug.name)
def test_seeded_mistakes_with_other_seeds(bug, seed):
    shows(graded(bug.exercise, bug.source, seed=seed), bug)


@pytest.mark.parametrize(
    ("exercise", "file", "instances"),
    [("heuristic", "heuristic", 300), ("bound", "bound", 300), ("rule", "rule", 300),
     ("solve", "model", 3), ("build", "build", 3)],
)  # fmt: skip
def test_right_answers_pass(exercise, file, instances):
    found = graded(exercise, right(file), instances=instances)
    assert not found.broken
    assert found.asked == instances
    assert f"{instances} hidden instances, none breaks it: no proof" in found.text()


@pytest.mark.slow
@pytest.mark.parametrize(("exercise", "file"), [("solve", "model"), ("build", "build")])
def test_right_answers_pass_all(exercise, file):
    assert not graded(exercise, right(file)).broken


def test_the_domain_is_not_left():
    bug = next(one for one in QUICK if one.name == "LB1 as printed")
    assert shows(graded("bound", bug.source, domain="any"), bug).size[0] < 5


def test_demands():
    slow = right("heuristic").replace(
        "start, setup = max(since, ready)", "start, setup = 50.0 + max(since, ready)"
    )
    assert not graded("heuristic", slow, instances=20).broken
    found = graded("heuristic", slow, instances=20, demands=Demands(at_most=1.5))
    assert found.findings[0].failure.kind == "above 1.5 times EFSS"
    nothing = "def bound(instance):\n    return 0.0\n"
    found = graded("bound", nothing, instances=20, demands=Demands(not_below="LB2"))
    assert found.findings[0].failure.kind == "a bound below LB2"
    right_one = graded("heuristic", right("heuristic"), instances=20, demands=Demands(at_most=9.0))
    assert not right_one.broken


def test_two_runs_that_differ():
    source = right("heuristic").replace("    rows = []\n", "    rows = []\n    COUNT.append(0)\n")
    source = source.replace('"start": start,', '"start": start + (len(COUNT) % 2),')
    found = graded("heuristic", f"COUNT = []\n{source}", instances=2)
    (one,) = found.findings
    assert one.failure.kind == "it remembers earlier calls"
    assert "asked this alone, in a fresh process, it is right" in one.failure.text
    later = "[{**row, 'start': row['start'] + at} for row in rows]"
    drawn = f"    at = __import__('random').random()\n    return {later}\n"
    found = graded("heuristic", right("heuristic").replace("    return rows\n", drawn), instances=2)
    assert {one.failure.kind for one in found.findings} == {"two runs differ"}
    assert "The answer when asked again, makespan " in found.text()
    assert found.document()["findings"][0]["again"]["tasks"]


def test_what_is_remembered_is_told_apart_from_a_mistake():

    def kinds(value):
        source = "import os\ndef bound(instance, longest=[]):\n"
        source += "    longest.append(max(t['processing'] for j in instance['jobs']"
        source += " for t in j['map_tasks'] + j['reduce_tasks']))\n"
        found = graded("bound", f"{source}    return {value}\n", instances=12)
        return [one.failure.kind for one in found.findings]

    assert kinds("max(longest)") == ["it remembers earlier calls"]
    assert kinds("max(longest) + 1000") == ["a bound above the optimum"]
    assert kinds("1000 if len(longest) > 1 else -os.getpid()") == ["two runs differ"]


def test_verdicts_depend_on_the_seed_alone():
    source = next(one for one in QUICK if one.name == "division").source
    one, same = (graded("heuristic", source, seed="secret") for _ in range(2))
    assert one.document() == same.document()
    other = graded("heuristic", source, seed="other")
    assert [f.found_at for f in one.findings] != [f.found_at for f in other.findings]


def test_time_ends_the_search():
    sleeping = "import time\ndef bound(instance):\n    time.sleep(0.3)\n    return 0.0\n"
    found = graded("bound", sleeping, limits=replace(LONG, time=0.5))
    assert not found.broken
    assert 0 < found.asked < 10
    assert any(note.startswith("only ") for note in found.notes)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"exercise": "heuristics"}, "did you mean heuristic"),
        ({"domain": "both"}, "domain of exercise heuristic"),
        ({"instances": 0}, "at least one instance"),
        ({"demands": Demands(not_below="LB1")}, "is for the exercise bound"),
        ({"exercise": "bound", "demands": Demands(at_most=2.0)}, "is for the exercise heuristic"),
        ({"exercise": "bound", "demands": Demands(not_below="LB9")}, "LB9"),
    ],
)
def test_bad_wishes(change, said):
    given = {"exercise": "heuristic", "seed": 1, "instances": 3, "domain": None}
    given |= {"demands": None, "limits": None}
    with pytest.raises(InputError, match=said):
        wanted(**given | change)


def test_the_public_function(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(right("rule"))
    found = slotwise.grade(path, "rule", instances=5)
    assert (found.file, found.asked, found.verdict) == ("mine.py", 5, "nothing found")
    assert "5 hidden instances" in repr(found)
    assert [one.name for one in slotwise.exercises()] == NAMES
