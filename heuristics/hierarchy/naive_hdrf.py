"""Naive hierarchical DRF, the adaptation of [DRF] that Hadoop and [Mesos] use.

It works as [H-DRF], but the dominant share of a group is that of all that its leaves use, without
rescaling and with full resources. From an empty cluster it meets guarantees too. As tasks come and
go, a leaf whose sibling holds all of another resource can starve.
"""

from __future__ import annotations

from ...core.arrays import FloatArray
from ...instances.hierarchy.allocation import Allocation
from ...instances.hierarchy.hierarchy import Hierarchy
from .hdrf import Update, one_by_one


def naive(
    hierarchy: Hierarchy,
    *,
    running: FloatArray | None = None,
    update: Update | str = Update.PATH,
) -> Allocation:
    """Give whole tasks to the child whose use has the smallest dominant share over weight.

    Parameters
    ----------
    hierarchy
        The hierarchy.
    running
        Tasks that each leaf runs already, shape (leaves,).
    update
        As for `hdrf`.

    Returns
    -------
    Allocation
        The allocation.

    Raises
    ------
    InputError
        As for `hdrf`.
    """
    return one_by_one(
        hierarchy, "naive", rescale=False, set_apart=False, running=running, update=update
    )
