"""Methods of `solve` run alone, from a start of the test's choice."""

import math
from typing import Any

from slotwise.core.clock import Clock
from slotwise.core.registry import Entry
from slotwise.heuristics.mapreduce import HEURISTICS
from slotwise.instances.mapreduce.instance import Instance
from slotwise.instances.mapreduce.parts import ALL_PARTS
from slotwise.instances.mapreduce.schedule import Schedule
from slotwise.solvers.mapreduce.heuristic import heuristic
from slotwise.solvers.mapreduce.race import Lane, Method, Race, Runner, Turn
from slotwise.solvers.mapreduce.result import MethodOutcome, Result


def race_from(
    instance: Instance,
    start: Schedule,
    bound: float = 0.0,
    time_limit: float = 60.0,
    **options: Any,
) -> Race:
    """A race that begins with a schedule and a bound; options are those of `Race` and `stop`."""
    race = Race(instance, Clock(time_limit, options.pop("stop", None)), **options)
    race.start(start, "start")
    race.prove({"given": bound})
    return race


def lane(*methods: Method, threads: int = 1) -> Lane:
    """Methods in turn, under their own names."""
    named = [Entry(method.__name__, method, understands=ALL_PARTS) for method in methods]
    return Lane(tuple(map(Turn, named)), threads)


def raced(
    method: Method,
    instance: Instance,
    start: Schedule,
    bound: float = 0.0,
    time_limit: float = 60.0,
    *,
    threads: int = 1,
    told: float = math.inf,
    **options: Any,
) -> MethodOutcome:
    """What a method comes to alone. `told`: a makespan (s) that another method has told."""
    race = race_from(instance, start, bound, time_limit, **options)
    race.makespan = min(race.makespan, told)
    race.run([lane(method, threads=threads)])
    assert race.fault is None, race.fault
    return race.outcomes.get(method.__name__, MethodOutcome(why=race.clock.reason))


def runner_from(instance: Instance, start: Schedule, bound: float = 0.0) -> Runner:
    race = race_from(instance, start, bound, relative_gap=0.0)
    return Runner(race, Entry("method", lambda *_: None), race.clock, threads=1, seed=0)


def all_heuristics(instance: Instance) -> list[Result]:
    """The results of the usual heuristics that have a schedule."""
    made = [heuristic(instance, entry, lower_bound=0.0) for entry in HEURISTICS.usual]
    return [result for result in made if result.schedule is not None]
