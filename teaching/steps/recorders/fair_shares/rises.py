"""What a fluid allocation does between two events."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

SAME = 1e-9
"""Levels that differ by at most this part of them are one."""

What = Literal["resource", "tasks", "rises"]


@dataclass(frozen=True)
class Event:
    """Something that ends a rise.

    Parameters
    ----------
    what
        A resource is full, a leaf has all its tasks, or a leaf rises above what it had.
    number
        Of the resource or leaf.
    level
        Level of the root at which it comes if nothing comes before.
    """

    what: What
    number: int
    level: float


@dataclass(frozen=True)
class Rise:
    """Leaves that rise at constant rates from one level to another.

    Parameters
    ----------
    begin, end
        Levels of the root; `end` is infinite if nothing ends it.
    before, after
        Dominant share of each leaf.
    rates
        What each leaf gains for each unit of level.
    events
        What may come next at these rates, the first first.
    """

    begin: float
    end: float
    before: tuple[float, ...]
    after: tuple[float, ...]
    rates: tuple[float, ...]
    events: tuple[Event, ...]

    @property
    def happened(self) -> tuple[Event, ...]:
        """The events that end it."""
        return tuple(event for event in self.events if same(event.level, self.end))


def same(one: float, other: float) -> bool:
    """Whether two levels are one."""
    return math.isclose(one, other, rel_tol=SAME)


def load(shares: Sequence[float], demand: Sequence[Sequence[float]], resource: int) -> float:
    """Part of a resource that leaves use."""
    return sum(share * row[resource] for share, row in zip(shares, demand, strict=True))


def in_order(events: Sequence[Event]) -> tuple[Event, ...]:
    """Events by level; of those at one level resources first."""
    first = {"resource": 0, "tasks": 1, "rises": 2}
    return tuple(sorted(events, key=lambda one: (one.level, first[one.what], one.number)))
