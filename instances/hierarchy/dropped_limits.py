"""Minimums, maximums and quotas of a scheduler's queues, which a hierarchy has no place for.

Shares are computed without them; a hierarchy keeps them by name, so that no verdict forgets them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

EVERY_QUEUE = "*"
"""In place of a queue: the limit is a default, or holds for all queues together."""


@dataclass(frozen=True)
class DroppedLimit:
    """`limit` by the scheduler's own name, `amount` as its file has it.

    `queue` is a path below the root, the root's own name, or `EVERY_QUEUE`.
    """

    queue: str
    limit: str
    amount: str

    def __str__(self) -> str:
        return f"{self.queue}: {self.limit} = {self.amount}"


def limits_of(limits: Iterable[DroppedLimit], root: str, path: str) -> list[DroppedLimit]:
    """Those that bear on a leaf: its own, those of the groups above it, and every queue's."""
    steps = path.split("/")
    places = {EVERY_QUEUE, root, *("/".join(steps[: k + 1]) for k in range(len(steps)))}
    return [limit for limit in limits if limit.queue in places]


def shown(limits: Sequence[DroppedLimit], most: int) -> list[str]:
    """A line for each, or for the first ones and how many more there are."""
    lines = [str(limit) for limit in limits[:most]]
    return lines if len(limits) <= most else [*lines, f"… and {len(limits) - most} more"]
