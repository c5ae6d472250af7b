"""`slotwise lesson`; `slotwise explain MODEL --lesson`, which it was before."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import Annotated, Any

import typer

from ...core.errors import InputError
from ...formulations import FORMULATIONS
from ..console import Json, Quiet, about, named, show
from ..file_rules import Written, saving
from .problems import problem_of

NAMES = ", ".join(entry.name for entry in FORMULATIONS.own)
FORMS = Written((".html", ".json"), "a lesson")

Output = Annotated[
    Path,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help="The page (.html), or what it is made of (.json, and - for stdout).",
    ),
    FORMS,
]
LessonFile = Annotated[
    Path | None,
    typer.Option(
        "--lesson",
        metavar="FILE",
        help="A page in which rules are switched off and the model is solved again (.html), or "
        "what it is made of (.json, and -). Without INSTANCE, on one where every rule is needed.",
    ),
    FORMS,
]
HighsFolder = Annotated[
    Path | None,
    typer.Option(
        "--highs",
        metavar="FOLDER",
        help="The npm package highs, for the page; by default npm installs it once.",
    ),
]


def lesson(
    model: Annotated[str, typer.Argument(metavar="MODEL", help=f"A formulation: {NAMES}.")],
    instance: Annotated[
        Path | None,
        typer.Argument(
            metavar="INSTANCE", help="Default: one on which every rule of the model is needed."
        ),
    ] = None,
    *,
    output: Output,
    highs: HighsFolder = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """A page that takes a model apart: switch rules off, solve again, see what breaks."""
    entry = named(FORMULATIONS, model, instance)
    with nullcontext() if instance is None else about(instance):
        problem = None if instance is None else problem_of(entry, instance)
        explain_lesson(model, problem, output, highs, as_json=as_json, quiet=quiet)


def check_lesson(lesson: Path | None, highs: Path | None) -> None:
    """`--highs` is nothing without a lesson. Raises `InputError`."""
    if highs is not None and lesson is None:
        raise InputError("--highs is for --lesson FILE.html")


def refuse_lesson(method: str, *given: Path | None) -> None:
    """A method is not a formulation. Raises `InputError`."""
    if any(path is not None for path in given):
        raise InputError(
            f"--lesson is for formulations: {method} is a method, which slotwise steps explains"
        )


def explain_lesson(
    model: str, problem: Any, path: Path, highs: Path | None, *, as_json: bool, quiet: bool
) -> None:
    """Write a lesson, and say so.

    Parameters
    ----------
    model
        Name of the formulation.
    problem
        The problem, None for the one that is shipped.
    path
        The page or document.
    highs
        A folder with HiGHS for browsers, if it is not to be installed.
    as_json
        Whether to print the lesson's document.
    quiet
        Whether to print nothing.
    """
    from ...core.files.outputs import write_bytes
    from ...teaching.lessons.lesson import make_lesson
    from ...teaching.lessons.lesson_page import lesson_content

    made = make_lesson(problem, model)
    content = lesson_content(made, path, highs)
    with saving():
        write_bytes(path, content)
    of = made.instance.get("name") or "a hierarchy"
    text = f"{path}: a lesson on the {model} model of {of}, {len(content) / 1e6:.2f} MB"
    show(text, document=made.document(), as_json=as_json, quiet=quiet)
