"""The classes of instances of `certified.py`: real traces, the papers' workloads, shop problems."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice, product
from pathlib import Path

import middle

from slotwise import read_rumen, read_swim
from slotwise.core.errors import InputError
from slotwise.instances.mapreduce.generators import hmhs, ljr, smso, two_stage
from slotwise.instances.mapreduce.instance import Instance

FACEBOOK = "FB-2009_samples_24_times_1hr_[0-9].tsv.gz"
GRIDMIX = "gridmix_system/*.json.gz"
RUMEN = ("mumak/*.trace.json.gz", "rumen_tests/input-trace.json.gz", "sls/*.json.gz")
FRESH_SEEDS = range(100, 120)
"""Seeds of instances that the pinned set has no part in."""

HOUR = 3600.0


class Absent(Exception):
    """The files of a class are not there."""


@dataclass(frozen=True)
class Aim:
    """What is to be reached: gaps in %, how many optima, memory in MB."""

    mean: float | None = None
    worst: float | None = None
    proven: int | None = None
    peak_mb: float | None = None

    def judged(self, average: float, worst: float, proven: int, peak_mb: float) -> str:
        """The aim in words, and whether it is missed."""
        parts = [
            ("mean {:g} %", self.mean, average),
            ("worst {:g} %", self.worst, worst),
            ("{:g} MB", self.peak_mb, peak_mb),
        ]
        words = [text.format(most) for text, most, _ in parts if most is not None]
        missed = [value > most for _, most, value in parts if most is not None]
        if self.proven is not None:
            words.append(f"{self.proven} proven")
            missed.append(proven < self.proven)
        return (", ".join(words) + (": **missed**" if any(missed) else "")) or "–"


@dataclass(frozen=True)
class Set:
    """Instances that share a line of the table, with their time limit (s)."""

    name: str
    limit: float
    instances: Callable[[], Iterator[Instance]]
    aim: Aim = Aim()
    own_process: bool = False
    """Whether `slotwise solve` runs in a process of its own, so that its memory is known."""


@dataclass(frozen=True)
class Class:
    """Sets that are run together, an instance to warm up on, and the aim of all together."""

    sets: Callable[[Path | None], list[Set]]
    warm_up: Callable[[], Instance]
    total: Aim | None = None


def found(data: Path | None, pattern: str) -> list[Path]:
    """Files anywhere below the folder. Raises `Absent` if there are none."""
    if data is None:
        raise Absent("there is no --data")
    files = sorted(data.rglob(pattern))
    if not files:
        raise Absent(f"no {pattern} below {data}")
    return files


def hours(files: list[Path]) -> Iterator[Instance]:
    """Every hour of a day on a tenth of the cluster; bytes are scaled by as much."""
    for file, hour in product(files, range(24)):
        window = (HOUR * hour, HOUR * (hour + 1))
        try:
            instance = read_swim(file, nodes=60, racks=4, trace_machines=600, window=window).made
        except InputError:  # no job in this hour
            continue
        yield replace(instance, name=f"{instance.name}, hour {hour}")


def days(files: list[Path]) -> Iterator[Instance]:
    for file in files:
        yield read_swim(file, nodes=600, racks=20, trace_machines=600).made


def histories(files: list[Path]) -> Iterator[Instance]:
    for file in files:
        yield read_rumen(file).made


def facebook_hours(data: Path | None) -> list[Set]:
    instances = partial(hours, found(data, FACEBOOK))
    return [Set("FB-2009, hours, 60 nodes", 20.0, instances, Aim(1.0, 3.0))]


def facebook_days(data: Path | None) -> list[Set]:
    instances = partial(days, found(data, FACEBOOK))
    aim = Aim(3.0, peak_mb=1000.0)
    return [Set("FB-2009, day, 600 nodes", 60.0, instances, aim, own_process=True)]


def gridmix(data: Path | None) -> list[Set]:
    instances = partial(histories, found(data, GRIDMIX))
    return [Set("Gridmix traces", 20.0, instances, Aim(0.4, 2.0))]


def rumen(data: Path | None) -> list[Set]:
    files = [file for pattern in RUMEN for file in found(data, pattern)]
    return [Set("Rumen's other traces", 20.0, partial(histories, files), Aim(0.4, 2.0))]


def smso_sets(_data: Path | None) -> list[Set]:
    def instances() -> Iterator[Instance]:
        for seed in range(2):
            yield smso.generate(500, 50, seed=seed, map_slots=15, reduce_slots=15)

    return [Set("SMSO, 500 jobs, 50 nodes", 30.0, instances, Aim(0.1))]


def hmhs_sets(workload: str, limits: dict[int, float], aims: dict[int, float]) -> list[Set]:
    def instances(jobs: int) -> Iterator[Instance]:
        for seed in range(3):
            yield hmhs.generate(jobs, seed=seed, workload=workload)

    return [
        Set(f"HMHS, {workload}, {jobs} jobs", limit, partial(instances, jobs), Aim(aims[jobs]))
        for jobs, limit in limits.items()
    ]


HYBRID = partial(
    hmhs_sets, "hybrid", {20: 30, 50: 60, 100: 60, 200: 60}, {20: 3, 50: 5, 100: 4, 200: 4}
)
SINGLE = partial(
    hmhs_sets, "single", {20: 30, 50: 30, 100: 30, 200: 60}, {20: 5, 50: 3, 100: 2, 200: 1.5}
)

GRID_JOBS = 50, 100, 150, 200, 250
GRID_NODES = 10, 15, 20, 25, 30
GRID_SLOTS = {"R1": 2, "R2": 4, "R3": 6, "R4": 8}
"""Map slots of a node, beside two reduce slots."""

GRID_AIMS = {"R1": 0.005, "R2": 0.017, "R3": 0.051, "R4": 0.9}
GRID_SEEDS = {"R1": 1, "R2": 1, "R3": 2, "R4": 2}


def grid_sets(_data: Path | None) -> list[Set]:
    def instances(ratio: str) -> Iterator[Instance]:
        for seed, jobs, nodes in product(range(GRID_SEEDS[ratio]), GRID_JOBS, GRID_NODES):
            instance = ljr.generate(jobs, nodes, seed=seed, map_slots=GRID_SLOTS[ratio])
            yield replace(instance, name=f"{ratio}-{jobs}-{nodes}-{seed}")

    return [
        Set(f"LJR Table 2, {ratio}", 10.0, partial(instances, ratio), Aim(aim))
        for ratio, aim in GRID_AIMS.items()
    ]


def middle_sets(_data: Path | None) -> list[Set]:
    def instances(name: str) -> Iterator[Instance]:
        yield from middle.pinned([name])

    return [Set(f"{name} tasks", 60.0, partial(instances, name)) for name in middle.CLASSES]


def fresh_sets(_data: Path | None) -> list[Set]:
    """28 to 38 tasks as in the pinned set, on other seeds."""

    def instances() -> Iterator[Instance]:
        for number, draw in enumerate(middle.CLASSES["28-38"]):
            for instance in replace(draw, seeds=tuple(FRESH_SEEDS)).instances():
                if 28 <= instance.map_tasks + instance.reduce_tasks <= 38:
                    yield replace(instance, name=f"{instance.name}-{number}")

    return [Set("28-38 tasks, other seeds", 20.0, instances)]


def shop_sets(_data: Path | None) -> list[Set]:
    def instances(m: int) -> Iterator[Instance]:
        yield from (two_stage.generate(20, m, m, seed=seed) for seed in range(10))

    return [
        Set(f"two-stage, 20 jobs, {m} + {m}", 10.0, partial(instances, m)) for m in (2, 3, 4, 5)
    ]


def _blocks() -> Instance:
    return ljr.generate(20, 6, seed=0, map_slots=8)


def optima_sets(_data: Path | None) -> list[Set]:
    """Three to five jobs on three and four nodes, as drawn and in whole seconds."""

    def instances(whole: bool) -> Iterator[Instance]:
        for jobs, nodes, seed in product((3, 4, 5), (3, 4), range(1, 7)):
            drawn = ljr.generate(jobs, nodes, seed=seed, maps_range=(1, 4), reduces_range=(1, 3))
            times = {name: getattr(drawn, name) for name in ("map_processing", "reduce_processing")}
            rounded = {name: values.round() for name, values in times.items()} if whole else {}
            yield replace(drawn, name=f"{drawn.name}-{jobs}-{nodes}-{seed}", **rounded)

    return [
        Set(f"3-5 jobs, {name}", 20.0, partial(instances, whole), Aim(proven=36))
        for name, whole in (("as drawn", False), ("whole seconds", True))
    ]


CLASSES = {
    "fb-hours": Class(facebook_hours, _blocks),
    "fb-day": Class(facebook_days, _blocks),
    "gridmix": Class(gridmix, _blocks),
    "rumen": Class(rumen, _blocks),
    "smso": Class(smso_sets, lambda: smso.generate(10, 5, seed=0)),
    "hybrid": Class(lambda _: HYBRID(), lambda: hmhs.generate(5, seed=0, workload="hybrid")),
    "single": Class(lambda _: SINGLE(), lambda: hmhs.generate(5, seed=0)),
    "grid": Class(grid_sets, _blocks, Aim(0.25)),
    "optima": Class(optima_sets, lambda: ljr.small(5, 3, seed=1), Aim(proven=72)),
    "middle": Class(middle_sets, lambda: ljr.small(5, 3, seed=1), Aim(proven=54)),
    "fresh": Class(fresh_sets, lambda: ljr.small(5, 3, seed=1)),
    "two-stage": Class(shop_sets, lambda: two_stage.generate(6, 2, 2, seed=0), Aim(0.1, proven=34)),
}

ALL = slice(None)
SAMPLE = {
    "FB-2009, hours, 60 nodes": slice(0, 24, 6),
    "Gridmix traces": ALL,
    "HMHS, hybrid, 20 jobs": ALL,
    "HMHS, hybrid, 100 jobs": ALL,
    "HMHS, single, 20 jobs": ALL,
    "HMHS, single, 100 jobs": ALL,
    "LJR Table 2, R1": slice(2, 25, 20),
    "LJR Table 2, R4": slice(2, 25, 20),
    "36-45 tasks": slice(0, 10, 5),
    "46-60 tasks": slice(0, 10, 5),
    "61-80 tasks": slice(0, 10, 5),
}
"""The quarter of an hour by which a change is measured: sets, and which of their instances."""


def sampled(of_class: list[Set]) -> list[Set]:
    """The part of the sets that is in `SAMPLE`."""
    return [
        replace(a_set, instances=partial(_some, a_set, SAMPLE[a_set.name]))
        for a_set in of_class
        if a_set.name in SAMPLE
    ]


def _some(a_set: Set, which: slice) -> Iterator[Instance]:
    return islice(a_set.instances(), which.start, which.stop, which.step)
