"""Queues as plain objects."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ...core.calls import checked


@checked
@dataclass(frozen=True)
class Quota:
    """What a node is guaranteed and may hold, by resource, in the units of the capacity.

    Parameters
    ----------
    guarantee
        What it has whenever it wants it.
    limit
        What it never exceeds.
    reserve
        What is kept for it even while it is idle.
    priority
        Its class: siblings of a higher one take the surplus first.
    """

    guarantee: Mapping[str, float] = field(default_factory=dict)
    limit: Mapping[str, float] = field(default_factory=dict)
    reserve: Mapping[str, float] = field(default_factory=dict)
    priority: int = 0


@checked
@dataclass(frozen=True)
class Sharing:
    """How a hierarchy with quotas divides.

    Parameters
    ----------
    surplus
        What weights divide: "above" the guarantees, or in "total".
    shares
        What is shared fairly: "dominant", "each" resource for itself, or the name of one.
    """

    surplus: str = "above"
    shares: str = "dominant"


@checked
@dataclass(frozen=True)
class Leaf:
    """A job for `Hierarchy.from_tree`.

    Parameters
    ----------
    name
        Its name.
    demand
        Demand of one task by resource.
    weight
        Weight among its siblings.
    tasks
        Task limit.
    quota
        What it is guaranteed and may hold; None for nothing of the kind.
    """

    name: str
    demand: Mapping[str, float]
    weight: float = 1.0
    tasks: float = math.inf
    quota: Quota | None = None


@checked
@dataclass(frozen=True)
class Group:
    """A department or team for `Hierarchy.from_tree`.

    Parameters
    ----------
    name
        Its name.
    children
        Its groups and leaves.
    weight
        Weight among its siblings.
    quota
        What it is guaranteed and may hold; None for nothing of the kind.
    """

    name: str
    children: Sequence[Group | Leaf] = ()
    weight: float = 1.0
    quota: Quota | None = None
