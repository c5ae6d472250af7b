"""Options of `slotwise simulate` that say which jobs arrive."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ...heuristics.datacenter import DEFAULT_LOAD
from ...instances.limits import MOST_ARRIVALS, MOST_AT_ONCE

PANEL = "Jobs that arrive"

Seed = Annotated[
    int, typer.Option(metavar="N", min=0, help="Of jobs and policies.", rich_help_panel=PANEL)
]
Load = Annotated[
    float | None,
    typer.Option(
        rich_help_panel=PANEL,
        metavar="L",
        min=0,
        help=f"Arrivals as a part of the highest rate of the mix; default {DEFAULT_LOAD}.",
    ),
]
Rate = Annotated[
    float | None,
    typer.Option(rich_help_panel=PANEL, metavar="R", min=0, help="Arrivals per time unit instead."),
]
Trace = Annotated[
    Path | None,
    typer.Option(
        rich_help_panel=PANEL, metavar="FILE", help="Replay these jobs (import … --jobs) instead."
    ),
]
Compress = Annotated[
    float,
    typer.Option(
        rich_help_panel=PANEL, metavar="C", help="Jobs of the trace arrive C times as fast."
    ),
]
JobCount = Annotated[
    int | None,
    typer.Option(
        rich_help_panel=PANEL,
        metavar="N",
        min=1,
        max=MOST_ARRIVALS,
        help="Default: 37 mean durations of arrivals, at least 300000; or the whole trace.",
    ),
]
Noise = Annotated[
    float,
    typer.Option(
        rich_help_panel=PANEL,
        metavar="X",
        min=0,
        help="Coefficient of variation of the jobs' demands.",
    ),
]
Durations = Annotated[
    str,
    typer.Option(
        rich_help_panel=PANEL,
        metavar="LAW",
        help="exponential, constant, lognormal:CV, or trace:FILE, those of a trace's classes.",
    ),
]
Batch = Annotated[
    int,
    typer.Option(
        rich_help_panel=PANEL,
        metavar="N",
        min=0,
        max=MOST_AT_ONCE,
        help="N jobs more arrive at time 0.",
    ),
]
Start = Annotated[
    str,
    typer.Option(
        rich_help_panel=PANEL,
        metavar="HOW",
        help="empty, or full: as many jobs run at time 0 as in the steady state.",
    ),
]
