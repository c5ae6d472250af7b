"""Hierarchies as files of schedulers: the exporters, and `export`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from .import_notes import plural
from .registry import Entry, Function, Registry

if TYPE_CHECKING:
    from .hierarchy.hierarchy import Hierarchy

EXPORTERS = Registry(
    "scheduler",
    "slotwise.exporters",
    (
        Entry(
            "kueue",
            "instances.schedulers.kueue:kueue_manifests",
            "Kueue v1beta2",
            "a Cohort per group, a ClusterQueue per leaf, all quota on the root",
            takes="hierarchy",
        ),
        Entry(
            "slurm",
            "instances.schedulers.slurm:slurm_accounts",
            "Slurm: sacctmgr load",
            "an account per group and leaf, whole shares",
            takes="hierarchy",
        ),
        Entry(
            "yarn",
            "instances.schedulers.yarn_fair:yarn_fair_queues",
            "Apache Hadoop YARN Fair Scheduler",
            "fair-scheduler.xml",
            takes="hierarchy",
        ),
        Entry(
            "yarn-capacity",
            "instances.schedulers.yarn_capacity:yarn_capacity_queues",
            "Apache Hadoop YARN Capacity Scheduler, weight mode",
            "capacity-scheduler.xml",
            takes="hierarchy",
        ),
        Entry(
            "volcano",
            "instances.schedulers.volcano:volcano_queues",
            "Volcano, plugin drf with enableHierarchy; flat: plugin proportion",
            "a Queue per leaf",
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


def export(exporter: str | Function, hierarchy: Hierarchy, **options: Any) -> Exported:
    """The text of a scheduler's file for a hierarchy.

    Parameters
    ----------
    exporter : str or callable
        A name of `EXPORTERS`, or a function as described there.
    hierarchy : Hierarchy
        The queues and their weights.
    **options
        What else the exporter takes.

    Returns
    -------
    Exported

    Raises
    ------
    InputError
        For an unknown name, and for a hierarchy that the scheduler cannot hold.
    """
    made = EXPORTERS.resolve(exporter).load()(hierarchy, **options)
    text, notes = (made, []) if isinstance(made, str) else made
    if hierarchy.dropped_limits:
        limits = plural(len(hierarchy.dropped_limits), "limit")
        notes = [*notes, f"not written: {limits} of the imported queues"]
    return Exported(text, list(notes))
