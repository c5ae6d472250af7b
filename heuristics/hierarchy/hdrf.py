"""Hierarchical dominant resource fairness [H-DRF]: whole tasks, one after another.

From the root down, the child with the smallest dominant share over weight is chosen; the leaf at
the end gets one task. The use of a group is computed from its children: those that can still grow
count as if scaled down to the one with the smallest dominant share over weight, so that children of
complementary demands do not penalise one another; blocked ones count in full. Full resources are
left out of dominant shares.
"""

from __future__ import annotations

from enum import StrEnum

import numpy as np

from ...core.arrays import FloatArray
from ...core.errors import InputError
from ...instances.hierarchy.allocation import Allocation
from ...instances.hierarchy.hierarchy import Hierarchy
from .exact import exact
from .task_by_task import every_node, path_only
from .tree_layout import layout

MOST_TASKS = 50_000_000
"""More tasks than this are not placed one by one."""


class Update(StrEnum):
    """What is computed again after a task: the path to the root, or every node of the tree."""

    PATH = "path"
    ALL = "all"


def hdrf(
    hierarchy: Hierarchy,
    *,
    running: FloatArray | None = None,
    update: Update | str = Update.PATH,
    set_apart: bool = True,
) -> Allocation:
    """H-DRF with rescaling to the smallest child.

    Parameters
    ----------
    hierarchy
        The hierarchy.
    running
        Tasks that each leaf runs already, shape (leaves,).
    update
        With "path", a task costs the logarithms of the groups' sizes on its way to the root, and
        each resource that fills up costs the whole tree once. With "all", every task costs the
        tree, as [MCH] assumes of H-DRF.
    set_apart
        If False, blocked nodes are treated like all others, the fault that [H-DRF] describes in its
        section on blocking.

    Returns
    -------
    Allocation
        The allocation.

    Raises
    ------
    InputError
        If there are more than `MOST_TASKS` tasks, or if what is running does not fit.
    """
    return one_by_one(
        hierarchy, "hdrf", rescale=True, set_apart=set_apart, running=running, update=update
    )


def one_by_one(
    hierarchy: Hierarchy,
    method: str,
    *,
    rescale: bool,
    set_apart: bool,
    running: FloatArray | None,
    update: Update | str,
) -> Allocation:
    """Place whole tasks until no leaf can start another.

    Raises `InputError` as for `hdrf`.
    """
    expected = float(exact(hierarchy).tasks.sum())
    if expected > MOST_TASKS:
        raise InputError(
            f"method {method}: about {expected:.2g} tasks to place one by one, more than "
            f"{MOST_TASKS:.2g}: use a fluid method, or larger tasks"
        )
    place = path_only if Update(update) is Update.PATH else every_node
    need = hierarchy.demand / hierarchy.capacity
    # Leaves by falling need of each resource: what is left of it blocks them in this order.
    order = np.ascontiguousarray(np.argsort(-need, axis=0, kind="stable").T)
    running = np.zeros(hierarchy.leaves) if running is None else np.asarray(running, dtype=float)
    if (running @ need > 1 + 1e-9).any() or (running > hierarchy.tasks).any():
        raise InputError(f"method {method}: more tasks running than there are, or than fit")
    tasks, bottleneck = place(
        layout(hierarchy), need, order, np.floor(hierarchy.tasks), running, rescale, set_apart
    )
    return Allocation(
        hierarchy=hierarchy,
        method=method,
        tasks=tasks,
        weight=np.where(hierarchy.tasks > 0, hierarchy.weight[hierarchy.leaf], 0.0),
        bottleneck=bottleneck,
        whole=True,
    )
