"""Tiny instances with every part, and what each method claims of them, for brute force to judge.

Whatever is claimed is compared with `brute_force.optimum`, which shares nothing with the package
but the instance's arrays.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from racing import raced
from random_instances import reading, shop, tiny, with_outages, with_security

from slotwise.formulations.mapreduce.bounds import BOUNDS
from slotwise.formulations.mapreduce.bounds.closed_form import best_lower_bound, lower_bounds
from slotwise.heuristics.mapreduce import HEURISTICS
from slotwise.instances.mapreduce.checker import check
from slotwise.instances.mapreduce.cluster import Rates
from slotwise.instances.mapreduce.instance import Instance, SpeedFactors
from slotwise.instances.mapreduce.schedule import Schedule
from slotwise.instances.mapreduce.usable_slots import usable_slots
from slotwise.solvers.mapreduce import METHODS
from slotwise.solvers.mapreduce.cross_check import cross_check
from slotwise.solvers.mapreduce.heuristic import heuristic
from slotwise.solvers.mapreduce.result import OPTIMALITY_TOLERANCE, Result, Status
from slotwise.solvers.mapreduce.solve import solve

TOLERANCE = 1e-7
"""Relative: how far a bound may be above the optimum by rounding."""

CLOCKS = ("whole", "large whole", "tenths", "fractions", "mostly zero", "equal", "mixed")


BOUNDING = ("unrelated-machines", "pattern-prices", "time-prices", "spread-bound")
"""Methods that are there for their bound."""


def drawn(
    seed: int, make: Callable[[int], Instance] | None = None
) -> tuple[Instance, tuple[str, ...]]:
    """An instance, by default of at most five tasks a phase, and its clock, scale and parts."""
    rng = np.random.default_rng(seed)
    clock, make = _choice(rng, CLOCKS), make or _choice(rng, (tiny, tiny, reading, shop))
    time, instance = _clock(rng, clock), make(seed)
    instance = replace(
        instance,
        name=f"drawn-{seed}",
        map_processing=np.array([time() for _ in range(instance.map_tasks)]),
        reduce_processing=np.array([time() for _ in range(instance.reduce_tasks)]),
    )
    parts = []
    if rng.random() < 0.4:
        instance = replace(instance, speed_factors=_speed_factors(rng, instance))
        parts.append("speed factors")
    for part, add in (("security", with_security), ("outages", with_outages)):
        if rng.random() < 0.25:
            instance = add(instance, seed)
            parts.append(part)
    exponent = int(rng.choice([0, 0, 0, 0, -6, -4, -3, -2, -1, 1, 2, 3, 4, 5, 6, 7, 8, 9]))
    instance = in_other_units(instance, 10.0**exponent)
    return instance, (clock, getattr(make, "__name__", "larger"), f"1e{exponent}", *parts)


def larger(seed: int) -> tuple[Instance, tuple[str, ...]]:
    """An instance of up to 18 tasks, too many for brute force."""
    return drawn(seed, partial(tiny, tasks=9))


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


def _speed_factors(rng: np.random.Generator, instance: Instance) -> SpeedFactors:
    options = _choice(rng, [(0.5, 1.0, 1.5), (0.1, 0.3, 0.7, 1.0, 1.3), (1.0, 2.0), None])
    tables = []
    for slots in (instance.cluster.map_slots, instance.cluster.reduce_slots):
        shape = (instance.jobs, int(slots.sum()))
        tables.append(
            0.2 + 2 * rng.random(shape) if options is None else rng.choice(options, shape)
        )
    return SpeedFactors(*tables)


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
