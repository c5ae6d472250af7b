"""Volcano's queues, written for the plugin that divides as the hierarchy says."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....core.arrays import BoolArray, FloatArray
from ....core.wording import listed, percent
from ...kubernetes import API_NAMES, amount_text, documents_text
from ..hierarchy import Hierarchy
from ..quotas import ABOVE, DOMINANT, EACH, Quotas
from ..schedulers.not_written import refuse_weight_0
from ..schedulers.queue_tree import kubernetes_names, with_all_that_tasks_take
from ..schedulers.weights import (
    implied_amounts,
    sum_of_children,
    weights_from_one,
    whole_weights,
)
from .volcano import PATH, WEIGHTS

MOST_WEIGHT = 65535

UNITS = "amounts are numbers in the units of the hierarchy: cpu counts cores, memory bytes"

DIFFERENT = 1e-6
"""Parts of siblings further apart are told."""


def volcano_queues(hierarchy: Hierarchy) -> tuple[str, list[str]]:
    """Queues with the weights, guarantees and limits of a hierarchy.

    Weights alone become the annotations of plugin drf with `enableHierarchy`, where no weight
    counts less than 1. Guarantees and limits become queues of the plugin capacity, a Queue per
    group too; where all that is guaranteed to leaves right under the root is reserved, of the
    plugin proportion.

    Returns the file and notes for the operator. Raises `InputError` if two names collide, or a
    weight is 0.
    """
    hierarchy = with_all_that_tasks_take(hierarchy, hierarchy.counted)
    refuse_weight_0(hierarchy, "Volcano")
    quotas = hierarchy.quotas
    bounded = quotas is not None and (
        bool(quotas.guarantee.any() or quotas.priority.any()) or np.isfinite(quotas.limit).any()
    )
    if quotas is None or not bounded:
        return _by_drf(hierarchy)
    reserved = np.array_equal(quotas.guarantee, quotas.reserve) and not quotas.priority.any()
    if reserved and hierarchy.depth <= 1 and quotas.shares == EACH:
        return _by_proportion(hierarchy, quotas)
    return _by_capacity(hierarchy, quotas)


def _by_drf(hierarchy: Hierarchy) -> tuple[str, list[str]]:
    rounded = weights_from_one(hierarchy)
    whole = whole_weights(hierarchy, MOST_WEIGHT)
    flat = hierarchy.depth <= 1
    documents = []
    names = kubernetes_names(hierarchy.paths)
    for name, n in zip(names, hierarchy.leaf.tolist(), strict=True):
        weights = []
        above = n
        while above:
            weights.append(f"{rounded.weight[above]:g}")
            above = int(hierarchy.parent[above])
        marks = {
            PATH: f"root/{hierarchy.path(n)}",
            WEIGHTS: "/".join(["1", *reversed(weights)]),
        }
        weight = int(whole.weight[n]) if flat else 1
        documents.append(_queue(name, {"weight": weight, "reclaimable": True}, marks))
    notes = [
        "enable the plugin drf with enableHierarchy: true, without proportion in its tier",
        "annotate the queue default too: jobs of a queue without annotation sit under the root",
        f"the weights change no leaf's share by more than {percent(rounded.error)}",
    ]
    quotas = hierarchy.quotas
    if quotas is not None and quotas.shares != DOMINANT and len(hierarchy.resources) > 1:
        notes.append(f"Volcano's drf shares by dominant resource; here it is {quotas.shares}")
    return documents_text(documents), notes


def _by_proportion(hierarchy: Hierarchy, quotas: Quotas) -> tuple[str, list[str]]:
    rounded = whole_weights(hierarchy, MOST_WEIGHT)
    documents = []
    names = kubernetes_names(hierarchy.paths)
    for name, n in zip(names, hierarchy.leaf.tolist(), strict=True):
        spec: dict[str, Any] = {"weight": int(rounded.weight[n]), "reclaimable": True}
        documents.append(_queue(name, spec | _bounds(hierarchy, quotas, n)))
    notes = [
        "enable the plugin proportion",
        f"the weights change no leaf's share by more than {percent(rounded.error)}",
        UNITS,
    ]
    return documents_text(documents), notes


def _by_capacity(hierarchy: Hierarchy, quotas: Quotas) -> tuple[str, list[str]]:
    names = ["root", *kubernetes_names(hierarchy.node_paths[1:])]
    halved = _as_read(quotas)
    deserved = quotas.guarantee if halved else _deserved(hierarchy, quotas)
    documents = []
    for n in range(1, hierarchy.nodes):
        spec: dict[str, Any] = {"parent": names[hierarchy.parent[n]], "reclaimable": True}
        if deserved[n].any():
            spec["deserved"] = _amounts(hierarchy, deserved[n], deserved[n] > 0)
        priority = int(quotas.priority[n]) // (2 if halved else 1)
        if priority:
            spec["priority"] = priority
        documents.append(_queue(names[n], spec | _bounds(hierarchy, quotas, n)))
    notes = [
        "enable the plugin capacity with enableHierarchy: true, instead of proportion, and the "
        "action reclaim",
        UNITS,
    ]
    if quotas.shares != EACH and len(hierarchy.resources) > 1:
        notes.append(
            f"Volcano's capacity divides each resource for itself; here it is {quotas.shares}"
        )
    if quotas.surplus == ABOVE and quotas.guarantee.any():
        notes.append(
            "Volcano's weights divide everything and a guarantee only lifts who would have less; "
            "here they divide what lies above the guarantees"
        )
    added = np.flatnonzero((deserved[1:] > quotas.guarantee[1:]).any(axis=1)) + 1
    if added.size:
        paths = listed([hierarchy.path(n) for n in added.tolist()])
        notes.append(f"deserved follows from the weights where nothing is guaranteed: {paths}")
    lost = _lost_weights(hierarchy, deserved, quotas, halved=halved)
    if lost:
        notes.append(f"not written, as deserved is the weight: the weight of {listed(lost)}")
    return documents_text(documents), notes


def _as_read(quotas: Quotas) -> bool:
    """Whether classes are as `import volcano` makes them: odd for queues that deserve nothing."""
    nothing = quotas.guarantee[1:].max(axis=1) == 0
    return bool(quotas.priority.any() and np.array_equal(quotas.priority[1:] % 2 == 1, nothing))


def _deserved(hierarchy: Hierarchy, quotas: Quotas) -> FloatArray:
    """Guarantees, and what weights give where none is stated, shape (nodes, resources)."""
    found = quotas.guarantee.copy()
    found[0] = hierarchy.capacity
    without = quotas.guarantee.max(axis=1) == 0
    parts = implied_amounts(hierarchy)
    for n in range(1, hierarchy.nodes):
        if without[n]:
            up = hierarchy.parent[n]
            found[n] = np.minimum(found[up] * parts[n] / parts[up], quotas.limit[n])
    return found


def _lost_weights(
    hierarchy: Hierarchy, deserved: FloatArray, quotas: Quotas, *, halved: bool
) -> list[str]:
    """Weights that are not in the ratio of what siblings deserve, `a (3)`."""
    part = (deserved / hierarchy.capacity).max(axis=1)
    weight = hierarchy.weight.copy()
    if halved:  # queues that deserve nothing are a class of their own
        weight[quotas.guarantee.max(axis=1) == 0] = 0.0
    parent = hierarchy.parent
    together, all_parts = (sum_of_children(hierarchy, amount) for amount in (weight, part))
    lost = []
    for n in range(1, hierarchy.nodes):
        weights, parts = together[parent[n]], all_parts[parent[n]]
        if abs(part[n] * weights - weight[n] * parts) > DIFFERENT * weights * parts:
            lost.append(f"{hierarchy.path(n)} ({hierarchy.weight[n]:g})")
    return lost


def _bounds(hierarchy: Hierarchy, quotas: Quotas, n: int) -> dict[str, Any]:
    """Limit and reserve of a queue."""
    found: dict[str, Any] = {}
    limit, reserve = quotas.limit[n], quotas.reserve[n]
    if np.isfinite(limit).any():
        found["capability"] = _amounts(hierarchy, limit, np.isfinite(limit))
    if reserve.any():
        found["guarantee"] = {"resource": _amounts(hierarchy, reserve, reserve > 0)}
    return found


def _amounts(hierarchy: Hierarchy, amounts: FloatArray, stated: BoolArray) -> dict[str, str]:
    return {
        name: amount_text(amount)
        for name, amount, given in zip(
            hierarchy.resources, amounts.tolist(), stated.tolist(), strict=True
        )
        if given
    }


def _queue(
    name: str, spec: dict[str, Any], annotations: dict[str, str] | None = None
) -> dict[str, Any]:
    metadata: dict[str, Any] = {"name": name}
    if annotations:
        metadata["annotations"] = annotations
    return {
        "apiVersion": API_NAMES["volcano"], "kind": "Queue", "metadata": metadata, "spec": spec,
    }  # fmt: skip
