"""Hidden runs for a dispatching rule: some machines, and jobs that arrive one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from copy import deepcopy
from functools import partial
from random import Random
from typing import Any

from .numbers import plainer, ugliness

Document = dict[str, Any]
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


def size(document: Document) -> tuple[float, ...]:
    """Jobs, machines, kinds of machines, classes, resources, how ugly the numbers are."""
    center, jobs = document["datacenter"], document["jobs"]
    machines, classes = center["configurations"], center["classes"]
    numbers = [value for job in jobs for value in (job["arrival"], job["duration"])]
    numbers += [value for row in machines for value in row["capacity"].values()]
    numbers += [value for row in classes for value in row["request"].values()]
    return (
        len(jobs),
        sum(row["count"] for row in machines),
        len(machines),
        len(classes),
        len(center["resources"]),
        *ugliness(numbers),
    )


def moves(document: Document) -> Iterator[Document]:
    """Runs that differ in one respect, coarse changes first."""
    for move in (_drop_job, _drop_machine, _one_class, _drop_resource, _plain_times, _plain_sizes):
        for change in move(document):
            copy = deepcopy(document)
            change(copy)
            copy["jobs"].sort(key=lambda job: job["arrival"])
            used = {job["class"] for job in copy["jobs"]}
            center = copy["datacenter"]
            center["classes"] = [row for row in center["classes"] if row["name"] in used]
            yield copy


Change = Callable[[Document], None]


def _drop_job(document: Document) -> Iterator[Change]:
    def drop(k: int, d: Document) -> None:
        d["jobs"].pop(k)

    yield from (partial(drop, k) for k in range(len(document["jobs"])))


def _drop_machine(document: Document) -> Iterator[Change]:
    def drop(k: int, d: Document) -> None:
        machines = d["datacenter"]["configurations"]
        machines[k]["count"] -= 1
        if not machines[k]["count"]:
            machines.pop(k)

    yield from (partial(drop, k) for k in range(len(document["datacenter"]["configurations"])))


def _one_class(document: Document) -> Iterator[Change]:
    """All jobs, or one of them, of the class of another."""

    def put(jobs: Iterable[int], name: str, d: Document) -> None:
        for k in jobs:
            d["jobs"][k]["class"] = name

    names = [row["name"] for row in document["datacenter"]["classes"]]
    jobs = range(len(document["jobs"]))
    for name in names if len(names) > 1 else ():
        yield partial(put, jobs, name)
        yield from (partial(put, [k], name) for k in jobs)


def _drop_resource(document: Document) -> Iterator[Change]:
    def drop(name: str, d: Document) -> None:
        center = d["datacenter"]
        center["resources"].remove(name)
        for rows, field in _AMOUNTS:
            for row in center[rows]:
                row[field].pop(name)

    names = document["datacenter"]["resources"]
    yield from (partial(drop, name) for name in names if len(names) > 1)


def _plain_times(document: Document) -> Iterator[Change]:
    def put(k: int, name: str, value: float, d: Document) -> None:
        d["jobs"][k][name] = value

    for k, job in enumerate(document["jobs"]):
        for name in ("arrival", "duration"):
            yield from (partial(put, k, name, value) for value in plainer(job[name]))


def _plain_sizes(document: Document) -> Iterator[Change]:
    def put(where: tuple[str, int, str, str], value: float, d: Document) -> None:
        rows, k, field, name = where
        d["datacenter"][rows][k][field][name] = value

    for rows, field in _AMOUNTS:
        for k, row in enumerate(document["datacenter"][rows]):
            for name, amount in row[field].items():
                where = (rows, k, field, name)
                yield from (partial(put, where, value) for value in plainer(amount))


_AMOUNTS = (("configurations", "capacity"), ("classes", "request"))
"""Tables of a datacenter, and their amounts of resources."""


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
