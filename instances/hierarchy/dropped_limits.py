"""Minimums, maximums and quotas of a scheduler's queues, which a hierarchy cannot express.

Shares are computed without them; a hierarchy keeps them by name, so that no verdict ignores them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ...core.errors import InputError

EVERY_QUEUE = "*"
"""In place of a queue: the limit is a default, or holds for all queues together."""


@dataclass(frozen=True)
class DroppedLimit:
    """A limit that shares ignore.

    Parameters
    ----------
    queue
        Path below the root, the root's own name, or `EVERY_QUEUE`.
    limit
        The scheduler's own name for the limit.
    amount
        The amount as the file has it.
    """

    queue: str
    limit: str
    amount: str

    def __str__(self) -> str:
        return f"{self.queue}: {self.limit} = {self.amount}"


def limits_of(limits: Iterable[DroppedLimit], root: str, path: str) -> list[DroppedLimit]:
    """The limits that concern a leaf: its own, those of the groups above it, and every queue's."""
    steps = path.split("/")
    places = {EVERY_QUEUE, root, *("/".join(steps[: k + 1]) for k in range(len(steps)))}
    return [limit for limit in limits if limit.queue in places]


def shown(limits: Sequence[DroppedLimit], most: int) -> list[str]:
    """One line per limit, or for the first ones and the number of the others."""
    lines = [str(limit) for limit in limits[:most]]
    return lines if len(limits) <= most else [*lines, f"… and {len(limits) - most} more"]


def check_queues(
    limits: Sequence[DroppedLimit], parent: Sequence[int], names: Sequence[str]
) -> None:
    """Raise `InputError` unless each limit is of a node, the root, or every queue."""
    if not limits:
        return
    below = {(above, name): n for n, (above, name) in enumerate(zip(parent, names, strict=True))}
    for limit in limits:
        node: int | None = 0
        if limit.queue not in (EVERY_QUEUE, names[0]):
            for name in limit.queue.split("/"):
                node = None if node is None else below.get((node, name))
        if node is None:
            raise InputError(f"dropped_limits, {str(limit)!r}: there is no such queue")
