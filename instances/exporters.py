"""Hierarchies and guidance as files of schedulers: the exporters, and `export`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from .errors import InputError
from .needs import need
from .registry import Choice, Entry, Registry
from .wording import plural

if TYPE_CHECKING:
    from .datacenter.guidance import Guidance
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
        Entry(
            "kubernetes",
            "instances.schedulers.kubernetes_scoring:node_resources_fit",
            "Kubernetes: NodeResourcesFit, strategy MostAllocated",
            "KubeSchedulerConfiguration, weights of resources from a plan's prices",
            takes="guidance",
        ),
    ),
)
"""Writers of schedulers' files.

An exporter is a function of a hierarchy or of guidance, and perhaps of options by name. It returns
the text of the file, or a pair of the text and of notes for the operator, one sentence each.
"""

GUIDANCE = "guidance"


def exporter_of(name: str, *, guidance: bool = False) -> Entry:
    """The exporter of a name.

    Raises `InputError` for an unknown name, and for one that takes the other.
    """
    entry = EXPORTERS.lookup(name)
    if (entry.takes == GUIDANCE) != guidance:
        command = "guide" if entry.takes == GUIDANCE else "fair"
        raise InputError(f"scheduler {name!r} is for `slotwise {command} --export`")
    return entry


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


def export(exporter: Choice, hierarchy: Hierarchy | Guidance, **options: Any) -> Exported:
    """The text of a scheduler's file for a hierarchy, or for guidance.

    Parameters
    ----------
    exporter : str, callable or Entry
        A name of `EXPORTERS`, a function as described there, or an entry.
    hierarchy : Hierarchy or Guidance
        The queues and their weights, or a plan.
    **options
        What else the exporter takes.

    Returns
    -------
    Exported

    Raises
    ------
    InputError
        For an unknown name, for the exporter of another kind, and for a hierarchy that the
        scheduler cannot hold.
    """
    entry = EXPORTERS.resolve(exporter)
    _need_kind(entry, hierarchy)
    made = entry.load()(hierarchy, **options)
    text, notes = (made, []) if isinstance(made, str) else made
    dropped = getattr(hierarchy, "dropped_limits", ())
    if dropped:
        limits = plural(len(dropped), "limit")
        notes = [*notes, f"not written: {limits} of the imported queues"]
    return Exported(text, list(notes))


def _need_kind(entry: Entry, thing: object) -> None:
    if entry.takes == GUIDANCE:
        from .datacenter.guidance import Guidance

        need(f"export to {entry.name}", thing, Guidance)
    elif entry.takes == "hierarchy":
        from .hierarchy.hierarchy import Hierarchy

        need(f"export to {entry.name}", thing, Hierarchy)
