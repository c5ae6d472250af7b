"""Kueue: Cohorts and ClusterQueues, written."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from ....core.arrays import FloatArray
from ....core.errors import InputError
from ..hierarchy import Hierarchy
from ..quotas import DOMINANT, TOTAL, Quotas
from ..schedulers.not_written import not_written
from ..schedulers.queue_tree import with_all_that_tasks_take

API = "kueue.x-k8s.io/v1beta2"
FLAVOR_NAME = "default"
LONGEST_NAME = 253

NOTHING = {"nominalQuota": "0", "borrowingLimit": "0"}
"""Quota of a resource that a queue cannot use."""


def kueue_manifests(hierarchy: Hierarchy) -> tuple[str, list[str]]:
    """A Cohort per group and a ClusterQueue per leaf.

    Weights count only above the nominal quota: a node has that of its guarantee, and the root what
    is guaranteed to nobody.

    Returns the file and notes for the operator. Raises `InputError` if two names collide.
    """
    import yaml

    hierarchy = with_all_that_tasks_take(hierarchy, hierarchy.counted)
    paths = hierarchy.node_paths
    root = kubernetes_names((hierarchy.names[0],))[0]
    names = [root, *kubernetes_names(paths[1:])]
    if root in names[1:]:
        path = paths[names.index(root, 1)]
        raise InputError(f"names: the root and {path!r} would both be called {root!r}")
    leaf = set(hierarchy.leaf.tolist())
    documents: list[dict[str, Any]] = [
        {"apiVersion": API, "kind": "ResourceFlavor", "metadata": {"name": FLAVOR_NAME}}
    ]
    quotas = _quotas(hierarchy)
    # Kueue takes a weight near 0 for one that is served last.
    weights = weights_from_one(hierarchy)
    for n, name in enumerate(names):
        sharing = {"weight": f"{weights[n]:.9f}".rstrip("0").rstrip(".")}
        above = names[hierarchy.parent[n]]
        spec: dict[str, Any]
        if n in leaf:
            spec = {
                "cohortName": above,
                "namespaceSelector": {},
                "fairSharing": sharing,
                "preemption": {"reclaimWithinCohort": "Any"},
                "resourceGroups": _groups(hierarchy, quotas[n], without=NOTHING),
            }
        elif n == 0:
            spec = {"resourceGroups": _groups(hierarchy, quotas[0])}
        else:
            spec = {"parentName": above, "fairSharing": sharing}
            if any(len(quota) > 1 or quota["nominalQuota"] != "0" for quota in quotas[n]):
                spec["resourceGroups"] = _groups(hierarchy, quotas[n])
        kind = "ClusterQueue" if n in leaf else "Cohort"
        documents.append(
            {"apiVersion": API, "kind": kind, "metadata": {"name": name}, "spec": spec}
        )
    notes = [
        "switch fair sharing on in Kueue's configuration: fairSharing: {preemptionStrategies: "
        "[LessThanOrEqualToFinalShare, LessThanInitialShare]}",
        "quotas are numbers in the units of the hierarchy: cpu counts cores, memory bytes",
    ]
    if hierarchy.quotas is not None:
        if hierarchy.quotas.surplus == TOTAL and hierarchy.quotas.guarantee.any():
            notes.append(
                "Kueue's weights divide what lies above the nominal quotas; here they divide "
                "everything, and a guarantee only lifts who would have less"
            )
        if hierarchy.quotas.shares != DOMINANT and len(hierarchy.resources) > 1:
            notes.append(
                f"Kueue shares by dominant resource; here shares count {hierarchy.quotas.shares}"
            )
        notes += not_written(hierarchy, ("priority",))
    return yaml.safe_dump_all(documents, sort_keys=False, explicit_start=True), notes


def _quotas(hierarchy: Hierarchy) -> list[list[dict[str, str]]]:
    """Of every node and resource: nominal quota of its own, borrowing and lending limit."""
    quotas = hierarchy.quotas or Quotas.none(hierarchy.nodes, len(hierarchy.resources))
    total, below = quotas.guarantee.copy(), np.zeros_like(quotas.guarantee)
    for n in range(hierarchy.nodes - 1, 0, -1):
        total[n] = np.maximum(total[n], below[n])
        below[hierarchy.parent[n]] += total[n]
    total[0] = np.maximum(hierarchy.capacity, below[0])
    found = []
    for n in range(hierarchy.nodes):
        row = []
        for j in range(len(hierarchy.resources)):
            quota = {"nominalQuota": amount_text(total[n, j] - below[n, j])}
            if np.isfinite(quotas.limit[n, j]):
                quota["borrowingLimit"] = amount_text(quotas.limit[n, j] - total[n, j])
            if quotas.reserve[n, j] > 0:
                quota["lendingLimit"] = amount_text(total[n, j] - quotas.reserve[n, j])
            row.append(quota)
        found.append(row)
    return found


def _groups(
    hierarchy: Hierarchy, quotas: list[dict[str, str]], without: dict[str, str] | None = None
) -> list[dict[str, Any]]:
    named = zip(hierarchy.resources, quotas, strict=True)
    resources = [{"name": name, **quota} for name, quota in named if quota != without]
    if not resources:
        return []
    return [
        {
            "coveredResources": [resource["name"] for resource in resources],
            "flavors": [{"name": FLAVOR_NAME, "resources": resources}],
        }
    ]


def amount_text(amount: float) -> str:
    """An amount as a Kubernetes quantity, in thousandths at the finest."""
    return f"{max(amount, 0.0):.3f}".rstrip("0").rstrip(".")


def kubernetes_names(paths: tuple[str, ...]) -> list[str]:
    """`Eng/dev` as `eng-dev` (RFC 1123, at most 253 characters).

    Raises `InputError` if two paths become one name, or one becomes none.
    """
    owner: dict[str, str] = {}
    for path in paths:
        name = re.sub(r"[^a-z0-9.-]+", "-", path.replace("/", "-").lower()).strip("-.")
        if not name or len(name) > LONGEST_NAME:
            raise InputError(f"names: {path!r} makes no Kubernetes name of 1 to 253 characters")
        if name in owner:
            raise InputError(f"names: {owner[name]!r} and {path!r} would both be called {name!r}")
        owner[name] = path
    return list(owner)


def weights_from_one(hierarchy: Hierarchy) -> FloatArray:
    """The weight of each node, shape (nodes,); each group of siblings, if its least is below 1, is
    scaled to a least weight of 1.
    """
    weight = hierarchy.weight.copy()
    weight[0] = 1.0
    order = 1 + np.argsort(hierarchy.parent[1:], kind="stable")
    starts = np.flatnonzero(np.diff(hierarchy.parent[order])) + 1
    for group in np.split(order, starts):
        positive = weight[group][weight[group] > 0]
        weight[group] /= min(1.0, float(positive.min(initial=1.0)))
    return weight
