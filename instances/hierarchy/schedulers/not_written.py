"""What writers of schedulers' files have in common: what a file has no place for, in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ....core.arrays import FloatArray
from ....core.wording import listed
from ..hierarchy import Hierarchy
from ..quotas import DOMINANT, EACH
from .amounts import MEMORY_NAMES


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


def memory_alone(hierarchy: Hierarchy) -> bool:
    """Whether shares count memory and nothing else, which YARN's schedulers can do."""
    return hierarchy.counted >= 0 and hierarchy.resources[hierarchy.counted] in MEMORY_NAMES


def notes_of_yarn(hierarchy: Hierarchy, amounts: FloatArray | None) -> list[str]:
    """What both of YARN's schedulers do otherwise; `amounts`: those that were rounded down."""
    notes: list[str] = []
    quotas = hierarchy.quotas
    if quotas is None:
        return notes
    if quotas.shares != DOMINANT and not memory_alone(hierarchy) and len(hierarchy.resources) > 1:
        what = "each resource for itself" if quotas.shares == EACH else quotas.shares
        notes.append(f"YARN shares the dominant resource, or memory alone; here it is {what}")
    if amounts is not None:
        notes.append("amounts are numbers in the units of the hierarchy: YARN takes memory in MB")
        if (amounts[np.isfinite(amounts)] % 1).any():
            notes.append("amounts are rounded down to whole numbers")
    return notes
