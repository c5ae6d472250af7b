"""Fair-share allocators: functions from a hierarchy to an allocation, listed in `ALLOCATORS`."""

from typing import TYPE_CHECKING, Any

from ...instances.errors import InputError
from ...instances.needs import need
from ...instances.registry import Choice, Entry, Registry

if TYPE_CHECKING:
    from ...instances.hierarchy.allocation import Allocation
    from ...instances.hierarchy.hierarchy import Hierarchy

ALLOCATORS = Registry(
    "method",
    "slotwise.allocators",
    (
        Entry(
            "exact",
            "heuristics.fairness.exact:exact",
            "slotwise",
            "flattens the tree again at every saturation",
        ),
        Entry(
            "mch",
            "heuristics.fairness.mch_as_printed:mch",
            "MCH, section III-A",
            "flattens the tree once, as printed; breaks guarantees with partial-type leaves",
            valid=False,
        ),
        Entry(
            "hdrf",
            "heuristics.fairness.hdrf:hdrf",
            "H-DRF (Bhattacharya et al. 2013)",
            "whole tasks to the neediest leaf, groups rescaled, blocked nodes set apart; "
            "large tasks can leave guarantees short",
            valid=False,
        ),
        Entry(
            "naive",
            "heuristics.fairness.naive_hdrf:naive",
            "H-DRF (Bhattacharya et al. 2013), section 3",
            "whole tasks by what each group uses in all; a leaf can starve as tasks come and go",
            valid=False,
        ),
        Entry(
            "ch",
            "heuristics.fairness.collapsed_hierarchies:ch",
            "Chandra and Shenoy 2008, as in MCH section IV-B",
            "collapsed hierarchies: flat weights from the guarantees; leaves groups short",
            valid=False,
        ),
        Entry(
            "drf",
            "heuristics.fairness.drf:drf",
            "DRF (Ghodsi et al. 2011)",
            "no tree: weighted dominant resource fairness of the leaves",
            valid=False,
        ),
    ),
)
"""`valid` is False for a method that may break hierarchical share guarantees."""


def allocate(hierarchy: "Hierarchy", method: Choice = "exact", **parameters: Any) -> "Allocation":
    """Compute the allocation of a hierarchy.

    Parameters
    ----------
    hierarchy
        The hierarchy.
    method
        Name or entry of an allocator, or a function from a hierarchy to an `Allocation`.
    **parameters
        Parameters of the allocator.

    Returns
    -------
    Allocation
        The allocation.

    Raises
    ------
    InputError
        If there is no such allocator, or if a function returns no allocation.
    """
    from ...instances.hierarchy.allocation import Allocation
    from ...instances.hierarchy.hierarchy import Hierarchy

    need("fair", hierarchy, Hierarchy)
    entry = ALLOCATORS.resolve(method)
    allocation = entry.load()(hierarchy, **parameters)
    if not isinstance(allocation, Allocation):
        raise InputError(f"method {entry.name!r}: must return an Allocation, got {allocation!r}")
    return allocation
