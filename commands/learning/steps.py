"""The part of `slotwise explain` that steps through a method's decisions."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ...instances.advice import did_you_mean
from ...instances.errors import InputError
from ...teaching.steps import RECORDERS
from ..console import about, show
from ..file_rules import saving
from ..heuristic import settings
from .arrivals import Arrivals

if TYPE_CHECKING:
    from ...teaching.steps.record import Steps

NAMES = ", ".join(RECORDERS)


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
    """What a method is given.

    Parameters
    ----------
    parameter
        Its parameters, `NAME=VALUE`.
    optimum
        Seconds to look for the optimum.
    arrivals
        Machines, jobs and plan of a dispatching policy.
    """

    parameter: list[str] | None
    optimum: float | None
    arrivals: Arrivals


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
    from ...teaching.steps.recording import steps
    from ...teaching.steps.text import text

    if file is None:
        raise InputError(f"{method}: its steps are those on an INSTANCE, here is none")
    given = settings(options.parameter) | options.arrivals.parameters()
    with about(file):
        problem = options.arrivals.part(read(file))
        found = steps(method, problem, optimum=options.optimum, parameters=given)
    _write(found, *outputs)
    show(text(found), document=found.document(), as_json=as_json, quiet=quiet)


def _write(steps: Steps, output: Path | None, html: Path | None, slides: Path | None) -> None:
    from ...instances.files.outputs import write_bytes
    from ...teaching.steps.html import write_step_page
    from ...teaching.steps.slides import write_slides
    from ...teaching.steps.steps_file import write_steps
    from ...teaching.steps.text import text

    if output is not None:
        with saving():
            if output.suffix == ".html":
                write_step_page(steps, output)
            elif str(output).removesuffix(".gz").endswith(".json"):
                write_steps(steps, output)
            else:
                write_bytes(output, f"{text(steps)}\n".encode())
    if html is not None:
        with saving():
            write_step_page(steps, html)
    if slides is not None:
        with saving():
            write_slides(steps, slides)
