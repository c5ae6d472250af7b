"""Pods: what they request, where they run, and whether they wait."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ....core.errors import InputError
from ....core.files.quantities import quantity
from ...kubernetes import part, parts, word

OVER = ("Succeeded", "Failed")
"""Phases in which a pod uses nothing any more."""

Amounts = dict[str, float]


@dataclass(frozen=True)
class Pod:
    """What the dispatcher needs of a pod."""

    name: str
    """Namespace and name, as in `default/web-1`."""
    node: str | None
    """Where it is bound, None if it is not, or is over."""
    labels: Mapping[str, str]
    """Values by name."""
    requests: Mapping[str, float]
    """By name of the resource in Kubernetes."""
    waits: bool
    """Whether kube-scheduler has found no node for it."""

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> Pod:
        """Read a pod object. Raises `InputError` if it is none."""
        name = name_of(document, "pod")
        where = f"pod {name}"
        spec, status = part(document, "spec", where), part(document, "status", where)
        labels = part(part(document, "metadata", where), "labels", where)
        over = word(status, "phase", where) in OVER
        node = word(spec, "nodeName", where) or None
        return cls(
            name,
            None if over else node,
            {name: word(labels, name, f"{where}, labels") for name in labels},
            pod_requests(spec, where),
            not over and node is None and _is_unschedulable(status, where),
        )


def name_of(document: object, kind: str) -> str:
    """Namespace and name of an object. Raises `InputError` if it has none."""
    if not isinstance(document, Mapping):
        raise InputError(f"{kind}: need an object")
    metadata = part(document, "metadata", kind)
    name = word(metadata, "name", f"{kind}, metadata")
    if not name:
        raise InputError(f"{kind}, metadata: need a name")
    namespace = word(metadata, "namespace", f"{kind} {name}")
    return f"{namespace}/{name}" if namespace else name


def amounts_in(document: Mapping[str, Any], field: str, where: str) -> Amounts:
    """Quantities by resource. Raises `InputError` for what is no quantity."""
    given = part(document, field, where)
    return {name: quantity(value, f"{where}, {field}, {name}") for name, value in given.items()}


def pod_requests(spec: Mapping[str, Any], where: str) -> Amounts:
    """What kube-scheduler reserves for a pod, by resource.

    It is the sum over the containers, sidecars among them. While an init container runs, the pod
    needs that and the sidecars before it; the most of these counts. What the pod itself requests of
    cpu, memory and huge pages stands instead. Overhead comes on top.
    """
    total: Amounts = {}
    for container in parts(spec, "containers", where):
        _add(total, _requests(container, where))
    sidecars: Amounts = {}
    first: Amounts = {}
    for container in parts(spec, "initContainers", where):
        own = _requests(container, where)
        if container.get("restartPolicy") == "Always":
            _add(total, own)
            _add(sidecars, own)
            own = sidecars
        else:
            _add(own, sidecars)
        _raise_to(first, own)
    _raise_to(total, first)
    for name, amount in _requests(spec, where).items():
        if name in ("cpu", "memory") or name.startswith("hugepages-"):
            total[name] = amount
    _add(total, amounts_in(spec, "overhead", where))
    return total


def _requests(holder: Mapping[str, Any], where: str) -> Amounts:
    """The requests of a container, or of a pod itself."""
    return amounts_in(part(holder, "resources", where), "requests", where)


def _add(total: Amounts, more: Mapping[str, float]) -> None:
    for name, amount in more.items():
        total[name] = total.get(name, 0.0) + amount


def _raise_to(total: Amounts, least: Mapping[str, float]) -> None:
    for name, amount in least.items():
        total[name] = max(total.get(name, 0.0), amount)


def _is_unschedulable(status: Mapping[str, Any], where: str) -> bool:
    return any(
        condition.get("type") == "PodScheduled" and condition.get("reason") == "Unschedulable"
        for condition in parts(status, "conditions", where)
    )
