"""Collapsed hierarchies: a flat tree in which each leaf weighs what it is guaranteed.

A. Chandra, P. Shenoy, "Hierarchical scheduling for symmetric multiprocessors", IEEE Transactions on
Parallel and Distributed Systems 19 (2008). Exact for one resource while all leaves are busy.
"""

from __future__ import annotations

import numpy as np

from ...instances.errors import InputError
from ...instances.hierarchy.allocation import Allocation
from ...instances.hierarchy.hierarchy import Hierarchy
from .drf import flat_allocation


def ch(hierarchy: Hierarchy, resource: str | None = None) -> Allocation:
    """Leaves share by their guarantees.

    What rises in the ratio of the guarantees is the dominant share, or the share of `resource`
    (C-CH and M-CH of MCH, section IV-B); leaves that do not need it rise by their dominant share.
    Raises `InputError` for a resource that the hierarchy does not have.
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
