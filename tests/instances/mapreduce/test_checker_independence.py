"""The checker shares nothing: falsify what others compute with, and it protests."""

import ast
import dataclasses
import importlib
import inspect
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from slotwise.instances.mapreduce import checker, eligibility, phase, schedule, setups
from slotwise.instances.mapreduce.cluster import Cluster, Rates
from slotwise.instances.mapreduce.instance import Instance, Job, MapTask, SpeedFactors
from slotwise.instances.mapreduce.schedule import Schedule, timed
from slotwise.instances.mapreduce.security import Outages, Security

CLUSTER = replace(
    Cluster.uniform(3, racks=2, map_slots=1, reduce_slots=1),
    map_slots=np.array([2, 1, 1]),
    reduce_slots=np.array([0, 1, 1]),
)


def plain() -> Instance:
    """Two jobs that read from far and near, on slots of different speed."""
    jobs = [
        Job("a", [MapTask(5.0, 300, ["n0"]), MapTask(3.0, 200, ["n2"])], [4.0, 3.0], 0.5),
        Job("b", [MapTask(2.0, 100)], [6.0], 1.0),
    ]
    instance = Instance.from_jobs("plain", CLUSTER, jobs)
    factors = SpeedFactors(
        np.array([[1.0, 2.0, 0.5, 1.5], [0.25, 1.0, 3.0, 1.0]]),
        np.array([[2.0, 0.5], [1.25, 0.75]]),
    )
    return replace(instance, speed_factors=factors)


def secure() -> Instance:
    instance = replace(plain(), speed_factors=None)
    levels = np.array([[0, 0, -1, 1], [1, 1, 0, -1], [-1, -1, 1, 0]], dtype=np.int8)
    return replace(instance, security=Security(np.ones((3, 4), dtype=bool), levels))


def made(instance: Instance) -> Schedule:
    """One map slot has two tasks, one reduce slot too; data crosses nodes and racks."""
    return timed(
        instance, np.array([2, 1, 1]), np.arange(3), np.array([0, 1, 0]), np.array([0, 1, 2])
    )


