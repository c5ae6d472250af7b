"""Recorders of the fluid allocators: exact fair shares, MCH as printed, and flat trees."""

from __future__ import annotations

import numpy as np

from ....core.arrays import FloatArray
from ....core.errors import InputError
from ....core.wording import listed, number
from ....heuristics.hierarchy import fair
from ....instances.hierarchy.allocation import SATISFIED, Allocation
from ....instances.hierarchy.hierarchy import Hierarchy
from ..record import Steps
from .flat_filling import INFINITE, Flattened, flat_rises, flattened, full_level
from .limited_filling import LimitedStage
from .narration import Narrator
from .rises import Rise

MOST_LEAVES = 60
"""More cannot be read on a page."""


def exact(hierarchy: Hierarchy) -> Steps:
    """Record the exact allocation: the tree is flattened again at every saturation."""
    _check(hierarchy)
    state, narrator = Saturation(hierarchy), Narrator(hierarchy, siblings_first=True)
    share, weight = [0.0] * hierarchy.leaves, [0.0] * hierarchy.leaves
    before = ""
    while any(state.hungry):
        flat = flattened(hierarchy, state.hungry)
        narrator.flatten(flat, "flatten again" if before else "flatten", before)
        weight = [f if h else w for f, h, w in zip(flat.weight, state.hungry, weight, strict=True)]
        share, rises = _stage(state, flat.weight, share)
        before = _settle(state, narrator, share, rises)
        before += "The tree is flattened again without the leaves that stopped, which keep what "
        before += "they have. "
    return _steps("exact", narrator, state.allocation("exact", share, weight))


def mch(hierarchy: Hierarchy) -> Steps:
    """Record MCH as printed ([MCH], section III-A): the tree is flattened once."""
    _check(hierarchy)
    narrator = Narrator(hierarchy)
    active = [tasks > 0 for tasks in hierarchy.tasks.tolist()]
    flat = flattened(hierarchy, active)
    wants = flat.demand[0]
    first = wants.index(max(wants))
    needs = (hierarchy.demand[:, first] > 0).tolist()
    own = hierarchy.weight[hierarchy.leaf].tolist()
    weight = [f if n else w for f, n, w in zip(flat.weight, needs, own, strict=True)]
    shown = [w if a else 0.0 for w, a in zip(weight, active, strict=True)]
    if any(active):
        resource = hierarchy.resources[first]
        text = (
            f"MCH flattens the tree once. The root wants most of {resource}, "
            f"{number(wants[first])}, and takes that for the first resource to be full. "
        )
        apart = [hierarchy.paths[i] for i in range(len(own)) if active[i] and not needs[i]]
        after = ""
        if apart:
            one = len(apart) == 1
            after = (
                f"{listed(apart)} {'does' if one else 'do'} not need {resource}: as printed "
                f"{'it rises by its' if one else 'they rise by their'} own weight from the start, "
                f"not only when {resource} is full. "
            )
        narrator.flatten(Flattened(shown, flat.demand, flat.mu), "flatten once", text, after)
    return _flat_steps(hierarchy, "mch", weight, narrator, "MCH keeps its weights. ")


def ch(hierarchy: Hierarchy) -> Steps:
    """Record collapsed hierarchies: each leaf's flat weight is its guarantee."""
    _check(hierarchy)
    narrator = Narrator(hierarchy)
    weight = hierarchy.guarantee.tolist()
    text = "Every leaf rises by its guarantee, whatever its group needs. "
    _begin(narrator, hierarchy, weight, "guarantees", text)
    return _flat_steps(hierarchy, "ch", weight, narrator, "")


def drf(hierarchy: Hierarchy) -> Steps:
    """Record weighted dominant resource fairness of the leaves, without a tree."""
    _check(hierarchy)
    narrator = Narrator(hierarchy)
    weight = hierarchy.weight[hierarchy.leaf].tolist()
    _begin(
        narrator,
        hierarchy,
        weight,
        "own weight",
        "Groups do not count: a leaf rises by its weight. ",
    )
    return _flat_steps(hierarchy, "drf", weight, narrator, "")


def _check(tree: Hierarchy) -> None:
    tree.refuse_quotas("a page of steps")
    if tree.leaves > MOST_LEAVES:
        raise InputError(
            f"{tree.name}: a page follows at most {MOST_LEAVES} leaves, here are {tree.leaves}"
        )


def _begin(narrator: Narrator, tree: Hierarchy, weight: list[float], rule: str, text: str) -> None:
    if any(tree.tasks > 0):
        shown = [w if t > 0 else 0.0 for w, t in zip(weight, tree.tasks.tolist(), strict=True)]
        narrator.keep(shown, rule, text)


def _stage(
    state: Saturation, flat: list[float], share: list[float]
) -> tuple[list[float], list[Rise]]:
    """Shares when the next resource is full or every leaf has all its tasks, and the way there."""
    tree = state.tree
    most, demand = tree.most_share.tolist(), tree.normalised.tolist()
    content = [m if r else s for m, r, s in zip(most, state.rising, share, strict=True)]
    sweep = LimitedStage(tree, state.rising, share)
    if INFINITE not in content and (np.array(content) @ tree.normalised <= 1).all():
        sweep.run()
        return content, sweep.rises
    if state.rising == state.hungry:
        unlimited = [INFINITE] * tree.leaves
        level = full_level(flat, demand, share, unlimited)
        raised = [max(s, level * w) for s, w in zip(share, flat, strict=True)]
        if all(r <= m for r, m in zip(raised, most, strict=True)):
            return raised, flat_rises(flat, demand, share, unlimited, level)
    return sweep.run(), sweep.rises


