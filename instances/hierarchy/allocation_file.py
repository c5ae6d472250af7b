"""`slotwise/allocation/1`, and `/2` of hierarchies with quotas: allocations as JSON."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from ...core.calls import checked
from ...core.errors import InputError
from ...core.files.json_files import Source, Strict, read_document, write_json
from ...core.wording import first_of
from .allocation import FORMAT, OF_EVERY_NODE, UNKNOWN, Allocation
from .hierarchy import Hierarchy
from .hierarchy_file import LimitRow

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
    dropped_limits: list[LimitRow] = []
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
    tasks, weight = np.zeros(hierarchy.leaves), np.zeros(hierarchy.leaves)
    for name, row in document.leaves.items():
        if name not in number:
            raise InputError(f"{path}: leaves, {name!r}: the hierarchy has no such leaf")
        tasks[number[name]], weight[number[name]] = row.tasks, row.weight
    allocation = Allocation(
        hierarchy=hierarchy,
        method=document.method,
        tasks=tasks,
        weight=weight,
        bottleneck=np.full(hierarchy.leaves, UNKNOWN, dtype=np.int64),
        whole=document.whole_tasks,
    )
    wrong = []
    for name, row in document.leaves.items():
        i = number[name]
        claims = [("dominant share", row.dominant_share, float(allocation.share[i]))]
        if hierarchy.quotas is None:
            claims.append(("guarantee", row.guarantee, float(allocation.guarantee[i])))
        for what, claimed, true in claims:
            if abs(claimed - true) > 1e-6 * max(1.0, abs(true)):
                wrong.append(f"leaf {name!r}: says {what} {claimed:.6g}, it is {true:.6g}")
    if document.nodes:
        wrong += _wrong_nodes(document.nodes, allocation)
    return allocation, wrong


def _wrong_nodes(rows: dict[str, _Node], allocation: Allocation) -> list[str]:
    """A line for each node that says it uses something else than its leaves do."""
    tree, used = allocation.hierarchy, allocation.nodes.used
    number = {path: n for n, path in enumerate(tree.node_paths)}
    wrong = []
    for path, row in rows.items():
        if path not in number:
            wrong.append(f"nodes, {path!r}: the hierarchy has no such node")
            continue
        for resource, true in zip(tree.resources, used[number[path]].tolist(), strict=True):
            claimed = row.used.get(resource, 0.0)
            if abs(claimed - true) > 1e-6 * max(1.0, abs(true)):
                wrong.append(f"node {path!r}: says {claimed:.6g} {resource}, it is {true:.6g}")
    return wrong
