"""Options of `slotwise steps` for dispatching policies: which machines, jobs and plan."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any

import typer

from ...core.errors import InputError
from ...heuristics.datacenter import POLICIES
from ...teaching.steps.datacenter import JOBS, LOAD

PANEL = "Dispatching policies"

Scale = Annotated[
    float | None,
    typer.Option(
        metavar="F",
        help="Use that part of the machines, at least 1 of each.",
        rich_help_panel=PANEL,
    ),
]
Load = Annotated[
    float | None,
    typer.Option(
        metavar="L",
        min=0,
        help=f"Arrivals as a part of the highest rate; default {LOAD}, so that some jobs wait.",
        rich_help_panel=PANEL,
    ),
]
JobCount = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        min=1,
        help=f"Number of jobs; default {JOBS}, or the whole trace.",
        rich_help_panel=PANEL,
    ),
]
Noise = Annotated[
    float | None,
    typer.Option(
        metavar="X",
        min=0,
        help="Coefficient of variation of the jobs' demands.",
        rich_help_panel=PANEL,
    ),
]
Seed = Annotated[
    int | None,
    typer.Option(metavar="N", min=0, help="Of jobs and policy.", rich_help_panel=PANEL),
]
Trace = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE", help="These jobs (import … --jobs) instead.", rich_help_panel=PANEL
    ),
]
GuidanceFile = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="A slotwise/guidance/1 file; default: made now.",
        rich_help_panel=PANEL,
    ),
]


@dataclass(frozen=True)
class Arrivals:
    """What the command line says about machines, jobs and plan; None where it does not."""

    scale: float | None = None
    load: float | None = None
    jobs: int | None = None
    noise: float | None = None
    seed: int | None = None
    trace: Path | None = None
    guidance: Path | None = None
    """`scale`, `load`, `jobs`, `noise`, `seed`, `trace`, `guidance`: as the options."""

    def check(self, method: str) -> None:
        """Raise `InputError` for options that a method does not have."""
        if method in POLICIES.names:
            return
        for name in self._given():
            raise InputError(f"--{name} is for dispatching policies, {method!r} is none")

    def part(self, problem: Any) -> Any:
        from ...instances.datacenter.datacenter import Datacenter

        if self.scale is None or not isinstance(problem, Datacenter):
            return problem
        return problem.part(self.scale, "--scale")

    def parameters(self) -> dict[str, Any]:
        return {name: value for name, value in self._given().items() if name != "scale"}

    def _given(self) -> dict[str, Any]:
        values = {one.name: getattr(self, one.name) for one in fields(self)}
        return {name: value for name, value in values.items() if value is not None}
