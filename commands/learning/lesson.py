"""`slotwise lesson`."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import Annotated

import typer

from ...formulations import FORMULATIONS
from ..console import Json, Quiet, about, named, show
from ..file_rules import Written, saving
from ..options import problem_of

NAMES = ", ".join(FORMULATIONS.names)

Output = Annotated[
    Path,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help="The page (.html), or what it is made of (.json, and - for stdout).",
    ),
    Written((".html", ".json"), "a lesson"),
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
    from ...core.files.outputs import write_bytes
    from ...teaching.lessons.lesson import make_lesson
    from ...teaching.lessons.lesson_page import lesson_content

    entry = named(FORMULATIONS, model, instance)
    with nullcontext() if instance is None else about(instance):
        problem = None if instance is None else problem_of(entry, instance)
        made = make_lesson(problem, model)
        content = lesson_content(made, output, highs)
        with saving():
            write_bytes(output, content)
    of = made.instance.get("name") or "a hierarchy"
    text = f"{output}: a lesson on the {model} model of {of}, {len(content) / 1e6:.2f} MB"
    show(text, document=made.document(), as_json=as_json, quiet=quiet)
