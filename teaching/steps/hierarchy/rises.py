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
    """Something that ends a rise."""

    what: What
    """A resource is full, a leaf has all its tasks, or a leaf rises above what it had."""
    number: int
    """Of the resource or leaf."""
    level: float
    """Level of the root at which it comes if nothing comes before."""


@dataclass(frozen=True)
class Rise:
    """Leaves that rise at constant rates from one level to another."""

    begin: float
    end: float
    """`begin`, `end`: levels of the root; `end` is infinite if nothing ends it."""
    before: tuple[float, ...]
    after: tuple[float, ...]
    """`before`, `after`: dominant share of each leaf."""
    rates: tuple[float, ...]
    """What each leaf gains for each unit of level."""
    events: tuple[Event, ...]
    """What may come next at these rates, the first first."""

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
