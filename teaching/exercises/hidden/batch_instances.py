"""Hidden batches: tiny MapReduce instances, drawn at random within a domain."""

from __future__ import annotations

from random import Random
from typing import Any

from ..exercise import Document, Problems
from .exact import MOST_SLOTS, MOST_TASKS

ANY, BOTH_PHASES, NO_READS = "any", "both-phases", "no-reads"

DOMAINS = {
    ANY: "jobs may lack map tasks or reduce tasks",
    BOTH_PHASES: "every job has at least one map task and one reduce task",
}

FEW_TASKS = 5

WITHOUT_READS = {NO_READS: f"no task reads data, and there are at most {FEW_TASKS} tasks"}

RATES = {"node": 100.0, "rack": 50.0, "remote": 25.0}

PHASES = ("map_tasks", "reduce_tasks")

TIMES = (
    lambda rng: float(rng.randint(0, 9)),
    lambda rng: float(rng.choice((0, 1, 1, 2, 3))),
    lambda rng: rng.randint(0, 40) / 4,
    lambda rng: float(rng.choice((1, 1, 2, 10))),
    lambda rng: float(rng.choice((0, 0, 0, 1))),
)
"""How the times of a phase are drawn (s): never so small that rounding would decide."""


def first() -> Document:
    """The first instance: one job with one map task and one reduce task, on one node."""
    return _document(
        "hidden-1",
        [_node(0, 0, 1, 1)],
        [{**_job(0, 1.0), "map_tasks": [_map(1.0, 100.0, ["n0"])], "reduce_tasks": [_reduce(2.0)]}],
    )


def first_without_reads() -> Document:
    document = first()
    document["jobs"][0] |= {"output_ratio": 0.0, "map_tasks": [_map(1.0, 0.0, [])]}
    return document


def draw(rng: Random, domain: str) -> Document:
    """A random instance of at most 8 tasks on at most 3 map and 3 reduce slots."""
    racks = rng.randint(1, 2)
    nodes = rng.randint(1, 3)
    map_slots, reduce_slots = (
        _shared(rng, rng.choice((1, 1, 2, 2, MOST_SLOTS)), nodes) for _ in range(2)
    )
    cluster = [_node(k, k * racks // nodes, map_slots[k], reduce_slots[k]) for k in range(nodes)]
    times = {phase: rng.choice(TIMES) for phase in PHASES}
    reads = rng.random() < 0.5 and domain != NO_READS
    jobs = [
        _job(i, rng.choice((0.0, 0.5, 1.0, 1.0)) if reads else 0.0)
        for i in range(rng.choice((1, 2, 2, 2, 3, 3, 4)))
    ]
    if domain == BOTH_PHASES or rng.random() < 0.4:
        places = [(job, phase) for job in jobs for phase in PHASES]
    else:
        places = [(job, rng.choice(PHASES)) for job in jobs]
    largest = FEW_TASKS if domain == NO_READS else MOST_TASKS
    places = places[:largest]
    jobs = [job for job in jobs if any(job is own for own, _ in places)]
    most = rng.randint(max(2, len(places)), largest)
    # In some instances one job has all further tasks, in one phase: unequal jobs break more.
    only = (rng.choice(jobs), rng.choice(PHASES)) if rng.random() < 0.6 else None
    for _ in range(most - len(places)):
        places.append(only or (rng.choice(jobs), rng.choice(PHASES)))
    for job, phase in places:
        if phase == "reduce_tasks":
            job[phase].append(_reduce(times[phase](rng)))
            continue
        size = rng.choice((0.0, 50.0, 100.0, 100.0, 200.0)) if reads else 0.0
        copies = rng.sample(range(nodes), rng.randint(1, min(nodes, 2)))
        job[phase].append(_map(times[phase](rng), size, [f"n{k}" for k in sorted(copies)]))
    return _document("hidden", cluster, jobs)


def inside(document: Document, domain: str) -> bool:
    """Whether an instance belongs to a domain and has a schedule."""
    nodes, jobs = document["cluster"]["nodes"], document["jobs"]
    tasks = {phase: sum(len(job[phase]) for job in jobs) for phase in PHASES}
    slots = {phase: sum(node[phase] for node in nodes) for phase in ("map_slots", "reduce_slots")}
    if not sum(tasks.values()) or not all(job["map_tasks"] or job["reduce_tasks"] for job in jobs):
        return False
    if any(tasks[f"{phase}_tasks"] and not slots[f"{phase}_slots"] for phase in ("map", "reduce")):
        return False
    if domain == NO_READS:
        reads = any(task["input_mb"] for job in jobs for task in job["map_tasks"])
        return not reads and sum(tasks.values()) <= FEW_TASKS
    return domain != BOTH_PHASES or all(job["map_tasks"] and job["reduce_tasks"] for job in jobs)


def counts(document: Document) -> tuple[float, ...]:
    """Tasks, jobs, slots, nodes, racks, replicas; fewer are smaller."""
    jobs, nodes = document["jobs"], document["cluster"]["nodes"]
    return (
        sum(len(job[phase]) for job in jobs for phase in PHASES),
        len(jobs),
        sum(node["map_slots"] + node["reduce_slots"] for node in nodes),
        len(nodes),
        len({node["rack"] for node in nodes}),
        sum(len(task["replicas"]) for job in jobs for task in job["map_tasks"]),
    )


def repair(document: Document) -> None:
    """Drop jobs without tasks; data of nodes that are gone lies on the first one."""
    names = [node["name"] for node in document["cluster"]["nodes"]]
    document["jobs"] = [job for job in document["jobs"] if any(job[phase] for phase in PHASES)]
    for job in document["jobs"]:
        for task in job["map_tasks"]:
            kept = [name for name in task["replicas"] if name in names] or names[:1]
            task["replicas"] = kept if task["input_mb"] else []


def _shared(rng: Random, slots: int, nodes: int) -> list[int]:
    """So many slots on the nodes, at random."""
    shares = [0] * nodes
    for _ in range(slots):
        shares[rng.randrange(nodes)] += 1
    return shares


def _document(name: str, nodes: list[Any], jobs: list[Any]) -> dict[str, Any]:
    return {
        "format": "slotwise/mapreduce/1",
        "name": name,
        "cluster": {"nodes": nodes, "rates": dict(RATES)},
        "jobs": jobs,
    }


def _node(number: int, rack: int, maps: int, reduces: int) -> dict[str, Any]:
    return {"name": f"n{number}", "rack": f"r{rack}", "map_slots": maps, "reduce_slots": reduces}


def _job(number: int, ratio: float) -> dict[str, Any]:
    return {"name": f"j{number}", "output_ratio": ratio, "map_tasks": [], "reduce_tasks": []}


def _map(processing: float, size: float, replicas: list[str]) -> dict[str, Any]:
    return {"processing": processing, "input_mb": size, "replicas": replicas if size else []}


def _reduce(processing: float) -> dict[str, Any]:
    return {"processing": processing}


BATCHES = Problems(DOMAINS, first, draw, inside, counts, repair)
BATCHES_WITHOUT_READS = Problems(WITHOUT_READS, first_without_reads, draw, inside, counts, repair)
