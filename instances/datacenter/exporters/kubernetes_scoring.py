"""Prices of resources as weights of kube-scheduler's plugin NodeResourcesFit.

The strategy MostAllocated scores a node by the weighted mean of what is used of its resources, as
shares of what it has. The weight of a resource is here what all of it is worth at the plan's
prices, so that a node is full when what is left on it is worth little.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ....core.arrays import FloatArray, IntArray
from ....core.errors import InputError
from ...kubernetes import documents_text
from ..datacenter import Datacenter
from ..guidance import Guidance
from ..kubernetes.resources import OWN_NAMES, is_resource_name, kubernetes_name

API_VERSION = "kubescheduler.config.k8s.io/v1"
MOST_WEIGHT = 100
CPU_AND_MEMORY = ("cpu", "memory")
MOST_LISTED = 20
"""Most configurations whose own weights the comments list."""
NOT_MEASURED = (
    "not measured here: with --rehearse it is. On random datacenters at load 0.95 pods waited 37 "
    "times as long as with policy bid-price, 4 times with demands that vary by 0.3"
)


def node_resources_fit(guidance: Guidance, *, measured: str = "") -> tuple[str, list[str]]:
    """A KubeSchedulerConfiguration that scores nodes by the worth of what is used.

    Parameters
    ----------
    guidance
        A plan with what limits the rate.
    measured
        What was measured of these weights on the datacenter.

    Returns
    -------
    str
        The file.
    list of str
        Notes for the operator, one sentence each.

    Raises
    ------
    InputError
        The plan has no prices.
    """
    if guidance.prices is None:
        raise InputError("this plan has no prices of resources: make it with `slotwise guide`")
    datacenter, worth = guidance.datacenter, guidance.prices.resource
    weight = weights_of(guidance)
    resources = _resources(datacenter, weight)
    strategy = {"type": "MostAllocated", "resources": resources}
    profile: dict[str, Any] = {
        "schedulerName": "default-scheduler",
        "pluginConfig": [{"name": "NodeResourcesFit", "args": {"scoringStrategy": strategy}}],
    }
    document = {
        "apiVersion": API_VERSION,
        "kind": "KubeSchedulerConfiguration",
        "profiles": [profile],
    }
    notes = [measured or NOT_MEASURED, *_notes(guidance, weight)]
    lines = [
        f"Weights of resources for {datacenter.name}, from the prices of `slotwise guide`.",
        *notes,
        *_by_configuration(datacenter, worth),
    ]
    comment = "".join(f"# {line}\n" for line in lines)
    return comment + documents_text([document]), notes


def weights_of(guidance: Guidance) -> IntArray:
    """Weights of the resources, shape (R,); cpu and memory have at least 1.

    A node's score counts an extended resource only for pods that ask for it. Where nothing else has
    a weight, all nodes would be alike for the others.
    """
    if guidance.prices is None:
        raise InputError("this plan has no prices of resources: make it with `slotwise guide`")
    weight = resource_weights(guidance.prices.resource.sum(axis=0))
    always = [kubernetes_name(name) in CPU_AND_MEMORY for name in guidance.datacenter.resources]
    whole: IntArray = np.maximum(weight, np.array(always, dtype=np.int64))
    return whole


def is_counted_always(name: str) -> bool:
    """Whether a resource counts for pods that do not ask for it, too."""
    return kubernetes_name(name) in OWN_NAMES


def resource_weights(worth: FloatArray) -> IntArray:
    """Whole weights in proportion to the worth of resources.

    Returns weights, shape (R,): 100 for the most, at least 1, and 0 for what is worth nothing.
    """
    most = float(worth.max(initial=0.0))
    if most <= 0:
        return np.zeros(len(worth), dtype=np.int64)
    weight = np.maximum(np.rint(MOST_WEIGHT * worth / most), 1.0)
    whole: IntArray = np.where(worth > 0, weight, 0.0).astype(np.int64)
    return whole


def _resources(datacenter: Datacenter, weight: IntArray) -> list[dict[str, Any]]:
    """The entries of the strategy: what has a weight, and always cpu and memory."""
    listed = {
        kubernetes_name(name): number
        for name, number in zip(datacenter.resources, weight.tolist(), strict=True)
        if number
    }
    listed |= {name: 1 for name in CPU_AND_MEMORY if name not in listed}
    return [{"name": name, "weight": number} for name, number in listed.items()]


def _notes(guidance: Guidance, weight: IntArray) -> list[str]:
    datacenter = guidance.datacenter
    notes = [
        "one weight for all nodes, although prices differ by configuration",
        "a score is linear: it does not see whether what is left still fits a pod, as policy "
        "bid-price does, and not where a class belongs",
        "kube-scheduler adds the scores of its other plugins, and rounds: give NodeResourcesFit "
        "more weight where they outvote it",
    ]
    prices = guidance.class_prices
    if prices is not None and (datacenter.fits & ~prices.belongs).any():
        notes.append("classes do not belong everywhere: node affinity would say so, not this file")
    zero = [name for name, number in zip(datacenter.resources, weight, strict=True) if not number]
    if zero:
        notes.append(f"worth nothing at these prices, so left out: {', '.join(zero)}")
    names = {name: kubernetes_name(name) for name in datacenter.resources if name not in zero}
    for name, there in names.items():
        if there not in (name, *OWN_NAMES):
            notes.append(f"{name} is written as {there}: change it if your nodes call it otherwise")
    foreign = [name for name, there in names.items() if not is_resource_name(there)]
    if foreign:
        notes.append(
            f"no resource of Kubernetes has this name: replace {', '.join(foreign)} by the "
            "extended resource, such as nvidia.com/gpu"
        )
    return notes


def _by_configuration(datacenter: Datacenter, worth: FloatArray) -> list[str]:
    """The weights that each configuration would have by itself."""
    lines = ["By configuration the weights would be:"]
    used = np.flatnonzero(worth.sum(axis=1) > 0).tolist()
    for j in used[:MOST_LISTED]:
        weight = resource_weights(worth[j]).tolist()
        each = ", ".join(
            f"{name} {n}" for name, n in zip(datacenter.resources, weight, strict=True)
        )
        lines.append(f"  {datacenter.configurations[j]}: {each}")
    if len(used) > MOST_LISTED:
        lines.append(f"  and {len(used) - MOST_LISTED} more")
    return lines
