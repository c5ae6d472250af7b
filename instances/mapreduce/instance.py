"""A batch of MapReduce jobs on a cluster of nodes with map and reduce slots.

Times are seconds, data MB, rates MB/s. Tasks are stored as arrays over all tasks of a phase,
job after job, so that 150 000 tasks cost megabytes; `job_instance` builds small instances from
plain objects.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..limits import LEAST, MOST, MOST_NAMED, MOST_SLOTS
from .parts import OUTAGES, SECURITY, SPEED_FACTORS

if TYPE_CHECKING:
    from .history import History
    from .security import Outages, Security

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


@dataclass(frozen=True)
class Rates:
    """Transfer rates in MB/s: on the same node (f_d), within a rack (f_r), between racks (f_n)."""

    node: float = 100.0
    rack: float = 50.0
    remote: float = 30.0

    def __post_init__(self) -> None:
        if not (np.isfinite(self.node) and self.node >= self.rack >= self.remote > 0):
            raise InputError(
                "rates: need node >= rack >= remote > 0, "
                f"got node {self.node}, rack {self.rack}, remote {self.remote}"
            )
        if self.remote < LEAST or self.node > MOST:
            raise InputError(f"rates: must be from {LEAST:g} to {MOST:g} MB/s")


@dataclass(frozen=True, eq=False)
class Cluster:
    """Nodes in racks. All arrays have one entry per node, in the order of the file."""

    node_names: tuple[str, ...]
    rack_names: tuple[str, ...]
    rack_of: IntArray
    map_slots: IntArray
    reduce_slots: IntArray
    rates: Rates = field(default_factory=Rates)

    def __post_init__(self) -> None:
        repeated = _first_repeated(self.node_names)
        if repeated is not None:
            raise InputError(f"cluster: node name {repeated!r} is used twice")
        for name, slots in (("map_slots", self.map_slots), ("reduce_slots", self.reduce_slots)):
            for node in np.flatnonzero(slots < 0)[:1]:
                raise InputError(
                    f"node {self.node_names[node]!r}, {name}: must be >= 0, got {slots[node]}"
                )
            if slots.sum(dtype=float) > MOST_SLOTS:
                raise InputError(f"cluster, {name}: more than {MOST_SLOTS} together")

    @classmethod
    def uniform(
        cls,
        nodes: int,
        *,
        racks: int = 1,
        map_slots: int = 2,
        reduce_slots: int = 1,
        rates: Rates | None = None,
    ) -> Cluster:
        """Equal nodes `n0, n1, …` in contiguous racks `r0, r1, …` of nearly equal size."""
        if nodes > MOST_NAMED:
            raise InputError(f"nodes: must be at most {MOST_NAMED}, got {nodes}")
        for name, slots in (("map_slots", map_slots), ("reduce_slots", reduce_slots)):
            if nodes * slots > MOST_SLOTS:
                raise InputError(
                    f"{name}: must be at most {MOST_SLOTS} on all nodes, got {slots} on each of "
                    f"{nodes}"
                )
        if not 1 <= racks <= nodes:
            raise InputError(f"cluster: need 1 <= racks <= nodes, got {racks} racks, {nodes} nodes")
        return cls(
            node_names=tuple(f"n{k}" for k in range(nodes)),
            rack_names=tuple(f"r{k}" for k in range(racks)),
            rack_of=np.arange(nodes, dtype=np.int64) * racks // nodes,
            map_slots=np.full(nodes, map_slots, dtype=np.int64),
            reduce_slots=np.full(nodes, reduce_slots, dtype=np.int64),
            rates=rates or Rates(),
        )

    @property
    def nodes(self) -> int:
        return len(self.node_names)

    @cached_property
    def node_index(self) -> dict[str, int]:
        return {name: k for k, name in enumerate(self.node_names)}

    @cached_property
    def map_slot_node(self) -> IntArray:
        """Node of each map slot, shape (M_m,); slots are numbered node by node."""
        return np.repeat(np.arange(self.nodes), self.map_slots)

    @cached_property
    def reduce_slot_node(self) -> IntArray:
        """Node of each reduce slot, shape (M_r,)."""
        return np.repeat(np.arange(self.nodes), self.reduce_slots)

    def rate_between(self, a: int, b: int) -> float:
        """Rate in MB/s at which node `a` reads data stored on node `b`."""
        if a == b:
            return self.rates.node
        return self.rates.rack if self.rack_of[a] == self.rack_of[b] else self.rates.remote


@dataclass(frozen=True, eq=False)
class SpeedFactors:
    """How long a job's tasks take on each slot, relative to their processing time (HMHS).

    `map` has shape (jobs, map slots), `reduce` (jobs, reduce slots); all > 0, smaller is faster.
    """

    map: FloatArray
    reduce: FloatArray


@dataclass(frozen=True, eq=False)
class Instance:
    """Jobs to run on a cluster.

    `map_offsets` and `reduce_offsets` have shape (jobs + 1,): the map tasks of job i are
    `map_offsets[i]:map_offsets[i + 1]` in `map_processing` (s) and `input_mb`. The replicas of map
    task t are the node indices `replicas[replica_offsets[t]:replica_offsets[t + 1]]`; a task with
    input but no replica reads from outside the cluster at the remote rate everywhere.
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

    def __post_init__(self) -> None:
        repeated = _first_repeated(self.job_names)
        if repeated is not None:
            raise InputError(f"jobs: job name {repeated!r} is used twice")
        self._need_nonnegative("output_ratio", self.output_ratio)
        self._need_nonnegative("processing", self.map_processing, self.map_offsets, "map task")
        self._need_nonnegative("input_mb", self.input_mb, self.map_offsets, "map task")
        self._need_nonnegative(
            "processing", self.reduce_processing, self.reduce_offsets, "reduce task"
        )
        for phase, tasks, slots in (
            ("map", self.map_tasks, self.cluster.map_slots),
            ("reduce", self.reduce_tasks, self.cluster.reduce_slots),
        ):
            if tasks and not slots.sum():
                raise InputError(
                    f"cluster: {tasks} {phase} tasks to run but no node has a {phase} slot"
                )
        if self.speed_factors is not None:
            self._need_factors("map", self.speed_factors.map, self.cluster.map_slots)
            self._need_factors("reduce", self.speed_factors.reduce, self.cluster.reduce_slots)
        if self.security is not None:
            self.security.need_fit(self)
        if self.outages is not None:
            self.outages.need_fit(self)

    def _need_factors(self, phase: str, factors: FloatArray, slots: IntArray) -> None:
        shape = (self.jobs, int(slots.sum()))
        if factors.shape != shape:
            raise InputError(
                f"speed_factors, {phase}: need {shape[0]} jobs x {shape[1]} slots, "
                f"got {' x '.join(map(str, factors.shape))}"
            )
        for job, slot in np.argwhere(~((factors >= LEAST) & (factors <= MOST)))[:1]:
            raise InputError(
                f"speed_factors, {phase}, job {self.job_names[job]!r}, slot {slot}: "
                f"must be finite and > 0 ({LEAST:g} to {MOST:g}), got {factors[job, slot]}"
            )

    def _need_nonnegative(
        self, name: str, values: FloatArray, offsets: IntArray | None = None, task: str = ""
    ) -> None:
        bad = np.flatnonzero(~((values >= 0) & (values <= MOST)))
        if bad.size:
            k = int(bad[0])
            if offsets is None:
                where = f"job {self.job_names[k]!r}"
            else:
                job = int(np.searchsorted(offsets, k, side="right")) - 1
                where = f"job {self.job_names[job]!r}, {task} {k - offsets[job]}"
            raise InputError(
                f"{where}, {name}: must be finite and >= 0, at most {MOST:g}, got {values[k]}"
            )

    @property
    def jobs(self) -> int:
        return len(self.job_names)

    @property
    def parts(self) -> frozenset[str]:
        """The optional parts of the model that this instance has, by their names in messages."""
        there = {
            SPEED_FACTORS: self.speed_factors,
            SECURITY: self.security,
            OUTAGES: self.outages,
        }
        return frozenset(name for name, part in there.items() if part is not None)

    @property
    def map_tasks(self) -> int:
        return len(self.map_processing)

    @property
    def reduce_tasks(self) -> int:
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

    def __repr__(self) -> str:
        return (
            f"Instance({self.name!r}: {self.jobs} jobs, {self.map_tasks} map and "
            f"{self.reduce_tasks} reduce tasks, {self.cluster.nodes} nodes)"
        )


@dataclass(frozen=True)
class MapTask:
    """A map task for `job_instance`: processing in s, input in MB, names of the replica nodes."""

    processing: float
    input_mb: float = 0.0
    replicas: Sequence[str] = ()


@dataclass(frozen=True)
class Job:
    """A job for `job_instance`; `reduces` are processing times in s."""

    name: str
    maps: Sequence[MapTask | float] = ()
    reduces: Sequence[float] = ()
    output_ratio: float = 0.0


def job_instance(name: str, cluster: Cluster, jobs: Iterable[Job], source: str = "") -> Instance:
    """Build a small instance from plain jobs; a bare number is a map task without input.

    Raises `InputError` naming job, task and field.
    """
    jobs = list(jobs)
    maps = [
        [task if isinstance(task, MapTask) else MapTask(task) for task in job.maps] for job in jobs
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
    return Instance(
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


def offsets(counts: Iterable[int]) -> IntArray:
    """Start of each group in a flat array, and the end of the last: counts 2, 3 give 0, 2, 5."""
    return np.concatenate(([0], np.cumsum(np.fromiter(counts, dtype=np.int64)))).astype(np.int64)


def _first_repeated(names: Sequence[str]) -> str | None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return None
