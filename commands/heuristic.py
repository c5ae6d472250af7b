"""`slotwise heuristic`."""

from __future__ import annotations

import json
import math
from typing import Annotated, Any

import typer

import slotwise

from ..core.errors import InputError
from ..core.notices import step
from ..heuristics.mapreduce import HEURISTICS
from . import interrupts
from .frame import Answer
from .options import Gantt, InstanceFile, named, names_of
from .progress import live_progress
from .results import answer_of, standing

MOST_NOTES = 12


def heuristic(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME",
            help=f"One of {', '.join(HEURISTICS.names)}.",
            autocompletion=names_of(HEURISTICS),
        ),
    ],
    instance: InstanceFile,
    parameter: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=VALUE",
            help="Of the heuristic, see `slotwise list heuristics`; may be repeated.",
        ),
    ] = None,
    time_limit: Annotated[
        float,
        typer.Option("--time-limit", metavar="S", min=0, help="Give up then; default: never."),
    ] = math.inf,
    gantt: Gantt = None,
) -> Answer:
    """Exits with 1 if it has none in time."""
    from ..core.clock import Clock, check_time_limit
    from ..solvers.mapreduce.heuristic import with_parameters

    entry = with_parameters(named(HEURISTICS, name, instance), settings(parameter))
    check_time_limit(time_limit)
    with live_progress():
        clock = Clock(time_limit)
        problem = slotwise.read(instance, kind=slotwise.Instance)
        step(f"{name} (the first use compiles it)")
        result = standing(slotwise.heuristic, problem, entry, time_limit=clock.left)
    interrupts.hold()
    more = len(result.notes) - MOST_NOTES
    notes = [*result.notes[:MOST_NOTES], *[f"… and {more} more, see --json or -o"] * (more > 0)]
    return answer_of(result, gantt, notes if result.schedule is not None else ())


def settings(given: list[str] | None) -> dict[str, Any]:
    """`NAME=VALUE` pairs, values as in JSON where they are that. Raises `InputError`."""
    found: dict[str, Any] = {}
    for pair in given or ():
        name, equals, value = pair.partition("=")
        if not (name and equals):
            raise InputError(f"--parameter: need NAME=VALUE, got {pair!r}")
        try:
            found[name] = json.loads(value)
        except ValueError:
            found[name] = value
    return found
