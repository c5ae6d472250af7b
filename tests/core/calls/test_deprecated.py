"""Old spellings give what the new ones give, and say so."""

import importlib
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import slotwise

INSTANCE = slotwise.read("example:five-jobs")
DATACENTER = slotwise.read("example:four-machines")
TREE = slotwise.read("example:departments")
SCHEDULE = slotwise.heuristic(INSTANCE, "EFSS").schedule
CLUSTER, JOBS = slotwise.Cluster.uniform(1), [slotwise.Job("a", [1.0], [2.0])]
ROOT = slotwise.Group("root", [slotwise.Leaf("a", {"cpu": 1})])
MACHINES = [slotwise.Configuration("m", 1, {"cpu": 1})]
CLASSES = [slotwise.JobClass("k", 1.0, 1.0, {"cpu": 1})]

PAIRS: dict[str, tuple[Callable[[], Any], Callable[[], Any]]] = {
    "explain": (
        lambda: slotwise.explain("job-order", INSTANCE).text(),
        lambda: slotwise.explain(INSTANCE, "job-order").text(),
    ),
    "explain by name": (
        lambda: slotwise.explain(name="job-order").text(),
        lambda: slotwise.explain("job-order").text(),
    ),
    "steps": (lambda: slotwise.steps("EFSS", INSTANCE), lambda: slotwise.steps(INSTANCE, "EFSS")),
    "build": (
        lambda: slotwise.build("job-order", INSTANCE).name,
        lambda: slotwise.build(INSTANCE, "job-order").name,
    ),
    "export": (lambda: slotwise.export("yarn", TREE), lambda: slotwise.export(TREE, "yarn")),
    "make_lesson": (
        lambda: slotwise.make_lesson("allocation", DATACENTER).optimum,
        lambda: slotwise.make_lesson(DATACENTER, "allocation").optimum,
    ),
    "heuristic": (
        lambda: slotwise.heuristic("EFSS", INSTANCE),
        lambda: slotwise.heuristic(INSTANCE, "EFSS"),
    ),
    "parameters of heuristic": (
        lambda: slotwise.heuristic(INSTANCE, "EFSS", parameters={"omega": 0.5}),
        lambda: slotwise.heuristic(INSTANCE, "EFSS", omega=0.5),
    ),
    "parameters of steps": (
        lambda: slotwise.steps(INSTANCE, "EFSS", parameters={"omega": 0.5}),
        lambda: slotwise.steps(INSTANCE, "EFSS", omega=0.5),
    ),
    "lower_bound": (
        lambda: slotwise.heuristic(INSTANCE, "EFSS", lower_bound=(1.0, "mine")),
        lambda: slotwise.heuristic(INSTANCE, "EFSS", lower_bound=1.0, bound_name="mine"),
    ),
    "model": (
        lambda: slotwise.solve(INSTANCE, model="improvement", time_limit=0).status,
        lambda: slotwise.solve(INSTANCE, methods="improvement", time_limit=0).status,
    ),
    "bound of a result": (
        lambda: result().bound,
        lambda: result().bound_name,
    ),
    "bound of guidance": (
        lambda: plan().bound,
        lambda: plan().bound_name,
    ),
    "job_instance": (
        lambda: slotwise.job_instance("i", CLUSTER, JOBS),
        lambda: slotwise.Instance.from_jobs("i", CLUSTER, JOBS),
    ),
    "hierarchy": (
        lambda: slotwise.hierarchy({"cpu": 1}, ROOT),
        lambda: slotwise.Hierarchy.from_tree({"cpu": 1}, ROOT),
    ),
    "datacenter": (
        lambda: slotwise.datacenter("d", ["cpu"], MACHINES, CLASSES),
        lambda: slotwise.Datacenter.from_classes("d", ["cpu"], MACHINES, CLASSES),
    ),
    "pair of read_schedule": (
        lambda: next(iter(slotwise.read_schedule("example:five-jobs-schedule", INSTANCE))),
        lambda: slotwise.read_schedule("example:five-jobs-schedule", INSTANCE),
    ),
    "tuple of a reader": (
        lambda: next(iter(slotwise.read_rumen("example:rumen-trace", "example:rumen-topology"))),
        lambda: slotwise.read_rumen("example:rumen-trace", "example:rumen-topology").made,
    ),
}


@cache
def result() -> slotwise.Result:
    return slotwise.heuristic(INSTANCE, "EFSS")


@cache
def plan() -> slotwise.Guidance:
    return slotwise.guide(DATACENTER)


@pytest.fixture
def warned(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The functions of this file whose lines were warned of an old spelling.

    Not by `pytest.warns`: a thread that still compiles changes the filters of the whole process.
    """
    functions: list[str] = []

    def warn(message: str, category: type[Warning], stacklevel: int) -> None:
        assert "is the last version that takes the old spelling" in message
        assert category is DeprecationWarning
        code = sys._getframe(stacklevel).f_code
        functions.append(code.co_name if code.co_filename == __file__ else "")

    module = importlib.import_module("slotwise.core.calls.deprecated")
    monkeypatch.setattr(module, "warnings", SimpleNamespace(warn=warn))
    return functions


@pytest.mark.parametrize("name", PAIRS)
def test_an_old_spelling_works_and_warns(name: str, warned: list[str]) -> None:
    old, new = PAIRS[name]
    found = old()
    assert warned[0] == "<lambda>"
    assert found == new()


WRITERS: dict[str, tuple[Callable[[Path], Any], Callable[[Path], Any]]] = {
    "g.svg": (
        lambda path: slotwise.write_gantt(path, INSTANCE, SCHEDULE, lower_bound=1.0, bound="LB2"),
        lambda path: slotwise.write_gantt(
            INSTANCE, SCHEDULE, path, lower_bound=1.0, bound_name="LB2"
        ),
    ),
    "m.lp": (
        lambda path: slotwise.write_model("allocation", DATACENTER, path),
        lambda path: slotwise.write_model(DATACENTER, "allocation", path),
    ),
    "s.json": (
        lambda path: slotwise.write(SCHEDULE, path, INSTANCE),
        lambda path: slotwise.write(SCHEDULE, path, instance=INSTANCE),
    ),
    "l.json": (
        lambda path: slotwise.write_lesson("allocation", path, DATACENTER),
        lambda path: slotwise.write_lesson(slotwise.make_lesson(DATACENTER, "allocation"), path),
    ),
}


@pytest.mark.parametrize("name", WRITERS)
def test_an_old_order_writes_the_same(name: str, warned: list[str], tmp_path: Path) -> None:
    old, new = WRITERS[name]
    old(tmp_path / name)
    assert set(warned) == {"<lambda>"}
    before = (tmp_path / name).read_bytes()
    new(tmp_path / name)
    assert (tmp_path / name).read_bytes() == before


def test_the_new_spellings_warn_of_nothing(warned: list[str], tmp_path: Path) -> None:
    for _, new in PAIRS.values():
        new()
    for name, (_, write) in WRITERS.items():
        write(tmp_path / name)
    assert not warned
