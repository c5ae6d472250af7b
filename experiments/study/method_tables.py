"""`[[methods]]`: tables of a study's file that say what is tried on every instance."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, cast

from ...core.errors import InputError
from ...core.registry import Entry
from ...solvers.mapreduce.heuristic import with_parameters
from .parameters import REGISTRIES, Takes, of_function, of_method, or_one_of
from .study import Kind, MethodCall
from .sweeps import Setting, settings_of
from .user_functions import FoundFunction, find_function

FAMILY: dict[str, str] = {
    "heuristic": "mapreduce",
    "function": "mapreduce",
    "solve": "mapreduce",
    "policy": "datacenter",
    "allocator": "hierarchy",
}
"""What a method of each kind is for."""

KINDS = tuple(FAMILY)
BUDGET = ("time_limit", "threads")
HAVE_BUDGET = ("function", "solve")
MOST_THREADS = 1024


class Budget(NamedTuple):
    """What methods may use, seconds and threads, unless their table says otherwise."""

    time_limit: float
    threads: int


def methods_of(table: Mapping[str, Any], budget: Budget, folder: Path) -> list[MethodCall]:
    """The methods of a table: every name with every setting.

    Raises `InputError` if something is wrong with the table.
    """
    kinds = [kind for kind in KINDS if kind in table]
    if len(kinds) > 1:
        raise InputError(f"{kinds[0]!r} and {kinds[1]!r} exclude one another")
    if not kinds:
        guess = next((hint for key in table if "mean" in (hint := or_one_of(key, KINDS, 0))), "")
        raise InputError(f"needs one of {', '.join(map(repr, KINDS))}{guess}")
    kind = kinds[0]
    settings = settings_of({key: value for key, value in table.items() if key != kind})
    return [
        call
        for name, takes, function in _named(kind, table[kind], folder)
        for call in _calls(cast(Kind, kind), name, takes, function, settings, budget)
    ]


def check_time_limit(value: Any) -> float:
    """Check a time limit. Raises `InputError`."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < math.inf:
        raise InputError(f"time_limit: need a number > 0, got {value!r}")
    return value


def check_threads(value: Any) -> int:
    """Check a number of threads. Raises `InputError`."""
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= MOST_THREADS:
        raise InputError(f"threads: need an integer from 1 to {MOST_THREADS}, got {value!r}")
    return value


def _named(
    kind: str, names: Any, folder: Path
) -> Iterator[tuple[str, Takes, FoundFunction | None]]:
    if kind == "solve":
        if names is not True:
            raise InputError(f"solve: need true, got {names!r}")
        yield kind, of_method(kind, ""), None
        return
    listed = names if isinstance(names, list | tuple) else [names]
    if not listed or not all(isinstance(name, str) for name in listed):
        raise InputError(f"{kind}: need a name or a list of names, got {names!r}")
    for name in listed:
        if kind == "function":
            found = find_function(name, folder)
            function = found.function
            function = function.load() if isinstance(function, Entry) else function
            yield name, of_function(function), found
            continue
        known = REGISTRIES[kind].names
        if name not in known:
            raise InputError(f"unknown {kind} {name!r}{or_one_of(name, known)}")
        yield name, of_method(kind, name), None


def _calls(
    kind: Kind,
    name: str,
    takes: Takes,
    function: FoundFunction | None,
    settings: list[Setting],
    budget: Budget,
) -> Iterator[MethodCall]:
    for setting in settings:
        given, own = dict(setting), budget
        if kind == "solve" and "model" in given:  # another name
            given.setdefault("methods", given.pop("model"))
        if kind in HAVE_BUDGET:
            limit = check_time_limit(given.pop("time_limit", budget.time_limit))
            own = Budget(limit, check_threads(given.pop("threads", budget.threads)))
        what = kind if kind == "solve" else f"{kind} {name!r}"
        for key in given:
            if key in takes.known or takes.any_other:
                continue
            if key in BUDGET:
                raise InputError(f"{what} takes no {key}, which is for 'function' and 'solve'")
            if not takes.known:
                raise InputError(f"{what} takes no parameters, got {key!r}")
        takes.check_known(given)
        given = {key: takes.fitting(key, value) for key, value in given.items()}
        if kind == "heuristic":
            with_parameters(REGISTRIES[kind].lookup(name), given)
        parameters = takes.filled(given)
        if function is not None:
            parameters |= {key: getattr(own, key) for key in BUDGET if key in takes.known}
        for parameter in takes.required:
            if parameter not in parameters:
                raise InputError(f"{kind} {name!r} needs the parameter {parameter!r}")
        if kind == "solve":
            _check_solve(parameters)
        yield MethodCall(
            kind,
            name,
            parameters,
            tuple(setting),
            own.time_limit if kind in HAVE_BUDGET else None,
            own.threads if kind in HAVE_BUDGET else 1,
            digest=function.digest if function else "",
            folder=function.folder if function else "",
            sources=function.sources if function else {},
        )


def _check_solve(parameters: Setting) -> None:
    """Raise `InputError` for names that `solve` does not know and senseless gaps."""
    from ...formulations.mapreduce.bounds import BOUNDS
    from ...heuristics.mapreduce import HEURISTICS
    from ...solvers.mapreduce.params import SolveParams

    SolveParams(**parameters).named  # noqa: B018
    for key, registry in (("heuristics", HEURISTICS), ("bounds", BOUNDS)):
        if parameters[key] is not None:
            registry.resolve_all(parameters[key])
