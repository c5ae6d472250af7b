"""`slotwise solve`."""

from __future__ import annotations

from typing import Annotated

import typer

from ..instances.registry import lookup
from ..solvers import ROADS
from .console import (
    NO,
    Gantt,
    InstanceFile,
    Json,
    Output,
    Quiet,
    Threads,
    TimeLimit,
    draw,
    get_ready,
    live_progress,
    show,
    tell,
)
from .file_rules import saving
from .streams import put_aside

NAMES = ", ".join(road.name for road in ROADS)


def solve(
    instance: InstanceFile,
    model: Annotated[
        str | None,
        typer.Option(metavar="NAME", help=f"One of {NAMES}; default: chosen."),
    ] = None,
    time_limit: TimeLimit = 60.0,
    threads: Threads = None,
    relative_gap: Annotated[
        float, typer.Option(metavar="G", min=0, help="Stop at this relative gap.")
    ] = 1e-7,
    absolute_gap: Annotated[
        float, typer.Option(metavar="S", min=0, help="Stop at this gap in seconds.")
    ] = 0.0,
    cross_check: Annotated[
        bool, typer.Option("--cross-check", help="Solve again by independent roads and compare.")
    ] = False,
    output: Output = None,
    gantt: Gantt = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Find a proven optimum, or the best schedule and bound.

    The heuristics and closed-form bounds run first and settle the matter if they meet.
    """
    from ..instances.files import write_json
    from ..instances.mapreduce_file import read_instance
    from ..solvers.exact import solve as solve_exactly

    if model is not None:
        lookup("model", ROADS, model)
    problem = read_instance(instance)
    get_ready(problem, quiet=quiet or as_json, exact=True)
    with live_progress(hidden=quiet or as_json) as on_progress:
        result = solve_exactly(
            problem,
            model=model,
            time_limit=time_limit,
            threads=threads,
            relative_gap=relative_gap,
            absolute_gap=absolute_gap,
            on_progress=on_progress,
        )
    document = result.document()
    text = str(result)
    agree = True
    if cross_check:
        from ..solvers.cross_check import cross_check as ask_others

        opinions = ask_others(result, time_limit=time_limit, threads=threads or 1)
        document["cross_check"] = [opinion.document() for opinion in opinions]
        agree = all(opinion.agrees is not False for opinion in opinions)
        text = "\n".join([text, *(f"  {opinion}" for opinion in opinions)])
    if output is not None:
        with saving():
            write_json(output, document)
    draw(gantt, result)
    if result.status != "optimal":
        tell(result.notes, quiet=quiet or as_json)
    show(text, document=document, as_json=as_json, quiet=quiet)
    if not agree:
        put_aside("slotwise: CROSS-CHECK DISAGREES: do not trust this result")
    if not agree or result.schedule is None:
        raise typer.Exit(NO)
