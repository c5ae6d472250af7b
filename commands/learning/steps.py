"""`slotwise steps`."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...core.advice import did_you_mean
from ...core.errors import InputError
from ...heuristics.datacenter import POLICIES
from ...teaching.steps import RECORDERS
from ...teaching.steps.datacenter import JOBS, LOAD
from ..console import Json, Output, Quiet, about, show
from ..file_rules import Written, saving
from ..heuristic import settings

if TYPE_CHECKING:
    from ...teaching.steps.record import Steps


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


NAMES = ", ".join(RECORDERS)

Slides = Annotated[
    Path | None,
    typer.Option("--slides", metavar="FOLDER", help="Write 01.svg, 02.svg, …: one a step."),
    Written(folder=True),
]
Parameters = Annotated[
    list[str] | None,
    typer.Option("--parameter", metavar="NAME=VALUE", help="Of the method; may be repeated."),
]
Optimum = Annotated[
    float | None,
    typer.Option(
        "--optimum",
        metavar="S",
        min=0,
        help="Look for the optimum for so many seconds, and mark it in the steps.",
    ),
]


def steps(
    method: Annotated[str, typer.Argument(metavar="METHOD", help=f"One of {NAMES}.")],
    instance: Annotated[
        Path,
        typer.Argument(
            metavar="INSTANCE", help="A batch of jobs, a datacenter or a hierarchy, as it needs."
        ),
    ],
    output: Output = None,
    slides: Slides = None,
    parameter: Parameters = None,
    optimum: Optimum = None,
    scale: Scale = None,
    load: Load = None,
    jobs: JobCount = None,
    noise: Noise = None,
    seed: Seed = None,
    trace: Trace = None,
    guidance: GuidanceFile = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """-o writes a page (.html), the steps as data (.json, and - for stdout) or plain text (anything
    else).
    """
    from ...reports.documents.read_write import read
    from ...teaching.steps.recording import steps as recorded
    from ...teaching.steps.text import text

    arrivals = Arrivals(scale, load, jobs, noise, seed, trace, guidance)
    if method not in RECORDERS:
        if str(instance) in RECORDERS:
            raise InputError(f"the method comes before the file: did you mean {instance} {method}?")
        guess = did_you_mean(method, list(RECORDERS))
        raise InputError(f"unknown method {method!r}: {guess}choose from {NAMES}")
    arrivals.check(method)
    given = settings(parameter) | arrivals.parameters()
    with about(instance):
        problem = arrivals.part(read(instance))
        found = recorded(problem, method, optimum=optimum, **given)
    _write(found, output, slides)
    show(text(found), document=found.document(), as_json=as_json, quiet=quiet)


def _write(steps: Steps, output: Path | None, slides: Path | None) -> None:
    from ...core.files.json_files import write_json
    from ...core.files.outputs import takes_stdout, write_bytes
    from ...teaching.steps.html import write_step_page
    from ...teaching.steps.slides import write_slides
    from ...teaching.steps.text import text

    if output is not None:
        with saving():
            if output.suffix == ".html":
                write_step_page(steps, output)
            elif takes_stdout(output) or str(output).removesuffix(".gz").endswith(".json"):
                write_json(output, steps.document())
            else:
                write_bytes(output, f"{text(steps)}\n".encode())
    if slides is not None:
        with saving():
            write_slides(steps, slides)
