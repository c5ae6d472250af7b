"""`slotwise grade --list` and `--start`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...core.errors import InputError
from ..console import Json, Output, Quiet, show
from ..file_rules import saving

if TYPE_CHECKING:
    from ...teaching.exercises.exercise import Exercise


def exercises(
    start: Annotated[
        str | None,
        typer.Option("--start", metavar="NAME", help="Print a file to begin this exercise with."),
    ] = None,
    output: Output = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Exercises that slotwise can grade: what to write, and when an answer is wrong.

    With --start, -o writes a file to begin with, which can be graded as it is.
    """
    from ...teaching.exercises.catalogue import EXERCISES, exercise_named

    if start is not None:
        _start(exercise_named(start), output, as_json=as_json, quiet=quiet)
        return
    if output is not None:
        raise InputError("-o writes the file to begin one exercise with: which? (--start NAME)")
    text = "\n".join(_words(exercise) for exercise in EXERCISES)
    document = {"exercises": [_document(exercise) for exercise in EXERCISES]}
    show(text, document=document, as_json=as_json, quiet=quiet)


def _words(exercise: Exercise) -> str:
    domains = "; ".join(f"{name} ({meaning})" for name, meaning in exercise.domains.items())
    return (
        f"{exercise.name}: {exercise.write}\n"
        f"    wrong if {exercise.fails_if}\n"
        f"    --domain {domains}\n"
        f"    slotwise grade --start {exercise.name} -o {exercise.name}.py\n"
        f"    slotwise grade {exercise.name}.py --exercise {exercise.name}"
    )


def _document(exercise: Exercise) -> dict[str, Any]:
    return {
        "name": exercise.name,
        "write": exercise.write,
        "wrong_if": exercise.fails_if,
        "domains": dict(exercise.domains),
    }


def _start(exercise: Exercise, output: Output, *, as_json: bool, quiet: bool) -> None:
    from ...core.files.examples import PREFIX
    from ...core.files.inputs import read_bytes
    from ...core.files.outputs import write_bytes

    content = read_bytes(PREFIX + exercise.start)
    text = content.decode()
    document = _document(exercise) | {"text": text}
    if output is not None:
        with saving():
            write_bytes(output, content)
        text = f"{output}: to begin with; slotwise grade {output} --exercise {exercise.name}"
    show(text.removesuffix("\n"), document=document, as_json=as_json, quiet=quiet)
