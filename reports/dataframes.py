"""Tables of instances and solutions: columns by name, and as pandas data frames.

A unit is part of a column's name: `_s` seconds, `_mb` MB; shares and gaps have none. Times of
datacenters are in the datacenter's own `time_unit`. docs/reference/python.md lists all columns.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.errors import InputError
from ..instances.mapreduce.schedule_file import schedule_document
from ..solvers.mapreduce.result import OPTIMALITY_TOLERANCE, Status
from .kinds import of_kind

if TYPE_CHECKING:
    import pandas as pd

    from ..heuristics.datacenter.result import Simulation
    from ..heuristics.hierarchy.timeline import Timeline
    from ..instances.datacenter.datacenter import Datacenter
    from ..instances.datacenter.guidance import Guidance
    from ..instances.hierarchy.allocation import Allocation
    from ..instances.hierarchy.hierarchy import Hierarchy
    from ..instances.mapreduce.cluster import Cluster
    from ..instances.mapreduce.instance import Instance
    from ..instances.mapreduce.schedule import Schedule
    from ..solvers.mapreduce.comparison import Comparison
    from ..solvers.mapreduce.result import Result

Columns = dict[str, Sequence[Any]]

BEST = "best"
"""The row of a comparison for the best schedule, whatever has found it."""


def to_dataframe(thing: object) -> pd.DataFrame:
    """The table of an instance or a solution, see `columns_of`.

    Raises `InputError` if pandas is not installed, or there is no table of `thing`.
    """
    columns = columns_of(thing)
    try:
        import pandas
    except ImportError:
        raise InputError(
            "to_dataframe: needs pandas, which is not installed: "
            "pip install 'slotwise[experiments]'"
        ) from None
    return pandas.DataFrame(columns)


def columns_of(thing: object) -> Columns:
    """The columns of a table, all of one length. Raises `InputError` if there is no such table."""
    return of_kind("to_dataframe", thing, _TABLES)(thing)


def _instance(instance: Instance) -> Columns:
    """One row for each task, map tasks first."""
    maps, reduces = instance.map_tasks, instance.reduce_tasks
    first = instance.replica_offsets.tolist()
    holder = [instance.cluster.node_names[n] for n in instance.replicas.tolist()]
    return {
        "job": [instance.job_names[i] for phase in instance.phases for i in phase.job.tolist()],
        "phase": ["map"] * maps + ["reduce"] * reduces,
        "task": [t for phase in instance.phases for t in phase.number.tolist()],
        "processing_s": [*instance.map_processing.tolist(), *instance.reduce_processing.tolist()],
        "input_mb": [*instance.input_mb.tolist(), *([float("nan")] * reduces)],
        "replicas": [
            *(", ".join(holder[first[t] : first[t + 1]]) for t in range(maps)),
            *([""] * reduces),
        ],
    }


def _cluster(cluster: Cluster) -> Columns:
    return {
        "node": cluster.node_names,
        "rack": [cluster.rack_names[r] for r in cluster.rack_of.tolist()],
        "map_slots": cluster.map_slots.tolist(),
        "reduce_slots": cluster.reduce_slots.tolist(),
    }


def _schedule(schedule: Schedule) -> Columns:
    """One row for each task; tasks and slots are numbered over all jobs and nodes of a phase."""
    phases = (("map", schedule.map), ("reduce", schedule.reduce))
    return {
        "phase": [name for name, part in phases for _ in part.slot],
        "task": [t for _, part in phases for t in range(len(part.slot))],
        "slot": [k for _, part in phases for k in part.slot.tolist()],
        "start_s": [t for _, part in phases for t in part.start.tolist()],
        "setup_s": [t for _, part in phases for t in part.setup.tolist()],
        "end_s": [t for _, part in phases for t in part.end.tolist()],
    }


def _result(result: Result) -> Columns:
    """One row for each scheduled task; none without a schedule."""
    schedule = result.schedule
    rows = [] if schedule is None else schedule_document(result.instance, schedule)["tasks"]
    return _picked(rows, "job phase task node slot start_s=start setup_s=setup end_s=end")


def _comparison(comparison: Comparison) -> Columns:
    """One row for each heuristic, and one for the best; gaps are to the best proven bound."""
    best = comparison.best
    results = [*comparison.heuristics, best]
    optimum = best.makespan if best.status is Status.OPTIMAL else None
    last = len(results) - 1
    return {
        "instance": [comparison.instance.name] * len(results),
        "method": [*(result.method for result in comparison.heuristics), BEST],
        "kind": ["heuristic"] * last + ["best"],
        "status": [_status(comparison, result).value for result in results],
        "makespan_s": [result.makespan for result in results],
        "gap": [None if r.makespan is None else comparison.gap_of(r) for r in results],
        "optimum_s": [optimum] * len(results),
        "bound_s": [best.lower_bound] * len(results),
        "bound": [best.bound_name] * len(results),
        "proved": [str(comparison.certificate or "")] * len(results),
        "seconds": [result.seconds for result in results],
        "assumptions_dropped": [", ".join(result.assumptions_dropped) for result in results],
    }


def _status(comparison: Comparison, result: Result) -> Status:
    """What is proved of a schedule by the best bound, not only by what its method knew."""
    if result is comparison.best or result.makespan is None:
        return result.status
    gap = comparison.gap_of(result)
    near = gap is not None and gap <= OPTIMALITY_TOLERANCE
    return Status.OPTIMAL if near else Status.FEASIBLE


def _datacenter(datacenter: Datacenter) -> Columns:
    """One row for each class on each configuration that can run it."""
    pairs = np.argwhere(datacenter.fits).tolist()
    columns: Columns = {
        "class": [datacenter.classes[k] for k, _ in pairs],
        "configuration": [datacenter.configurations[j] for _, j in pairs],
        "share": [float(datacenter.share[k]) for k, _ in pairs],
        "mean_time": [float(datacenter.mean_time[k, j]) for k, j in pairs],
        "machines": [int(datacenter.count[j]) for _, j in pairs],
    }
    for r, name in enumerate(datacenter.resources):
        columns[f"request_{name}"] = [float(datacenter.request[k, r]) for k, _ in pairs]
        columns[f"capacity_{name}"] = [float(datacenter.capacity[j, r]) for _, j in pairs]
    return columns


def _guidance(guidance: Guidance) -> Columns:
    """One row for each bin, with the jobs of each class on one of its machines."""
    names = guidance.datacenter.configurations
    columns: Columns = {
        "configuration": [names[j] for j in guidance.bin_configuration.tolist()],
        "machines": guidance.bin_machines.tolist(),
    }
    for k, name in enumerate(guidance.datacenter.classes):
        columns[f"jobs_{name}"] = guidance.bin_jobs[:, k].tolist()
    return columns


def _hierarchy(tree: Hierarchy) -> Columns:
    """One row for each leaf; `tasks` is infinite where there is no limit."""
    columns: Columns = {
        "leaf": tree.paths,
        "weight": tree.weight[tree.leaf].tolist(),
        "tasks": tree.tasks.tolist(),
        "guarantee": tree.guarantee.tolist(),
    }
    for j, name in enumerate(tree.resources):
        columns[f"demand_{name}"] = tree.demand[:, j].tolist()
    return columns


def _allocation(allocation: Allocation) -> Columns:
    """One row for each leaf; shares are dominant shares."""
    columns = "leaf tasks dominant_share guarantee met weight limited_by"
    return _picked(_leaves(allocation), columns)


def _timeline(timeline: Timeline) -> Columns:
    """One row for each leaf at each time; the time before any event is minus infinity."""
    steps = zip(timeline.times, timeline.allocations, strict=True)
    rows = [{"time": time, **leaf} for time, step in steps for leaf in _leaves(step)]
    return _picked(rows, "time leaf tasks dominant_share guarantee")


def _leaves(allocation: Allocation) -> list[dict[str, Any]]:
    leaves = allocation.document()["leaves"]
    return [{"leaf": path, **leaf} for path, leaf in leaves.items()]


def _simulation(simulation: Simulation) -> Columns:
    """One row for each class; waits are in the datacenter's time unit."""
    classes = simulation.document()["by_class"]
    rows = [{"class": name, **row} for name, row in classes.items()]
    return _picked(rows, "class jobs mean_wait p99_wait max_wait")


def _picked(rows: Sequence[Mapping[str, Any]], columns: str) -> Columns:
    """Columns of rows of documents; `end_s=end` are a column's name and a field's."""
    pairs = [column.rpartition("=") for column in columns.split()]
    return {name or field: [row[field] for row in rows] for name, _, field in pairs}


_TABLES: dict[str, Callable[[Any], Columns]] = {
    "Instance": _instance,
    "Cluster": _cluster,
    "Schedule": _schedule,
    "Result": _result,
    "Comparison": _comparison,
    "Datacenter": _datacenter,
    "Guidance": _guidance,
    "Hierarchy": _hierarchy,
    "Allocation": _allocation,
    "Timeline": _timeline,
    "Simulation": _simulation,
}
