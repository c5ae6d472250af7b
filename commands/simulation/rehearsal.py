"""Options of `slotwise guide` that rehearse policies, and the rehearsal with its progress."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, NamedTuple

import typer

import slotwise

from ...core.errors import InputError
from ...core.notices import step
from ...heuristics.datacenter import DEFAULT_LOAD, REHEARSAL_SEEDS, REHEARSAL_TIME
from ..interrupts import came
from ..progress import live_progress

PANEL = "Which policy to follow"

Rehearse = Annotated[
    bool,
    typer.Option(
        "--rehearse",
        rich_help_panel=PANEL,
        help="Let policies race on drawn jobs; the plan says which waited least.",
    ),
]
Load = Annotated[
    float | None,
    typer.Option(
        metavar="L",
        rich_help_panel=PANEL,
        help=f"Arrivals as a part of the highest rate; default {DEFAULT_LOAD}.",
    ),
]
Noise = Annotated[
    float | None,
    typer.Option(
        metavar="X",
        min=0,
        rich_help_panel=PANEL,
        help="Coefficient of variation of the jobs' demands; default: that of --rehearse-on, or "
        "--spread.",
    ),
]
Seeds = Annotated[
    int | None,
    typer.Option(
        metavar="N", rich_help_panel=PANEL, help=f"Runs of the best; default {REHEARSAL_SEEDS}."
    ),
]
RehearsalTime = Annotated[
    float | None,
    typer.Option(
        "--rehearsal-time",
        metavar="S",
        min=0,
        rich_help_panel=PANEL,
        help=f"Seconds after which what is known decides; default {REHEARSAL_TIME:g}.",
    ),
]
RehearseOn = Annotated[
    Path | None,
    typer.Option(
        "--rehearse-on",
        metavar="FILE",
        rich_help_panel=PANEL,
        help="Race on the jobs of this table (import … --jobs) in other orders, not on drawn ones.",
    ),
]
Rivals = Annotated[
    list[str] | None,
    typer.Option(
        "--rival", metavar="NAME", rich_help_panel=PANEL, help="A policy more in it; repeat."
    ),
]


class RehearsalAsked(NamedTuple):
    """The options; None where none is given."""

    rehearse: bool
    load: float | None
    noise: float | None
    seeds: int | None
    time: float | None
    rivals: list[str] | None
    on: Path | None

    def check(self, *, without_prices: bool) -> None:
        """Raise `InputError` for options without a rehearsal, and a rehearsal without prices."""
        if self.rehearse and without_prices:
            raise InputError("--rehearse writes into a plan with prices: not with --as-printed")
        names = ("--load", "--noise", "--seeds", "--rehearsal-time", "--rival", "--rehearse-on")
        for name, given in zip(names, self[1:], strict=True):
            if given is not None and not self.rehearse:
                raise InputError(f"{name} is for --rehearse")
        if self.on is not None and self.load is not None:
            raise InputError("--rehearse-on takes the arrivals of its jobs: not with --load")

    def done(self, guidance: slotwise.Guidance) -> slotwise.Guidance:
        """The guidance with its rehearsal, if one is wanted and the plan was not interrupted."""
        if not self.rehearse:
            return guidance
        from ...instances.datacenter.workload import replay
        from ...solvers.datacenter.rehearse import rehearse, unrehearsed

        if came():
            return unrehearsed(guidance, "interrupted")
        given = None if self.on is None else replay(guidance.datacenter, self.on)
        with live_progress():
            return rehearse(
                guidance,
                load=DEFAULT_LOAD if self.load is None else self.load,
                noise=self.noise,
                seeds=REHEARSAL_SEEDS if self.seeds is None else self.seeds,
                redraw=given,
                policies=self.rivals or (),
                time_limit=REHEARSAL_TIME if self.time is None else self.time,
                on_progress=lambda done, of, name: step(f"rehearsal: {name}", done / of),
            )
