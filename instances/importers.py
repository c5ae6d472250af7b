"""Files of others as instances, datacenters and hierarchies: the importers, and `import_`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from ..core.calls import checked
from ..core.registry import Entry, Function, Registry
from ..core.values import ByValue

if TYPE_CHECKING:
    from ..core.arrays import IntArray
    from .datacenter.job_file import JobTable

IMPORTERS = Registry(
    "importer",
    "slotwise.importers",
    (
        Entry(
            "rumen",
            "instances.mapreduce.importers.rumen:read_rumen",
            "Hadoop Rumen traces (Mumak, Gridmix, SLS)",
            "MapReduce jobs task by task, with the schedule that ran",
        ),
        Entry(
            "swim",
            "instances.mapreduce.importers.swim:read_swim",
            "SWIM tables of Facebook workloads",
            "bytes per job, turned into tasks by a stated model",
        ),
        Entry(
            "shop",
            "instances.mapreduce.importers.shop:read_shop",
            "Hybrid flow shops as text [NRR2023]",
            "shops of two stages: a map and a reduce task for each job, no data",
        ),
        Entry(
            "openb",
            "instances.datacenter.importers.openb:read_openb",
            "Alibaba's GPU cluster of 2023",
            "nodes, pods, classes by k-means",
            understands=frozenset({"jobs"}),
            takes="datacenter",
        ),
        Entry(
            "pai",
            "instances.datacenter.importers.pai:read_pai",
            "Alibaba's PAI cluster of 2020",
            "machines only, with job classes from elsewhere",
            takes="datacenter",
        ),
        Entry(
            "google",
            "instances.datacenter.importers.google2011:read_google",
            "Google's cluster of May 2011 (clusterdata-2011-2)",
            "machines, tasks, classes by k-means",
            understands=frozenset({"jobs"}),
            takes="datacenter",
        ),
        Entry(
            "yarn",
            "instances.hierarchy.yarn.fair:read_yarn_fair",
            "Apache Hadoop YARN Fair Scheduler: fair-scheduler.xml",
            "queues and weights",
            takes="hierarchy",
        ),
        Entry(
            "yarn-capacity",
            "instances.hierarchy.yarn.capacity:read_yarn_capacity",
            "Apache Hadoop YARN Capacity Scheduler: capacity-scheduler.xml",
            "queues and weights, or percentages",
            takes="hierarchy",
        ),
        Entry(
            "kueue",
            "instances.hierarchy.kueue.reader:read_kueue",
            "Kueue: Cohort and ClusterQueue manifests",
            "cohorts, cluster queues, weights and quotas",
            understands=frozenset({"trees"}),
            takes="hierarchy",
        ),
    ),
)
"""Readers of traces and of schedulers' files.

An importer is a function of one file or several and of options by name. It returns an instance, a
datacenter or a hierarchy, or a list of hierarchies that share nothing; or a pair of that and of
notes, one sentence each, on what it left out or adjusted; or an `Imported`. One that understands
"jobs" gives the jobs of a datacenter too, whose classes must hold what they hold; one that
understands "trees" may give several hierarchies.
"""


Made = TypeVar("Made", covariant=True)


@dataclass(frozen=True, eq=False)
class Imported(Generic[Made], ByValue):
    """What an importer makes of files.

    Parameters
    ----------
    made : Instance, Datacenter, Hierarchy or list of Hierarchy
        The problem; a list if files hold several trees that share nothing.
    notes : tuple of str
        What was left out or adjusted, one sentence each.
    jobs : JobTable or None
        Of a datacenter's trace: its jobs.
    job_class : IntArray or None
        Class of each of these jobs, shape (jobs,); -1 for one that has none.
    """

    made: Made
    notes: tuple[str, ...] = ()
    jobs: JobTable | None = None
    job_class: IntArray | None = None


@checked
def import_(importer: str | Function, *files: str | Path, **options: Any) -> Imported[Any]:
    """Read files of others.

    Parameters
    ----------
    importer : str or callable
        A name of `IMPORTERS`, or a function as described there.
    *files : str or Path
        What it reads.
    **options
        What else it takes.

    Returns
    -------
    Imported

    Raises
    ------
    InputError
        For an unknown name, for files and options that the importer refuses, and if it makes
        classes of jobs that hold more or less than the jobs.
    """
    result = IMPORTERS.resolve(importer).call("importer", *files, **options)
    if isinstance(result, tuple):
        made, *traced, notes = result
        result = Imported(made, tuple(notes), *traced)
    imported = result if isinstance(result, Imported) else Imported(result)
    jobs, job_class = imported.jobs, imported.job_class
    if jobs is not None and job_class is not None:
        from .datacenter.datacenter import Datacenter
        from .datacenter.job_file import seconds_of_unit
        from .datacenter.work import check_same_work

        if isinstance(imported.made, Datacenter):
            hours = jobs.duration / seconds_of_unit("jobs", imported.made)
            check_same_work(imported.made, job_class, hours, jobs.request)
    return imported
