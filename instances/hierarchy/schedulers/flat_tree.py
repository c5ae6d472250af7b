"""A tree without its groups: all leaves right under the root."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ....core.arrays import FloatArray
from ....core.errors import InputError
from ....core.wording import listed
from ..dropped_limits import EVERY_QUEUE, DroppedLimit
from ..hierarchy import Hierarchy
from ..quotas import TOTAL, Quotas
from .not_written import QUOTAS, amounts_in_words
from .queue_tree import joined_names


def flattened(hierarchy: Hierarchy, weights: FloatArray) -> Hierarchy:
    """Move all leaves directly under the root, under their joined names.

    Leaves keep their guarantees, reserves and limits, and what the groups above may hold limits
    each of them too; `lost_when_flat` says what is lost. Weights divide everything.

    `weights`: weight of each leaf, shape (leaves,); a leaf of weight 0 gets the least of the
    others, but one with tasks in a tree with quotas stays the last.
    Raises `InputError` if two names collide.
    """
    positive = weights[weights > 0]
    if not positive.size:
        raise InputError("flat weights: no leaf gets anything, so there is nothing to weigh")
    last = (hierarchy.tasks > 0) & (hierarchy.quotas is not None)
    weights = np.where((weights > 0) | last, weights, positive.min())
    names = joined_names(hierarchy.paths)
    return Hierarchy(
        resources=hierarchy.resources,
        capacity=hierarchy.capacity,
        names=(hierarchy.names[0], *names),
        parent=np.concatenate(([-1], np.zeros(len(names), dtype=np.int64))),
        weight=np.concatenate(([1.0], weights)),
        leaf=np.arange(1, len(names) + 1),
        demand=hierarchy.demand,
        tasks=hierarchy.tasks,
        name=hierarchy.name,
        source=hierarchy.source,
        dropped_limits=_dropped(hierarchy, names),
        quotas=None if hierarchy.quotas is None else _quotas(hierarchy, hierarchy.quotas),
    )


def _quotas(hierarchy: Hierarchy, quotas: Quotas) -> Quotas:
    """Those of the leaves, below the root."""
    limit = quotas.limit.copy()
    for n in range(1, hierarchy.nodes):
        limit[n] = np.minimum(limit[n], limit[hierarchy.parent[n]])
    rows = np.concatenate(([0], hierarchy.leaf))
    return replace(
        quotas,
        guarantee=np.minimum(quotas.guarantee, limit)[rows],
        limit=limit[rows],
        reserve=np.minimum(quotas.reserve, limit)[rows],
        priority=np.zeros(len(rows), dtype=np.int64),
        surplus=TOTAL,
    )


def _dropped(hierarchy: Hierarchy, names: list[str]) -> tuple[DroppedLimit, ...]:
    """Dropped limits by the flat names; those of groups belong to the root."""
    flat = dict(zip(hierarchy.paths, names, strict=True))
    kept = {EVERY_QUEUE, hierarchy.names[0]}
    return tuple(
        limit
        if limit.queue in kept
        else DroppedLimit(flat[limit.queue], limit.limit, limit.amount)
        if limit.queue in flat
        else DroppedLimit(hierarchy.names[0], f"{limit.limit} of {limit.queue}", limit.amount)
        for limit in hierarchy.dropped_limits
    )


def lost_when_flat(hierarchy: Hierarchy) -> list[str]:
    """A note for each quota that a tree without groups cannot keep, with nodes and amounts."""
    if hierarchy.quotas is None:
        return []
    leaf = set(hierarchy.leaf.tolist())
    lost: dict[str, list[str]] = {what: [] for what in QUOTAS}
    for n in range(1, hierarchy.nodes):
        quota = hierarchy.quota_of(n)
        for what in QUOTAS if n not in leaf else ("priority",):
            value = quota.get(what)
            if value is not None:
                told = amounts_in_words(value) if isinstance(value, dict) else f"{value}"
                lost[what].append(f"{hierarchy.path(n)} ({told})")
    more = {"limit": ", which each of its leaves keeps, but not all together"}
    return [
        f"lost without groups: the {what} of {listed(names)}{more.get(what, '')}"
        for what, names in lost.items()
        if names
    ]
