"""JSON Schemas fit what the commands write, and refuse what the readers refuse."""

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import slotwise
from slotwise.commands.app import run
from slotwise.reports.documents.formats import FORMATS, FileFormat

TREE = {
    "format": "slotwise/hierarchy/1",
    "capacity": {"cpu": 10},
    "root": {
        "name": "root",
        "children": [
            {"name": "a", "demand": {"cpu": 1}, "tasks": 4},
            {"name": "b", "weight": 2, "children": [{"name": "c", "demand": {"cpu": 2}}]},
        ],
    },
}
QUOTAS = {
    "format": "slotwise/hierarchy/2",
    "capacity": {"cpu": 10},
    "surplus": "total",
    "root": {
        "name": "root",
        "children": [
            {"name": "a", "demand": {"cpu": 1}, "weight": 0, "limit": {"cpu": 4}},
            {"name": "b", "demand": {"cpu": 1}, "priority": 1},
        ],
    },
}
EVENTS = {
    "format": "slotwise/hierarchy-events/1",
    "events": [{"time": 1, "arrive": ["a"]}, {"time": 2.5, "leave": ["a"]}],
}
DATACENTER = {
    "format": "slotwise/datacenter/1",
    "name": "rack",
    "resources": ["cpu"],
    "configurations": [{"name": "small", "count": 2, "capacity": {"cpu": 2}}],
    "classes": [
        {"name": "web", "share": 0.5, "mean_time": 0.5, "request": {"cpu": 1}},
        {"name": "batch", "share": 0.5, "mean_time": {"small": 2.0}, "request": {"cpu": 2}},
    ],
}


def errors(document: Any) -> list[str]:
    """What the schema of a document's format finds wrong with it."""
    known = slotwise.schema(document["format"])
    jsonschema.Draft202012Validator.check_schema(known)
    found = jsonschema.Draft202012Validator(known).iter_errors(document)
    return [f"{error.json_path}: {error.message}" for error in found]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the commands write, one file for each format and more."""
    there = tmp_path_factory.mktemp("written")
    for name, document in (("tree", TREE), ("events", EVENTS), ("rack", DATACENTER)):
        (there / f"{name}.json").write_text(json.dumps(document))
    commands = (
        "generate ljr --jobs 2 --nodes 2 --seed 1 -o ljr.json",
        "generate hmhs --jobs 2 --maps 1 2 --reduces 1 1 --map-machines 2 --reduce-machines 1 "
        "--seed 1 -o hmhs.json",
        "generate smso --jobs 2 --nodes 3 --maps 1 2 --gamma 0.1 --seed 1 -o smso.json",
        "heuristic EFSS hmhs.json -o heuristic.json",
        "solve hmhs.json --model heterogeneous --time-limit 5 -o result.json "
        "--certificate certificate.json",
        "guide rack.json -o guidance.json",
        "fair tree.json -o allocation.json",
        "steps EFSS hmhs.json -o steps.json",
        "lesson allocation rack.json -o lesson.json",
    )
    for command in commands:
        words = [str(there / w) if w.endswith(".json") else w for w in command.split()]
        assert run([*words, "--quiet"]) == 0, command
    instance = slotwise.read(there / "hmhs.json")
    result = slotwise.read(there / "result.json", instance=instance)
    slotwise.write(result.schedule, there / "schedule.json", instance=instance)
    return there


def test_what_commands_write_fits_the_schemas(folder: Path) -> None:
    tried = set()
    for path in folder.glob("*.json"):
        document = json.loads(path.read_text())
        tried.add(document["format"])
        assert errors(document) == [], path.name
    assert tried == {known.full_names[0] for known in FORMATS}


@pytest.mark.parametrize("known", FORMATS, ids=lambda known: known.name)
def test_a_format_has_one_schema_in_all_its_versions(known: FileFormat) -> None:
    made = slotwise.schema(known.name)
    assert made["$id"] == f"slotwise/{known.name}/1"
    assert json.loads(json.dumps(made, allow_nan=False)) == made
    parts = json.dumps([made.get(part) for part in ("$defs", "properties")])
    assert '"title": "' not in parts  # what readers call their classes is their own
    assert '"description": "' not in parts
    assert "$defs/_" not in parts
    for name in known.full_names:
        assert slotwise.schema(name) == made


@pytest.mark.parametrize(
    ("document", "path", "value"),
    [
        (TREE, ("root", "children", 1, "children", 0, "weight"), -1),
        (TREE, ("root", "color"), "red"),
        (QUOTAS, ("root", "children", 1, "weight"), -1),
        (QUOTAS, ("root", "children", 1, "priority"), 1.5),
        (EVENTS, ("events",), []),
        (DATACENTER, ("classes", 0, "mean_time"), -1),
        (DATACENTER, ("configurations", 0, "count"), 1.5),
    ],
)
def test_schemas_and_readers_refuse_the_same(
    document: dict[str, Any], path: tuple[Any, ...], value: Any, tmp_path: Path
) -> None:
    wrong = deepcopy(document)
    place: Any = wrong
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    assert errors(document) == []
    assert len(errors(wrong)) == 1
    (tmp_path / "wrong.json").write_text(json.dumps(wrong))
    (tmp_path / "tree.json").write_text(json.dumps(TREE))
    problem = slotwise.read(tmp_path / "tree.json") if document is EVENTS else None
    with pytest.raises(slotwise.InputError, match=str(path[-1])):
        slotwise.read(tmp_path / "wrong.json", instance=problem)


def test_the_command_prints_a_schema(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert run(["list", "schemas", "hierarchy"]) == 0
    assert json.loads(capfd.readouterr().out) == slotwise.schema("hierarchy")
    assert (
        run(["list", "schemas", "slotwise/result/1", "-o", str(tmp_path / "s.json"), "--json"]) == 0
    )
    assert json.loads(capfd.readouterr().out) == slotwise.schema("result")
    assert json.loads((tmp_path / "s.json").read_text()) == slotwise.schema("result")
    assert run(["list", "schemas", "shedule"]) == 2
    assert "unknown format 'shedule': did you mean schedule?" in capfd.readouterr().err
