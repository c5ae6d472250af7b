"""The resourceGroups of a Cohort or ClusterQueue: quotas by resource, flavors added up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ....core.errors import InputError
from ....core.files.json_files import shown
from ..schedulers.amounts import quantity
from .manifests import parts, word


@dataclass
class KueueQuota:
    """What a Cohort or ClusterQueue has of its own."""

    nominal: dict[str, float] = field(default_factory=dict)
    """Sum of nominalQuota over the flavors, by resource."""
    borrowing: dict[str, float] = field(default_factory=dict)
    """Sum of borrowingLimit, of resources where every flavor has one."""
    lending: dict[str, float] = field(default_factory=dict)
    """Sum of what can be lent, of resources where some flavor has a lendingLimit."""
    covered: list[str] = field(default_factory=list)
    """Resources that its workloads may ask for."""
    flavors: set[str] = field(default_factory=set)


def read_quota(spec: Mapping[str, Any], where: str, only: str) -> KueueQuota:
    """The quota of a spec, of the flavor `only` if that is not empty.

    Raises `InputError` for resources of a flavor that do not match coveredResources.
    """
    found = KueueQuota()
    endless: set[str] = set()
    limited: set[str] = set()
    for k, group in enumerate(parts(spec, "resourceGroups", where)):
        here = f"{where}, resourceGroups {k}"
        covered = group.get("coveredResources") or []
        if not isinstance(covered, list) or not all(isinstance(name, str) for name in covered):
            raise InputError(f"{here}, coveredResources: need a list of strings")
        for flavor in parts(group, "flavors", here):
            resources = parts(flavor, "resources", f"{here}, flavor")
            names = [word(resource, "name", f"{here}, flavor") for resource in resources]
            if names != covered:
                raise InputError(
                    f"{here}, flavor {shown(flavor.get('name'))}: its resources must match "
                    f"coveredResources in number and order: {', '.join(covered)}"
                )
            flavor_name = word(flavor, "name", f"{here}, flavor")
            found.flavors.add(flavor_name)
            if only and flavor_name != only:
                continue
            for name, resource in zip(names, resources, strict=True):
                _add(found, name, resource, f"{here}, {name}", endless, limited)
    found.covered = list(found.nominal)
    found.borrowing = {n: a for n, a in found.borrowing.items() if n not in endless}
    found.lending = {n: a for n, a in found.lending.items() if n in limited}
    return found


def _add(
    found: KueueQuota,
    name: str,
    resource: Mapping[str, Any],
    where: str,
    endless: set[str],
    limited: set[str],
) -> None:
    nominal = quantity(resource.get("nominalQuota", 0), f"{where}, nominalQuota")
    found.nominal[name] = found.nominal.get(name, 0.0) + nominal
    if resource.get("borrowingLimit") is None:
        endless.add(name)
    else:
        most = quantity(resource["borrowingLimit"], f"{where}, borrowingLimit")
        found.borrowing[name] = found.borrowing.get(name, 0.0) + most
    lent = nominal
    if resource.get("lendingLimit") is not None:
        limited.add(name)
        lent = quantity(resource["lendingLimit"], f"{where}, lendingLimit")
    found.lending[name] = found.lending.get(name, 0.0) + lent
