"""What would change: shares computed again with another weight, guarantee, limit or demand.

Only this tells the truth: a group's greater limit can leave somebody inside it with less.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from ....core.errors import InputError
from ....instances.hierarchy.allocation import Allocation
from ....instances.hierarchy.hierarchy import Hierarchy
from ....instances.hierarchy.quotas import Quotas
from ..exact import exact

FIELDS = ("weight", "tasks", "priority", "guarantee", "limit", "reserve")
"""What of a node can be another; the last three with a resource, `limit.cpu`."""

LEAST = 1e-7
"""Least difference, as a fraction of the capacity, that counts as a change."""


@dataclass(frozen=True)
class Change:
    """What a node uses of a resource before and after, in the units of the capacity."""

    node: str
    """Its path."""
    resource: str
    """The resource."""
    before: float
    """Its use before."""
    after: float
    """Its use after."""


@dataclass(frozen=True, eq=False)
class WhatIf:
    """Shares with other fields of some nodes."""

    said: tuple[str, ...]
    """The new values, as `NODE:FIELD=VALUE`."""
    before: Allocation
    """The allocation as it is."""
    after: Allocation
    """The allocation as it would be."""
    changes: tuple[Change, ...]
    """Every node and resource of which more or less is used."""

    def document(self) -> dict[str, Any]:
        """The answer as plain data for JSON."""
        return {
            "what_if": list(self.said),
            "changes": [asdict(change) for change in self.changes],
            "allocation": self.after.document(),
        }


def what_if(hierarchy: Hierarchy, said: Sequence[str], *, scale_guarantees: bool = False) -> WhatIf:
    """Compute the exact shares again with other values, each given as `NODE:FIELD=VALUE`.

    Raises `InputError` for an unknown node or field, for a wrong value, and for guarantees that do
    not fit.
    """
    other = hierarchy
    for text in said:
        other = changed(other, *parsed(hierarchy, text))
    before = exact(hierarchy, scale_guarantees=scale_guarantees)
    after = exact(other, scale_guarantees=scale_guarantees)
    return WhatIf(tuple(said), before, after, changes(before, after))


def parsed(hierarchy: Hierarchy, text: str) -> tuple[int, str, int, float]:
    """Node, field, number of the resource (-1 for none) and value of `NODE:FIELD=VALUE`."""
    place, equals, value = text.rpartition("=")
    path, colon, field = place.rpartition(":")
    if not (equals and colon and path):
        raise InputError(f"what if {text!r}: need NODE:FIELD=VALUE, for example eng/dev:weight=2")
    node = hierarchy.node_at(path)
    name, _, resource = field.partition(".")
    if name not in FIELDS:
        raise InputError(f"what if {text!r}: unknown field {name!r}: choose from {fields_of()}")
    j = -1
    if name in ("guarantee", "limit", "reserve"):
        if resource not in hierarchy.resources:
            known = ", ".join(f"{name}.{each}" for each in hierarchy.resources)
            raise InputError(f"what if {text!r}: which resource? Choose from {known}")
        j = hierarchy.resources.index(resource)
    try:
        number = float(value)
    except ValueError:
        number = float("nan")
    if not number >= 0 and name != "priority":
        raise InputError(f"what if {text!r}: need a number >= 0, got {value!r}")
    if name == "priority" and not number.is_integer():
        raise InputError(f"what if {text!r}: need a whole number, got {value!r}")
    return node, name, j, number


def fields_of() -> str:
    return ", ".join(name if k < 3 else f"{name}.RESOURCE" for k, name in enumerate(FIELDS))


def changed(hierarchy: Hierarchy, node: int, field: str, j: int, value: float) -> Hierarchy:
    """The hierarchy with another value of one field of one node. Raises `InputError`."""
    if field == "weight":
        weight = hierarchy.weight.copy()
        weight[node] = value
        if value == 0 and hierarchy.quotas is None:
            quotas = Quotas.none(hierarchy.nodes, len(hierarchy.resources))
            return replace(hierarchy, weight=weight, quotas=quotas)
        return replace(hierarchy, weight=weight)
    if field == "tasks":
        number = np.flatnonzero(hierarchy.leaf == node)
        if not number.size:
            raise InputError(f"node {hierarchy.path(node)!r}, tasks: a group has no tasks")
        tasks = hierarchy.tasks.copy()
        tasks[number[0]] = value
        return replace(hierarchy, tasks=tasks)
    quotas = hierarchy.quotas or Quotas.none(hierarchy.nodes, len(hierarchy.resources))
    amounts = getattr(quotas, field).copy()
    if field == "priority":
        amounts[node] = int(value)
    else:
        amounts[node, j] = value
    return replace(hierarchy, quotas=replace(quotas, **{field: amounts}))


def changes(before: Allocation, after: Allocation) -> tuple[Change, ...]:
    """Every node and resource whose use differs, parents before their children."""
    tree = before.hierarchy
    old, new = before.nodes.used, after.nodes.used
    differs = np.abs(new - old) > LEAST * tree.capacity
    differs[0] = False
    return tuple(
        Change(tree.path(n), tree.resources[j], float(old[n, j]), float(new[n, j]))
        for n, j in np.argwhere(differs).tolist()
    )
