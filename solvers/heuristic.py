"""Run heuristics from the registry and certify what they return."""

from __future__ import annotations

import time

from ..formulations.bounds import best_lower_bound
from ..heuristics import HEURISTICS
from ..heuristics.warm_up import warm_up
from ..instances.mapreduce import Instance
from ..instances.registry import lookup
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
    warm_up()
    began = time.perf_counter()
    schedule = method(instance)
    seconds = time.perf_counter() - began
    bound, bound_name = best_lower_bound(instance) if lower_bound is None else lower_bound
    return certified(instance, name, schedule, bound, bound_name, seconds)


def all_heuristics(instance: Instance, lower_bound: tuple[float, str]) -> list[Result]:
    """Every applicable heuristic's checked result, in the registry's order."""
    return [heuristic(instance, entry.name, lower_bound=lower_bound) for entry in HEURISTICS]
