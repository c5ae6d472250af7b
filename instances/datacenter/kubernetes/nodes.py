"""Nodes: what they have, whether they take pods, and which configuration of the plan they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import dist
from typing import Any

from ....core.errors import InputError
from ...kubernetes import part, parts, word
from .pods import amounts_in, name_of
from .resources import KubernetesResources

CONFIGURATION_LABEL = "slotwise.dev/configuration"
"""Label of a node that names its configuration."""

INSTANCE_TYPE = "node.kubernetes.io/instance-type"
"""Label that counts, too, if its value is the name of a configuration."""

CLOSE = 0.25
"""A node may have so much more or less of a resource than its configuration, as a part of that."""


@dataclass(frozen=True)
class Node:
    """What the dispatcher needs of a node."""

    name: str
    labels: Mapping[str, str]
    capacity: Mapping[str, float]
    """By name of the resource in Kubernetes."""
    allocatable: Mapping[str, float]
    """What of it pods may have."""
    is_open: bool
    """Whether it is ready and not cordoned."""

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> Node:
        """Read a node object. Raises `InputError` if it is none."""
        name = name_of(document, "node")
        where = f"node {name}"
        status = part(document, "status", where)
        labels = part(part(document, "metadata", where), "labels", where)
        ready = any(
            condition.get("type") == "Ready" and condition.get("status") == "True"
            for condition in parts(status, "conditions", where)
        )
        capacity = amounts_in(status, "capacity", where)
        return cls(
            name,
            {key: word(labels, key, where) for key in labels},
            capacity,
            {**capacity, **amounts_in(status, "allocatable", where)},
            ready and not part(document, "spec", where).get("unschedulable"),
        )


class Configurations:
    """The configurations of a plan, to find that of a node.

    `capacities`: by configuration, what one of its machines has of each resource of the datacenter.
    """

    def __init__(
        self, capacities: Mapping[str, Mapping[str, float]], resources: KubernetesResources
    ) -> None:
        self._resources = resources
        self._rows = {name: self._row(given) for name, given in capacities.items()}
        self._largest = [max(column) or 1.0 for column in zip(*self._rows.values(), strict=True)]

    def _row(self, amounts: Mapping[str, float]) -> list[float]:
        return [float(amounts.get(name, 0.0)) for name in self._resources.names]

    def of(self, node: Node) -> str:
        """The configuration that a label names, else the nearest one.

        Distances are Euclidean between capacities in parts of the largest machine. Raises
        `InputError`, in words, if no configuration is close, or two are as near.
        """
        named = node.labels.get(CONFIGURATION_LABEL)
        if named is not None:
            if named not in self._rows:
                raise InputError(
                    f"node {node.name}: the plan has no configuration {named!r}, which its label "
                    f"{CONFIGURATION_LABEL} names"
                )
            return named
        if node.labels.get(INSTANCE_TYPE) in self._rows:
            return node.labels[INSTANCE_TYPE]
        return self._nearest(node)

    def _nearest(self, node: Node) -> str:
        own = self._row(self._resources.amounts(node.capacity))

        def distance(row: Sequence[float]) -> float:
            return dist(*([x / most for x, most in zip(r, self._largest, strict=True)]
                          for r in (own, row)))  # fmt: skip

        nearest = min(self._rows, key=lambda name: distance(self._rows[name]))
        row = self._rows[nearest]
        label = f"label it {CONFIGURATION_LABEL}"
        if any(abs(x - most) > CLOSE * most for x, most in zip(own, row, strict=True)):
            raise InputError(
                f"node {node.name} has {self._text(own)}: like no configuration of the plan, the "
                f"nearest is {nearest} with {self._text(row)}; {label} if it is one of them"
            )
        others = [name for name, other in self._rows.items() if other == row and name != nearest]
        if others:
            raise InputError(
                f"node {node.name} has {self._text(own)}, as {nearest} and {', '.join(others)} "
                f"have: {label}=NAME"
            )
        return nearest

    def _text(self, row: Sequence[float]) -> str:
        return ", ".join(
            f"{name} {x:g}" for name, x in zip(self._resources.names, row, strict=True)
        )
