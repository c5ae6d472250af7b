"""`slotwise/allocation/1`, and `/2` of hierarchies with quotas: allocations as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from math import isclose
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from ...core.calls import checked
from ...core.errors import InputError
from ...core.files.json_files import Source, Strict, read_document, shown, write_json
from ...core.wording import first_of, listed
from .allocation import FORMAT, OF_EVERY_NODE, UNKNOWN, Allocation
from .hierarchy import Hierarchy
from .nodes import DroppedLimit
from .plain_shares import MOST_LEAVES, guaranteed_tasks

NonNegative = Annotated[float, Field(ge=0)]


class _Leaf(Strict):
    tasks: NonNegative
    dominant_share: NonNegative
    weight: NonNegative
    guarantee: NonNegative
    met: bool | None = None
    limited_by: str | None = None


class _Node(Strict):
    used: dict[str, NonNegative]
    guaranteed: dict[str, NonNegative] = {}
    limit: dict[str, NonNegative] = {}
    dominant_share: NonNegative
    limited_by: list[str] = []


class AllocationDocument(Strict):
    format: Literal["slotwise/allocation/1", "slotwise/allocation/2"]
    hierarchy: str = ""
    method: str
    whole_tasks: bool = False
    used: dict[str, float] = {}
    guarantees_met: bool | None = None
    dropped_limits: list[DroppedLimit] = []
    nodes: dict[str, _Node] = {}
    leaves: dict[str, _Leaf]


@checked
def write_allocation(allocation: Allocation, path: str | Path) -> None:
    """Write a `slotwise/allocation/1` or `/2` file atomically.

    It is compressed if the name ends in `.gz`.

    Parameters
    ----------
    allocation
        The allocation.
    path
        Path of the file, or `-` for stdout.

    Raises
    ------
    OutputError
        If the file cannot be written.
    """
    write_json(path, allocation.document())


@checked
def read_allocation(path: Source, hierarchy: Hierarchy) -> Allocation:
    """Read a `slotwise/allocation/1` or `/2` file; a leaf that it leaves out runs no task.

    Parameters
    ----------
    path
        Path of the file, or `-`.
    hierarchy
        The hierarchy that it is for.

    Returns
    -------
    Allocation
        The allocation.

    Raises
    ------
    InputError
        For a leaf that the hierarchy does not have, for wrong fields, and for shares that its tasks
        contradict.
    """
    allocation, wrong = claimed_allocation(path, hierarchy)
    if wrong:
        raise InputError(f"{path}: {first_of(wrong)}")
    return allocation


def claimed_allocation(path: Source, hierarchy: Hierarchy) -> tuple[Allocation, list[str]]:
    """The allocation of a file, and a line for each of its claims that its tasks contradict."""
    document = read_document(path, AllocationDocument, FORMAT, OF_EVERY_NODE)
    number = {name: i for i, name in enumerate(hierarchy.paths)}
    tasks, weight, guarantee = np.zeros((3, hierarchy.leaves))
    for name, row in document.leaves.items():
        if name not in number:
            raise InputError(f"{path}: leaves, {name!r}: the hierarchy has no such leaf")
        i = number[name]
        tasks[i], weight[i], guarantee[i] = row.tasks, row.weight, row.guarantee
    guaranteed = None
    if hierarchy.quotas is not None:
        if hierarchy.leaves <= MOST_LEAVES:
            guaranteed = np.minimum(guaranteed_tasks(hierarchy), tasks)
        else:  # too many to compute again: what nodes say must fit what leaves say
            guaranteed = guarantee / hierarchy.task_share
    allocation = Allocation(
        hierarchy=hierarchy,
        method=document.method,
        tasks=tasks,
        weight=weight,
        bottleneck=np.full(hierarchy.leaves, UNKNOWN, dtype=np.int64),
        whole=document.whole_tasks,
        guaranteed_tasks=guaranteed,
    )
    return allocation, list(_wrong(document, allocation))


def _wrong(document: AllocationDocument, allocation: Allocation) -> Iterator[str]:
    """A line for each claim that is not what the tasks make it."""
    tree, true = allocation.hierarchy, allocation.document()
    said = document.model_dump(
        exclude_unset=True, exclude={"format", "hierarchy", "method", "whole_tasks"}
    )
    leaves, nodes = said.pop("leaves"), said.pop("nodes", {})
    yield from _differences("the file", said, true, tree)
    for i, name in enumerate(tree.paths):
        row = leaves.get(name, {})
        stop = row.pop("limited_by", None)
        if stop is not None and stop not in _stops(allocation, i):
            yield f"leaf {name!r}: says limited by {stop}, it is not"
        row = {field: row[field] for field in row.keys() - {"tasks", "weight"}}
        yield from _differences(f"leaf {name!r}", row, true["leaves"][name], tree)
    known = allocation.nodes.document() if nodes else {}
    for name, row in nodes.items():
        if name in known:
            yield from _differences(f"node {name!r}", row, known[name], tree)
        else:
            yield f"nodes, {name!r}: the hierarchy has no such node"


def _stops(allocation: Allocation, i: int) -> set[str]:
    """What a leaf may say it is limited by: its tasks, or what it needs and is full.

    Under limits that is what it needs most of the resources that it needs, full or not.
    """
    tree, tasks = allocation.hierarchy, allocation.tasks
    if tasks[i] + 1 > tree.tasks[i] if allocation.whole else tasks[i] >= tree.tasks[i] * (1 - 1e-9):
        return {"tasks"}
    need = tree.demand[i] / tree.capacity
    full = allocation.used + (need if allocation.whole else 0) > 1 - 1e-6
    stops = (need > 0) & (full | (tree.quotas is not None))
    return {tree.resources[j] for j in np.flatnonzero(stops)}


def _differences(
    place: str, said: dict[str, Any], true: dict[str, Any], tree: Hierarchy
) -> Iterator[str]:
    """A line for each field that says something else; amounts to a part of the capacity."""
    capacity = dict(zip(tree.resources, tree.capacity.tolist(), strict=True))
    for field, claimed in sorted(said.items()):
        pairs = [(field.replace("_", " "), claimed, true.get(field), 1.0)]
        if isinstance(claimed, dict):
            own = true.get(field, {})
            pairs = [
                (f"{field} {name}", claimed.get(name), own.get(name), capacity.get(name, 1.0))
                for name in sorted(claimed.keys() | own.keys())
            ]
        for what, one, other, scale in pairs:
            numbers = [x for x in (one, other) if isinstance(x, float | int)]
            if len(numbers) == 2 and isclose(*numbers, rel_tol=1e-6, abs_tol=1e-9 * scale):
                continue
            if one != other:
                yield f"{place}: says {what} {_shown(one)}, it is {_shown(other)}"


def _shown(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, list):
        return listed(map(str, value)) or "nothing"
    return "nothing" if value is None else shown(value)
