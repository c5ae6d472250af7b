"""The common form of all schedulers' files: queues with weights, in a tree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from ..arrays import FloatArray
from ..errors import InputError
from ..hierarchy.building import Row, from_rows
from ..hierarchy.dropped_limits import EVERY_QUEUE, DroppedLimit
from ..hierarchy.hierarchy import UNBOUNDED, Hierarchy
from ..notices import ImportNotes
from .demands import DemandOptions

TASKS_PER_CLUSTER = 1000
"""Tasks of a leaf that fill the cluster, if no demand is given."""

MOST_NOTES = 20
"""Limits that notes name one by one; the hierarchy has all of them."""


@dataclass
class Queue:
    """A queue of a scheduler. One without children is a leaf unless it is marked as a group.

    Parameters
    ----------
    name
        Its name.
    weight
        Its weight among its siblings.
    children
        Its queues.
    group
        Whether it is a group even without children.
    limits
        Names and amounts of its minimums, maximums and quotas.
    """

    name: str
    weight: float = 1.0
    children: list[Queue] = field(default_factory=list)
    group: bool = False
    limits: list[tuple[str, str]] = field(default_factory=list)

    @property
    def is_leaf(self) -> bool:
        """Whether it is a leaf."""
        return not self.children and not self.group


def hierarchy_of(
    root: Queue,
    options: DemandOptions,
    source: str,
    notes: ImportNotes,
    every_queue: Sequence[tuple[str, str]] = (),
) -> Hierarchy:
    """Convert a tree of queues to a hierarchy.

    Raises `InputError` for a tree without leaves, and for demands of a path that is no leaf's.
    """
    rows: list[Row] = []
    dropped = [DroppedLimit(EVERY_QUEUE, *limit) for limit in every_queue]
    if not options.capacity:
        raise InputError("capacity: the file does not tell it; give cpu=200,memory=400 or so")
    unused = set(options.by_leaf) | set(options.tasks)
    usual = options.demand
    if usual is None:
        usual = {name: amount / TASKS_PER_CLUSTER for name, amount in options.capacity.items()}
    for queue, parent, path in walk(root):
        wanted = None
        if queue.is_leaf and parent >= 0:
            unused.discard(path)
            wanted = (options.by_leaf.get(path, usual), options.tasks.get(path, UNBOUNDED))
            for name in sorted(set(wanted[0]) - set(options.capacity))[:1]:
                place = f"{options.source}: {path!r}" if path in options.by_leaf else "demand"
                known = ", ".join(options.capacity)
                raise InputError(f"{place}: unknown resource {name!r}: capacity has {known}")
        rows.append(Row(queue.name, parent, queue.weight, wanted))
        dropped += [DroppedLimit(path or root.name, *limit) for limit in queue.limits]
    if all(row.asks is None for row in rows):
        raise InputError(f"{source}: no queue in it that jobs could wait in: nothing to share")
    for path in sorted(unused)[:1]:
        raise InputError(f"{options.source}: {path!r} is no leaf of {source}")
    if options.demand is None and not options.by_leaf:
        notes.add(
            f"the file does not tell what tasks need: every leaf's task takes "
            f"1/{TASKS_PER_CLUSTER} of each resource"
        )
    for limit in dropped[:MOST_NOTES]:
        notes.add(f"not in the shares: {limit}")
    if len(dropped) > MOST_NOTES:
        notes.add(
            f"not in the shares either: {len(dropped) - MOST_NOTES} more limits; "
            "dropped_limits in the hierarchy has them all"
        )
    try:
        return from_rows(
            options.capacity, rows, name=root.name, source=source, dropped_limits=dropped
        )
    except InputError as error:
        files = f"{source} with {options.source}" if options.by_leaf or options.tasks else source
        raise InputError(f"{files}: {error}") from None


def walk(root: Queue) -> Iterator[tuple[Queue, int, str]]:
    """Every queue after its parent, with the parent's position in this order and its own path."""
    stack: list[tuple[Queue, int, str]] = [(root, -1, "")]
    place = 0
    while stack:
        queue, parent, path = stack.pop()
        yield queue, parent, path
        below = path + "/" if path else ""
        stack.extend((child, place, below + child.name) for child in reversed(queue.children))
        place += 1


def flattened(hierarchy: Hierarchy, weights: FloatArray) -> Hierarchy:
    """Move all leaves directly under the root, under their joined names.

    `weights`: weight of each leaf, shape (leaves,); a leaf of weight 0 gets the least of the
    others.
    Raises `InputError` if two names collide.
    """
    positive = weights[weights > 0]
    if not positive.size:
        raise InputError("flat weights: no leaf gets anything, so there is nothing to weigh")
    weights = np.where(weights > 0, weights, positive.min())
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
        dropped_limits=hierarchy.dropped_limits,
    )


def joined_names(paths: tuple[str, ...]) -> list[str]:
    """`eng/dev` as `eng-dev`.

    Raises `InputError` two paths become one name.
    """
    return need_distinct(paths, [path.replace("/", "-") for path in paths])


def need_distinct(paths: tuple[str, ...], names: list[str]) -> list[str]:
    """Check that each name belongs to one path.

    Raises `InputError` if two paths have one name.
    """
    owner: dict[str, str] = {}
    for path, name in zip(paths, names, strict=True):
        if name in owner:
            raise InputError(f"names: {owner[name]!r} and {path!r} would both be called {name!r}")
        owner[name] = path
    return names


def group_paths(hierarchy: Hierarchy) -> tuple[str, ...]:
    """Path of every node; the root's is empty."""
    paths = [""]
    for n in range(1, hierarchy.nodes):
        above = paths[hierarchy.parent[n]]
        paths.append(f"{above}/{hierarchy.names[n]}" if above else hierarchy.names[n])
    return tuple(paths)
