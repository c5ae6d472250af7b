"""Functions of the user's own in a study: what they get, which text runs, how they fail."""

import colorsys
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import slotwise
from slotwise.core.errors import InputError
from slotwise.experiments.engine.perform import perform
from slotwise.experiments.engine.record import Record
from slotwise.experiments.study.study import Block, Study
from slotwise.experiments.study.study_file import make_study

RULES = """
import numpy as np
import slotwise
from dataclasses import replace

def good(instance, slot=0):
    maps = np.full(instance.map_tasks, slot)
    reduces = np.zeros(instance.reduce_tasks, dtype=int)
    by_job = instance.map_job, instance.reduce_job
    return slotwise.timed(instance, maps, by_job[0], reduces, by_job[1])

def liar(instance):
    return replace(good(instance), makespan=1.0)

def overlapping(instance):
    made = good(instance)
    maps = replace(made.map, start=made.map.start * 0, end=made.map.end - made.map.start)
    return replace(made, map=maps)

def nonsense(instance):
    return "soon"

def raising(instance):
    raise KeyError("oh dear")

def meddling(instance):
    instance.map_processing[:] = 0
    return good(instance)
"""


def study_of(folder: Path, *names: str, **parameters: object) -> Study:
    (folder / "rules.py").write_text(RULES)
    return make_study(
        {
            "instances": [{"generator": "two-stage", "jobs": 3, "map_machines": 2}],
            "methods": [{"function": [f"rules.py:{name}" for name in names], **parameters}],
        },
        folder,
    )


def records(study: Study) -> list[Record]:
    return [record for unit in study.units for record in perform(unit)]


def test_a_function_gets_its_parameters_and_is_checked(tmp_path: Path) -> None:
    zero, one = records(study_of(tmp_path, "good", sweep={"slot": [0, 1]}))
    instance = slotwise.generate("two-stage", jobs=3, map_machines=2, seed=0)
    # All map tasks one after another on a slot, then what is left of the reduce tasks.
    clock = done = 0.0
    for before, after in zip(instance.map_processing, instance.reduce_processing, strict=True):
        clock += before
        done = max(done, clock) + after
    assert zero.makespan == one.makespan == pytest.approx(done)
    assert zero.status in ("feasible", "optimal")
    assert zero.method == "rules.py:good"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("liar", "the schedule breaks the rules: makespan is "),
        ("overlapping", "the schedule breaks the rules: "),
        (
            "nonsense",
            "heuristic 'rules.py:nonsense': must return a Schedule, got 'soon'",
        ),
        ("raising", "KeyError: 'oh dear'"),
        ("meddling", "the schedule breaks the rules: "),
    ],
)
def test_what_a_function_does_wrong_is_recorded(tmp_path: Path, name: str, said: str) -> None:
    bad, good = records(study_of(tmp_path, name, "good"))
    assert bad.status == "error"
    assert bad.failed
    assert bad.error.startswith(said)
    assert bad.makespan is None
    assert not good.failed  # the instance is as it was


def test_what_runs_is_what_was_read_wherever_that_is(tmp_path: Path) -> None:
    study = study_of(tmp_path, "good")
    (before,) = records(study)
    # The file has another rule by now, which this process has not run.
    (tmp_path / "rules.py").write_text("def good(instance):\n    raise ValueError('too late')\n")
    (after,) = records(study)
    assert after.makespan == before.makespan
    (unit,) = study.units
    elsewhere = replace(unit.runs[0].method, folder=str(tmp_path / "nowhere"))
    (moved,) = records(Study("moved", [Block([unit.instance], [elsewhere])]))
    assert moved.makespan == before.makespan


def test_files_beside_go_along_and_take_no_other_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "colorsys")
    found = []
    for number in (1, 2):
        folder = tmp_path / str(number)
        (folder / "within").mkdir(parents=True)
        # A module of Python's own, too, that others may want while the campaign runs.
        (folder / "colorsys.py").write_text("MINE = True\n")
        (folder / "within/__init__.py").write_text("from . import deep\n")
        (folder / "within/deep.py").write_text(f"NUMBER = {number}\n")
        (folder / "mine.py").write_text(
            "from within.deep import NUMBER\n\n"
            "def rule(instance):\n"
            "    from within import deep\n"
            "    import colorsys\n"
            "    raise ValueError(f'{NUMBER} {deep.NUMBER} {dir(colorsys)[0]}')\n"
        )
        study = make_study(
            {
                "instances": [{"generator": "two-stage", "jobs": 2}],
                "methods": [{"function": "mine.py:rule"}],
            },
            folder,
        )
        assert set(study.runs[0].method.sources) == {
            "colorsys.py",
            "mine.py",
            "within/__init__.py",
            "within/deep.py",
        }
        found += [record.error for record in records(study)]
    first = min(dir(colorsys))
    assert found == [f"ValueError: 1 1 {first}", f"ValueError: 2 2 {first}"]


def test_modules_that_python_finds_are_held_to_their_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "house_of_rules"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "numbers.py").write_text("SEVEN = 7\n")
    (package / "rules.py").write_text(
        "import json\nfrom .numbers import SEVEN\n\ndef rule(instance):\n    return SEVEN\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    tables = {
        "instances": [{"generator": "two-stage", "jobs": 2}],
        "methods": [{"function": "house_of_rules.rules:rule"}],
    }
    study = make_study(tables)
    assert not study.runs[0].method.sources
    assert "must return a Schedule, got 7" in records(study)[0].error
    (package / "numbers.py").write_text("SEVEN = 8\n")
    assert "is another one here" in records(study)[0].error
    # A study that reads the new text is not carried out by a process that has the old one.
    assert "is another one here" in records(make_study(tables))[0].error


def test_an_entry_says_what_a_function_understands(tmp_path: Path) -> None:
    (tmp_path / "entries.py").write_text(
        "import slotwise\n\n"
        "def seen(instance, word='parts'):\n"
        "    raise ValueError(f'{word} {sorted(instance.parts)}')\n\n"
        "knowing = slotwise.Entry('knowing', seen, understands=frozenset({'speed factors'}))\n"
    )
    study = make_study(
        {
            "instances": [{"files": "example:unequal-machines"}],
            "methods": [{"function": ["entries.py:seen", "entries.py:knowing"]}],
        },
        tmp_path,
    )
    dropped, kept = (record.error for record in records(study))
    assert dropped == "ValueError: parts []"
    assert kept == "ValueError: parts ['speed factors']"
    with pytest.raises(InputError, match="has no function 'word'"):
        make_study(
            {
                "instances": [{"files": "example:unequal-machines"}],
                "methods": [{"function": "entries.py:word"}],
            },
            tmp_path,
        )


def own(folder: Path, signature: str, **sweep: list[object]) -> Study:
    """A study of a function with these parameters."""
    (folder / "own.py").write_text(f"def rule(instance{signature}):\n    return None\n")
    tables = {
        "instances": [{"generator": "ljr", "jobs": 2, "nodes": 3}],
        "methods": [{"function": "own.py:rule", "sweep": sweep}],
    }
    return make_study(tables, folder)


def test_parameters_without_annotations_take_any_value(tmp_path: Path) -> None:
    study = own(tmp_path, ", width, depth=2", width=[1, 0.5, "wide"], depth=[0.5])
    assert [run.method.columns for run in study.runs] == [
        {"width": width, "depth": 0.5} for width in (1, 0.5, "wide")
    ]


def test_annotations_are_checked(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"\[\[methods\]\] 1: width: need an integer, got 0.5"):
        own(tmp_path, ", width: int", width=[1, 0.5])