def _flat_steps(
    tree: Hierarchy, method: str, weight: list[float], narrator: Narrator, later: str
) -> Steps:
    """Dominant shares in the ratio of weights, until every leaf is stopped."""
    most, demand = tree.most_share.tolist(), tree.normalised.tolist()
    share, state = [0.0] * tree.leaves, Saturation(tree)
    while any(state.hungry):
        rising = [w if r else 0.0 for w, r in zip(weight, state.rising, strict=True)]
        level = full_level(rising, demand, share, most)
        rises = flat_rises(rising, demand, share, most, level)
        if level < INFINITE:
            share = [min(m, max(s, level * w)) for m, s, w in zip(most, share, rising, strict=True)]
        else:
            share = [m if r else s for m, r, s in zip(most, state.rising, share, strict=True)]
        text = _settle(state, narrator, share, rises)
        if any(state.hungry):
            left = [w if h else 0.0 for w, h in zip(weight, state.hungry, strict=True)]
            narrator.keep(left, "go on", text + later)
    return _steps(method, narrator, state.allocation(method, share, weight))


def _settle(state: Saturation, narrator: Narrator, share: list[float], rises: list[Rise]) -> str:
    """Tell a stage; what its end means for the next."""
    full, stopped = state.settle(share)
    for rise in rises[:-1]:
        narrator.rise(rise)
    if rises:
        narrator.rise(rises[-1], full, stopped)
    names = [state.tree.resources[j] for j in full]
    return f"{listed(names)} {'is' if len(names) == 1 else 'are'} full. " if names else ""


def _steps(method: str, narrator: Narrator, outcome: Allocation) -> Steps:
    tree = outcome.hierarchy
    notes = ["a bar is what a leaf gains in a step, coloured by its group"]
    missed = [path for path, met in zip(tree.paths, outcome.met.tolist(), strict=True) if not met]
    if missed:
        notes.append(f"guarantees not met: {listed(missed)}")
    if method != "exact":
        shares = fair(tree, "exact").share.tolist()
        differ = [
            f"{path} {number(share)}"
            for path, share, own in zip(tree.paths, shares, outcome.share.tolist(), strict=True)
            if abs(share - own) > 1e-9 * max(share, own)
        ]
        if differ:
            notes.append(f"exact shares differ: {listed(differ)}")
    return Steps(
        method=method,
        instance=tree.name,
        lanes=tree.paths,
        steps=tuple(narrator.steps),
        outcome=outcome,
        unit="dominant share",
        notes=tuple(notes),
    )


ROUNDING = 1e-12
"""A resource is full when no more than this part of it is left."""


class Saturation:
    """The state of a fluid allocation between its stages.

    `rising`: leaves that need no full resource.
    `hungry`: those of them that have tasks left.
    `full`: numbers of the full resources.
    `stopped_by`: the resource that stopped each leaf, or `SATISFIED`.
    """

    def __init__(self, tree: Hierarchy) -> None:
        self.tree = tree
        self.rising = [tasks > 0 for tasks in tree.tasks.tolist()]
        self.hungry = list(self.rising)
        self.full: set[int] = set()
        self.stopped_by = [SATISFIED] * tree.leaves

    def settle(self, share: list[float]) -> tuple[list[int], list[int]]:
        """After a stage: what is full now, and which leaves that stops.

        Returns resources and leaves; both are empty if all leaves that rose have all their tasks.
        """
        need = self.tree.normalised > 0
        most = self.tree.most_share.tolist()
        leaves = range(self.tree.leaves)
        self.hungry = [self.rising[i] and share[i] < most[i] for i in leaves]
        if not any(self.hungry):
            return [], []
        # Added up as the allocators do, so that both see the same resource as full.
        load = (np.array(share) @ self.tree.normalised).tolist()
        wanted = [
            j
            for j in range(len(load))
            if j not in self.full and any(self.hungry[i] and need[i, j] for i in leaves)
        ]
        fullest = min(1.0, max(load[j] for j in wanted))
        newly = [j for j in wanted if load[j] >= fullest - ROUNDING]
        stopped = [i for i in leaves if self.hungry[i] and any(need[i, j] for j in newly)]
        for i in stopped:
            self.stopped_by[i] = next(j for j in newly if need[i, j])
        self.full |= set(newly)
        self.rising = [r and not any(need[i, j] for j in self.full)
                       for i, r in enumerate(self.rising)]  # fmt: skip
        self.hungry = [h and r for h, r in zip(self.hungry, self.rising, strict=True)]
        return newly, stopped

    def allocation(self, method: str, share: list[float], weight: list[float]) -> Allocation:
        tree = self.tree
        shares: FloatArray = np.array(share, dtype=float)
        return Allocation(
            hierarchy=tree,
            method=method,
            tasks=np.where(shares >= tree.most_share, tree.tasks, shares / tree.task_share),
            weight=np.where(tree.tasks > 0, np.array(weight, dtype=float), 0.0),
            bottleneck=np.array(self.stopped_by, dtype=np.int64),
        )
