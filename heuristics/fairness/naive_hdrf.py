"""Naive hierarchical DRF, the adaptation that Hadoop and Mesos use.

As H-DRF, but a group's dominant share is that of all that its leaves use, without rescaling and
with full resources. From an empty cluster it keeps guarantees too; as tasks come and go, a leaf
whose sibling holds all of another resource can starve.
"""

from __future__ import annotations

from ...instances.arrays import FloatArray
from ...instances.hierarchy.allocation import Allocation
from ...instances.hierarchy.hierarchy import Hierarchy
from .hdrf import Update, one_by_one


def naive(
    hierarchy: Hierarchy,
    *,
    running: FloatArray | None = None,
    update: Update | str = Update.PATH,
) -> Allocation:
    """Whole tasks to the child whose use has the smallest dominant share over weight.

    Arguments and errors as for `hdrf`.
    """
    return one_by_one(
        hierarchy, "naive", rescale=False, set_apart=False, running=running, update=update
    )
