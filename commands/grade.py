"""`slotwise grade`."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

import slotwise

from ..core.errors import InputError
from ..core.files.examples import PREFIX
from ..core.files.inputs import STANDARD, file_name, read_bytes, read_text
from ..core.files.outputs import write_bytes
from .file_rules import Written
from .frame import Answer
from .process.interrupts import INTERRUPTED, Signals
from .running import NO, running

_SIZE = re.compile(r"(\d{1,15}(?:\.\d{1,9})?)\s*([kMGT]?)B?", re.IGNORECASE)

_hidden = partial(typer.Option, rich_help_panel="The hidden instances")
_demands = partial(typer.Option, rich_help_panel="What is asked of the answers")
_limits = partial(typer.Option, rich_help_panel="What the file may use")


def _exercises(incomplete: str) -> list[tuple[str, str]]:
    from ..teaching.exercises.catalogue import EXERCISES

    return [(exercise.name, exercise.write) for exercise in EXERCISES]


def grade(
    signals: Signals,
    file: Annotated[
        Path | None,
        typer.Argument(
            metavar="FILE", help="A Python file, - is stdin; or a folder of them, a row for each."
        ),
    ] = None,
    exercise: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="heuristic, bound, solve, build or rule.",
            autocompletion=_exercises,
        ),
    ] = None,
    list_: Annotated[
        bool,
        typer.Option("--list", help="Say what the exercises are, and when an answer is wrong."),
    ] = False,
    start: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Print, or with -o write, a file to begin with.",
            autocompletion=_exercises,
        ),
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
        return _list(output) if start is None else _start(start, output)
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
    source = "" if is_class else read_text(file)
    name = "stdin" if str(file) == STANDARD else file_name(file)
    with _said_on_a_terminal() as say:
        signals.interrupt()
        found: slotwise.Grade | classes.Marks
        if is_class:
            found = classes.grade_class(file, how, pages, say)
        else:
            found = grading.grade_source(source, name, how, say)
        signals.hold_if_came()
    if isinstance(found, slotwise.Grade):
        text, rows = found.text(), [classes.row_of(found)]
        content = page(found).encode()
    else:
        text, rows = classes.shown_table(found), found.rows
        content = None
    is_wrong = any(row["verdict"] != "nothing found" for row in rows)
    return Answer(
        text,
        found.document(),
        code=INTERRUPTED if found.interrupted else NO if is_wrong else 0,
        notes=found.notes,
        content=content,
        files={table: lambda path: write_bytes(path, classes.table_text(rows).encode())},
    )


@contextmanager
def _said_on_a_terminal() -> Iterator[Callable[[str], None]]:
    """Within it, what is said stands in one line of a terminal's stderr, and is gone at the end."""
    if running().hidden or not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.markup import escape

    with Console(stderr=True).status("") as status:
        yield lambda text: status.update(escape(text))


def _list(output: Path | None) -> Answer:
    if output is not None:
        raise InputError("-o writes the file to begin one exercise with: which? (--start NAME)")
    from ..teaching.exercises.catalogue import EXERCISES

    text = "\n".join(map(_words, EXERCISES))
    return Answer(text, {"exercises": list(map(_document, EXERCISES))})


def _words(exercise: Any) -> str:
    domains = "; ".join(f"{name} ({meaning})" for name, meaning in exercise.domains.items())
    return (
        f"{exercise.name}: {exercise.write}\n"
        f"    wrong if {exercise.fails_if}\n"
        f"    --domain {domains}\n"
        f"    slotwise grade --start {exercise.name} -o {exercise.name}.py\n"
        f"    slotwise grade {exercise.name}.py --exercise {exercise.name}"
    )


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
    text = content.decode()
    line = f"to begin with; slotwise grade {output} --exercise {exercise.name}"
    document = _document(exercise) | {"text": text}
    return Answer(text.removesuffix("\n"), document, line=line, content=content)


def parse_size(text: str, where: str) -> int:
    """Parse `500MB`, `8 GB` or a number of bytes."""
    match = _SIZE.fullmatch(text.strip())
    size = int(float(match[1]) * 10 ** (3 * " kmgt".index(match[2].lower() or " "))) if match else 0
    if size < 1:
        raise InputError(f"{where}: need a size such as 500MB or 8GB, got {text!r}")
    return size
