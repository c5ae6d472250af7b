"""`slotwise lesson`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import slotwise

from .explain import Model, problem_for
from .file_rules import Written
from .frame import Answer

LessonFile = Annotated[
    Path,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help="The page (.html), or what it is made of (.json, and - for stdout).",
    ),
    Written((".html", ".json"), "a lesson"),
]


def lesson(
    model: Model,
    instance: Annotated[
        Path | None,
        typer.Argument(
            metavar="INSTANCE", help="Default: one on which every rule of the model is needed."
        ),
    ] = None,
    *,
    output: LessonFile,
    highs: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="The npm package highs, for the page; by default it is downloaded once.",
        ),
    ] = None,
) -> Answer:
    from ..teaching.lessons.lesson_page import lesson_content

    with problem_for(model, instance) as problem:
        made = slotwise.make_lesson(problem, model)
    content = lesson_content(made, output, highs)
    of = made.instance.get("name") or "a hierarchy"
    text = f"a lesson on the {model} model of {of}, {len(content) / 1e6:.2f} MB"
    return Answer(text, made.document(), content=content)
