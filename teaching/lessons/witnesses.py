"""Problems for the lessons on sequence, machine-assignment and fair-share: searched, not chosen.

On most problems some rule can be dropped without harm, which would teach a falsehood. Each search
goes through random problems until every rule is needed. This module as a program searches again.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any

import numpy as np

from ...formulations.datacenter.machine_assignment import model as machine_assignment
from ...formulations.mapreduce.sequence import model as sequence
from ...instances.datacenter.datacenter import Configuration, Datacenter, JobClass
from ...instances.hierarchy.hierarchy import Hierarchy
from ...instances.hierarchy.plain_tree import Group, Leaf
from ...instances.mapreduce.cluster import Cluster, Rates
from ...instances.mapreduce.instance import Instance, Job, MapTask
from ...solvers.backends import highs
from ...solvers.datacenter.column_generation import generate_columns
from ...solvers.hierarchy.fair_share import fair_share
from ...solvers.mapreduce.solve import solve

SEEDS = {"sequence": 18, "machine-assignment": 23, "fair-share": 3}
"""The first seed whose candidate is a witness."""

SEQUENCE_RULES = {
    "1": ("eq1_makespan",),
    "1*": ("eq1_makespan_without_reduce",),
    "2": ("eq2_map_completion",),
    "3": ("eq3_reduce_completion",),
    "4": ("eq4_map_setup",),
    "4*": ("eq4_reduce_setup",),
    "5": ("eq5_map_precedence", "eq5_reduce_precedence"),
    "10": ("eq10_map_flow", "eq10_reduce_flow"),
}
"""Rules of the sequence model that make the makespan too short if they are dropped, and their
components. Without (3*) a task may begin before time 0, mostly at the same makespan. (6) follows
from (7) and (10), (7) from (6) and (10), (8) from (9) and (10), (9) from (8) and (10)."""

MARGIN = 0.5
"""A makespan without a rule is shorter by at least this (s)."""


def sequence_candidate(seed: int) -> Instance:
    """A random instance of six tasks: a job of both phases, one of maps, one of reduces."""
    rng = np.random.default_rng(seed)

    def whole(low: int, high: int) -> int:
        return int(rng.integers(low, high + 1))

    def map_task() -> MapTask:
        return MapTask(whole(4, 20), 50.0 * whole(2, 9), [f"n{whole(0, 1)}"])

    cluster = Cluster.uniform(2, racks=2, map_slots=1, reduce_slots=1, rates=Rates(100, 50, 25))
    jobs = [
        Job("j0", [map_task(), map_task()], [float(whole(4, 20)), float(whole(4, 20))], 1.0),
        Job("j1", [map_task()], []),
        Job("j2", [], [float(whole(4, 20))]),
    ]
    return Instance.from_jobs("lesson-sequence", cluster, jobs)


def sequence_without(instance: Instance, components: tuple[str, ...]) -> float:
    """What the sequence model says (s) without these components.

    HiGHS is asked with and without its presolve, and the shorter makespan is taken: on some of
    these small models one of the two ends with what is not the optimum.
    """
    values = []
    for presolve in (True, False):
        model = sequence.build(instance)
        for name in components:
            model.component(name).deactivate()
        settings = highs.HighsSettings(presolve=presolve)
        value = highs.solve(model, settings=settings).incumbent
        assert value is not None
        values.append(value)
    return min(values)


def is_sequence_witness(instance: Instance) -> bool:
    """Whether each of `SEQUENCE_RULES`, dropped alone, gives a shorter makespan than there is.

    A shorter one is proof: whatever schedule the model then means, it cannot be valid.
    """
    truth = solve(instance).makespan
    assert truth is not None
    # Those that are least often needed come last, and are tried first.
    return all(
        sequence_without(instance, components) <= truth - MARGIN
        for components in reversed(SEQUENCE_RULES.values())
    )


def machine_assignment_candidate(seed: int) -> Datacenter:
    """A random datacenter: two kinds of machines, three classes of jobs, two resources."""
    rng = np.random.default_rng(seed)

    def whole(low: int, high: int) -> int:
        return int(rng.integers(low, high + 1))

    def amounts(cpu: tuple[int, int], memory: tuple[int, int]) -> dict[str, float]:
        return {"cpu": float(whole(*cpu)), "memory": float(whole(*memory))}

    machines = [
        Configuration("small", whole(3, 8), amounts((8, 12), (16, 32))),
        Configuration("large", whole(2, 5), amounts((12, 20), (32, 64))),
    ]
    classes = [
        JobClass(f"k{k + 1}", share, whole(2, 10) / 10, amounts((2, 7), (3, 16)))
        for k, share in enumerate((0.5, 0.3, 0.2))
    ]
    return Datacenter.from_classes(
        "lesson-machine-assignment", ["cpu", "memory"], machines, classes
    )


LEAST_GENERATED = 5
"""Bins that column generation adds to those of one class."""

LEAST_LOSS = 0.005
"""Of the arrival rate, by machines that must be whole."""


def is_machine_assignment_witness(problem: Datacenter) -> bool:
    """Whether column generation has something to do, all machines and classes have a price, and
    whole machines carry less.

    Without any of its three families the program has no limit, whatever the datacenter.
    """
    columns = generate_columns(problem)
    if columns.columns - int(problem.fits.sum()) < LEAST_GENERATED:
        return False
    if min(*columns.machine_price, *columns.worth) < 1e-6:
        return False
    whole = highs.solve(machine_assignment.build(problem, integer=True)).incumbent
    return whole is not None and whole < columns.value * (1 - LEAST_LOSS)


def fair_share_candidate(seed: int) -> Hierarchy:
    """A random tree of six leaves at three depths that share three resources."""
    rng = np.random.default_rng(seed)

    def weight() -> float:
        return float(rng.integers(1, 4))

    def leaf(name: str) -> Leaf:
        needs = {
            resource: float(rng.integers(1, most + 1))
            for resource, most in (("cpu", 8), ("memory", 8), ("gpu", 2))
            if rng.random() < 0.55
        }
        return Leaf(name, needs or {"cpu": 1.0}, weight())

    climate = Group("climate", [leaf("model"), leaf("plots")], weight())
    children: list[Group | Leaf] = [
        Group("eng", [leaf("dev"), leaf("prod")], weight()),
        Group("sci", [leaf("genome"), climate], weight()),
        leaf("ads"),
    ]
    capacity = {"cpu": 96.0, "memory": 128.0, "gpu": 8.0}
    return Hierarchy.from_tree(capacity, Group("root", children), name="lesson-fair-share")


def is_fair_share_witness(problem: Hierarchy) -> bool:
    """Whether each of the resources stops some leaves, in a stage of its own.

    Then (F3) is needed: without it leaves that stopped lose all in the next stage. (F2) is, as
    groups and leaves stand beside each other below the root; without (F1) or (F4) nothing limits
    the level.
    """
    stopped_by = fair_share(problem).bottleneck
    return len(set(stopped_by.tolist())) == len(problem.resources)


SEARCHES: dict[str, tuple[Callable[[int], Any], Callable[[Any], bool]]] = {
    "sequence": (sequence_candidate, is_sequence_witness),
    "machine-assignment": (machine_assignment_candidate, is_machine_assignment_witness),
    "fair-share": (fair_share_candidate, is_fair_share_witness),
}
"""How candidates are made and judged, by formulation."""


def search(model: str) -> int:
    """The first seed whose candidate is a witness."""
    candidate, is_witness = SEARCHES[model]
    return next(seed for seed in count() if is_witness(candidate(seed)))


if __name__ == "__main__":
    for name in SEARCHES:
        print(name, search(name), flush=True)
