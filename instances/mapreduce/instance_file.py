"""`slotwise/mapreduce/1`: instances as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from ...core.arrays import offsets
from ...core.errors import InputError
from ...core.files.json_files import Source, Strict, read_document, write_json
from .cluster import Cluster, Rates
from .history import Events, History
from .instance import Instance, SpeedFactors
from .security_file import (
    OutageDocument,
    SecurityDocument,
    outage_documents,
    read_outages,
    read_security,
    security_document,
)

FORMAT = "slotwise/mapreduce/1"

Name = Annotated[str, Field(min_length=1)]
NonNegative = Annotated[float, Field(ge=0)]
Positive = Annotated[float, Field(gt=0)]
Count = Annotated[int, Field(ge=0, le=100_000)]


class _Node(Strict):
    name: Name
    rack: Name
    map_slots: Count
    reduce_slots: Count


class _Rates(Strict):
    node: Positive
    rack: Positive
    remote: Positive


class _Cluster(Strict):
    nodes: Annotated[list[_Node], Field(min_length=1)]
    rates: _Rates


class _MapTask(Strict):
    processing: NonNegative
    input_mb: NonNegative = 0.0
    replicas: list[str] = []


class _ReduceTask(Strict):
    processing: NonNegative


class _Job(Strict):
    name: Name
    output_ratio: NonNegative = 0.0
    map_tasks: list[_MapTask] = []
    reduce_tasks: list[_ReduceTask] = []


class _HistoryTask(Strict):
    job: str
    phase: Literal["map", "reduce"]
    task: Annotated[int, Field(ge=0)]
    node: str | None = None
    start: float | None = None
    end: float | None = None


class _History(Strict):
    makespan: NonNegative
    not_comparable: list[str] = []
    tasks: list[_HistoryTask] = []


class _SpeedFactors(Strict):
    map: list[list[Positive]]
    reduce: list[list[Positive]]


class InstanceDocument(Strict):
    """The fields of a `slotwise/mapreduce/1` document."""

    format: Literal["slotwise/mapreduce/1"]
    name: Name
    source: str = ""
    cluster: _Cluster
    jobs: list[_Job]
    speed_factors: _SpeedFactors | None = None
    security: SecurityDocument | None = None
    outages: list[OutageDocument] | None = None
    history: _History | None = None


def read_instance(path: Source) -> Instance:
    """Read a `slotwise/mapreduce/1` file (plain or gzip).

    Raises `InputError` if something is wrong; one line names file, job, task and field.
    """
    document = read_document(path, InstanceDocument, FORMAT, where=_where)
    try:
        return _instance(document)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def write_instance(instance: Instance, path: str | Path) -> None:
    """Write a `slotwise/mapreduce/1` file atomically, compressed if the name ends in `.gz`.

    Raises `OutputError` if the file cannot be written.
    """
    write_json(path, instance_document(instance))


def instance_document(instance: Instance) -> dict[str, Any]:
    """The JSON document of an instance."""
    cluster = instance.cluster
    names = cluster.node_names
    processing, input_mb = instance.map_processing.tolist(), instance.input_mb.tolist()
    replicas, first = instance.replicas.tolist(), instance.replica_offsets.tolist()
    maps = [
        {
            "processing": processing[t],
            "input_mb": input_mb[t],
            "replicas": [names[r] for r in replicas[first[t] : first[t + 1]]],
        }
        for t in range(instance.map_tasks)
    ]
    reduces = [{"processing": p} for p in instance.reduce_processing.tolist()]
    document: dict[str, Any] = {
        "format": FORMAT,
        "name": instance.name,
        "source": instance.source,
        "cluster": _cluster_document(cluster),
        "jobs": [
            {
                "name": job,
                "output_ratio": float(instance.output_ratio[i]),
                "map_tasks": maps[instance.map_offsets[i] : instance.map_offsets[i + 1]],
                "reduce_tasks": reduces[
                    instance.reduce_offsets[i] : instance.reduce_offsets[i + 1]
                ],
            }
            for i, job in enumerate(instance.job_names)
        ],
    }
    if instance.speed_factors is not None:
        document["speed_factors"] = {
            "map": instance.speed_factors.map.tolist(),
            "reduce": instance.speed_factors.reduce.tolist(),
        }
    if instance.security is not None:
        document["security"] = security_document(instance, instance.security)
    if instance.outages is not None:
        document["outages"] = outage_documents(instance, instance.outages)
    if instance.history is not None:
        document["history"] = _history_document(instance, instance.history)
    return document


def _cluster_document(cluster: Cluster) -> dict[str, Any]:
    rates = cluster.rates
    return {
        "nodes": [
            {
                "name": name,
                "rack": cluster.rack_names[cluster.rack_of[k]],
                "map_slots": int(cluster.map_slots[k]),
                "reduce_slots": int(cluster.reduce_slots[k]),
            }
            for k, name in enumerate(cluster.node_names)
        ],
        "rates": {"node": rates.node, "rack": rates.rack, "remote": rates.remote},
    }


def _instance(document: InstanceDocument) -> Instance:
    cluster = _cluster(document.cluster)
    node_index = cluster.node_index
    jobs = document.jobs
    maps = [task for job in jobs for task in job.map_tasks]
    try:
        replicas = [node_index[node] for task in maps for node in task.replicas]
    except KeyError:
        raise _unknown_replica(jobs, node_index) from None
    instance = Instance(
        name=document.name,
        source=document.source,
        cluster=cluster,
        job_names=tuple(job.name for job in jobs),
        output_ratio=np.array([job.output_ratio for job in jobs], dtype=float),
        map_offsets=offsets(len(job.map_tasks) for job in jobs),
        map_processing=np.array([task.processing for task in maps], dtype=float),
        input_mb=np.array([task.input_mb for task in maps], dtype=float),
        replica_offsets=offsets(len(task.replicas) for task in maps),
        replicas=np.array(replicas, dtype=np.int64),
        reduce_offsets=offsets(len(job.reduce_tasks) for job in jobs),
        reduce_processing=np.array(
            [task.processing for job in jobs for task in job.reduce_tasks], dtype=float
        ),
        speed_factors=_speed_factors(document),
    )
    if document.security is not None:
        instance = replace(instance, security=read_security(instance, document.security))
    if document.outages is not None:
        instance = replace(instance, outages=read_outages(instance, document.outages))
    if document.history is not None:
        instance = replace(instance, history=_history(instance, document.history))
    return instance


def _speed_factors(document: InstanceDocument) -> SpeedFactors | None:
    factors = document.speed_factors
    if factors is None:
        return None
    tables = []
    for phase, rows, slots in (
        ("map", factors.map, sum(node.map_slots for node in document.cluster.nodes)),
        ("reduce", factors.reduce, sum(node.reduce_slots for node in document.cluster.nodes)),
    ):
        if len(rows) != len(document.jobs):
            raise InputError(
                f"speed_factors, {phase}: need {len(document.jobs)} jobs, got {len(rows)}"
            )
        for job, row in zip(document.jobs, rows, strict=True):
            if len(row) != slots:
                raise InputError(
                    f"speed_factors, {phase}, job {job.name!r}: need {slots} slots, got {len(row)}"
                )
        tables.append(np.array(rows, dtype=float).reshape(len(rows), slots))
    return SpeedFactors(*tables)


def _cluster(document: _Cluster) -> Cluster:
    nodes = document.nodes
    racks = {name: k for k, name in enumerate(dict.fromkeys(node.rack for node in nodes))}
    return Cluster(
        node_names=tuple(node.name for node in nodes),
        rack_names=tuple(racks),
        rack_of=np.array([racks[node.rack] for node in nodes], dtype=np.int64),
        map_slots=np.array([node.map_slots for node in nodes], dtype=np.int64),
        reduce_slots=np.array([node.reduce_slots for node in nodes], dtype=np.int64),
        rates=Rates(document.rates.node, document.rates.rack, document.rates.remote),
    )


def _unknown_replica(jobs: Sequence[_Job], node_index: dict[str, int]) -> InputError:
    for job in jobs:
        for t, task in enumerate(job.map_tasks):
            for node in task.replicas:
                if node not in node_index:
                    return InputError(
                        f"job {job.name!r}, map task {t}, replicas: unknown node {node!r}"
                    )
    raise AssertionError("called without an unknown replica")


def _history(instance: Instance, document: _History) -> History:
    phases = {phase.name: phase for phase in instance.phases}
    events = {
        phase.name: Events(
            np.full(phase.tasks, -1), np.full(phase.tasks, np.nan), np.full(phase.tasks, np.nan)
        )
        for phase in instance.phases
    }
    job_index = {name: i for i, name in enumerate(instance.job_names)}
    for row in document.tasks:
        where = f"history, job {row.job!r} {row.phase} task {row.task}"
        if row.job not in job_index:
            raise InputError(f"{where}: unknown job")
        begin, stop = phases[row.phase].offsets[job_index[row.job] : job_index[row.job] + 2]
        if row.task >= stop - begin:
            raise InputError(f"{where}: the job has {stop - begin} {row.phase} tasks")
        if row.node is not None and row.node not in instance.cluster.node_index:
            raise InputError(f"{where}: unknown node {row.node!r}")
        t, part = begin + row.task, events[row.phase]
        if row.node is not None:
            part.node[t] = instance.cluster.node_index[row.node]
        if row.start is not None:
            part.start[t] = row.start
        if row.end is not None:
            part.end[t] = row.end
    return History(document.makespan, **events, not_comparable=tuple(document.not_comparable))


def _history_document(instance: Instance, history: History) -> dict[str, Any]:
    rows: list[dict[str, Any]] = []

    def number(value: float) -> float | None:
        return float(value) if np.isfinite(value) else None

    for phase, events in zip(instance.phases, (history.map, history.reduce), strict=True):
        for t in np.flatnonzero(
            (events.node >= 0) | np.isfinite(events.start) | np.isfinite(events.end)
        ):
            node = events.node[t]
            rows.append(
                {
                    "job": instance.job_names[phase.job[t]],
                    "phase": phase.name,
                    "task": int(phase.number[t]),
                    "node": instance.cluster.node_names[node] if node >= 0 else None,
                    "start": number(events.start[t]),
                    "end": number(events.end[t]),
                }
            )
    return {
        "makespan": history.makespan,
        "not_comparable": list(history.not_comparable),
        "tasks": rows,
    }


def _where(raw: dict[str, Any], location: Sequence[str | int]) -> str:
    """`job 'j3', map task 2, processing` for ('jobs', 3, 'map_tasks', 2, 'processing')."""
    if location[:1] == ("speed_factors",) and len(location) == 4:
        location = ("speed_factors", location[1], "jobs", location[2], "slot", location[3])
        raw = {"speed_factors": {location[1]: raw}}
    words: list[str] = []
    part: Any = raw
    singular = {"jobs": "job", "map_tasks": "map task", "reduce_tasks": "reduce task"}
    singular |= {"nodes": "node", "tasks": "task", "replicas": "replica"}
    for step in location:
        try:
            part = part[step]
        except (KeyError, IndexError, TypeError):
            part = None
        if isinstance(step, int):
            name = part.get("name") if isinstance(part, dict) else None
            kind = words.pop() if words else "entry"
            words.append(
                f"{singular.get(kind, kind)} {name!r}"
                if name
                else f"{singular.get(kind, kind)} {step}"
            )
        else:
            words.append(step)
    return ", ".join(words)
