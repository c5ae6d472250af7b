"""Why a leaf has its share: its guarantee step by step, what limits it, and who would lose."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from ...core.arrays import FloatArray, IntArray
from ...core.calls import checked
from ...core.wording import percent
from ...instances.hierarchy.allocation import SATISFIED, TOLERANCE, UNKNOWN, Allocation
from ...instances.hierarchy.dropped_limits import DroppedLimit, limits_of, shown
from ...instances.hierarchy.hierarchy import Hierarchy
from .limits.why_node import WhyNode, why_node

MOST_SHOWN = 8
"""Most holders of a resource that the text names; it tells how many more there are."""


@dataclass(frozen=True)
class Step:
    """A node, named by its path, on the way from the root to a leaf.

    `siblings`: total weight of its active siblings and itself.
    `guarantee`: guaranteed dominant share of the node.
    """

    node: str
    weight: float
    siblings: float
    guarantee: float


@dataclass(frozen=True)
class Rival:
    """A leaf that holds a part of a full resource and may lose if the explained leaf grew.

    `used`: its part of the resource; of several full ones the greatest.
    """

    leaf: str
    dominant_share: float
    guarantee: float
    used: float


@dataclass(frozen=True)
class Holder:
    """A leaf or group, named by its path, that holds a part of a resource."""

    node: str
    used: float


@dataclass(frozen=True)
class FullResource:
    """A full resource that limits a leaf, which holds the part `used`.

    `leaves`: the other leaves that hold it, the largest first.
    `groups`: the groups, without the leaf in them, that hold it, the largest first.
    """

    resource: str
    used: float
    leaves: tuple[Holder, ...]
    groups: tuple[Holder, ...]


@dataclass(frozen=True)
class Why:
    """The explanation of a leaf's share.

    Parameters
    ----------
    leaf
        Path of the leaf.
    method
        The allocator.
    tasks
        Number of its running tasks.
    task_limit
        Its task limit, None if unbounded.
    whole_tasks
        Whether tasks are indivisible.
    dominant_share
        Its dominant share.
    dominant_resource
        Its dominant resource.
    guarantee
        Its guarantee.
    met
        Whether the guarantee is met.
    steps
        The nodes on the way from the root to the leaf.
    limited_by
        What stopped the leaf: a resource, `tasks`, or None if that is not known.
    used
        The leaf's part of the resource that stopped it.
    rivals
        All leaves that hold any of the full resources, the largest first.
    full_resources
        All full resources that limit the leaf, first the one that stopped it.
    dropped_limits
        Limits of imported queues that the shares ignore.
    """

    leaf: str
    method: str
    tasks: float
    task_limit: float | None
    whole_tasks: bool
    dominant_share: float
    dominant_resource: str
    guarantee: float
    met: bool
    steps: tuple[Step, ...]
    limited_by: str | None
    used: float
    rivals: tuple[Rival, ...]
    full_resources: tuple[FullResource, ...]
    dropped_limits: tuple[DroppedLimit, ...]

    def document(self) -> dict[str, Any]:
        """The explanation as plain data for JSON."""
        return asdict(self)

    def __str__(self) -> str:
        lines = [
            f"{self.leaf}: dominant share {percent(self.dominant_share)} "
            f"({self.dominant_resource}), {self.tasks:.6g} tasks, by {self.method}"
        ]
        if self.task_limit == 0:
            lines.append("It has no tasks: it is guaranteed nothing, its siblings share its part.")
        else:
            lines.append(f"Guaranteed {percent(self.guarantee)}, {self._has()}:")
            lines += [
                f"  {step.node}: weight {step.weight:g} of {step.siblings:g} among active "
                f"siblings, so {percent(step.guarantee)} of all"
                for step in self.steps
            ]
            lines += self._limits()
        if self.dropped_limits:
            lines.append("NOT in this share, limits of the imported queues:")
            lines += [f"  {line}" for line in shown(self.dropped_limits, MOST_SHOWN)]
        return "\n".join(lines)

    def _has(self) -> str:
        """What became of the guarantee; a leaf with few or large tasks need not fill it."""
        if not self.met:
            return "which it does NOT have"
        if self.dominant_share >= self.guarantee * (1 - TOLERANCE):
            return "which it has"
        if self.limited_by == "tasks":
            return "more than all its tasks need"
        return "in which no further whole task fits"

    def _limits(self) -> list[str]:
        """What limits the leaf, and who would have less if it grew."""
        if self.limited_by == "tasks":
            return ["Limited by its tasks: all of them run."]
        if not self.full_resources:
            return ["Nothing that it needs is full."]
        state = "has no room for another of its tasks" if self.whole_tasks else "is full"
        lines = [
            f"{'Limited by' if k == 0 else 'Besides,'} {full.resource}"
            f"{', which' if k == 0 else ''} {state}; this leaf uses {percent(full.used)} of it."
            for k, full in enumerate(self.full_resources)
        ]
        if not self.rivals:
            them = "it" if len(lines) == 1 else "them"
            return [*lines, f"Nobody else uses {them}: only more capacity would help."]
        lines.append("If it grew, some of these would have less (their part of the resource):")
        by_path = {rival.leaf: rival for rival in self.rivals}
        for full in self.full_resources:
            if full.leaves and len(self.full_resources) > 1:
                lines.append(f" of {full.resource}")
            lines += _first(
                f"  {holder.node}: {percent(holder.used)}; dominant share "
                f"{percent(by_path[holder.node].dominant_share)}, guaranteed "
                f"{percent(by_path[holder.node].guarantee)}"
                for holder in full.leaves
            )
            lines += _first(
                f"  group {holder.node}: {percent(holder.used)} in all" for holder in full.groups
            )
        return lines


@checked
def why(allocation: Allocation, path: str) -> Why | WhyNode:
    """Explain the share of a leaf, or of any node of a hierarchy with guarantees and limits.

    Parameters
    ----------
    allocation
        The allocation.
    path
        Path of the leaf, or of a group.

    Returns
    -------
    Why or WhyNode
        The explanation.

    Raises
    ------
    InputError
        If there is no such leaf.
    """
    tree = allocation.hierarchy
    if tree.quotas is not None or (path not in tree.paths and path in tree.node_paths[1:]):
        return why_node(allocation, path)
    i = tree.leaf_at(path)
    full = _full(allocation, i)
    part = allocation.tasks[:, None] * (tree.demand / tree.capacity)[:, full]
    most = part.max(axis=1, initial=0.0)
    limit = float(tree.tasks[i])
    return Why(
        leaf=tree.paths[i],
        method=allocation.method,
        tasks=float(allocation.tasks[i]),
        task_limit=limit if np.isfinite(limit) else None,
        whole_tasks=allocation.whole,
        dominant_share=float(allocation.share[i]),
        dominant_resource=tree.resources[int(tree.normalised[i].argmax())],
        guarantee=float(allocation.guarantee[i]),
        met=bool(allocation.met[i]),
        steps=_steps(allocation, i),
        limited_by=allocation.limited_by(i),
        used=float(part[i, 0]) if len(full) else 0.0,
        rivals=tuple(
            Rival(
                tree.paths[k],
                float(allocation.share[k]),
                float(allocation.guarantee[k]),
                float(most[k]),
            )
            for k in _largest(most)
            if k != i
        ),
        full_resources=tuple(
            _full_resource(tree, i, tree.resources[j], part[:, k]) for k, j in enumerate(full)
        ),
        dropped_limits=tuple(limits_of(tree.dropped_limits, tree.names[0], tree.paths[i])),
    )


def _full(allocation: Allocation, i: int) -> IntArray:
    """Numbers of the full resources that leaf `i` needs; first the one that stopped it.

    With whole tasks a resource is full for a leaf when its next task does not fit. What stopped a
    leaf is unknown if the allocation was read from elsewhere.
    """
    tree, stop = allocation.hierarchy, int(allocation.bottleneck[i])
    if stop == SATISFIED:
        return np.empty(0, dtype=np.int64)
    need = tree.demand[i] / tree.capacity
    room = need if allocation.whole else 0.0
    full = (need > 0) & (1 - allocation.used < room + TOLERANCE)
    if stop == UNKNOWN:
        return np.flatnonzero(full)
    full[stop] = False
    return np.concatenate(([stop], np.flatnonzero(full)))


def _full_resource(tree: Hierarchy, i: int, resource: str, part: FloatArray) -> FullResource:
    held = np.zeros(tree.nodes)
    held[tree.leaf] = part
    for n in range(tree.nodes - 1, 0, -1):
        held[tree.parent[n]] += held[n]
    held[0] = 0.0
    held[tree.leaf] = 0.0
    n = int(tree.leaf[i])
    while n > 0:
        held[n] = 0.0
        n = int(tree.parent[n])
    return FullResource(
        resource,
        float(part[i]),
        tuple(Holder(tree.paths[k], float(part[k])) for k in _largest(part) if k != i),
        tuple(Holder(tree.path(n), float(held[n])) for n in _largest(held)),
    )


def _largest(part: FloatArray) -> list[int]:
    """Indices of the positive entries, the largest first."""
    order = np.argsort(-part, kind="stable")
    return [int(k) for k in order if part[k] > 0]


def _first(lines: Iterable[str]) -> list[str]:
    found = list(lines)
    more = len(found) - MOST_SHOWN
    return found if more <= 0 else [*found[:MOST_SHOWN], f"  … and {more} more"]


def _steps(allocation: Allocation, i: int) -> tuple[Step, ...]:
    tree = allocation.hierarchy
    way = [int(tree.leaf[i])]
    while tree.parent[way[-1]] > 0:
        way.append(int(tree.parent[way[-1]]))
    steps, guarantee = [], 1.0
    for n in reversed(way):
        siblings = float(tree.weight[(tree.parent == tree.parent[n]) & tree.active].sum())
        if not tree.active[n]:
            break
        guarantee *= float(tree.weight[n]) / siblings
        steps.append(Step(tree.path(n), float(tree.weight[n]), siblings, guarantee))
    return tuple(steps)
