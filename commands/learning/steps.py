"""`slotwise steps`; `slotwise explain METHOD`, which it was before."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ...core.advice import did_you_mean
from ...core.errors import InputError
from ...teaching.steps import RECORDERS
from ..console import Json, Output, Quiet, about, show
from ..file_rules import Written, saving
from ..heuristic import settings
from .simulation_options import (
    Arrivals,
    GuidanceFile,
    JobCount,
    Load,
    Noise,
    Scale,
    Seed,
    Trace,
)

if TYPE_CHECKING:
    from ...teaching.steps.record import Steps

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
    """What a method decides, step by step and with reasons.

    -o writes a page (.html), the steps as data (.json, and - for stdout) or plain text (anything
    else).
    """
    arrivals = Arrivals(scale, load, jobs, noise, seed, trace, guidance)
    if not is_method(method, instance):
        guess = did_you_mean(method, list(RECORDERS))
        raise InputError(f"unknown method {method!r}: {guess}choose from {NAMES}")
    arrivals.check(method)
    options = Options(parameter, optimum, arrivals)
    explain_steps(method, instance, options, (output, None, slides), as_json=as_json, quiet=quiet)


def is_method(name: str, file: Path | None) -> bool:
    """Whether a name is that of a method with a recorder. Raises `InputError` if it is the file.

    Parameters
    ----------
    name
        The first argument.
    file
        The second one.
    """
    if name in RECORDERS:
        return True
    if str(file) in RECORDERS:
        raise InputError(f"the heuristic comes before the file: did you mean {file} {name}?")
    return False


@dataclass(frozen=True)
class Options:
    """What a method is given."""

    parameter: list[str] | None
    """Its parameters, `NAME=VALUE`."""
    optimum: float | None
    """Seconds to look for the optimum."""
    arrivals: Arrivals
    """Machines, jobs and plan of a dispatching policy."""


@contextmanager
def with_methods(name: str) -> Iterator[None]:
    """Within it, an unknown name is answered with the methods, too."""
    try:
        yield
    except InputError as error:
        if not str(error).startswith("unknown"):
            raise
        guess = did_you_mean(name, list(RECORDERS))
        raise InputError(f"{error}; or a method step by step: {guess.strip() or NAMES}") from None


def explain_steps(
    method: str,
    file: Path | None,
    options: Options,
    outputs: tuple[Path | None, Path | None, Path | None],
    *,
    as_json: bool,
    quiet: bool,
) -> None:
    """Record, write and print the steps of a method.

    Parameters
    ----------
    method
        Its name.
    file
        The problem.
    options
        What it is given.
    outputs
        What -o, --html and --slides name.
    as_json, quiet
        As for every command.
    """
    from ...report.documents.read_write import read
    from ...teaching.steps.recording import steps as recorded
    from ...teaching.steps.text import text

    if file is None:
        raise InputError(f"{method}: its steps are those on an INSTANCE, here is none")
    given = settings(options.parameter) | options.arrivals.parameters()
    with about(file):
        problem = options.arrivals.part(read(file))
        found = recorded(problem, method, optimum=options.optimum, **given)
    _write(found, *outputs)
    show(text(found), document=found.document(), as_json=as_json, quiet=quiet)


def _write(steps: Steps, output: Path | None, html: Path | None, slides: Path | None) -> None:
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
    if html is not None:
        with saving():
            write_step_page(steps, html)
    if slides is not None:
        with saving():
            write_slides(steps, slides)
