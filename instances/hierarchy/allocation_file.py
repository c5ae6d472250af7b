"""`slotwise/allocation/1`: allocations as JSON."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from ..errors import InputError
from ..files.json_files import Source, Strict, need_format, read_json, validated, write_json
from .allocation import FORMAT, UNKNOWN, Allocation
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


class AllocationDocument(Strict):
    """The fields of a `slotwise/allocation/1` document."""

    format: Literal["slotwise/allocation/1"]
    hierarchy: str = ""
    method: str
    whole_tasks: bool = False
    used: dict[str, float] = {}
    guarantees_met: bool | None = None
    dropped_limits: list[LimitRow] = []
    leaves: dict[str, _Leaf]


def write_allocation(allocation: Allocation, path: str | Path) -> None:
    """Write a `slotwise/allocation/1` file atomically, compressed if the name ends in `.gz`.

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


def read_allocation(path: Source, hierarchy: Hierarchy) -> tuple[Allocation, list[str]]:
    """Read a `slotwise/allocation/1` file; a leaf that it leaves out runs no task.

    Parameters
    ----------
    path
        Path of the file, or `-`.
    hierarchy
        The hierarchy that it is for.

    Returns
    -------
    tuple[Allocation, list[str]]
        The allocation, and a line for each of its claims that its tasks contradict.

    Raises
    ------
    InputError
        For a leaf that the hierarchy does not have, and for wrong fields.
    """
    content, raw = read_json(path)
    need_format(path, raw, FORMAT)
    document = validated(
        AllocationDocument, content, lambda place: ", ".join(map(str, place)), path
    )
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
        for what, claimed, true in (
            ("dominant share", row.dominant_share, float(allocation.share[i])),
            ("guarantee", row.guarantee, float(allocation.guarantee[i])),
        ):
            if abs(claimed - true) > 1e-6 * max(1.0, abs(true)):
                wrong.append(f"leaf {name!r}: says {what} {claimed:.6g}, it is {true:.6g}")
    return allocation, wrong
