"""Which methods `solve` runs on an instance, and which of them side by side."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib.util import find_spec

from ...core.registry import Entry
from ...formulations.mapreduce.job_order import model as job_order
from ...formulations.mapreduce.spread_bound import model as spread_bound
from ...heuristics.mapreduce import block_search
from ...heuristics.mapreduce.improvement import can_search
from ...instances.mapreduce.instance import Instance
from . import METHODS, cp_sat
from .branch_and_bound import search as branch_and_bound
from .integer_programs import heterogeneous_fits
from .pattern_prices.patterns import fits as pattern_prices_fit
from .race import Lane, Turn
from .relaxations import time_prices
from .relaxations.linear_programs import MOST_TERMS

MOST_TASKS = 200
"""Most tasks of instances that exact methods are tried on."""

MANY_TASKS = 100
"""With more tasks than this exact methods raise the bound at most, and a search runs beside them.
"""

HEAD_START = 1.25
"""Seconds after which the second of two exact methods starts. Small instances are solved by then,
and branch and bound has handed over what its first local search found."""

BOUNDS_SHARE = 1 / 3
"""Share of the time that bounds have before a search, if there is one thread for both."""

PRICES_SHARE = 1 / 4
"""Share of the time left that prices of time have, before the second of two exact methods or beside
a search."""

EXACT_SHARE = 1 / 4
"""Share of the time left that each exact method has among the bounds beside a search."""

QUICK_SEARCH = 0.5
"""Seconds of the improvement search before the second of two exact methods, where prices of time do
not apply. It ends up to 1.5 % shorter than the local search of branch and bound where a job's map
tasks have to be on the same few nodes."""

Fits = Callable[[Instance], bool]


def _unrelated_machines_fit(instance: Instance) -> bool:
    """Whether slots differ in speed, and neither counts nor prices of tasks give a better bound."""
    fits_better = heterogeneous_fits(instance) or pattern_prices_fit(instance)
    return instance.speed_factors is not None and not fits_better


BOUNDS: tuple[tuple[str, Fits, float], ...] = (
    ("pattern-prices", pattern_prices_fit, 1.0),
    ("spread-bound", spread_bound.is_promising, 1 / 3),
    ("heterogeneous", heterogeneous_fits, 1.0),
    ("unrelated-machines", _unrelated_machines_fit, 1.0),
)
"""Methods that raise the lower bound beyond the exact sizes, with the share of the time left that
they may take; all that fit run, one after another."""


def chosen_methods(instance: Instance, threads: int) -> list[Lane]:
    """Choose the methods for an instance; benchmarks/README.md has the measurements.

    Branch and bound settles small instances in a tenth of a second. CP-SAT, where OR-Tools is
    installed, proves most of the larger ones; otherwise the job-order model takes its place. Before
    it starts, prices of time raise the bound where all durations are whole, and elsewhere the
    improvement search runs for a moment. With slots of different speed the heterogeneous model
    comes first where it applies, and linear programs where no exact method fits.

    Beyond `MOST_TASKS` tasks a search for shorter schedules has all threads but one, and methods
    that raise the bound (`BOUNDS`) take turns in the last one, which joins the search when they
    have ended. A single thread does both in turn. Beyond `MANY_TASKS` tasks on equally fast slots
    it is the same, with prices of time and the exact methods among the bounds.
    """
    tasks = instance.map_tasks + instance.reduce_tasks
    exact = _exact(instance, threads) if tasks <= MOST_TASKS else {}
    few = tasks <= (MANY_TASKS if instance.speed_factors is None else MOST_TASKS)
    if few or not can_search(instance):
        lanes = side_by_side(exact or _exact(instance, threads))
        if len(lanes) > 1:
            lanes[1] = replace(lanes[1], turns=(*_before_second(instance), *lanes[1].turns))
        return lanes
    search = Turn(METHODS.lookup("improvement"))
    bounds = [Turn(method, EXACT_SHARE) for method in exact if method != search.method]
    if tasks <= MOST_TASKS and time_prices.fits(instance):
        bounds.insert(0, Turn(METHODS.lookup("time-prices"), PRICES_SHARE))
    for name, fits, share in BOUNDS:
        entry = METHODS.lookup(name)
        if instance.parts <= entry.understands and fits(instance):
            bounds.append(Turn(entry, share))
    if not bounds:
        return [Lane((search,), threads)]
    if threads == 1:
        share = BOUNDS_SHARE / len(bounds)
        return [Lane((*(replace(bound, share=share) for bound in bounds), search), 1)]
    return [Lane((search,), threads - 1), Lane((*bounds, search), 1)]


def _before_second(instance: Instance) -> list[Turn]:
    """What precedes the second of two exact methods."""
    if time_prices.fits(instance):
        return [Turn(METHODS.lookup("time-prices"), PRICES_SHARE)]
    if block_search.can_search(instance) and block_search.is_compiled():
        return [Turn(METHODS.lookup("improvement"), seconds=QUICK_SEARCH)]
    return []


def side_by_side(methods: Mapping[Entry, int]) -> list[Lane]:
    """Every method in a lane of its own; the first has a head start.

    `methods`: the entries of the methods, each with its number of threads. Branch and bound comes
    last if it has yet to be compiled.
    """
    order = list(methods)
    if (
        len(order) > 1
        and order[0].name == "branch-and-bound"
        and not branch_and_bound.is_compiled()
    ):
        order.reverse()
    return [
        Lane((Turn(method),), methods[method], HEAD_START if place else 0.0)
        for place, method in enumerate(order)
    ]


def _exact(instance: Instance, threads: int) -> dict[Entry, int]:
    """At most two methods with their threads, exact ones where some fit."""
    names: dict[str, int] = {}
    if branch_and_bound.can_search(instance):
        names["branch-and-bound"] = 1
    elif heterogeneous_fits(instance):
        names["heterogeneous"] = 1
    elif block_search.can_search(instance):
        names["improvement"] = 1
    if find_spec("ortools") is not None and cp_sat.can_model(instance):
        names["cp-sat"] = max(1, threads - len(names))
    elif "heterogeneous" in names:
        names["heterogeneous"] = threads
    elif job_order.estimated_terms(instance) <= MOST_TERMS:
        names["job-order"] = max(1, threads - len(names))
    elif instance.speed_factors is not None:
        names["unrelated-machines"] = threads
    if threads == 1 and len(names) > 1:
        many = instance.map_tasks + instance.reduce_tasks > 50
        first, second = names
        gives_way = first == "improvement" or (many and first == "branch-and-bound")
        names.pop(first if gives_way else second)
    return {METHODS.lookup(name): share for name, share in names.items()}
