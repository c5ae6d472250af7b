"""Tiny instances with every part, and what each method claims of them, for brute force to judge.

Whatever is claimed is compared with `brute_force.optimum`, which shares nothing with the package
but the instance's arrays.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from racing import raced

from slotwise.formulations.mapreduce.bounds import BOUNDS
from slotwise.formulations.mapreduce.bounds.closed_form import best_lower_bound, lower_bounds
from slotwise.heuristics.mapreduce import HEURISTICS
from slotwise.instances.mapreduce.checker import check
from slotwise.instances.mapreduce.cluster import Cluster, Rates
from slotwise.instances.mapreduce.instance import Instance, Job, MapTask, SpeedFactors
from slotwise.instances.mapreduce.schedule import Schedule
from slotwise.instances.mapreduce.security import Outages, Security
from slotwise.instances.mapreduce.usable_slots import usable_slots
from slotwise.solvers.mapreduce import METHODS
from slotwise.solvers.mapreduce.cross_check import cross_check
from slotwise.solvers.mapreduce.heuristic import heuristic
from slotwise.solvers.mapreduce.result import OPTIMALITY_TOLERANCE, Result, Status
from slotwise.solvers.mapreduce.solve import solve

TOLERANCE = 1e-7
"""Relative: how far a bound may be above the optimum by rounding."""

CLOCKS = ("whole", "large whole", "tenths", "fractions", "mostly zero", "equal", "mixed")
SHAPES = ("any", "one slot", "many slots", "map-only", "reduce-only")


BOUNDING = ("unrelated-machines", "pattern-prices", "time-prices", "spread-bound")
"""Methods that are there for their bound."""


def drawn(
    seed: int, *, tasks: int = 5, jobs_at_most: int = 3, of_a_job: int = 3
) -> tuple[Instance, tuple[str, ...]]:
    """An instance with so many tasks a phase at most, and its clock, shape, scale and parts."""
    rng = np.random.default_rng(seed)
    clock, shape = _choice(rng, CLOCKS), _choice(rng, (*SHAPES, "any", "any"))
    time = _clock(rng, clock)
    nodes = 1 if shape == "one slot" else int(rng.integers(1, 4))
    left = {"map": tasks, "reduce": tasks}

    def number(phase: str, most: int) -> int:
        count = min(left[phase], int(rng.integers(0, most + 1)))
        left[phase] -= count
        return count

    ratios = _choice(rng, [(0.0,), (0.0, 1.0, 2.5)])
    sizes = _choice(rng, [(0.0,), (0.0, 300.0), (150.5, 320.0), (300.0, 600.0)])
    jobs = []
    for j in range(int(rng.integers(1, jobs_at_most + 1))):
        maps = [
            MapTask(
                processing=time(),
                input_mb=_choice(rng, sizes),
                replicas=[f"n{k}" for k in range(nodes) if rng.random() < 0.5],
            )
            for _ in range(0 if shape == "reduce-only" else number("map", of_a_job))
        ]
        reduces = [time() for _ in range(0 if shape == "map-only" else number("reduce", of_a_job))]
        if rng.random() < 0.3:  # equal tasks, which HMHS has
            maps, reduces = maps[:1] * len(maps), reduces[:1] * len(reduces)
        jobs.append(Job(f"j{j}", maps, reduces, _choice(rng, ratios)))

    instance = Instance.from_jobs(f"drawn-{seed}", _cluster(rng, shape, nodes), jobs)
    parts = []
    if rng.random() < 0.4:
        instance = replace(instance, speed_factors=_speed_factors(rng, instance))
        parts.append("speed factors")
    if rng.random() < 0.25:
        instance = replace(instance, security=_security(rng, instance))
        parts.append("security")
    if rng.random() < 0.25:
        slots = instance.cluster.map_slots.sum(), instance.cluster.reduce_slots.sum()
        lost = Outages(*(rng.random(count) < 0.2 for count in slots))
        instance = replace(instance, outages=lost)
        parts.append("outages")
    exponent = int(rng.choice([0, 0, 0, 0, -6, -4, -3, -2, -1, 1, 2, 3, 4, 5, 6, 7, 8, 9]))
    instance = in_other_units(instance, 10.0**exponent)
    return instance, (clock, shape, f"1e{exponent}", *parts)


def in_other_units(instance: Instance, factor: float) -> Instance:
    """The instance with every time `factor` times as long."""
    rates = instance.cluster.rates
    slower = Rates(rates.node / factor, rates.rack / factor, rates.remote / factor)
    security = instance.security
    if security is not None:
        security = replace(
            security,
            transfer_rate=security.transfer_rate / factor,
            encryption_rate=security.encryption_rate / factor,
        )
    return replace(
        instance,
        cluster=replace(instance.cluster, rates=slower),
        map_processing=instance.map_processing * factor,
        reduce_processing=instance.reduce_processing * factor,
        security=security,
    )


def _choice(rng: np.random.Generator, options: Any) -> Any:
    return options[int(rng.integers(len(options)))]


def _clock(rng: np.random.Generator, clock: str) -> Any:
    equal = float(rng.integers(1, 9))
    return {
        "whole": lambda: float(rng.integers(0, 10)),
        "large whole": lambda: float(rng.integers(0, 10**12)),
        "tenths": lambda: int(rng.integers(0, 100)) / 10,
        "fractions": lambda: float(rng.random() * 13),
        "mostly zero": lambda: float(rng.choice([0, 0, 0, 1, 3])),
        "equal": lambda: equal,
        "mixed": lambda: float(10 ** rng.uniform(-6, 6)),
    }[clock]


def _cluster(rng: np.random.Generator, shape: str, nodes: int) -> Cluster:
    most = {"one slot": 1, "many slots": 6}.get(shape, 2)
    slots = rng.integers(0, most + 1, (2, nodes))
    for phase in slots:
        phase[rng.integers(nodes)] = max(1, phase.max())
    racks, rack_of = np.unique(rng.integers(0, 2, nodes), return_inverse=True)
    rates = _choice(rng, [(100, 50, 30), (100, 100, 100), (100, 50, 25), (90.5, 20.25, 20.25)])
    return Cluster(
        node_names=tuple(f"n{k}" for k in range(nodes)),
        rack_names=tuple(f"r{rack}" for rack in racks),
        rack_of=rack_of.astype(np.int64),
        map_slots=slots[0].astype(np.int64),
        reduce_slots=slots[1].astype(np.int64),
        rates=Rates(*map(float, rates)),
    )


def _speed_factors(rng: np.random.Generator, instance: Instance) -> SpeedFactors:
    options = _choice(rng, [(0.5, 1.0, 1.5), (0.1, 0.3, 0.7, 1.0, 1.3), (1.0, 2.0), None])
    tables = []
    for slots in (instance.cluster.map_slots, instance.cluster.reduce_slots):
        shape = (instance.jobs, int(slots.sum()))
        tables.append(
            0.2 + 2 * rng.random(shape) if options is None else rng.choice(options, shape)
        )
    return SpeedFactors(*tables)


def _security(rng: np.random.Generator, instance: Instance) -> Security:
    cluster = instance.cluster
    slots = len(cluster.map_slot_node)
    levels = rng.choice(np.array([-1, 1], dtype=np.int8), (cluster.nodes, slots))
    levels[cluster.map_slot_node, np.arange(slots)] = 0
    priorities = rng.random((instance.map_tasks, slots)) < rng.choice([0.5, 0.8])
    chosen = rng.integers(0, slots, instance.map_tasks)
    if rng.random() < 0.95:
        priorities[np.arange(instance.map_tasks), chosen] = True
    return Security(
        priorities=priorities,
        levels=levels,
        transfer_rate=float(rng.choice([100, 37.5])),
        encryption_rate=float(rng.choice([50, 70, 300])),
    )


@dataclass(frozen=True)
class Claim:
    """What someone says of an instance: a bound and a makespan (s), and whether both are proven."""

    who: str
    lower_bound: float | None
    makespan: float | None
    optimal: bool = False

    def fault(self, known: float) -> str | None:
        """What is wrong with it if the optimum is `known`; None if nothing is."""
        if known == float("inf") and not (self.makespan is None and self.lower_bound == known):
            return f"{self.who}: there is no schedule"
        if self.lower_bound is not None and self.lower_bound > known * (1 + TOLERANCE):
            return f"{self.who}: bound {self.lower_bound!r} above the optimum {known!r}"
        if self.makespan is not None and self.makespan < known * (1 - TOLERANCE):
            return f"{self.who}: makespan {self.makespan!r} below the optimum {known!r}"
        if self.optimal and self.makespan is None:
            return f"{self.who}: optimal without a schedule"
        if self.optimal and self.makespan > known * (1 + 1.01 * OPTIMALITY_TOLERANCE):
            return f"{self.who}: {self.makespan!r} optimal, the optimum is {known!r}"
        return None


def closed_forms(instance: Instance) -> list[Claim]:
    """Every bound that is said to be valid for the instance."""
    values = lower_bounds(instance)
    valid = [bound.name for bound in BOUNDS if bound.valid and bound.name in values]
    return [Claim(name, values[name], None) for name in valid]


def larger(seed: int) -> tuple[Instance, tuple[str, ...]]:
    """An instance of up to 40 tasks, too large for brute force."""
    return drawn(seed, tasks=20, jobs_at_most=8, of_a_job=6)


def bounds_alone(instance: Instance) -> list[Claim]:
    """Every closed form and every method that bounds, each by itself and told no lower bound.

    Beside others most of them end where a better bound is known, and would not be seen to be wrong.
    """
    usable = usable_slots(instance).instance
    closed = [entry for entry in BOUNDS if entry.valid and usable.parts <= entry.understands]
    claims = [Claim(entry.name, float(entry.load()(usable)), None) for entry in closed]
    start = heuristic(usable, "EASS").schedule
    for name in BOUNDING:
        entry = METHODS.lookup(name)
        if usable.parts <= entry.understands:
            outcome = raced(entry.load(), usable, start, relative_gap=0.0)
            claims.append(Claim(name, outcome.lower_bound, None))
    return claims


def best_known(instance: Instance, *, time_limit: float) -> float:
    """The makespan (s) of the best checked schedule of the heuristics and the local search."""
    ours = heuristics(instance)
    ours += method(instance, "improvement", threads=1, time_limit=time_limit)
    return min(claim.makespan for claim in ours if claim.makespan is not None)


def heuristics(instance: Instance) -> list[Claim]:
    """The schedule of every heuristic that keeps the rules."""
    results = [heuristic(instance, entry.name) for entry in HEURISTICS if entry.valid]
    return [_result(result.method, result) for result in results]


def method(instance: Instance, name: str, *, threads: int, time_limit: float) -> list[Claim]:
    """What one method says that starts from the plainest heuristic, with or without a bound.

    Nothing if it declines the instance.
    """
    usable = usable_slots(instance)
    start = heuristic(usable.instance, "EASS").schedule
    given = best_lower_bound(usable.instance)[0] if threads == 1 else 0.0
    run = METHODS.lookup(name).load()
    outcome = raced(run, usable.instance, start, given, time_limit, threads=threads)
    if outcome.schedule is None and outcome.lower_bound is None:
        return []
    return [Claim(name, outcome.lower_bound, _makespan(usable.instance, name, outcome.schedule))]


def solved(instance: Instance, *, threads: int, time_limit: float) -> list[Claim]:
    """What `solve` says."""
    return [_result("solve", solve(instance, threads=threads, time_limit=time_limit))]


def second_opinions(instance: Instance, *, time_limit: float) -> list[Claim]:
    """What the methods of `--cross-check` say of a heuristic's result."""
    opinions = cross_check(heuristic(instance, "EASS"), time_limit=time_limit)
    return [Claim(opinion.method, opinion.lower_bound, opinion.makespan) for opinion in opinions]


def _result(who: str, result: Result) -> Claim:
    if result.status is Status.INFEASIBLE:
        return Claim(who, float("inf"), None)
    makespan = _makespan(result.instance, who, result.schedule)
    return Claim(who, result.lower_bound, makespan, result.status is Status.OPTIMAL)


def _makespan(instance: Instance, who: str, schedule: Schedule | None) -> float | None:
    if schedule is None:
        return None
    verdict = check(instance, schedule)
    assert verdict.valid, f"{who}: {verdict.violations[0]}"
    return verdict.makespan
