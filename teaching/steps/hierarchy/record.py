"""Recorders of the fluid allocators: exact fair shares, MCH as printed, and flat trees."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ....core.arrays import BoolArray, FloatArray
from ....core.errors import InputError
from ....core.wording import listed, number
from ....heuristics.hierarchy import fair
from ....heuristics.hierarchy.flat import Saturation
from ....instances.hierarchy.allocation import Allocation
from ....instances.hierarchy.hierarchy import Hierarchy
from ..record import Steps
from .filling import Flattened, flattened, stage
from .narration import Narrator

MOST_LEAVES = 60
"""More cannot be read on a page."""


def exact(hierarchy: Hierarchy) -> Steps:
    """Record the exact allocation: the tree is flattened again at every saturation."""
    narrator, weight = _narrator(hierarchy, siblings_first=True), np.zeros(hierarchy.leaves)

    def tell(hungry: BoolArray, before: str) -> None:
        flat = flattened(hierarchy, hungry)
        weight[hungry] = flat.weight[hungry]
        if before:
            before += ". The tree is flattened again without the leaves that stopped, which keep "
            before += "what they have"
        narrator.flatten(flat, "flatten again" if before else "flatten", before)

    def rates(climbing: BoolArray) -> FloatArray:
        return flattened(hierarchy, climbing).weight

    return _filled("exact", narrator, weight, rates, tell)


def mch(hierarchy: Hierarchy) -> Steps:
    """Record MCH as printed ([MCH], section III-A): the tree is flattened once."""
    narrator, active = _narrator(hierarchy), hierarchy.tasks > 0
    flat = flattened(hierarchy, active)
    wants = flat.demand[0]
    first = int(wants.argmax())
    needs, resource = hierarchy.demand[:, first] > 0, hierarchy.resources[first]
    weight = np.where(needs, flat.weight, hierarchy.weight[hierarchy.leaf])
    text = (
        f"MCH flattens the tree once. The root wants most of {resource}, "
        f"{number(float(wants[first]))}, and takes that for the first resource to be full"
    )
    apart, after = [hierarchy.paths[i] for i in np.flatnonzero(active & ~needs)], ""
    if apart:
        does, rises = ("does", "it rises by its") if len(apart) == 1 else (
            "do", "they rise by their"
        )  # fmt: skip
        after = (
            f"{listed(apart)} {does} not need {resource}: as printed {rises} own weight from the "
            f"start, not only when {resource} is full"
        )
    shown = Flattened(np.where(active, weight, 0.0), flat.demand, flat.mu)
    return _flat(
        "mch", narrator, weight, lambda: narrator.flatten(shown, "flatten once", text, after)
    )


def ch(hierarchy: Hierarchy) -> Steps:
    """Record collapsed hierarchies: each leaf's flat weight is its guarantee."""
    text = "Every leaf rises by its guarantee, whatever its group needs"
    return _kept("ch", hierarchy, hierarchy.guarantee, "guarantees", text)


def drf(hierarchy: Hierarchy) -> Steps:
    """Record weighted dominant resource fairness of the leaves, without a tree."""
    text = "Groups do not count: a leaf rises by its weight"
    return _kept("drf", hierarchy, hierarchy.weight[hierarchy.leaf], "own weight", text)


def _kept(method: str, tree: Hierarchy, weight: FloatArray, rule: str, text: str) -> Steps:
    narrator, shown = _narrator(tree), np.where(tree.tasks > 0, weight, 0.0)
    return _flat(method, narrator, weight, lambda: narrator.keep(shown, rule, text))


def _narrator(tree: Hierarchy, *, siblings_first: bool = False) -> Narrator:
    tree.refuse_quotas("a page of steps")
    if tree.leaves > MOST_LEAVES:
        raise InputError(
            f"{tree.name}: a page follows at most {MOST_LEAVES} leaves, here are {tree.leaves}"
        )
    return Narrator(tree, siblings_first=siblings_first)


def _flat(method: str, narrator: Narrator, weight: FloatArray, begin: Callable[[], None]) -> Steps:
    """Dominant shares in the ratio of weights, until every leaf is stopped."""

    def tell(hungry: BoolArray, before: str) -> None:
        if before:
            later = ". MCH keeps its weights" if method == "mch" else ""
            narrator.keep(np.where(hungry, weight, 0.0), "go on", before + later)
        else:
            begin()

    return _filled(method, narrator, weight, lambda climbing: np.where(climbing, weight, 0.0), tell)


def _filled(
    method: str,
    narrator: Narrator,
    weight: FloatArray,
    rates_of: Callable[[BoolArray], FloatArray],
    tell: Callable[[BoolArray, str], None],
) -> Steps:
    """Stage after stage, until every leaf has all its tasks or needs a full resource.

    `tell`: begins a stage, from the leaves that can still rise and what is full.
    """
    tree = narrator.tree
    state, share, before = Saturation(tree), np.zeros(tree.leaves), ""
    while state.hungry.any():
        tell(state.hungry, before)
        rises = stage(tree, state.rising, share, rates_of)
        full, stopped_by = state.full.copy(), state.bottleneck.copy()
        if rises:
            share = rises[-1].after
        state.update(share)
        newly = np.flatnonzero(state.full & ~full).tolist()
        for rise in rises[:-1]:
            narrator.rise(rise)
        if rises:
            stopped = np.flatnonzero(state.bottleneck != stopped_by).tolist()
            narrator.rise(rises[-1], newly, stopped)
        names = [tree.resources[j] for j in newly]
        before = f"{listed(names)} {'is' if len(names) == 1 else 'are'} full" if names else ""
    return _steps(method, narrator, state.allocation(method, share, weight))


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
