"""What no scheduler's file tells: the capacity of the cluster, and what tasks need."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

from ....core.errors import InputError
from ....core.files.json_files import JsonFile
from ....core.parameters import described, parameter
from .amounts import MEMORY_NAMES, is_quantity, quantity

Amounts = Mapping[str, float | str]
"""Amounts by resource: numbers in the scheduler's units, or quantities such as 400Gi."""
SchedulerFile = Annotated[str | Path, described("The scheduler's file.", metavar="FILE")]


@dataclass(frozen=True)
class DemandOptions:
    """Capacity and demands, which every importer of a scheduler's queues needs.

    `demands` may be a file of `{"eng/dev": {"demand": {"cpu": 1}, "tasks": 9}}`, from which `tasks`
    then comes too.
    """

    capacity: Amounts = field(
        default_factory=dict, metadata=described("Capacity of the cluster, by resource.")
    )
    demand: Amounts | None = parameter(None, "Demand per task of a leaf; default: capacity / 1000.")
    demands: Mapping[str, Amounts] | str | Path = field(
        default_factory=dict,
        metadata=described("JSON: demand per task and tasks of single leaves.", metavar="FILE"),
    )
    tasks: Mapping[str, float] = field(
        default_factory=dict,
        metadata=described("Limits of tasks of single leaves, by path.", option=None),
    )
    source: str = parameter("demands", "Where demands and tasks are from.", option=None)

    def __post_init__(self) -> None:
        if not self.demand:
            object.__setattr__(self, "demand", None)
        if isinstance(self.demands, str | Path):
            path = self.demands
            demands, tasks = read_demands(path)
            for name, value in (("demands", demands), ("tasks", tasks), ("source", str(path))):
                object.__setattr__(self, name, value)

    @property
    def by_leaf(self) -> Mapping[str, Amounts]:
        """Demands per task of single leaves, by path."""
        assert isinstance(self.demands, Mapping)
        return self.demands

    def in_units(self, memory: float = 1.0) -> Demands:
        """All amounts as numbers, where the scheduler counts memory in units of so many bytes."""
        return Demands(
            _in_units(self.capacity, memory, "capacity"),
            None if self.demand is None else _in_units(self.demand, memory, "demand"),
            {
                leaf: _in_units(wanted, memory, f"{self.source}: {leaf!r}, demand")
                for leaf, wanted in self.by_leaf.items()
            },
            dict(self.tasks),
            self.source,
            "" if memory == 1.0 else " (memory is in MB, in the file and in --capacity)",
        )


@dataclass(frozen=True)
class Demands:
    """Capacity and demands in a scheduler's units."""

    capacity: Mapping[str, float]
    demand: Mapping[str, float] | None = None
    """Of a task of every leaf; None if it is not given."""
    by_leaf: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    tasks: Mapping[str, float] = field(default_factory=dict)
    """Limits of tasks of single leaves."""
    source: str = "demands"
    units: str = ""
    """What an error that compares amounts adds, where numbers alone may mislead."""


def _in_units(amounts: Amounts, memory: float, where: str) -> dict[str, float]:
    found = {}
    for name, amount in amounts.items():
        if isinstance(amount, str):
            unit = memory if name in MEMORY_NAMES else 1.0
            found[name] = quantity(amount, f"{where}, {name}") / unit
        else:
            found[name] = float(amount)
    return found


def read_demands(path: str | Path) -> tuple[dict[str, Amounts], dict[str, float]]:
    """Demands and task limits of single leaves, by path, from a JSON file.

    Returns demands per task by leaf and resource.
    Raises `InputError` names file, leaf and resource.
    """
    document = JsonFile.read(path).document
    demands: dict[str, Amounts] = {}
    tasks: dict[str, float] = {}
    for leaf, wanted in document.items():
        where = f"{path}: {leaf!r}"
        if not isinstance(wanted, dict) or set(wanted) - {"demand", "tasks"}:
            raise InputError(f"{where}: need an object with demand and tasks")
        if "demand" in wanted:
            demands[leaf] = _numbers(wanted["demand"], f"{where}, demand")
        if "tasks" in wanted:
            tasks[leaf] = float(_numbers({"tasks": wanted["tasks"]}, where)["tasks"])
    return demands, tasks


def _numbers(values: Any, where: str) -> dict[str, float | str]:
    if not isinstance(values, dict):
        raise InputError(f"{where}: need an object by resource")
    for name, value in values.items():
        if isinstance(value, str) and name != "tasks":
            if not is_quantity(value):
                raise InputError(f"{where}, {name}: need a number, got {value!r}")
            continue
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise InputError(f"{where}, {name}: need a number, got {value!r}")
        if not 0 <= value <= 1e300:
            raise InputError(f"{where}, {name}: need a finite number >= 0")
    return {
        name: value if isinstance(value, str) else float(value) for name, value in values.items()
    }
