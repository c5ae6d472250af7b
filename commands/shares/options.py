"""The options of `slotwise fair`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ...heuristics.hierarchy import ALLOCATORS
from ...instances.exporters import EXPORTERS
from ...report.endings import GANTT
from ..file_rules import Written

NAMES = ", ".join(entry.name for entry in ALLOCATORS.own)
RULES = ("yarn", "yarn-capacity", "kueue", "volcano", "kai", "spark", "slurm")
SCHEDULERS = ", ".join(entry.name for entry in EXPORTERS.own)

Tree = Annotated[
    Path | None, typer.Argument(metavar="HIERARCHY", help="A slotwise/hierarchy/1 or /2 file.")
]
Method = Annotated[str, typer.Option(metavar="NAME", help=f"One of {NAMES}.")]
Resource = Annotated[
    str | None, typer.Option(metavar="NAME", help="With ch: collapse for this resource.")
]
WhyNode = Annotated[
    str | None, typer.Option(metavar="NODE", help="Explain what one leaf or group has.")
]
OnScheduler = Annotated[
    str | None,
    typer.Option(
        "--on",
        metavar="NAME",
        help="Beside the exact shares, what a scheduler gives by its own rule: "
        f"{', '.join(RULES)}.",
    ),
]
WhatIf = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NODE:FIELD=VALUE",
        help="What would change: weight, tasks, priority, guarantee.cpu, limit.cpu, reserve.cpu.",
    ),
]
EventsFile = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Jobs that arrive and leave: shares after each event."),
]
PlotFile = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE", help="Draw the shares: .png, .svg, .pdf, or .html for the whole tree."
    ),
    Written(GANTT, "a plot"),
]
ExportName = Annotated[
    str | None,
    typer.Option(metavar="NAME", help=f"Write it for a scheduler: {SCHEDULERS}."),
]
Leaves = Annotated[bool, typer.Option("--leaves", help="Show leaves alone, without their groups.")]
Depth = Annotated[
    int | None, typer.Option(metavar="N", min=1, help="Show groups down to this depth.")
]
Compare = Annotated[
    tuple[Path, Path] | None,
    typer.Option(
        metavar="A B",
        help="Who loses from hierarchy A to B, whoever is busy; exit 1 beyond the tolerance.",
    ),
]
Tolerance = Annotated[
    float,
    typer.Option(
        metavar="POINTS", min=0, help="With --compare: a loss of this many points counts."
    ),
]
LeafMap = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE", help="With --compare: CSV of leaves of A and of B that belong together."
    ),
]
Admit = Annotated[
    str | None,
    typer.Option(metavar="NODE:cpu=4,memory=8Gi", help="Whether this request would start now."),
]
UseFile = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="With --admit: what each queue uses now, CSV or JSON."),
]
Flat = Annotated[
    bool,
    typer.Option("--flat", help="With --export: leaves under the root, weighted by shares."),
]
ScaleGuarantees = Annotated[
    bool, typer.Option("--scale-guarantees", help="Scale guarantees that are more than there is.")
]
IgnoreLimits = Annotated[
    bool, typer.Option("--ignore-limits", help="Leave out guarantees, limits, priorities.")
]
