"""Hierarchies as files of schedulers: the exporters, and `export`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ..core.calls import check_argument, checked
from ..core.registry import Choice, Entry, Registry
from ..core.wording import plural

if TYPE_CHECKING:
    from .hierarchy.hierarchy import Hierarchy

EXPORTERS = Registry(
    "scheduler",
    "slotwise.exporters",
    (
        Entry(
            "kueue",
            "instances.hierarchy.kueue.writer:kueue_manifests",
            "Kueue v1beta2",
            "a Cohort per group, a ClusterQueue per leaf, all quota on the root",
            takes="hierarchy",
        ),
        Entry(
            "yarn",
            "instances.hierarchy.yarn.fair_writer:yarn_fair_queues",
            "Apache Hadoop YARN Fair Scheduler",
            "fair-scheduler.xml",
            takes="hierarchy",
        ),
        Entry(
            "yarn-capacity",
            "instances.hierarchy.yarn.capacity_writer:yarn_capacity_queues",
            "Apache Hadoop YARN Capacity Scheduler",
            "capacity-scheduler.xml",
            takes="hierarchy",
        ),
    ),
)
"""Writers of schedulers' files.

An exporter is a function of a hierarchy, and perhaps of options by name. It returns the text of the
file, or a pair of the text and of notes for the operator, one sentence each.
"""


class Exported(NamedTuple):
    """A scheduler's file.

    Parameters
    ----------
    text : str
        Its content.
    notes : list of str
        What the operator has to do, and what the file does not hold.
    """

    text: str
    notes: list[str]


@checked
def export(hierarchy: Hierarchy, exporter: Choice, **options: Any) -> Exported:
    """The text of a scheduler's file for a hierarchy.

    Parameters
    ----------
    hierarchy : Hierarchy
        The queues and their weights.
    exporter : str, callable or Entry
        A name of `EXPORTERS`, a function as described there, or an entry.
    **options
        What else the exporter takes.

    Returns
    -------
    Exported

    Raises
    ------
    InputError
        For an unknown name, for what is no hierarchy, and for a hierarchy that the scheduler cannot
        hold.
    """
    entry = EXPORTERS.resolve(exporter)
    if entry.takes == "hierarchy":
        from .hierarchy.hierarchy import Hierarchy

        check_argument(f"export to {entry.name}: hierarchy", hierarchy, Hierarchy)
    made = entry.call("exporter", hierarchy, **options)
    text, notes = (made, []) if isinstance(made, str) else made
    dropped = getattr(hierarchy, "dropped_limits", ())
    if dropped:
        limits = plural(len(dropped), "limit")
        notes = [*notes, f"not written: {limits} of the imported queues"]
    return Exported(text, list(notes))
