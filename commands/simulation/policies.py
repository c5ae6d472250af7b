"""Options of `slotwise simulate` that say who decides, and what is measured."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ...heuristics.datacenter import GAMMA_UNITS, POLICIES
from ..console import Plot
from .settings import settings_of_file

NAMES = ", ".join(entry.name for entry in POLICIES.own)

DECISIONS = "The policies"
MEASURES = "What is measured"

DatacenterFile = Annotated[
    Path,
    typer.Argument(
        metavar="DATACENTER",
        help="A slotwise/datacenter/1 file; or a simulation, FILE.toml: `datacenter` and options, "
        "of which those of the command line win.",
        callback=settings_of_file,
        is_eager=True,
    ),
]
PolicyName = Annotated[str, typer.Option(metavar="NAME", help=f"One of {NAMES}.")]
Against = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME",
        rich_help_panel=DECISIONS,
        help="Another policy on the same jobs; repeat.",
    ),
]
Scale = Annotated[
    float, typer.Option(metavar="F", help="Use that part of the machines, at least 1 of each.")
]
WarmUp = Annotated[
    float,
    typer.Option(
        "--warm-up",
        metavar="F",
        rich_help_panel=MEASURES,
        help="Part of the jobs that is not measured.",
    ),
]
GuidanceFile = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        rich_help_panel=DECISIONS,
        help="A slotwise/guidance/1 file; default: made now.",
    ),
]
Gamma = Annotated[
    str,
    typer.Option(
        metavar="UNIT",
        rich_help_panel=DECISIONS,
        help=f"Unit of remaining work in Tetris's score: one of {', '.join(GAMMA_UNITS)}.",
    ),
]
Sample = Annotated[
    list[int] | None,
    typer.Option(
        metavar="N",
        min=1,
        rich_help_panel=DECISIONS,
        help="Jobs look at N machines only, under --policy but not --against; repeat.",
    ),
]
Bound = Annotated[
    bool,
    typer.Option(
        "--bound", rich_help_panel=MEASURES, help="Compute a lower bound on the mean wait, too."
    ),
]
Explain = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        min=1,
        rich_help_panel=MEASURES,
        help="Say why the policy does what it does at arrival N.",
    ),
]
Reference = Annotated[
    bool,
    typer.Option(
        "--reference",
        rich_help_panel=MEASURES,
        help="Show the waits on one machine with all resources, too.",
    ),
]
PlotFile = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Waits, queue and use over time: .png, .svg or .pdf."),
    Plot,
]
