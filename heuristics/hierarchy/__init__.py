"""Fair-share allocators: functions from a hierarchy to an allocation, listed in `ALLOCATORS`."""

from typing import TYPE_CHECKING, Any

from ...core.calls import check_argument, checked
from ...core.registry import Choice, Entry, Registry

if TYPE_CHECKING:
    from ...instances.hierarchy.allocation import Allocation
    from ...instances.hierarchy.hierarchy import Hierarchy

ALLOCATORS = Registry(
    "method",
    "slotwise.allocators",
    (
        Entry(
            "exact",
            "heuristics.hierarchy.exact:exact",
            "slotwise",
            "flattens the tree again at every saturation; knows guarantees and limits",
            understands=frozenset({"quotas"}),
        ),
        Entry(
            "mch",
            "heuristics.hierarchy.flat:mch",
            "MCH, section III-A",
            "flattens the tree once, as printed; breaks guarantees with partial-type leaves",
            valid=False,
        ),
        Entry(
            "hdrf",
            "heuristics.hierarchy.hdrf:hdrf",
            "H-DRF (Bhattacharya et al. 2013)",
            "whole tasks to the neediest leaf, groups rescaled, blocked nodes set apart; "
            "large tasks can leave guarantees short",
            valid=False,
        ),
        Entry(
            "naive",
            "heuristics.hierarchy.hdrf:naive",
            "H-DRF (Bhattacharya et al. 2013), section 3",
            "whole tasks by what each group uses in all; a leaf can starve as tasks come and go",
            valid=False,
        ),
        Entry(
            "ch",
            "heuristics.hierarchy.flat:ch",
            "Chandra and Shenoy 2008, as in MCH section IV-B",
            "collapsed hierarchies: flat weights from the guarantees; leaves groups short",
            valid=False,
        ),
        Entry(
            "drf",
            "heuristics.hierarchy.flat:drf",
            "DRF (Ghodsi et al. 2011)",
            "no tree: weighted dominant resource fairness of the leaves",
            valid=False,
        ),
    ),
)
"""`valid` is False for a method that may break hierarchical share guarantees."""


@checked
def fair(
    hierarchy: "Hierarchy",
    method: "Choice" = "exact",
    *,
    ignore_limits: bool = False,
    **parameters: "Any",
) -> "Allocation":
    """Compute the allocation of a hierarchy.

    Parameters
    ----------
    hierarchy
        The hierarchy.
    method
        Name or entry of an allocator, or a function from a hierarchy to an `Allocation`.
    ignore_limits
        Whether to leave out the hierarchy's guarantees, limits, reserves and priorities.
    **parameters
        Parameters of the allocator.

    Returns
    -------
    Allocation
        The allocation.

    Raises
    ------
    InputError
        If there is no such allocator, if it does not know guarantees and limits that the hierarchy
        has, or if a function returns no allocation.
    CertificateError
        If the allocation breaks a limit.
    """
    from ...instances.hierarchy.allocation import Allocation
    from ...instances.hierarchy.hierarchy import Hierarchy

    check_argument("fair: hierarchy", hierarchy, Hierarchy)
    entry = ALLOCATORS.resolve(method)
    if ignore_limits:
        hierarchy = hierarchy.without_quotas()
    elif entry in ALLOCATORS.own and "quotas" not in entry.understands:
        hierarchy.refuse_quotas(f"method {entry.name!r}")
    allocation = entry.call("allocator", hierarchy, **parameters)
    if not isinstance(allocation, Allocation):
        raise entry.misbehaved("method", "must return an Allocation", allocation)
    if allocation.hierarchy.quotas is not None:
        _check_limits(entry.name, allocation)
    return allocation


def _check_limits(method: str, allocation: "Allocation") -> None:
    """Raise `CertificateError` if a node holds more than its limit."""
    from ...core.errors import CertificateError
    from ...instances.hierarchy.hierarchy_file import hierarchy_document
    from ...instances.hierarchy.node_shares import above_limits

    tree = allocation.hierarchy
    wrong = above_limits(tree, allocation.tasks)
    if wrong:
        message = f"{method} made an invalid allocation: {wrong[0]}"
        raise CertificateError(message, lambda: hierarchy_document(tree))
