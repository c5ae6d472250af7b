"""Allocations: how many tasks every leaf of a hierarchy runs, and what it is guaranteed."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ...core.arrays import BoolArray, FloatArray, IntArray
from ...core.calls import check_argument
from ...core.values import ByValue
from ...core.wording import percent
from ..array_checks import check_arrays
from ..views import Plottable, Tabular
from .hierarchy import Hierarchy
from .node_shares import NodeShares

FORMAT = "slotwise/allocation/1"

OF_EVERY_NODE = "slotwise/allocation/2"
"""The same, and what every node uses, is guaranteed and may hold: of hierarchies with quotas."""

TOLERANCE = 1e-9
"""Relative difference that counts as rounding where shares or loads are compared."""

SATISFIED = -1
"""In place of a bottleneck: all tasks of the leaf run, or it has none."""

UNKNOWN = -2
"""In place of a bottleneck: the allocation was read from elsewhere."""


@dataclass(frozen=True, eq=False)
class Allocation(Plottable, Tabular, ByValue):
    """A steady allocation. Arrays have one entry per leaf, in the hierarchy's order.

    Parameters
    ----------
    hierarchy
        The hierarchy.
    method
        The allocator.
    tasks
        Running tasks of each leaf, fractions unless `whole`, shape (leaves,).
    weight
        Flat weight by which the method raised the leaf last, shape (leaves,).
    bottleneck
        Number of the resource that stopped each leaf, or `SATISFIED`, shape (leaves,).
    whole
        Whether tasks are indivisible.
    guaranteed_tasks
        Tasks that each leaf has by stated guarantees; None without quotas, shape (leaves,).
    """

    hierarchy: Hierarchy
    method: str
    tasks: FloatArray
    weight: FloatArray
    bottleneck: IntArray
    whole: bool = False
    guaranteed_tasks: FloatArray | None = None

    def __post_init__(self) -> None:
        check_argument("allocation, hierarchy", self.hierarchy, Hierarchy)
        leaves = (self.hierarchy.leaves,)
        check_arrays(self, "allocation, ", np.float64, tasks=leaves, weight=leaves)
        check_arrays(self, "allocation, ", np.int64, bottleneck=leaves)
        if self.guaranteed_tasks is not None:
            check_arrays(self, "allocation, ", np.float64, guaranteed_tasks=leaves)

    @cached_property
    def share(self) -> FloatArray:
        """Dominant share of each leaf, shape (leaves,)."""
        with np.errstate(over="ignore"):
            share: FloatArray = self.tasks * self.hierarchy.task_share
        return share

    @property
    def guarantee(self) -> FloatArray:
        """Guaranteed dominant share of each leaf, shape (leaves,).

        By stated guarantees where the hierarchy has quotas, by weights otherwise.
        """
        if self.guaranteed_tasks is not None:
            stated: FloatArray = self.guaranteed_tasks * self.hierarchy.task_share
            return stated
        return self.hierarchy.guarantee

    @cached_property
    def met(self) -> BoolArray:
        """Whether each leaf has its guarantee, or all its tasks running if that is less.

        Whole tasks cannot fill every share: then a guarantee is met if no further task fits in it.
        """
        goal = np.minimum(self.guarantee, self.hierarchy.most_share) * (1 - TOLERANCE)
        if self.whole:
            goal = np.floor(goal / self.hierarchy.task_share + 1e-6) * self.hierarchy.task_share
            goal = goal * (1 - TOLERANCE)
        met: BoolArray = self.share >= goal
        return met

    @cached_property
    def nodes(self) -> NodeShares:
        """What every node uses, is guaranteed, and what limits it."""
        return NodeShares(self.hierarchy, self.tasks, self.guaranteed_tasks)

    @cached_property
    def used(self) -> FloatArray:
        """Fraction of each resource in use, shape (resources,)."""
        with np.errstate(over="ignore"):
            used: FloatArray = self.tasks @ self.hierarchy.demand / self.hierarchy.capacity
        return used

    def limited_by(self, i: int) -> str | None:
        """What stops leaf number `i`: a resource, `tasks`, or None if that is not known."""
        stop = int(self.bottleneck[i])
        if stop == UNKNOWN:
            return None
        return "tasks" if stop == SATISFIED else self.hierarchy.resources[stop]

    def document(self) -> dict[str, Any]:
        """The `slotwise/allocation/1` document, or `/2` if the hierarchy has quotas."""
        tree = self.hierarchy
        columns = zip(
            tree.paths,
            self.tasks.tolist(),
            self.share.tolist(),
            self.weight.tolist(),
            self.guarantee.tolist(),
            self.met.tolist(),
            strict=True,
        )
        document: dict[str, Any] = {
            "format": FORMAT if tree.quotas is None else OF_EVERY_NODE,
            "hierarchy": tree.name,
            "method": self.method,
            "whole_tasks": self.whole,
            "used": dict(zip(tree.resources, self.used.tolist(), strict=True)),
            "guarantees_met": bool(self.met.all()),
        }
        if tree.dropped_limits:
            document["dropped_limits"] = [asdict(limit) for limit in tree.dropped_limits]
        if tree.quotas is not None:
            document["nodes"] = self.nodes.document()
        return {
            **document,
            "leaves": {
                path: {
                    "tasks": tasks,
                    "dominant_share": share,
                    "weight": weight,
                    "guarantee": guarantee,
                    "met": met,
                    "limited_by": self.limited_by(i),
                }
                for i, (path, tasks, share, weight, guarantee, met) in enumerate(columns)
            },
        }

    def __repr__(self) -> str:
        used = ", ".join(
            f"{name} {percent(used)}"
            for name, used in zip(self.hierarchy.resources, self.used.tolist(), strict=True)
        )
        missed = int((~self.met).sum())
        guarantees = "all guarantees met" if missed == 0 else f"{missed} guarantees not met"
        if self.hierarchy.dropped_limits:
            guarantees += f" by weight, without {len(self.hierarchy.dropped_limits)} limits"
        return f"Allocation({self.method}: {self.hierarchy.leaves} leaves, {used}, {guarantees})"
