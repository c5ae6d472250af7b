"""How `slotwise fair` shows shares: as a table, on a scheduler, or why a node has its part."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ...core.registry import Entry
from ..console import about, tell
from .answers import Destination

if TYPE_CHECKING:
    from ...instances.hierarchy.allocation import Allocation


class View(NamedTuple):
    """What of an allocation is shown."""

    why: str | None
    """The node that is explained."""
    on: str | None
    """The scheduler beside which it stands."""
    leaves: bool
    """Whether groups are left out."""
    depth: int | None
    """The depth of the deepest groups."""


def give_shares(
    allocation: Allocation, entry: Entry, file: Path, view: View, to: Destination
) -> None:
    """Print and write the allocation, or what explains a part of it."""
    tree, document = allocation.hierarchy, allocation.document()
    text: Any = ""
    if view.why is not None:
        if to.output is not None:
            Destination(to.output, as_json=False, quiet=True).give("", document)
        with about(file):
            answer = _explanation(allocation, view.why, view.on)
        Destination(None, to.as_json, to.quiet).give(str(answer), answer.document())
        return
    if view.on is not None:
        from ...heuristics.hierarchy.limits.schedulers import on_scheduler
        from ...report.hierarchy.limit_tables import scheduler_table

        given = on_scheduler(tree, view.on)
        document["on"] = given.document()
        text = scheduler_table(given)
    elif not (to.as_json or to.quiet):
        text = _table(allocation, view)
    to.give(text, document)
    if not entry.valid and not allocation.met.all():
        note = f"{entry.name} breaks guarantees here; exact does not"
        tell([note], quiet=to.quiet or to.as_json)


def _table(allocation: Allocation, view: View) -> Any:
    if allocation.hierarchy.quotas is not None or view.depth is not None:
        from ...report.hierarchy.limit_tables import node_table

        return node_table(allocation, leaves_only=view.leaves, depth=view.depth)
    from ...report.hierarchy.fair_shares import allocation_table

    return allocation_table(allocation)


def _explanation(allocation: Allocation, path: str, on: str | None) -> Any:
    from ...heuristics.hierarchy.explanation import why

    return why(allocation, path.strip("/"), on=on)
