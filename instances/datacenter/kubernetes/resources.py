"""What a datacenter's resources are called in Kubernetes, and in which unit they are counted."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ....core.errors import InputError
from ....core.files.quantities import quantity

KNOWN_NAMES = {
    "core": "cpu",
    "cores": "cpu",
    "cpus": "cpu",
    "mem": "memory",
    "gpu": "nvidia.com/gpu",
    "gpus": "nvidia.com/gpu",
}
OWN_NAMES = ("cpu", "memory", "ephemeral-storage")
IN_BYTES = ("memory", "ephemeral-storage")
GIB = 1024.0**3


def kubernetes_name(name: str) -> str:
    """The resource of Kubernetes that a datacenter's resource is, as far as its name says."""
    known = KNOWN_NAMES.get(name.lower(), name)
    return known.lower() if known.lower() in OWN_NAMES else known


def is_resource_name(name: str) -> bool:
    """Whether Kubernetes could have a resource of this name."""
    extended = re.fullmatch(r"[a-z0-9.-]+/[A-Za-z0-9._-]+", name)
    return name in OWN_NAMES or name.startswith("hugepages-") or extended is not None


@dataclass(frozen=True)
class KubernetesResources:
    """The resources of a datacenter, as pods and nodes tell them."""

    names: Mapping[str, str]
    """By resource of the datacenter: the name in Kubernetes."""
    units: Mapping[str, float]
    """By resource of the datacenter: what one of it is there; memory is counted in GiB."""

    @classmethod
    def of(cls, resources: Iterable[str], given: Iterable[str] = ()) -> KubernetesResources:
        """Take the names for what they say, unless `given` as NAME=KUBERNETES or …:UNIT.

        Raises `InputError` for what is given wrongly.
        """
        names = {name: kubernetes_name(name) for name in resources}
        units = {name: GIB if names[name] in IN_BYTES else 1.0 for name in names}
        for text in given:
            name, equals, rest = text.partition("=")
            there, colon, unit = rest.partition(":")
            if name not in names:
                raise InputError(f"{text}: the plan has no resource {name!r}: {', '.join(names)}")
            if not equals or not is_resource_name(there):
                raise InputError(f"{text}: need RESOURCE=NAME, NAME such as nvidia.com/gpu")
            names[name] = there
            units[name] = GIB if there in IN_BYTES else 1.0
            if colon:
                units[name] = quantity(f"1{unit}" if unit.isalpha() else unit, text)
            if units[name] <= 0:
                raise InputError(f"{text}: need a unit above 0")
        return cls(names, units)

    def unknown(self) -> list[str]:
        """Those that Kubernetes cannot have."""
        return [name for name, there in self.names.items() if not is_resource_name(there)]

    def amounts(self, quantities: Mapping[str, float]) -> dict[str, float]:
        """Amounts by resource of the datacenter; of others there is no word."""
        return {
            name: quantities.get(there, 0.0) / self.units[name]
            for name, there in self.names.items()
        }
