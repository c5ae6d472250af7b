"""Hidden runs for a dispatching rule: some machines, and jobs that arrive one by one."""

from __future__ import annotations

from random import Random
from typing import Any

from ..exercise import Document, Problems

RESOURCES = ("cores", "memory")
ANY, ONE_RESOURCE = "any", "one-resource"

DOMAINS = {
    ANY: "machines and jobs have one or two resources",
    ONE_RESOURCE: "machines and jobs have one resource",
}

MOST_JOBS, MOST_CLASSES = 8, 3


def first() -> Document:
    """The first run: one job, one machine that it fits."""
    return _document(["cores"], [_machine(0, 1, [1.0])], [_class(0, [1.0])], [_job(0, 0.0, 1.0)])


def draw(rng: Random, domain: str) -> Document:
    """A random run of at most 8 jobs, each of which fits some empty machine."""
    resources = RESOURCES[: 1 if domain == ONE_RESOURCE else rng.randint(1, 2)]
    machines = [
        _machine(k, rng.randint(1, 2), [float(rng.randint(1, 4)) for _ in resources])
        for k in range(rng.randint(1, 2))
    ]
    classes = []
    for k in range(rng.randint(1, MOST_CLASSES)):
        room: list[float] = rng.choice(machines)["capacity"]
        request = [float(rng.randint(0, int(amount))) for amount in room]
        if not any(request):
            request[0] = 1.0
        classes.append(_class(k, request))
    jobs, now = [], 0.0
    for _ in range(rng.randint(2, MOST_JOBS)):
        now += rng.choice((0, 0, 1, 1, 2, 4))
        jobs.append(_job(rng.randrange(len(classes)), now, float(rng.randint(1, 6))))
    return _document(list(resources), machines, classes, jobs)


def inside(document: Document, domain: str) -> bool:
    """Whether a run belongs to a domain, and every job of it can start."""
    center, jobs = document["datacenter"], document["jobs"]
    machines = [row["capacity"] for row in center["configurations"] if row["count"] > 0]
    requests = {row["name"]: row["request"] for row in center["classes"]}
    if not jobs or not machines or any(job["duration"] <= 0 for job in jobs):
        return False
    if any(amount <= 0 for capacity in machines for amount in capacity.values()):
        return False
    if domain == ONE_RESOURCE and len(center["resources"]) > 1:
        return False
    return all(
        any(requests[job["class"]].values())
        and any(fits(requests[job["class"]], capacity) for capacity in machines)
        for job in jobs
    )


def fits(request: dict[str, float], room: dict[str, float]) -> bool:
    """Whether a request fits what is free, up to rounding."""
    return all(amount <= room[name] + 1e-9 for name, amount in request.items())


def counts(document: Document) -> tuple[float, ...]:
    """Jobs, machines, kinds of machines, classes, resources; fewer are smaller."""
    center = document["datacenter"]
    machines = center["configurations"]
    return (
        len(document["jobs"]),
        sum(row["count"] for row in machines),
        len(machines),
        len(center["classes"]),
        len(center["resources"]),
    )


def repair(document: Document) -> None:
    """Jobs in order of arrival; no class without jobs, none without its class."""
    center = document["datacenter"]
    classes = {row["name"] for row in center["classes"]}
    document["jobs"] = [job for job in document["jobs"] if job["class"] in classes]
    document["jobs"].sort(key=lambda job: job["arrival"])
    used = {job["class"] for job in document["jobs"]}
    center["classes"] = [row for row in center["classes"] if row["name"] in used]
    center["configurations"] = [row for row in center["configurations"] if row["count"]]
    for rows, field in (("configurations", "capacity"), ("classes", "request")):
        for row in center[rows]:
            row[field] = {r: a for r, a in row[field].items() if r in center["resources"]}


def _document(
    resources: list[str], machines: list[Any], classes: list[Any], jobs: list[Any]
) -> Document:
    for row in (*machines, *classes):
        field = "capacity" if "capacity" in row else "request"
        row[field] = dict(zip(resources, row[field], strict=True))
    for job in jobs:
        job["class"] = f"k{job['class']}"
    used = {job["class"] for job in jobs}
    return {
        "datacenter": {
            "format": "slotwise/datacenter/1",
            "name": "hidden",
            "time_unit": "h",
            "resources": resources,
            "configurations": machines,
            "classes": [{**row, "share": 1 / len(used)} for row in classes if row["name"] in used],
        },
        "jobs": jobs,
    }


def _machine(number: int, count: int, capacity: list[float]) -> dict[str, Any]:
    return {"name": f"c{number}", "count": count, "capacity": capacity}


def _class(number: int, request: list[float]) -> dict[str, Any]:
    return {"name": f"k{number}", "share": 1.0, "mean_time": 1.0, "request": request}


def _job(of: int, arrival: float, duration: float) -> dict[str, Any]:
    return {"class": of, "arrival": arrival, "duration": duration}


RUNS = Problems(DOMAINS, first, draw, inside, counts, repair)
