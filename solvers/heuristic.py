"""Run heuristics from the registry and certify what they return."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np

from ..formulations.bounds import best_lower_bound
from ..heuristics import HEURISTICS
from ..heuristics.warm_up import warm_up
from ..instances.mapreduce import Instance
from ..instances.parts import SPEED_FACTORS
from ..instances.registry import Entry, lookup
from ..instances.schedule import Schedule, timed
from .result import Result, certified


def heuristic(
    instance: Instance, name: str, *, lower_bound: tuple[float, str] | None = None
) -> Result:
    """The checked schedule of the heuristic called `name`, with the best closed-form bound.

    `lower_bound` (s, and what proved it) replaces the closed forms when it is known already.
    `seconds` is the heuristic's own time. Raises `InputError` for an unknown name.
    """
    entry = lookup("heuristic", HEURISTICS, name)
    method = entry.load()
    warm_up(instance.parts)
    began = time.perf_counter()
    understood, dropped = _understood(instance, entry)
    schedule = method(understood)
    if dropped:
        schedule = _timed_again(instance, schedule)
    seconds = time.perf_counter() - began
    bound, bound_name = best_lower_bound(instance) if lower_bound is None else lower_bound
    return certified(
        instance, name, schedule, bound, bound_name, seconds, assumptions_dropped=dropped
    )


def _understood(instance: Instance, entry: Entry) -> tuple[Instance, tuple[str, ...]]:
    """The instance without the optional parts that the method does not understand, and these."""
    dropped = tuple(sorted(instance.parts - entry.understands))
    if SPEED_FACTORS in dropped:
        instance = replace(instance, speed_factors=None)
    return instance, dropped


def _timed_again(instance: Instance, schedule: Schedule) -> Schedule:
    """The schedule's slots and order on each slot, timed with everything the instance has."""
    maps, reduces = schedule.map, schedule.reduce
    map_rank = np.argsort(np.lexsort((maps.end, maps.start)))
    reduce_rank = np.argsort(np.lexsort((reduces.end, reduces.start)))
    return timed(instance, maps.slot, map_rank, reduces.slot, reduce_rank)


def all_heuristics(instance: Instance, lower_bound: tuple[float, str]) -> list[Result]:
    """Every applicable heuristic's checked result, in the registry's order."""
    return [heuristic(instance, entry.name, lower_bound=lower_bound) for entry in HEURISTICS]
