"""Instances: a batch of MapReduce jobs on a cluster of nodes with map and reduce slots.

Times are in s, data in MB, rates in MB/s. Tasks are stored as arrays over all tasks of a phase, job
after job, so that 150 000 tasks take megabytes. `Instance.from_jobs` builds small ones from plain
objects.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...core.arrays import FloatArray, IntArray, offsets
from ...core.calls import check_fields, checked
from ...core.errors import InputError
from ...core.values import ByValue
from ..array_checks import check_arrays
from ..limits import LEAST, MOST
from ..views import Plottable, Tabular
from .cluster import Cluster, checked_names
from .history import History
from .parts import OUTAGES, SECURITY, SPEED_FACTORS
from .phase import Phase, Phases
from .security import Outages, Security


@dataclass(frozen=True, eq=False)
class SpeedFactors(ByValue):
    """Duration of a job's tasks on each slot relative to their processing time ([HMHS], section 2).

    Parameters
    ----------
    map
        Factors > 0, smaller is faster, shape (jobs, map slots).
    reduce
        Factors > 0, shape (jobs, reduce slots).
    """

    map: FloatArray
    reduce: FloatArray


@dataclass(frozen=True, eq=False)
class Instance(Plottable, Tabular, ByValue):
    """Jobs to run on a cluster.

    Parameters
    ----------
    name
        Name of the instance.
    cluster
        The cluster.
    job_names
        Names of the jobs.
    output_ratio
        Output of a map task over its input, shape (jobs,).
    map_offsets
        Job i has the map tasks `map_offsets[i]:map_offsets[i + 1]`, shape (jobs + 1,).
    map_processing
        Processing time of each map task (s), shape (map_tasks,).
    input_mb
        Input of each map task (MB), shape (map_tasks,).
    replica_offsets
        Offsets of the replicas of each map task, shape (map_tasks + 1,).
    replicas
        Map task t has replicas on the nodes `replicas[replica_offsets[t]:replica_offsets[t + 1]]`.
        A task with input but no replica reads from outside the cluster at the remote rate
        everywhere.
    reduce_offsets
        Job i has the reduce tasks `reduce_offsets[i]:reduce_offsets[i + 1]`, shape (jobs + 1,).
    reduce_processing
        Processing time of each reduce task (s), shape (reduce_tasks,).
    source
        Where the instance comes from.
    speed_factors
        Speed factors, None if all slots are equally fast.
    security
        Priorities and security levels, None without.
    outages
        Lost slots, None without.
    history
        The real run of a trace, None without.
    """

    name: str
    cluster: Cluster
    job_names: tuple[str, ...]
    output_ratio: FloatArray
    map_offsets: IntArray
    map_processing: FloatArray
    input_mb: FloatArray
    replica_offsets: IntArray
    replicas: IntArray
    reduce_offsets: IntArray
    reduce_processing: FloatArray
    source: str = ""
    speed_factors: SpeedFactors | None = None
    security: Security | None = None
    outages: Outages | None = None
    history: History | None = None

    @classmethod
    @checked
    def from_jobs(
        cls, name: str, cluster: Cluster, jobs: Iterable[Job], source: str = ""
    ) -> Instance:
        """Build a small instance from plain objects.

        Raises `InputError` if something is wrong; the message names job, task and field.
        """
        jobs = list(jobs)
        for job in jobs:
            check_fields(f"job {job.name!r}", job)
        maps = [
            [task if isinstance(task, MapTask) else MapTask(task) for task in job.maps]
            for job in jobs
        ]
        flat = [task for tasks in maps for task in tasks]
        replicas: list[int] = []
        for job, tasks in zip(jobs, maps, strict=True):
            for t, task in enumerate(tasks):
                for node in task.replicas:
                    if node not in cluster.node_index:
                        raise InputError(
                            f"job {job.name!r}, map task {t}, replicas: unknown node {node!r}"
                        )
                    replicas.append(cluster.node_index[node])
        return cls(
            name=name,
            cluster=cluster,
            job_names=tuple(job.name for job in jobs),
            output_ratio=np.array([job.output_ratio for job in jobs], dtype=float),
            map_offsets=offsets(len(tasks) for tasks in maps),
            map_processing=np.array([task.processing for task in flat], dtype=float),
            input_mb=np.array([task.input_mb for task in flat], dtype=float),
            replica_offsets=offsets(len(task.replicas) for task in flat),
            replicas=np.array(replicas, dtype=np.int64),
            reduce_offsets=offsets(len(job.reduces) for job in jobs),
            reduce_processing=np.array([p for job in jobs for p in job.reduces], dtype=float),
            source=source,
        )

    def __post_init__(self) -> None:
        check_fields("instance", self)
        checked_names("instance: name", (self.name,))
        job_names = checked_names("jobs: job name", self.job_names)
        object.__setattr__(self, "job_names", job_names)
        self._check_shapes()
        self._check_nonnegative("output_ratio", self.output_ratio)
        self._check_nonnegative("processing", self.map_processing, self.map_offsets, "map")
        self._check_nonnegative("input_mb", self.input_mb, self.map_offsets, "map")
        self._check_nonnegative("processing", self.reduce_processing, self.reduce_offsets, "reduce")
        for phase, tasks, slots in (
            ("map", self.map_tasks, self.cluster.map_slots),
            ("reduce", self.reduce_tasks, self.cluster.reduce_slots),
        ):
            if tasks and not slots.sum():
                raise InputError(
                    f"cluster: {tasks} {phase} tasks to run but no node has a {phase} slot"
                )
        if self.speed_factors is not None:
            self._check_factors("map", self.speed_factors, self.cluster.map_slots)
            self._check_factors("reduce", self.speed_factors, self.cluster.reduce_slots)
        if self.security is not None:
            self.security.check_fit(self.cluster, self.map_tasks)
        if self.outages is not None:
            self.outages.check_fit(self.cluster)
        if self.history is not None:
            self.history.check_fit(self.cluster.nodes, self.map_tasks, self.reduce_tasks)

    def _check_shapes(self) -> None:
        """Check what compiled code trusts: numbers for all jobs and tasks, in their places."""
        check_arrays(
            self,
            "",
            np.float64,
            output_ratio=(self.jobs,),
            map_processing=(None,),
            reduce_processing=(None,),
        )
        check_arrays(self, "", np.float64, input_mb=(self.map_tasks,))
        check_arrays(self, "", np.int64, replicas=(None,))
        for name, groups, end in (
            ("map_offsets", self.jobs, self.map_tasks),
            ("reduce_offsets", self.jobs, self.reduce_tasks),
            ("replica_offsets", self.map_tasks, len(self.replicas)),
        ):
            check_arrays(self, "", np.int64, **{name: (groups + 1,)})
            begins = getattr(self, name)
            for k in np.flatnonzero(begins[1:] < begins[:-1])[:1]:
                raise InputError(
                    f"{name}, entry {k + 1}: must not be below the one before, {begins[k]}, "
                    f"got {begins[k + 1]}"
                )
            if (begins[0], begins[-1]) != (0, end):
                raise InputError(
                    f"{name}: must go from 0 to {end}, got {begins[0]} to {begins[-1]}"
                )
        wrong = (self.replicas < 0) | (self.replicas >= self.cluster.nodes)
        for k in np.flatnonzero(wrong)[:1]:
            task = int(np.searchsorted(self.replica_offsets, k, side="right")) - 1
            raise InputError(
                f"{self._task(self.map_offsets, 'map', task)}, replicas: node {self.replicas[k]}, "
                f"there are {self.cluster.nodes}"
            )

    def _task(self, offsets: IntArray, phase: str, task: int) -> str:
        job = int(np.searchsorted(offsets, task, side="right")) - 1
        return f"job {self.job_names[job]!r}, {phase} task {task - offsets[job]}"

    def _check_factors(self, phase: str, both: SpeedFactors, slots: IntArray) -> None:
        shape = (self.jobs, int(slots.sum()))
        check_arrays(both, "speed_factors, ", np.float64, **{phase: shape})
        factors: FloatArray = getattr(both, phase)
        for job, slot in np.argwhere(~((factors >= LEAST) & (factors <= MOST)))[:1]:
            raise InputError(
                f"speed_factors, {phase}, job {self.job_names[job]!r}, slot {slot}: "
                f"must be finite and > 0 ({LEAST:g} to {MOST:g}), got {factors[job, slot]}"
            )

    def _check_nonnegative(
        self, name: str, values: FloatArray, offsets: IntArray | None = None, phase: str = ""
    ) -> None:
        bad = np.flatnonzero(~((values >= 0) & (values <= MOST)))
        if bad.size:
            k = int(bad[0])
            job = f"job {self.job_names[k]!r}" if offsets is None else self._task(offsets, phase, k)
            raise InputError(
                f"{job}, {name}: must be finite and >= 0, at most {MOST:g}, got {values[k]}"
            )

    @property
    def jobs(self) -> int:
        """Number of jobs."""
        return len(self.job_names)

    @property
    def parts(self) -> frozenset[str]:
        """Names of the optional parts that the instance has."""
        there = {
            SPEED_FACTORS: self.speed_factors,
            SECURITY: self.security,
            OUTAGES: self.outages,
        }
        return frozenset(name for name, part in there.items() if part is not None)

    @property
    def map_tasks(self) -> int:
        """Number of map tasks."""
        return len(self.map_processing)

    @property
    def reduce_tasks(self) -> int:
        """Number of reduce tasks."""
        return len(self.reduce_processing)

    @cached_property
    def map_job(self) -> IntArray:
        """Job of each map task, shape (map_tasks,)."""
        return np.repeat(np.arange(self.jobs), np.diff(self.map_offsets))

    @cached_property
    def reduce_job(self) -> IntArray:
        """Job of each reduce task, shape (reduce_tasks,)."""
        return np.repeat(np.arange(self.jobs), np.diff(self.reduce_offsets))

    @cached_property
    def maps_of(self) -> IntArray:
        """Number of map tasks of each job, shape (jobs,)."""
        return np.diff(self.map_offsets)

    @cached_property
    def reduces_of(self) -> IntArray:
        """Number of reduce tasks of each job, shape (jobs,)."""
        return np.diff(self.reduce_offsets)

    @cached_property
    def phases(self) -> Phases:
        """The map phase and the reduce phase."""
        return Phases(
            *(
                Phase(
                    name,
                    self.job_names,
                    getattr(self, f"{name}_offsets"),
                    getattr(self, f"{name}_job"),
                    getattr(self, f"{name}_processing"),
                    getattr(self.cluster, f"{name}_slots"),
                    getattr(self.cluster, f"{name}_slot_node"),
                    getattr(self.speed_factors, name, None),
                    getattr(self.outages, name, None),
                )
                for name in Phases._fields
            )
        )

    def __repr__(self) -> str:
        return (
            f"Instance({self.name!r}: {self.jobs} jobs, {self.map_tasks} map and "
            f"{self.reduce_tasks} reduce tasks, {self.cluster.nodes} nodes)"
        )


@checked
@dataclass(frozen=True)
class MapTask:
    """A map task for `Instance.from_jobs`.

    Parameters
    ----------
    processing
        Processing time (s).
    input_mb
        Input (MB).
    replicas
        Names of the nodes with the input.
    """

    processing: float
    input_mb: float = 0.0
    replicas: Sequence[str] = ()


@checked
@dataclass(frozen=True)
class Job:
    """A job for `Instance.from_jobs`.

    Parameters
    ----------
    name
        Name of the job.
    maps
        Map tasks; a number is the processing time (s) of a task without input.
    reduces
        Processing times of the reduce tasks (s).
    output_ratio
        Output of a map task over its input.
    """

    name: str
    maps: Sequence[MapTask | float] = ()
    reduces: Sequence[float] = ()
    output_ratio: float = 0.0
