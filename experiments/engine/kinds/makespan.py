"""Runs on MapReduce instances: heuristics, functions of the user's own, `solve`."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import replace
from functools import partial
from numbers import Integral, Real
from typing import Any

import numpy as np

from ....core.errors import InputError, InvalidSchedule, one_line
from ....core.kernels.decorators import compiling_seconds
from ....core.registry import Entry
from ....formulations.mapreduce.bounds.closed_form import best_lower_bound, lower_bounds
from ....heuristics.mapreduce import HEURISTICS
from ....heuristics.mapreduce.warm_up import warm_up
from ....instances.generators import GENERATORS
from ....instances.mapreduce.instance import Instance
from ....solvers.mapreduce.heuristic import certified_heuristic, with_parameters
from ....solvers.mapreduce.result import Result
from ...study.study import MethodCall, Unit
from ...study.user_functions import load_function
from ..perform import Outcome
from ..record import ERROR

SEARCH = "branch-and-bound"


class Prepared:
    """An instance with its best closed-form bound, which all runs share.

    What the methods need is compiled here, before the clock of any run starts.
    """

    def __init__(self, instance: Instance, unit: Unit) -> None:
        self.instance, self.name = instance, instance.name
        self.best = best_lower_bound(instance)
        self.bounds = lower_bounds(instance, unit.bounds) if unit.bounds else {}
        names = {run.method.name for run in unit.runs if run.method.kind == "heuristic"}
        warm_up(instance.parts, [entry for entry in HEURISTICS.own if entry.name in names])
        if any(run.method.kind == "solve" and _searches(run.method, instance) for run in unit.runs):
            from ....solvers.mapreduce.branch_and_bound.search import is_compiled
            from ....solvers.mapreduce.solve import solve

            if not is_compiled():
                # No closed form reaches its optimum, so the search has to run.
                small = GENERATORS.lookup("ljr-small").load()(jobs=3, seed=1)
                solve(small, methods=SEARCH, threads=1, time_limit=math.inf)

    def run(self, method: MethodCall) -> Outcome:
        """Run one method; its schedule is checked."""
        try:
            if method.kind == "solve":
                from ....solvers.mapreduce.solve import solve

                limit = {} if method.time_limit is None else {"time_limit": method.time_limit}
                options = {**dict(method.parameters), **limit}
                return _outcome(solve(self.instance, threads=method.threads, **options))
            entry = _function(method) if method.kind == "function" else _heuristic(method)
            watch = _Stopwatch(entry.load())
            ours = method.kind == "heuristic" and not entry.plugin
            timed = replace(
                entry, target=watch if ours else (lambda instance: watch(deepcopy(instance)))
            )
            result = certified_heuristic(self.instance, timed, self.best)
        except InvalidSchedule as failure:
            return Outcome(
                ERROR, error=one_line(f"the schedule breaks the rules: {failure.violation}")
            )
        return replace(
            _outcome(result),
            measures=own_measures(watch.measures),
            seconds=watch.seconds,
            cpu_seconds=watch.cpu_seconds,
        )


def _searches(method: MethodCall, instance: Instance) -> bool:
    """Whether `solve` will take branch and bound, unless heuristics prove an optimum before."""
    from ....solvers.mapreduce.choice import chosen_methods

    named = method.parameters.get("methods")
    if named is None:
        lanes = chosen_methods(instance, method.threads)
        named = [turn.method.name for lane in lanes for turn in lane.turns]
    return SEARCH in ([named] if isinstance(named, str) else named)


def _heuristic(method: MethodCall) -> Entry:
    return with_parameters(HEURISTICS.resolve(method.name), method.parameters)


def _function(method: MethodCall) -> Entry:
    """As a heuristic: what it understands is nothing, unless it is an entry that says so."""
    entry = HEURISTICS.resolve(load_function(method))
    return replace(entry, name=method.name, target=partial(entry.load(), **method.parameters))


class _Stopwatch:
    """A method with its measures, and its wall and processor time (s) without compiling.

    Another thread may compile meanwhile, for longer than the method runs.
    """

    def __init__(self, method: Callable[..., Any]) -> None:
        self.method = method
        self.seconds = self.cpu_seconds = 0.0
        self.measures: Mapping[Any, Any] = {}

    def __call__(self, instance: Instance, **bound: Any) -> Any:
        compiled, began, cpu = compiling_seconds(), time.perf_counter(), time.process_time()
        try:
            returned = self.method(instance, **bound)
        finally:
            seconds, cpu = time.perf_counter() - began, time.process_time() - cpu
            compiling = compiling_seconds() - compiled
            self.seconds = max(seconds - compiling, 0.0)
            self.cpu_seconds = max(cpu - compiling, 0.0)
        schedule, self.measures = parted(returned)
        return schedule


def _outcome(result: Result) -> Outcome:
    return Outcome(
        result.status.value,
        result.makespan,
        result.lower_bound,
        result.gap,
        error="; ".join(result.notes) if result.makespan is None else "",
        seconds=result.seconds,
    )


COLUMN = "measure {}"
"""Name of a measure's column, which no other column can have."""

MOST_MEASURES, LONGEST_NAME, LONGEST_CURVE = 100, 80, 10_000


def parted(returned: Any) -> tuple[Any, Mapping[Any, Any]]:
    """What a function returned: its schedule, and its measures if there are any."""
    if isinstance(returned, tuple) and len(returned) == 2 and isinstance(returned[1], Mapping):
        return returned
    return returned, {}


def own_measures(given: Mapping[Any, Any]) -> dict[str, Any]:
    """Measures as they are kept, by the names of their columns.

    Returns plain numbers and lists of them; None for those that are not finite.
    Raises `InputError` for anything else; the message has the name.
    """
    if len(given) > MOST_MEASURES:
        raise InputError(f"measures: at most {MOST_MEASURES}, got {len(given)}")
    columns = {}
    for name, value in given.items():
        if not isinstance(name, str) or not name.isprintable() or not 0 < len(name) <= LONGEST_NAME:
            raise InputError(f"measure {name!r}: need a name of 1 to {LONGEST_NAME} characters")
        columns[COLUMN.format(name)] = _curve(name, value)
    return columns


def _curve(name: str, value: Any) -> Any:
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if not isinstance(value, list | tuple):
        return _number(name, value)
    if len(value) > LONGEST_CURVE:
        raise InputError(f"measure {name!r}: at most {LONGEST_CURVE} numbers, got {len(value)}")
    return [_number(name, number) for number in value]


def _number(name: str, value: Any) -> int | float | None:
    if not isinstance(value, Real):
        raise InputError(f"measure {name!r}: need a number or a list of numbers, got {value!r}")
    if isinstance(value, Integral):
        whole = int(value)
        if not -(2**63) <= whole < 2**63:
            raise InputError(f"measure {name!r}: a whole number has at most 64 bits")
        return whole
    return float(value) if math.isfinite(value) else None
