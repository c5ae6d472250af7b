"""Why a leaf has the share it has: its guarantee step by step, what stops it, who would lose."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from ...instances.allocation import SATISFIED, UNKNOWN, Allocation


@dataclass(frozen=True)
class Step:
    """A node on the way from the root to a leaf: its weight among its active siblings."""

    node: str
    weight: float
    siblings: float
    guarantee: float


@dataclass(frozen=True)
class Rival:
    """A leaf that uses the bottleneck: it would lose if the other grew."""

    leaf: str
    dominant_share: float
    guarantee: float
    used: float


@dataclass(frozen=True)
class Why:
    """The answer. `rivals` are the leaves that use the bottleneck, the largest users first."""

    leaf: str
    method: str
    tasks: float
    task_limit: float | None
    dominant_share: float
    dominant_resource: str
    guarantee: float
    met: bool
    steps: tuple[Step, ...]
    limited_by: str | None
    used: float
    rivals: tuple[Rival, ...]

    def document(self) -> dict[str, Any]:
        """As plain data for JSON."""
        return asdict(self)

    def __str__(self) -> str:
        lines = [
            f"{self.leaf}: dominant share {_percent(self.dominant_share)} "
            f"({self.dominant_resource}), {self.tasks:.6g} tasks, by {self.method}"
        ]
        if self.task_limit == 0:
            return "\n".join(
                [*lines, "It has no tasks: it is guaranteed nothing, its siblings share its part."]
            )
        lines.append(
            f"Guaranteed {_percent(self.guarantee)}, "
            + ("which it has:" if self.met else "which it does NOT have:")
        )
        lines += [
            f"  {step.node}: weight {step.weight:g} of {step.siblings:g} among active siblings, "
            f"so {_percent(step.guarantee)} of all"
            for step in self.steps
        ]
        if self.limited_by == "tasks":
            return "\n".join([*lines, "Limited by its tasks: all of them run."])
        lines.append(
            f"Limited by {self.limited_by}, which is full; "
            f"this leaf uses {_percent(self.used)} of it."
        )
        if self.rivals:
            lines.append("If it grew, these would have less (their part of the resource):")
            most = 8
            for rival in self.rivals[:most]:
                lines.append(
                    f"  {rival.leaf}: {_percent(rival.used)}; dominant share "
                    f"{_percent(rival.dominant_share)}, guaranteed {_percent(rival.guarantee)}"
                )
            if len(self.rivals) > most:
                lines.append(f"  … and {len(self.rivals) - most} more")
        else:
            lines.append("Nobody else uses it: only more capacity would help.")
        return "\n".join(lines)


def why(allocation: Allocation, path: str) -> Why:
    """What an operator asks of the leaf at `path`. Raises `InputError` if there is none."""
    tree = allocation.hierarchy
    i = tree.leaf_at(path)
    stop = int(allocation.bottleneck[i])
    rivals: list[Rival] = []
    used = 0.0
    if stop not in (SATISFIED, UNKNOWN):
        part = allocation.tasks * tree.demand[:, stop] / tree.capacity[stop]
        used = float(part[i])
        rivals = [
            Rival(
                tree.paths[k],
                float(allocation.share[k]),
                float(allocation.guarantee[k]),
                float(part[k]),
            )
            for k in np.argsort(-part, kind="stable")
            if part[k] > 0 and k != i
        ]
    limit = float(tree.tasks[i])
    return Why(
        leaf=tree.paths[i],
        method=allocation.method,
        tasks=float(allocation.tasks[i]),
        task_limit=limit if np.isfinite(limit) else None,
        dominant_share=float(allocation.share[i]),
        dominant_resource=tree.resources[int(tree.normalised[i].argmax())],
        guarantee=float(allocation.guarantee[i]),
        met=bool(allocation.met[i]),
        steps=_steps(allocation, i),
        limited_by=allocation.limited_by(i),
        used=used,
        rivals=tuple(rivals),
    )


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


def _percent(part: float) -> str:
    return f"{100 * part:.4g} %"
