"""`slotwise explain MODEL --lesson`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ...instances.errors import InputError
from ..console import show
from ..file_rules import Written, saving

LessonFile = Annotated[
    Path | None,
    typer.Option(
        "--lesson",
        metavar="FILE",
        help="A page in which rules are switched off and the model is solved again (.html), or "
        "what it is made of (.json, and -). Without INSTANCE, on one where every rule is needed.",
    ),
    Written((".html", ".json"), "a lesson"),
]
HighsFolder = Annotated[
    Path | None,
    typer.Option(
        "--highs",
        metavar="FOLDER",
        help="The npm package highs, for --lesson; by default npm installs it once.",
    ),
]


def need_lesson(lesson: Path | None, highs: Path | None) -> None:
    """`--highs` is nothing without a lesson. Raises `InputError`."""
    if highs is not None and lesson is None:
        raise InputError("--highs is for --lesson FILE.html")


def refuse_lesson(method: str, *given: Path | None) -> None:
    """A method is not a formulation. Raises `InputError`."""
    if any(path is not None for path in given):
        raise InputError(
            f"--lesson is for formulations: {method} is a method, which --html explains"
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
    from ...instances.files.outputs import write_bytes
    from ...teaching.lessons.lesson import make_lesson
    from ...teaching.lessons.lesson_page import lesson_content

    made = make_lesson(model, problem)
    content = lesson_content(made, path, highs)
    with saving():
        write_bytes(path, content)
    of = made.instance.get("name") or "a hierarchy"
    text = f"{path}: a lesson on the {model} model of {of}, {len(content) / 1e6:.2f} MB"
    show(text, document=made.document(), as_json=as_json, quiet=quiet)
