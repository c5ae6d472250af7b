"""Making a batch smaller: one change at a time, the coarse ones first."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import deepcopy
from functools import partial
from itertools import combinations
from typing import Any

from .numbers import plainer, ugliness

Document = dict[str, Any]
PHASES = ("map_tasks", "reduce_tasks")
SLOTS = ("map_slots", "reduce_slots")


def size(document: Document) -> tuple[float, ...]:
    """Tasks, jobs, slots, nodes, racks, replicas, how ugly the numbers are; smaller is better."""
    jobs, nodes = document["jobs"], document["cluster"]["nodes"]
    maps = [task for job in jobs for task in job["map_tasks"]]
    reduces = [task for job in jobs for task in job["reduce_tasks"]]
    numbers = [task["processing"] for task in maps + reduces]
    numbers += [task["input_mb"] / 100 for task in maps] + [job["output_ratio"] for job in jobs]
    return (
        len(maps) + len(reduces),
        len(jobs),
        sum(node[kind] for node in nodes for kind in SLOTS),
        len(nodes),
        len({node["rack"] for node in nodes}),
        sum(len(task["replicas"]) for task in maps),
        *ugliness(numbers),
    )


def moves(document: Document) -> Iterator[Document]:
    """Instances that differ in one respect, coarse changes first."""
    for move in _MOVES:
        for change in move(document):
            copy = deepcopy(document)
            change(copy)
            yield copy


Change = Callable[[Document], None]


def _drop_job(document: Document) -> Iterator[Change]:
    def drop(i: int, d: Document) -> None:
        d["jobs"].pop(i)

    yield from (partial(drop, i) for i in range(len(document["jobs"])))


def _drop_task(document: Document) -> Iterator[Change]:
    def drop(i: int, phase: str, t: int, d: Document) -> None:
        job = d["jobs"][i]
        job[phase].pop(t)
        if not any(job[phase] for phase in PHASES):
            d["jobs"].pop(i)

    for i, job in enumerate(document["jobs"]):
        for phase in PHASES:
            yield from (partial(drop, i, phase, t) for t in range(len(job[phase])))


def _merge_jobs(document: Document) -> Iterator[Change]:
    def merge(i: int, j: int, d: Document) -> None:
        other = d["jobs"].pop(j)
        for phase in PHASES:
            d["jobs"][i][phase] += other[phase]

    yield from (partial(merge, i, j) for i, j in combinations(range(len(document["jobs"])), 2))


def _drop_node(document: Document) -> Iterator[Change]:
    def drop(k: int, d: Document) -> None:
        nodes = d["cluster"]["nodes"]
        gone = nodes.pop(k)["name"]
        for task in _maps(d):
            if gone in task["replicas"]:
                kept = [name for name in task["replicas"] if name != gone]
                task["replicas"] = kept or [nodes[0]["name"]]

    nodes = len(document["cluster"]["nodes"])
    yield from (partial(drop, k) for k in range(nodes) if nodes > 1)


def _drop_slot(document: Document) -> Iterator[Change]:
    def drop(k: int, kind: str, d: Document) -> None:
        d["cluster"]["nodes"][k][kind] -= 1

    for k, node in enumerate(document["cluster"]["nodes"]):
        yield from (partial(drop, k, kind) for kind in SLOTS if node[kind])


def _merge_racks(document: Document) -> Iterator[Change]:
    def merge(d: Document) -> None:
        for node in d["cluster"]["nodes"]:
            node["rack"] = d["cluster"]["nodes"][0]["rack"]

    if len({node["rack"] for node in document["cluster"]["nodes"]}) > 1:
        yield merge


def _one_replica(document: Document) -> Iterator[Change]:
    for t, task in enumerate(_maps(document)):
        if len(task["replicas"]) > 1:
            yield from (_map_becomes(t, replicas=[name]) for name in task["replicas"])


def _plain_ratio(document: Document) -> Iterator[Change]:
    def put(i: int, value: float, d: Document) -> None:
        d["jobs"][i]["output_ratio"] = value

    for i, job in enumerate(document["jobs"]):
        yield from (partial(put, i, value) for value in (0.0, 1.0) if job["output_ratio"] != value)


def _plain_input(document: Document) -> Iterator[Change]:
    for t, task in enumerate(_maps(document)):
        if task["input_mb"]:
            yield _map_becomes(t, input_mb=0.0, replicas=[])
        if task["input_mb"] not in (0.0, 100.0):
            yield _map_becomes(t, input_mb=100.0)


def _plain_time(document: Document) -> Iterator[Change]:
    def put(t: int, value: float, d: Document) -> None:
        _tasks(d)[t]["processing"] = value

    for t, task in enumerate(_tasks(document)):
        yield from (partial(put, t, value) for value in plainer(task["processing"]))


def _all_times(_document: Document) -> Iterator[Change]:
    def put(factor: float | None, d: Document) -> None:
        for task in _tasks(d):
            task["processing"] = 1.0 if factor is None else task["processing"] * factor

    yield from (partial(put, factor) for factor in (0.1, 0.5, None))


def _map_becomes(t: int, **values: Any) -> Change:
    def put(d: Document) -> None:
        _maps(d)[t].update(values)

    return put


def _maps(document: Document) -> list[dict[str, Any]]:
    return [task for job in document["jobs"] for task in job["map_tasks"]]


def _tasks(document: Document) -> list[dict[str, Any]]:
    return [task for job in document["jobs"] for phase in PHASES for task in job[phase]]


_MOVES: tuple[Callable[[Document], Iterator[Change]], ...] = (
    _drop_job,
    _drop_task,
    _merge_jobs,
    _drop_node,
    _drop_slot,
    _merge_racks,
    _one_replica,
    _plain_ratio,
    _plain_input,
    _plain_time,
    _all_times,
)
