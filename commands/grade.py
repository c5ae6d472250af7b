"""`slotwise grade`."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

import slotwise

from ..core.errors import InputError
from ..core.files.examples import PREFIX
from ..core.files.inputs import read_bytes, read_text
from ..core.files.outputs import write_bytes
from . import interrupts
from .file_rules import Written
from .frame import Answer
from .progress import live_progress
from .running import NO

_SIZE = re.compile(r"(\d{1,15}(?:\.\d{1,9})?)\s*([kMGT]?)B?", re.IGNORECASE)

_hidden = partial(typer.Option, rich_help_panel="The hidden instances")
_demands = partial(typer.Option, rich_help_panel="What is asked of the answers")
_limits = partial(typer.Option, rich_help_panel="What the file may use")


def _exercises(incomplete: str) -> list[tuple[str, str]]:
    from ..teaching.exercises.catalogue import EXERCISES

    return [(exercise.name, exercise.write) for exercise in EXERCISES]


ExerciseName = partial(typer.Option, metavar="NAME", autocompletion=_exercises)


def grade(
    file: Annotated[
        Path | None,
        typer.Argument(
            metavar="FILE", help="A Python file, - is stdin; or a folder of them, a row for each."
        ),
    ] = None,
    exercise: Annotated[
        str | None, ExerciseName(help="heuristic, bound, solve, build or rule.")
    ] = None,
    list_: Annotated[
        bool,
        typer.Option("--list", help="Say what the exercises are, and when an answer is wrong."),
    ] = False,
    start: Annotated[
        str | None, ExerciseName(help="Print, or with -o write, a file to begin with.")
    ] = None,
    domain: Annotated[
        str | None,
        _hidden(metavar="NAME", help="What they are like, see slotwise grade --list."),
    ] = None,
    instances: Annotated[int, _hidden(metavar="N", min=1, help="How many to try.")] = 300,
    seed: Annotated[int, _hidden(metavar="N", help="Draws them.")] = 1,
    seed_file: Annotated[
        Path | None,
        _hidden(metavar="FILE", help="A file whose text draws them instead: keep it secret."),
    ] = None,
    at_most: Annotated[
        float | None,
        _demands(metavar="X", min=0, help="heuristic: X times the makespan of EFSS, not more."),
    ] = None,
    not_below: Annotated[
        str | None,
        _demands(metavar="BOUND", help="bound: at least this one (slotwise list bounds)."),
    ] = None,
    time: Annotated[
        float,
        _limits(metavar="S", min=0, help="Seconds to find mistakes, and to make them small."),
    ] = 60.0,
    per_instance: Annotated[
        float, _limits(metavar="S", min=0.01, help="Seconds of processor time for an answer.")
    ] = 2.0,
    memory: Annotated[
        str, _limits(metavar="SIZE", help="Memory of the file, such as 500MB.")
    ] = "2GB",
    with_slotwise: Annotated[
        bool,
        _limits("--slotwise/--no-slotwise", help="Whether the file may import slotwise."),
    ] = True,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="PAGE",
            help="Write a page with pictures here, or --start's file.",
        ),
        Written(what="a page"),
    ] = None,
    table: Annotated[
        Path | None,
        typer.Option(metavar="MARKS", help="Write a CSV with a row for each file here."),
        Written(what="a table"),
    ] = None,
    pages: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Of a class: write a page for each file here."),
        Written(folder=True),
    ] = None,
) -> Answer:
    """`slotwise grade --list` says what to write, `--start NAME -o FILE` writes a file to begin
    with, which can be graded as it is: `slotwise grade FILE --exercise NAME`.

    The file runs in a process of its own with limits: they stop accidents, not attackers. Grade
    strangers' files in a container or virtual machine. Of a folder every file is graded. Exits
    with 1 if a file is broken, with 2 if it cannot be loaded.
    """
    if list_ or start is not None:
        if file is not None:
            raise InputError(f"--list and --start grade no file, but here is {file}")
        if start is None and output is not None:
            raise InputError("-o writes the file to begin one exercise with: which? (--start NAME)")
        return _list() if start is None else _start(start, output)
    if file is None or exercise is None:
        missing = "argument 'FILE'" if file is None else "option '--exercise'"
        raise InputError(f"grade: missing {missing} (see slotwise grade --help)")
    from ..teaching.exercises import classes, grading
    from ..teaching.exercises.page import page

    limits = slotwise.Limits(time, per_instance, parse_size(memory, "--memory"), with_slotwise)
    drawn: int | str = seed if seed_file is None else read_text(seed_file).strip()
    if drawn == "":
        raise InputError(f"{seed_file}: is empty, need a seed")
    demands = slotwise.Demands(at_most, not_below)
    how = grading.wanted(exercise, drawn, instances, domain, demands, limits)
    is_class = file.is_dir()
    if is_class and output is not None:
        raise InputError("-o is a page about one file: a folder has a --table")
    if not is_class and pages is not None:
        raise InputError("--pages is for the files of a folder: one file has -o")
    found: slotwise.Grade | classes.Marks
    with live_progress():
        interrupts.interrupt()
        found = classes.grade_class(file, how, pages) if is_class else grading.grade_file(file, how)
        interrupts.release()
    if isinstance(found, slotwise.Grade):
        text, rows, content = found.text(), [classes.row_of(found)], page(found).encode()
    else:
        text, rows, content = classes.shown_table(found), found.rows, None
    is_wrong = any(row["verdict"] != "nothing found" for row in rows)
    return Answer(
        text,
        found.document(),
        code=interrupts.INTERRUPTED if found.interrupted else NO if is_wrong else 0,
        notes=found.notes,
        content=content,
        files={table: lambda path: write_bytes(path, classes.table_text(rows).encode())},
    )


def _list() -> Answer:
    from ..teaching.exercises.catalogue import EXERCISES

    lines = []
    for one in EXERCISES:
        domains = "; ".join(f"{name} ({meaning})" for name, meaning in one.domains.items())
        lines += [
            f"{one.name}: {one.write}",
            f"    wrong if {one.fails_if}",
            f"    --domain {domains}",
            f"    slotwise grade --start {one.name} -o {one.name}.py",
            f"    slotwise grade {one.name}.py --exercise {one.name}",
        ]
    return Answer("\n".join(lines), {"exercises": list(map(_document, EXERCISES))})


def _document(exercise: Any) -> dict[str, Any]:
    return {
        "name": exercise.name,
        "write": exercise.write,
        "wrong_if": exercise.fails_if,
        "domains": dict(exercise.domains),
    }


def _start(name: str, output: Path | None) -> Answer:
    """The file to begin an exercise with."""
    from ..teaching.exercises.catalogue import exercise_named

    exercise = exercise_named(name)
    content = read_bytes(PREFIX + exercise.start)
    return Answer(
        content.decode().removesuffix("\n"),
        _document(exercise) | {"text": content.decode()},
        line=f"to begin with; slotwise grade {output} --exercise {exercise.name}",
        content=content,
    )


def parse_size(text: str, where: str) -> int:
    """Parse `500MB`, `8 GB` or a number of bytes."""
    match = _SIZE.fullmatch(text.strip())
    size = int(float(match[1]) * 10 ** (3 * " kmgt".index(match[2].lower() or " "))) if match else 0
    if size < 1:
        raise InputError(f"{where}: need a size such as 500MB or 8GB, got {text!r}")
    return size
