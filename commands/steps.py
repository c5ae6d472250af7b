"""`slotwise steps`."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

import slotwise

from ..core.errors import InputError
from ..core.files.outputs import takes_stdout, write_bytes
from ..heuristics.datacenter import POLICIES
from ..teaching.steps import RECORDERS
from ..teaching.steps.datacenter import JOBS, LOAD
from .file_rules import Written
from .frame import Answer
from .heuristic import settings
from .options import Output, about

_arrivals = partial(typer.Option, rich_help_panel="Dispatching policies")


def steps(
    method: Annotated[
        str,
        typer.Argument(
            metavar="METHOD",
            help=f"One of {', '.join(RECORDERS)}.",
            autocompletion=lambda: list(RECORDERS),
        ),
    ],
    instance: Annotated[
        Path,
        typer.Argument(
            metavar="INSTANCE", help="A batch of jobs, a datacenter or a hierarchy, as it needs."
        ),
    ],
    output: Output = None,
    slides: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Write 01.svg, 02.svg, …: one a step."),
        Written(folder=True),
    ] = None,
    parameter: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE", help="Of the method; may be repeated."),
    ] = None,
    optimum: Annotated[
        float | None,
        typer.Option(
            metavar="S",
            min=0,
            help="Look for the optimum for so many seconds, and mark it in the steps.",
        ),
    ] = None,
    scale: Annotated[
        float | None,
        _arrivals(metavar="F", help="Use that part of the machines, at least 1 of each."),
    ] = None,
    load: Annotated[
        float | None,
        _arrivals(
            metavar="L",
            min=0,
            help=f"Arrivals as a part of the highest rate; default {LOAD}, so that some jobs wait.",
        ),
    ] = None,
    jobs: Annotated[
        int | None,
        _arrivals(metavar="N", min=1, help=f"Number of jobs; default {JOBS}, or the whole trace."),
    ] = None,
    noise: Annotated[
        float | None,
        _arrivals(metavar="X", min=0, help="Coefficient of variation of the jobs' demands."),
    ] = None,
    seed: Annotated[int | None, _arrivals(metavar="N", min=0, help="Of jobs and policy.")] = None,
    trace: Annotated[
        Path | None, _arrivals(metavar="FILE", help="These jobs (import … --jobs) instead.")
    ] = None,
    guidance: Annotated[
        Path | None,
        _arrivals(metavar="FILE", help="A slotwise/guidance/1 file; default: made now."),
    ] = None,
) -> Answer:
    """-o writes a page (.html), the steps as data (.json, and - for stdout) or plain text (anything
    else).
    """
    if method not in RECORDERS and str(instance) in RECORDERS:
        raise InputError(f"the method comes before the file: did you mean {instance} {method}?")
    from ..teaching.steps.recording import recorder
    from ..teaching.steps.slides import text as words_of

    recorder(method)  # an unknown one is refused before the file is read
    asked = {
        "scale": scale, "load": load, "jobs": jobs, "noise": noise, "seed": seed,
        "trace": trace, "guidance": guidance,
    }  # fmt: skip
    arrivals = {name: value for name, value in asked.items() if value is not None}
    if arrivals and method not in POLICIES.names:
        raise InputError(
            f"--{next(iter(arrivals))} is for dispatching policies, {method!r} is none"
        )
    arrivals.pop("scale", None)
    with about(instance):
        problem: Any = slotwise.read(instance)
        if scale is not None and isinstance(problem, slotwise.Datacenter):
            problem = problem.part(scale, "--scale")
        made = slotwise.steps(problem, method, optimum=optimum, **settings(parameter) | arrivals)
    text = words_of(made)

    def write(path: Path) -> None:
        if path.suffix == ".html":
            slotwise.write_step_page(made, path)
        elif takes_stdout(path) or str(path).removesuffix(".gz").endswith(".json"):
            slotwise.write(made, path)
        else:
            write_bytes(path, f"{text}\n".encode())

    return Answer(
        text, made.document(), content=write, files={slides: partial(slotwise.write_slides, made)}
    )
