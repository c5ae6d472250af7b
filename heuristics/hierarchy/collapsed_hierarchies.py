"""Collapsed hierarchies [CH]: a flat tree in which each leaf's weight is its guarantee.

This is exact for one resource while all leaves are busy.
"""

from __future__ import annotations

import numpy as np

from ...core.errors import InputError
from ...instances.hierarchy.allocation import Allocation
from ...instances.hierarchy.hierarchy import Hierarchy
from .drf import flat_allocation


def ch(hierarchy: Hierarchy, resource: str | None = None) -> Allocation:
    """Share by guarantees.

    The dominant shares rise in the ratio of the guarantees, or with `resource` the shares of that
    resource (C-CH and M-CH of [MCH], section IV-B). Leaves that do not need it rise by their
    dominant share.

    Parameters
    ----------
    hierarchy
        The hierarchy.
    resource
        Name of a resource, or None.

    Returns
    -------
    Allocation
        The allocation.

    Raises
    ------
    InputError
        If the hierarchy does not have the resource.
    """
    weight, method = hierarchy.guarantee, "ch"
    if resource is not None:
        if resource not in hierarchy.resources:
            names = ", ".join(hierarchy.resources)
            raise InputError(f"unknown resource {resource!r}: the hierarchy has {names}")
        share = hierarchy.normalised[:, hierarchy.resources.index(resource)]
        weight = weight / np.where(share > 0, share, 1.0)
        method = f"ch by {resource}"
    return flat_allocation(hierarchy, method, weight)
