"""`slotwise heuristic`."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any

import typer

from ..core.errors import CertificateError, InputError
from ..heuristics.mapreduce import HEURISTICS
from .console import (
    Gantt,
    InstanceFile,
    Json,
    Output,
    Quiet,
    doing,
    draw,
    end,
    keep,
    live_progress,
    named,
    show,
    tell,
)
from .process.interrupts import held

NAMES = ", ".join(HEURISTICS.names)
MOST_NOTES = 12


def heuristic(
    name: Annotated[str, typer.Argument(metavar="NAME", help=f"One of {NAMES}.")],
    instance: InstanceFile,
    parameter: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=VALUE",
            help="Of the heuristic, see `slotwise list heuristics`; may be repeated.",
        ),
    ] = None,
    time_limit: Annotated[
        float | None,
        typer.Option("--time-limit", metavar="S", min=0, help="Give up then; default: never."),
    ] = None,
    output: Output = None,
    gantt: Gantt = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Exits with 1 if it has none in time."""
    from ..core.clock import Clock, check_time_limit
    from ..instances.mapreduce.instance_file import read_instance
    from ..solvers.mapreduce.heuristic import with_parameters, within

    entry = with_parameters(named(HEURISTICS, name, instance), settings(parameter))
    clock_limit = math.inf if time_limit is None else time_limit
    check_time_limit(clock_limit)
    hidden = quiet or as_json
    with held() as signals:
        with live_progress(hidden=hidden) as on_progress:
            doing(on_progress, f"reading {instance}")
            clock = Clock(clock_limit)
            problem = read_instance(instance)
            doing(on_progress, f"{name} (the first use compiles it)")
            try:
                result = within(clock, problem, entry)
            except CertificateError as error:
                if error.result is None:
                    raise
                result = replace(error.result, fault=error)
            signals.hold()
        document = result.document()
        keep(output, document)
        show(str(result), document=document, as_json=as_json, quiet=quiet)
        tell(_first(result.notes), quiet=hidden or result.schedule is None)
        signals.interrupt()
        draw(gantt, result, quiet=hidden, skip=signals.came)
    end(result)


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


def _first(notes: Sequence[str]) -> list[str]:
    """The first notes, and how many more there are."""
    more = len(notes) - MOST_NOTES
    return [*notes[:MOST_NOTES], *([f"… and {more} more, see --json or -o"] if more > 0 else [])]
