"""Queues as plain objects: what files, importers and users make hierarchies of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, TypeVar

from pydantic import ConfigDict, Field

from ...core.calls import checked

UNBOUNDED = float("inf")
"""Task limit of a leaf that can always use more."""

EVERY_QUEUE = "*"
"""In place of a queue: the limit is a default, or holds for all queues together."""

Word = Annotated[str, Field(min_length=1, strict=True)]
Amount = Annotated[float, Field(ge=0, strict=True, allow_inf_nan=False)]
"""Strict, as in all files, though a node is read field by field from what JSON has become."""


@checked
@dataclass
class Node:
    """A queue: a leaf if it has a demand, else a group, perhaps without children.

    Amounts are by resource, in the units of the capacity.

    Parameters
    ----------
    name
        Its name.
    weight
        Weight among its siblings; 0 takes what the others leave.
    demand
        Of a leaf, what one task needs; a resource that is missing is not needed.
    tasks
        Of a leaf, the task limit.
    guarantee
        What it has whenever it wants it.
    limit
        What it never exceeds.
    reserve
        What is kept for it even while it is idle.
    priority
        Its class: siblings of a higher one take the surplus first.
    children
        Of a group, its groups and leaves.
    """

    name: Word
    weight: Amount = 1.0
    demand: Mapping[str, Amount] | None = None
    tasks: Amount = UNBOUNDED
    guarantee: Mapping[str, Amount] = field(default_factory=dict)
    limit: Mapping[str, Amount] = field(default_factory=dict)
    reserve: Mapping[str, Amount] = field(default_factory=dict)
    priority: Annotated[int, Field(strict=True)] = 0
    children: Sequence[Node] | None = None

    __pydantic_config__ = ConfigDict(extra="forbid")

    @property
    def has_quota(self) -> bool:
        """Whether something is guaranteed, limited or ranked, which `hierarchy/1` cannot say."""
        return bool(self.guarantee or self.limit or self.reserve or self.priority)


@checked
def Leaf(
    name: str,
    demand: Mapping[str, float],
    weight: float = 1.0,
    tasks: float = UNBOUNDED,
    **quota: Any,
) -> Node:
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
    **quota
        `guarantee`, `limit`, `reserve` and `priority` of `Node`.

    Returns
    -------
    Node
        The leaf.
    """
    return Node(name, weight, demand, tasks, **quota)


@checked
def Group(name: str, children: Sequence[Node] = (), weight: float = 1.0, **quota: Any) -> Node:
    """A department or team for `Hierarchy.from_tree`.

    Parameters
    ----------
    name
        Its name.
    children
        Its groups and leaves.
    weight
        Weight among its siblings.
    **quota
        `guarantee`, `limit`, `reserve` and `priority` of `Node`.

    Returns
    -------
    Node
        The group.
    """
    return Node(name, weight, children=children, **quota)


Tree = TypeVar("Tree", bound=Node)


def walk(root: Tree) -> Iterator[tuple[Tree, int, str]]:
    """Every node after its parent, with the parent's position in this order and its own path."""
    stack: list[tuple[Any, int, str]] = [(root, -1, "")]
    place = 0
    while stack:
        node, parent, path = stack.pop()
        yield node, parent, path
        below = path + "/" if path else ""
        children = reversed(node.children or ())
        stack.extend((child, place, below + child.name) for child in children)
        place += 1


@dataclass(frozen=True)
class DroppedLimit:
    """A limit of a scheduler's queue that shares ignore and a hierarchy keeps by name.

    Parameters
    ----------
    queue
        Path below the root, the root's own name, or `EVERY_QUEUE`.
    limit
        The scheduler's own name for the limit.
    amount
        The amount as the file has it.
    """

    queue: Word
    limit: Word
    amount: Annotated[str, Field(strict=True)]

    __pydantic_config__ = ConfigDict(extra="forbid")

    def __str__(self) -> str:
        return f"{self.queue}: {self.limit} = {self.amount}"

    def concerns(self, path: str, root: str) -> bool:
        """Whether it is one of a node, of a group above it, or of every queue."""
        return self.queue in (EVERY_QUEUE, root) or f"{path}/".startswith(f"{self.queue}/")


def shown(limits: Sequence[DroppedLimit], most: int) -> list[str]:
    """One line per limit, or for the first ones and the number of the others."""
    lines = [str(limit) for limit in limits[:most]]
    return lines if len(limits) <= most else [*lines, f"… and {len(limits) - most} more"]
