"""Hierarchies and guidance as files of schedulers: the exporters, and `export`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ..core.calls.argument_types import check_argument
from ..core.calls.checked import checked
from ..core.calls.deprecated import method_first, takes_old
from ..core.errors import InputError
from ..core.registry import Choice, Entry, Registry
from ..core.wording import plural

if TYPE_CHECKING:
    from .datacenter.guidance import Guidance
    from .hierarchy.hierarchy import Hierarchy

EXPORTERS = Registry(
    "scheduler",
    "slotwise.exporters",
    (
        Entry(
            "kueue",
            "instances.hierarchy.kubernetes_queues.kueue_writer:kueue_manifests",
            "Kueue v1beta2",
            "a Cohort per group, a ClusterQueue per leaf, all quota on the root",
            takes="hierarchy",
        ),
        Entry(
            "slurm",
            "instances.hierarchy.slurm.writer:slurm_accounts",
            "Slurm: sacctmgr load",
            "an account per group and leaf, whole shares, limits",
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
        Entry(
            "volcano",
            "instances.hierarchy.kubernetes_queues.volcano_writer:volcano_queues",
            "Volcano, plugin drf with enableHierarchy; with limits: plugin capacity",
            "a Queue per leaf",
            takes="hierarchy",
        ),
        Entry(
            "kubernetes",
            "instances.datacenter.exporters.kubernetes_scoring:node_resources_fit",
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


@takes_old("export(hierarchy, exporter)", order=method_first)
@checked
def export(hierarchy: Hierarchy | Guidance, exporter: Choice, **options: Any) -> Exported:
    """The text of a scheduler's file for a hierarchy, or for guidance.

    Parameters
    ----------
    hierarchy : Hierarchy or Guidance
        The queues and their weights, or a plan.
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
        For an unknown name, for the exporter of another kind, and for a hierarchy that the
        scheduler cannot hold.
    """
    entry = EXPORTERS.resolve(exporter)
    _check_kind(entry, hierarchy)
    made = entry.call("exporter", hierarchy, **options)
    text, notes = (made, []) if isinstance(made, str) else made
    dropped = getattr(hierarchy, "dropped_limits", ())
    if dropped:
        limits = plural(len(dropped), "limit")
        notes = [*notes, f"not written: {limits} of the imported queues"]
    return Exported(text, list(notes))


def _check_kind(entry: Entry, thing: object) -> None:
    if entry.takes == GUIDANCE:
        from .datacenter.guidance import Guidance

        check_argument(f"export to {entry.name}: hierarchy", thing, Guidance)
    elif entry.takes == "hierarchy":
        from .hierarchy.hierarchy import Hierarchy

        check_argument(f"export to {entry.name}: hierarchy", thing, Hierarchy)
