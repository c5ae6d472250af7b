"""What real schedulers give the queues of a hierarchy, each by its own rule.

docs/heuristics/limits.md has the rules with their sources and the cases that they reproduce.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ....core.advice import did_you_mean
from ....core.arrays import FloatArray
from ....core.errors import InputError
from ....core.kernels.decorators import plain
from ....core.wording import percent
from ....instances.hierarchy.hierarchy import SMALL, Hierarchy
from ....instances.hierarchy.node_shares import NodeShares
from ....instances.hierarchy.quotas import ABOVE, DOMINANT, EACH, TOTAL, Quotas, check_feasible
from .clamps import Rule, divide
from .exact import each_for_itself, exact_with_limits
from .slots import whole_tasks
from .summed_use import filled

POINT = 1e-4
"""Least difference, as a fraction of the capacity, that is told."""


@dataclass(frozen=True)
class Scheduler:
    """The rule of a scheduler."""

    surplus: str
    """What its weights divide."""
    shares: str
    """"each" resource for itself, or "dominant"; a file that names one resource goes before."""
    children_count: bool = True
    """Whether what children are guaranteed is guaranteed to their group."""
    idle_to_weight_0: bool = True
    """Whether a queue of weight 0 gets what nobody else wants."""
    knows: frozenset[str] = frozenset(("guarantee", "limit"))
    """What it knows of a queue beside its weight."""
    in_all: bool = False
    """Whether a task runs only where its queue has enough of all resources."""
    whole: bool = False
    """Whether it gives whole tasks one after the other."""
    one_number: bool = False
    """Whether what a task uses is one number, its dominant share, summed within groups."""
    remark: str = ""
    """What its rule leaves open."""


UNKNOWN = {
    "guarantee": "guarantees",
    "limit": "limits",
    "reserve": "reserves",
    "priority": "priorities of queues",
}
"""What a scheduler may not know, in words."""

_ALL = frozenset(UNKNOWN)

SCHEDULERS = {
    "yarn": Scheduler(TOTAL, EACH, children_count=False, idle_to_weight_0=False),
    "yarn-capacity": Scheduler(
        TOTAL,
        EACH,
        children_count=False,
        knows=_ALL - {"reserve"},
        remark="preemption takes back only what others lack of their guarantee: idle capacity "
        "stays with who came first, unless balancing preemption is on",
    ),
    "kueue": Scheduler(ABOVE, DOMINANT, knows=_ALL - {"priority"}),
    "volcano": Scheduler(TOTAL, EACH, knows=_ALL, in_all=True),
    "kai": Scheduler(
        ABOVE,
        EACH,
        children_count=False,
        idle_to_weight_0=False,
        knows=_ALL - {"reserve"},
        remark="whole units are given, the largest remainder first: up to one unit more or less",
    ),
    "spark": Scheduler(
        TOTAL,
        DOMINANT,
        knows=frozenset({"guarantee"}),
        whole=True,
        remark="a pool gets a slot when one is free: nothing is taken back",
    ),
    "slurm": Scheduler(
        TOTAL,
        DOMINANT,
        knows=frozenset({"limit"}),
        one_number=True,
        remark="shares are of usage that decays over days, not of every moment",
    ),
}
"""Schedulers by name."""


@dataclass(frozen=True, eq=False)
class Given:
    """What a scheduler gives, beside the exact shares."""

    hierarchy: Hierarchy
    """The hierarchy."""
    scheduler: str
    """Its name."""
    amount: FloatArray
    """What it gives each node, in the units of the capacity, shape (nodes, resources)."""
    exact: FloatArray
    """The same by `exact`."""
    causes: tuple[str, ...]
    """A line for every reason of a difference."""

    def document(self) -> dict[str, Any]:
        """The part `on` of a `slotwise/allocation/2` document."""
        tree = self.hierarchy
        return {
            "scheduler": self.scheduler,
            "nodes": {
                path: dict(zip(tree.resources, self.amount[n].tolist(), strict=True))
                for n, path in enumerate(tree.node_paths)
                if n
            },
            "exact": {
                path: dict(zip(tree.resources, self.exact[n].tolist(), strict=True))
                for n, path in enumerate(tree.node_paths)
                if n
            },
            "causes": list(self.causes),
        }


def scheduler_rule(name: str) -> Scheduler:
    """The rule of a scheduler. Raises `InputError` if there is none of this name."""
    if name not in SCHEDULERS:
        guess = did_you_mean(name, list(SCHEDULERS))
        raise InputError(
            f"unknown scheduler {name[:60]!r}: {guess}choose from {', '.join(SCHEDULERS)}"
        )
    return SCHEDULERS[name]


def on_scheduler(hierarchy: Hierarchy, name: str) -> Given:
    """Compute what a scheduler gives each node.

    Raises `InputError` for an unknown scheduler.
    """
    rule = scheduler_rule(name)
    quotas = hierarchy.quotas or Quotas.none(hierarchy.nodes, len(hierarchy.resources))
    tree = replace(hierarchy, quotas=quotas)
    with plain() if tree.nodes <= SMALL else nullcontext():
        amount = _amounts(tree, rule)
        exact = _exact(tree)
        causes = tuple(_causes(tree, rule, amount, exact))
    return Given(hierarchy, name, amount, exact, causes)


def _amounts(tree: Hierarchy, rule: Scheduler) -> FloatArray:
    """What each node gets, in the units of the capacity, shape (nodes, resources)."""
    quotas = _own(tree, rule)
    own = replace(tree, quotas=quotas)
    one_at_a_time = Rule(rule.surplus == TOTAL, rule.children_count, rule.idle_to_weight_0)
    if own.counted >= 0:
        return _by_one(own, quotas, own.counted, one_at_a_time)
    if rule.whole and len(tree.resources) == 1:
        tasks = whole_tasks(own, quotas)
        if tasks is not None:
            return NodeShares(tree, tasks).used
    if rule.in_all and own.shares_each:
        return NodeShares(tree, each_for_itself(own, quotas)[0]).used
    if own.shares_each:
        columns = [
            divide(own, quotas, j, one_at_a_time).amount * tree.capacity[j]
            for j in range(len(tree.resources))
        ]
        return np.stack(columns, axis=1)
    if rule.one_number:
        own = _by_one_number(own, quotas)
    return NodeShares(tree, filled(own, own.quotas or quotas)).used


def _own(tree: Hierarchy, rule: Scheduler) -> Quotas:
    """The quotas as the scheduler takes them."""
    quotas = tree.quotas or Quotas.none(tree.nodes, len(tree.resources))
    none = Quotas.none(tree.nodes, len(tree.resources))
    named = quotas.shares in tree.resources
    return replace(
        quotas,
        surplus=rule.surplus,
        shares=quotas.shares if named else rule.shares,
        **{what: getattr(none, what) for what in UNKNOWN if what not in rule.knows},
    )


def _by_one_number(tree: Hierarchy, quotas: Quotas) -> Hierarchy:
    """The tree with one more resource, the only one that counts: dominant shares of tasks."""
    name = "/".join(tree.resources)

    def wider(amounts: FloatArray, value: float) -> FloatArray:
        return np.column_stack((amounts, np.full(len(amounts), value)))

    return replace(
        tree,
        resources=(*tree.resources, name),
        capacity=np.append(tree.capacity, float(len(tree.resources))),
        demand=np.column_stack((tree.demand, tree.task_share)),
        quotas=replace(
            quotas,
            guarantee=wider(quotas.guarantee, 0.0),
            limit=wider(quotas.limit, np.inf),
            reserve=wider(quotas.reserve, 0.0),
            shares=name,
        ),
    )


def _by_one(tree: Hierarchy, quotas: Quotas, j: int, rule: Rule) -> FloatArray:
    """One resource is divided; of the others a leaf takes what goes with it."""
    limit, demand = quotas.limit.copy(), tree.demand[:, [j]]
    with np.errstate(divide="ignore", invalid="ignore"):
        # A leaf stops at its limit of any resource.
        along = np.where(tree.demand > 0, limit[tree.leaf] / tree.demand * demand, np.inf)
        limit[tree.leaf, j] = np.where(demand > 0, along, np.inf).min(axis=1)
        quotas = replace(quotas, limit=limit, guarantee=np.minimum(quotas.guarantee, limit))
        divided = divide(tree, quotas, j, rule).amount * tree.capacity[j]
        tasks = np.where(tree.demand[:, j] > 0, divided[tree.leaf] / tree.demand[:, j], tree.tasks)
    amount = NodeShares(tree, np.where(np.isfinite(tasks), tasks, 0.0)).used
    amount[:, j] = divided
    return amount


def _exact(tree: Hierarchy) -> FloatArray:
    return NodeShares(tree, exact_with_limits(tree, scale_guarantees=True).tasks).used


def _causes(
    tree: Hierarchy, rule: Scheduler, amount: FloatArray, exact: FloatArray
) -> Iterator[str]:
    """A line for each way in which the scheduler's rule leads elsewhere."""
    quotas = tree.quotas or Quotas.none(tree.nodes, len(tree.resources))
    try:
        check_feasible(quotas, tree.capacity, tree.parent, tree.resources, tree.path, tree.wanted)
    except InputError as error:
        if "guarantee" in rule.knows:
            own = "who has least of its own is next" if rule.whole else "each has its own here"
            yield f"{error}: {own}, exact scales them"
    for what in sorted(UNKNOWN.keys() - rule.knows):
        found = _difference(tree, amount, _amounts(tree, replace(rule, knows=rule.knows | {what})))
        if found:
            yield f"it knows no {UNKNOWN[what]}" + found
    if quotas.surplus != rule.surplus:
        word = {ABOVE: "what lies above the guarantees", TOTAL: "everything"}
        yield (
            f"its weights divide {word[rule.surplus]}, the file says {word[quotas.surplus]}"
            + _difference(tree, amount, _amounts(tree, replace(rule, surplus=quotas.surplus)))
        )
    for changed, text in (
        (replace(rule, children_count=True), "guarantees of children do not count in their group"),
        (replace(rule, idle_to_weight_0=True), "weight 0 has no more than its guarantee"),
    ):
        if changed != rule:
            found = _difference(tree, amount, _amounts(tree, changed))
            if found:
                yield text + found
    if quotas.shares in tree.resources and len(tree.resources) > 1:
        yield f"{quotas.shares} alone is counted"
        most = np.vstack((tree.capacity, quotas.limit[1:]))
        for n, j in np.argwhere(amount > most * (1 + POINT)).tolist():
            yield (
                f"{tree.resources[j]} {f'of {tree.path(n)} ' if n else ''}is not looked at: "
                f"{amount[n, j]:.6g} would be used of {most[n, j]:.6g}"
            )
    elif len(tree.resources) > 1 and rule.shares == EACH:
        found = _difference(tree, amount, exact)
        if found:
            yield "each resource is divided for itself, exact goes by the dominant one" + found
        if rule.in_all:
            yield from _idle(tree, amount, exact)
    elif len(tree.resources) > 1:
        found = _difference(tree, amount, exact)
        if found:
            yield "use is summed within groups" + found
    if rule.remark:
        yield rule.remark


def _idle(tree: Hierarchy, amount: FloatArray, exact: FloatArray) -> Iterator[str]:
    """What lies idle because shares of one resource go without those of another."""
    idle = (exact[0] - amount[0]) / tree.capacity
    for j in np.flatnonzero(idle > POINT).tolist():
        yield (
            f"{tree.resources[j]} apart from the others: {percent(float(idle[j]))} of it lies idle "
            "that exact gives"
        )


def _difference(tree: Hierarchy, amount: FloatArray, other: FloatArray) -> str:
    """The node with the greatest difference to what it would have otherwise, or nothing."""
    points = (amount - other) / tree.capacity
    n, j = np.unravel_index(np.abs(points[1:]).argmax(), points[1:].shape)
    n += 1
    if abs(points[n, j]) < POINT:
        return ""
    more = "more" if points[n, j] > 0 else "less"
    return (
        f": {tree.path(int(n))} has {abs(points[n, j]) * 100:.3g} points {more} {tree.resources[j]}"
    )
