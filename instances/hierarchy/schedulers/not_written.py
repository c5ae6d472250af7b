"""What a scheduler has no place for, in the words of its writer."""

from __future__ import annotations

from collections.abc import Sequence

from ....core.errors import InputError
from ....core.wording import listed
from ..hierarchy import Hierarchy

QUOTAS = ("guarantee", "limit", "reserve", "priority")


def refuse_weight_0(hierarchy: Hierarchy, scheduler: str) -> None:
    """Raise `InputError` for a weight of 0, which this scheduler does not take."""
    for n, weight in enumerate(hierarchy.weight.tolist()):
        if weight == 0:
            raise InputError(
                f"node {hierarchy.path(n)!r}, weight: {scheduler} takes none of 0: give a small one"
            )


def not_written(hierarchy: Hierarchy, fields: Sequence[str]) -> list[str]:
    """A note for each of these fields of quotas that some node has; it names nodes and amounts."""
    notes = []
    for what in fields:
        told = []
        for n, path in enumerate(hierarchy.node_paths):
            value = hierarchy.quota_of(n).get(what)
            if isinstance(value, dict):
                value = ", ".join(f"{amount:g} {resource}" for resource, amount in value.items())
            if value is not None:
                told.append(f"{path} ({value})")
        if told:
            notes.append(f"not written, as this file has no place for a {what}: {listed(told)}")
    return notes
