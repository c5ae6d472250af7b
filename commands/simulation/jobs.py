"""Options of `slotwise simulate` that say which jobs arrive."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from ...heuristics.datacenter import DEFAULT_LOAD
from ...instances.limits import MOST_ARRIVALS, MOST_AT_ONCE

_option = partial(typer.Option, rich_help_panel="Jobs that arrive")

Seed = Annotated[int, _option(metavar="N", min=0, help="Of jobs and policies.")]
Load = Annotated[
    float | None,
    _option(
        metavar="L",
        min=0,
        help=f"Arrivals as a part of the highest rate of the mix; default {DEFAULT_LOAD}.",
    ),
]
Rate = Annotated[float | None, _option(metavar="R", min=0, help="Arrivals per time unit instead.")]
Trace = Annotated[
    Path | None, _option(metavar="FILE", help="Replay these jobs (import … --jobs) instead.")
]
Compress = Annotated[float, _option(metavar="C", help="Jobs of the trace arrive C times as fast.")]
JobCount = Annotated[
    int | None,
    _option(
        metavar="N",
        min=1,
        max=MOST_ARRIVALS,
        help="Default: 37 mean durations of arrivals, at least 300000; or the whole trace.",
    ),
]
Noise = Annotated[
    float, _option(metavar="X", min=0, help="Coefficient of variation of the jobs' demands.")
]
Durations = Annotated[
    str,
    _option(
        metavar="LAW",
        help="exponential, constant, lognormal:CV, or trace:FILE, those of a trace's classes.",
    ),
]
Batch = Annotated[
    int, _option(metavar="N", min=0, max=MOST_AT_ONCE, help="N jobs more arrive at time 0.")
]
Start = Annotated[
    str,
    _option(
        metavar="HOW", help="empty, or full: as many jobs run at time 0 as in the steady state."
    ),
]
