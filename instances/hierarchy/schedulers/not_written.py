"""What a scheduler has no place for, in the words of its writer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ....core.wording import listed
from ..hierarchy import Hierarchy


def amounts_in_words(amounts: Mapping[str, float]) -> str:
    """`2 cpu, 10 memory`."""
    return ", ".join(f"{amount:g} {resource}" for resource, amount in amounts.items())


def not_written(
    hierarchy: Hierarchy, fields: Sequence[str], nodes: Sequence[int] | None = None
) -> list[str]:
    """A note for each of these fields of quotas that some node has; it names nodes and amounts.

    `nodes`: those that count, by default all.
    """
    notes = []
    for what in fields:
        told = []
        for n in range(hierarchy.nodes) if nodes is None else nodes:
            value = hierarchy.quota_of(n).get(what)
            if isinstance(value, dict):
                value = amounts_in_words(value)
            if value is not None:
                told.append(f"{hierarchy.path(n)} ({value})")
        if told:
            notes.append(f"not written, as this file has no place for a {what}: {listed(told)}")
    return notes
