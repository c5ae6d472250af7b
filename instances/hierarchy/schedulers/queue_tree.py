"""What importers make of schedulers' files: a tree of queues, and from it a hierarchy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ....core.arrays import BoolArray
from ....core.errors import InputError
from ....core.wording import listed
from ...importer_options import ImportNotes
from ..hierarchy import Hierarchy
from ..nodes import EVERY_QUEUE, UNBOUNDED, DroppedLimit, Node, walk
from ..promises import check_feasible
from ..quotas import DOMINANT
from .demands import Demands

TASKS_PER_CLUSTER = 1000
"""Tasks of a leaf that fill the cluster, if no demand is given."""

MOST_NOTES = 20
"""Limits that notes name one by one; the hierarchy has all of them."""


@dataclass
class Queue(Node):
    """A queue of a scheduler, a leaf if it has no list of children; demands come last."""

    children: list[Queue] | None = None
    limits: list[tuple[str, str]] = field(default_factory=list)
    """Names and amounts of what bounds it and a hierarchy cannot express."""
    needs: frozenset[str] | None = None
    """Resources that the tasks of a leaf may take; None for all."""


def hierarchy_of(
    root: Queue,
    options: Demands,
    source: str,
    notes: ImportNotes,
    surplus: str,
    shares: str = DOMINANT,
    every_queue: Sequence[tuple[str, str]] = (),
) -> Hierarchy:
    """Convert a tree of queues to a hierarchy, with quotas if something in it needs them.

    Raises `InputError` for a tree without leaves, for demands of a path that is no leaf's, and for
    guarantees that a limit above them does not allow.
    """
    dropped = [DroppedLimit(EVERY_QUEUE, *limit) for limit in every_queue]
    if not options.capacity:
        raise InputError("capacity: the file does not tell it; give cpu=200,memory=400 or so")
    unused = set(options.by_leaf) | set(options.tasks)
    idle, leaves, needed = [], 0, len(options.capacity) > 1 and shares != DOMINANT
    for queue, _, path in walk(root):
        if queue.children is None:
            leaves += 1
            unused.discard(path)
            queue.demand, queue.tasks = _asks(queue, path, options)
            if queue.needs is not None and not any(map(queue.demand.get, queue.needs)):
                idle.append(path)
        needed |= queue.has_quota or queue.weight == 0
        dropped += [DroppedLimit(path or root.name, *limit) for limit in queue.limits]
    if not leaves:
        raise InputError(f"{source}: no queue in it that jobs could wait in: nothing to share")
    for path in sorted(unused)[:1]:
        raise InputError(f"{options.source}: {path!r} is no leaf of {source}")
    if options.demand is None and not options.by_leaf:
        notes.add(
            f"the file does not tell what tasks need: every leaf's task takes "
            f"1/{TASKS_PER_CLUSTER} of each resource"
        )
    if idle:
        notes.add(f"may use nothing of what tasks take, so have no share: {listed(idle)}")
    for limit in dropped[:MOST_NOTES]:
        notes.add(f"not in the shares: {limit}")
    if len(dropped) > MOST_NOTES:
        notes.add(
            f"not in the shares either: {len(dropped) - MOST_NOTES} more limits; "
            "dropped_limits in the hierarchy has them all"
        )
    try:
        made = Hierarchy.from_tree(
            options.capacity,
            root,
            name=root.name,
            source=source,
            dropped_limits=dropped,
            surplus=surplus if needed else None,
            shares=shares if needed else None,
        )
        _check_promises(made, notes)
    except InputError as error:
        units = options.units if "mem" in str(error) else ""
        files = f"{source} with {options.source}" if options.by_leaf or options.tasks else source
        raise InputError(f"{files}: {error}{units}") from None
    return made


def _asks(queue: Queue, path: str, given: Demands) -> tuple[Mapping[str, float], float]:
    """Demand per task and tasks of a leaf: none if it may use nothing of the demand."""
    demand = given.by_leaf.get(path, usual_demand(given))
    for name in sorted(set(demand) - set(given.capacity))[:1]:
        place = f"{given.source}: {path!r}" if path in given.by_leaf else "demand"
        known = ", ".join(given.capacity)
        raise InputError(f"{place}: unknown resource {name!r}: capacity has {known}")
    tasks = given.tasks.get(path, UNBOUNDED)
    if queue.needs is None:
        return demand, tasks
    own = {name: amount for name, amount in demand.items() if name in queue.needs}
    if path in given.by_leaf:
        for name in sorted(name for name in demand.keys() - own.keys() if demand[name]):
            raise InputError(f"{given.source}: {path!r}, demand: the queue may not use {name}")
    return (own, tasks) if any(own.values()) else (demand, 0.0)


def usual_demand(given: Demands) -> Mapping[str, float]:
    """Demand per task of a leaf of which nothing is known."""
    if given.demand is not None:
        return given.demand
    return {name: amount / TASKS_PER_CLUSTER for name, amount in given.capacity.items()}


def _check_promises(made: Hierarchy, notes: ImportNotes) -> None:
    """Refuse guarantees that a limit in the file contradicts; tell those above the capacity."""
    if made.quotas is None:
        return
    endless = np.full((made.nodes, len(made.resources)), np.inf)
    check_feasible(made, made.quotas, endless[0], endless)
    try:
        check_feasible(made, made.quotas, wanted=endless)
    except InputError as error:
        notes.add(f"more is guaranteed than there is (`fair --scale-guarantees` cuts it): {error}")


def with_all_that_tasks_take(tree: Hierarchy, j: int, nodes: BoolArray | None = None) -> Hierarchy:
    """The tree in which guarantees of resource `j` hold what tasks take of the others with it too.

    Of a group that is what the leaf takes that takes most.
    `nodes`: whose guarantees, shape (nodes,); None for all.
    """
    if tree.quotas is None or j < 0:
        return tree
    part = np.zeros((tree.nodes, len(tree.resources)))
    with np.errstate(divide="ignore", invalid="ignore"):
        counted = tree.demand[:, [j]]
        part[tree.leaf] = np.where(counted > 0, tree.demand / counted, 0.0)
    for n in range(tree.nodes - 1, 0, -1):
        part[tree.parent[n]] = np.maximum(part[tree.parent[n]], part[n])
    if nodes is not None:
        part[~nodes] = 0.0
    quotas = tree.quotas
    taken = np.minimum(part * quotas.guarantee[:, [j]], quotas.limit)
    return replace(tree, quotas=replace(quotas, guarantee=np.maximum(quotas.guarantee, taken)))