def times(factor: float) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A function that gives `factor` times what the right one gives."""
    return lambda right: lambda *given: right(*given) * factor


def falsify(
    monkeypatch: pytest.MonkeyPatch,
    where: Any,
    name: str,
    falsified: Callable[[Callable[..., Any]], Callable[..., Any]],
) -> None:
    """Replace a function wherever the package has it under this name."""
    right = getattr(where, name)
    wrong = falsified(right)
    monkeypatch.setattr(where, name, wrong)
    for module in list(sys.modules.values()):
        if module.__name__.startswith("slotwise") and getattr(module, name, None) is right:
            monkeypatch.setattr(module, name, wrong)


FUNCTIONS = [
    (plain, setups, "map_setups", times(0.5), "setup is"),
    (plain, setups, "map_setups", times(2.0), "setup is"),
    (plain, setups, "reduce_setups", times(0.5), "setup is"),
    (plain, setups, "output_share", times(0.5), "setup is"),
    (plain, setups, "read_rates", lambda right: lambda i: Rates(1000, 500, 300), "setup is"),
    (plain, phase.Phase, "times", times(0.9), "end is"),
    (plain, schedule, "map_completions", times(0.0), "before the end of its job's map phase"),
    (plain, schedule, "makespan", times(0.99), "makespan is"),
    (secure, setups, "map_setups", times(0.5), "setup is"),
    (secure, setups, "input_rates", times(2.0), "setup is"),
    (secure, setups, "reduce_setups", times(2.0), "setup is"),
    (secure, setups, "read_rates", lambda right: lambda i: i.cluster.rates, "setup is"),
]


@pytest.mark.parametrize(
    ("problem", "module", "name", "falsified", "violation"),
    FUNCTIONS,
    ids=[f"{problem.__name__}-{name}-{k}" for k, (problem, _, name, *_) in enumerate(FUNCTIONS)],
)
def test_a_falsified_function_is_found(
    problem: Callable[[], Instance],
    module: Any,
    name: str,
    falsified: Any,
    violation: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    instance = problem()
    right = made(instance)
    assert checker.check(instance, right).violations == []
    falsify(monkeypatch, module, name, falsified)
    wrong = made(problem())
    assert any(violation in line for line in checker.check(problem(), wrong).violations)
    # And the right one is right, whatever the others compute with.
    assert checker.check(problem(), right).violations == []


def at_zero(right: Callable[..., Any]) -> Callable[..., Any]:
    """All tasks at once."""

    def wrong(slot: Any, rank: Any, setup: Any, work: Any, release: Any) -> Any:
        return schedule.PhaseSchedule(slot, np.zeros(len(slot)), setup, setup + work)

    return wrong


def test_tasks_timed_on_top_of_each_other_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    falsify(monkeypatch, schedule, "_earliest", at_zero)
    found = checker.check(plain(), made(plain())).violations
    assert any("holds until" in line for line in found)
    assert any("before the end of its job's map phase" in line for line in found)


def reversed_values(right: Any) -> property:
    return property(lambda self: right.func(self)[::-1])


@pytest.mark.parametrize(
    ("owner", "name"),
    [
        (Cluster, "map_slot_node"),
        (Cluster, "reduce_slot_node"),
        (Instance, "map_job"),
        (Instance, "reduce_job"),
        (Instance, "reduces_of"),
    ],
)
def test_falsified_views_of_the_data_are_found(
    owner: type, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def problem() -> Instance:
        return replace(plain(), cluster=replace(CLUSTER))  # nothing computed before

    right = made(problem())
    monkeypatch.setattr(owner, name, reversed_values(inspect.getattr_static(owner, name)))
    assert not checker.check(problem(), made(problem())).valid
    assert checker.check(problem(), right).violations == []


def test_forbidden_and_lost_slots_are_found_whatever_the_rules_say(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    instance = secure()
    assert instance.security is not None
    priorities = instance.security.priorities.copy()
    priorities[0, 2] = False
    lost = Outages(np.array([False, True, False, False]), np.array([True, False]))
    instance = replace(
        instance, security=replace(instance.security, priorities=priorities), outages=lost
    )
    falsify(monkeypatch, eligibility, "map_eligible", lambda right: lambda i: np.ones((3, 4), bool))
    falsify(monkeypatch, eligibility, "reduce_eligible", lambda right: lambda i: np.ones(2, bool))
    assert checker.check(instance, made(instance)).violations == [
        "job 'a' map task 1 is on map slot 1, which is lost",
        "job 'b' map task 0 is on map slot 1, which is lost",
        "job 'a' reduce task 0 is on reduce slot 0, which is lost",
        "job 'b' reduce task 0 is on reduce slot 0, which is lost",
        "job 'a' map task 0 is on map slot 2, its priority forbids that",
    ]


SOURCE = ast.parse(inspect.getsource(checker))


def imported() -> list[tuple[str, Any]]:
    """Names that the checker imports from the package, with what they are."""
    found = []
    for node in ast.walk(SOURCE):
        if isinstance(node, ast.Import):
            assert {alias.name for alias in node.names} <= {"numpy"}
        elif isinstance(node, ast.ImportFrom):
            if not node.level:
                assert node.module in {"__future__", "dataclasses", "typing"}
                continue
            module = importlib.import_module(
                "." * node.level + str(node.module), checker.__package__
            )
            found += [(alias.name, getattr(module, alias.name)) for alias in node.names]
    return found


def test_only_data_classes_and_types_are_imported() -> None:
    for name, thing in imported():
        is_array_type = "numpy.ndarray" in str(thing) and not isinstance(thing, type)
        assert dataclasses.is_dataclass(thing) or is_array_type, name


def test_nothing_of_a_data_class_is_used_but_its_fields() -> None:
    classes = {thing for _, thing in imported() if dataclasses.is_dataclass(thing)}
    assert {Instance, Schedule} <= classes
    computed: set[str] = set()
    for data in (*classes, Cluster, Rates, SpeedFactors, Security, Outages):
        fields = {f.name for f in dataclasses.fields(data)}
        computed |= {name for name in vars(data) if not name.startswith("__")} - fields
    assert {"map_slot_node", "rate_between", "map_job", "phases", "check_fit"} <= computed
    used = {node.attr for node in ast.walk(SOURCE) if isinstance(node, ast.Attribute)}
    assert not used & computed


def test_nothing_is_imported_behind_its_back() -> None:
    calls = {n.func.id for n in ast.walk(SOURCE) if isinstance(n, ast.Call)
             and isinstance(n.func, ast.Name)}  # fmt: skip
    assert not calls & {"__import__", "eval", "exec", "getattr"}
