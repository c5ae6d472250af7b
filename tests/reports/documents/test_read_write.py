"""Every format through `slotwise.read` and `slotwise.write`, and what they refuse."""

import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from make import DATACENTER, INSTANCE, TREE

import slotwise
from slotwise.instances.hierarchy.events import events
from slotwise.reports.documents.formats import FORMATS
from slotwise.reports.documents.result_file import ResultDocument

RESULT = slotwise.heuristic(INSTANCE, "EFSS")
EVENTS = events(TREE, [(1.0, ["a"], []), (4.5, [], ["a"])])


@cache
def things() -> dict[str, tuple[Any, Any]]:
    """By format: a thing, and the problem that it cannot be read without."""
    return {
        "mapreduce": (INSTANCE, None),
        "schedule": (RESULT.schedule, INSTANCE),
        "result": (RESULT, INSTANCE),
        "certificate": (RESULT.certificate, None),
        "datacenter": (DATACENTER, None),
        "guidance": (slotwise.guide(DATACENTER), None),
        "hierarchy": (TREE, None),
        "hierarchy-events": (EVENTS, TREE),
        "allocation": (slotwise.fair(TREE), TREE),
        "steps": (slotwise.steps(INSTANCE, "EFSS"), None),
        "lesson": (slotwise.make_lesson(DATACENTER, "allocation"), None),
    }


def test_every_format_is_tried_here():
    assert list(things()) == [known.name for known in FORMATS]


@pytest.mark.parametrize("name", [known.name for known in FORMATS])
def test_what_is_written_is_read_again(name: str, tmp_path: Path) -> None:
    thing, problem = things()[name]
    path, again = tmp_path / "file.json.gz", tmp_path / "again.json"
    slotwise.write(thing, path, instance=problem)
    read = slotwise.read(path, instance=problem)
    assert type(read) is type(thing)
    slotwise.write(read, again, instance=problem)
    slotwise.write(thing, tmp_path / "first.json", instance=problem)
    written = json.loads(again.read_text())
    assert written["format"] == f"slotwise/{name}/1"
    if name == "allocation":  # a file's bottlenecks are not read
        for leaf in written["leaves"].values():
            assert leaf.pop("limited_by") is None
        first = json.loads((tmp_path / "first.json").read_text())
        for leaf in first["leaves"].values():
            del leaf["limited_by"]
        assert written == first
    else:
        assert written == json.loads((tmp_path / "first.json").read_text())


def test_a_result_comes_back_with_its_schedule(tmp_path: Path) -> None:
    result = replace(
        slotwise.solve(INSTANCE, time_limit=20),
        assumptions_dropped=("speed factors",),
        notes=("one", "two"),
        progress=[slotwise.Progress(0.5, 9.0, None), slotwise.Progress(1.0, 9.0, 8.0)],
    )
    slotwise.write(result, tmp_path / "result.json")
    again = slotwise.read(tmp_path / "result.json", instance=INSTANCE)
    assert (again.status, again.makespan, again.lower_bound, again.bound_name, again.found_by) == (
        result.status,
        result.makespan,
        result.lower_bound,
        result.bound_name,
        result.found_by,
    )
    assert again.instance is INSTANCE
    assert result.schedule is not None
    np.testing.assert_array_equal(again.schedule.map.start, result.schedule.map.start)
    np.testing.assert_array_equal(again.schedule.reduce.slot, result.schedule.reduce.slot)
    assert again.progress == result.progress
    assert again.document() == result.document()


def test_a_result_without_a_schedule_comes_back(tmp_path: Path) -> None:
    nothing = replace(RESULT, status=slotwise.Status.UNKNOWN, makespan=None, schedule=None)
    slotwise.write(nothing, tmp_path / "result.json")
    again = slotwise.read(tmp_path / "result.json", instance=INSTANCE)
    assert again.schedule is None
    assert again.lower_bound == RESULT.lower_bound


@pytest.mark.parametrize("name", ["schedule", "result", "hierarchy-events", "allocation"])
def test_a_missing_problem_is_asked_for(name: str, tmp_path: Path) -> None:
    thing, problem = things()[name]
    path = tmp_path / "file.json"
    slotwise.write(thing, path, instance=problem)
    kind = type(problem).__name__
    with pytest.raises(slotwise.InputError, match=rf"file\.json: .*{name} needs? .* {kind}: slot"):
        slotwise.read(path)
    with pytest.raises(slotwise.InputError, match=f"{kind}, got a Datacenter"):
        slotwise.read(path, instance=DATACENTER)


@pytest.mark.parametrize("name", ["schedule", "hierarchy-events"])
def test_writing_asks_for_a_missing_problem(name: str, tmp_path: Path) -> None:
    with pytest.raises(slotwise.InputError, match="need"):
        slotwise.write(things()[name][0], tmp_path / "file.json")
    assert list(tmp_path.iterdir()) == []


def test_a_problem_that_is_not_needed_is_refused(tmp_path: Path) -> None:
    slotwise.write(INSTANCE, tmp_path / "a.json")
    with pytest.raises(slotwise.InputError, match="stands for itself"):
        slotwise.read(tmp_path / "a.json", instance=INSTANCE)


def test_a_schedule_of_something_else_is_refused(tmp_path: Path) -> None:
    slotwise.write(RESULT, tmp_path / "result.json")
    other = replace(INSTANCE, name="other")
    with pytest.raises(slotwise.InputError, match="is a result of 'two', not of 'other'"):
        slotwise.read(tmp_path / "result.json", instance=other)
    renamed = replace(INSTANCE, job_names=("a", "c"))
    with pytest.raises(slotwise.InputError, match="the instance has no such job"):
        slotwise.read(tmp_path / "result.json", instance=renamed)


def test_guidance_is_held_to_a_datacenter_that_is_given(tmp_path: Path) -> None:
    slotwise.write(slotwise.guide(DATACENTER), tmp_path / "plan.json")
    more = DATACENTER.with_count(np.array([3]))
    with pytest.raises(slotwise.InputError, match="there are 3"):
        slotwise.read(tmp_path / "plan.json", instance=more)


def test_what_has_no_format_is_refused(tmp_path: Path) -> None:
    with pytest.raises(slotwise.InputError, match="no format holds a dict: need one of Instance"):
        slotwise.write({}, tmp_path / "a.json")
    (tmp_path / "b.json").write_text('{"format": "slotwise/mapreduce/7"}')
    with pytest.raises(slotwise.InputError, match=r"b\.json: format: need .*newer slotwise"):
        slotwise.read(tmp_path / "b.json")


def test_the_validator_of_results_takes_what_commands_add() -> None:
    document = RESULT.document() | {"cross_check": [{"method": "x"}]}
    assert ResultDocument.model_validate_json(json.dumps(document)).instance == "two"


def test_results_are_of_the_makespan(tmp_path: Path) -> None:
    path = tmp_path / "mean.json"
    path.write_text(json.dumps(RESULT.document() | {"objective": "makespan"}))
    assert slotwise.read(path, instance=INSTANCE) == RESULT
    path.write_text(json.dumps(RESULT.document() | {"objective": "mean"}))
    for reads in (slotwise.read, slotwise.read_schedule):
        with pytest.raises(slotwise.InputError, match=r"mean\.json: objective mean is no longer "):
            reads(path, INSTANCE)


def test_a_file_of_another_kind_than_asked_for_says_what_it_is() -> None:
    with pytest.raises(slotwise.InputError, match=r"need 'slotwise/mapreduce/1', got .*a schedule"):
        slotwise.read("example:five-jobs-schedule", kind=slotwise.Instance)
