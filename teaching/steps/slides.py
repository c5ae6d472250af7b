"""Steps outside of the page: a picture file for each, with its title and words, and plain text."""

from __future__ import annotations

import textwrap
from pathlib import Path

from ...core.calls import checked
from ...core.errors import InputError
from ...core.files.outputs import check_folder, write_bytes
from ...core.wording import number
from .drawing import Picture
from .record import Steps

WIDTH = 100


@checked
def write_slides(steps: Steps, folder: str | Path) -> list[Path]:
    """Write a slide for each step: `01.svg`, `02.svg` and so on.

    Parameters
    ----------
    steps
        The steps.
    folder
        Where to; it is made if it is not there, its parent must be there.

    Returns
    -------
    list[Path]
        The files.

    Raises
    ------
    InputError
        If the folder cannot be written.
    OutputError
        If a slide could not be written; the slides before it are there.
    """
    check_folder(folder)
    there = Path(folder)
    try:
        there.mkdir(exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder}: {error.strerror or error}") from None
    digits = max(2, len(str(len(steps.steps))))
    picture, written = Picture(steps), []
    for n in range(1, len(steps.steps) + 1):
        path = there / f"{n:0{digits}}.svg"
        write_bytes(path, picture.slide(n).encode())
        written.append(path)
    return written


def text(steps: Steps) -> str:
    """What came out, then the steps with their reasons."""
    lines = [f"{steps.method} on {steps.instance}, step by step"]
    if steps.makespan is not None:
        lines.append(f"makespan {number(steps.makespan)} {steps.unit}")
    lines += [f"{mark.label} {number(mark.at)} {steps.unit}" for mark in steps.marks]
    lines += steps.notes
    wide = len(str(len(steps.steps)))
    for n, step in enumerate(steps.steps, 1):
        lines += ["", f"{n:{wide}}  {step.title} ({step.rule})"]
        lines += textwrap.wrap(
            step.text,
            WIDTH,
            initial_indent=" " * (wide + 2),
            subsequent_indent=" " * (wide + 2),
            break_on_hyphens=False,
        )
    return "\n".join(lines)
