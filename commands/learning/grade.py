"""`slotwise grade`."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...core.errors import InputError
from ..console import NO, Json, Quiet, show, tell
from ..file_rules import Written, saving
from ..process.interrupts import INTERRUPTED, held

if TYPE_CHECKING:
    from ...teaching.exercises.exercise import Exercise
    from ...teaching.exercises.grading import Wanted

AnswerFile = Annotated[
    Path | None,
    typer.Argument(
        metavar="FILE", help="A Python file, - is stdin; or a folder of them, a row for each."
    ),
]
List = Annotated[
    bool, typer.Option("--list", help="Say what the exercises are, and when an answer is wrong.")
]
Start = Annotated[
    str | None,
    typer.Option("--start", metavar="NAME", help="Print, or with -o write, a file to begin with."),
]
ExerciseName = Annotated[
    str | None,
    typer.Option("--exercise", metavar="NAME", help="heuristic, bound, solve, build or rule."),
]
Domain = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="What hidden instances are like, see slotwise grade --list."),
]
Instances = Annotated[int, typer.Option(metavar="N", min=1, help="Hidden instances to try.")]
Seed = Annotated[int, typer.Option(metavar="N", help="Draws the hidden instances.")]
SeedFile = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="A file whose text draws them instead: keep it secret."),
]
AtMost = Annotated[
    float | None,
    typer.Option(metavar="X", min=0, help="heuristic: X times the makespan of EFSS, not more."),
]
NotBelow = Annotated[
    str | None,
    typer.Option(metavar="BOUND", help="bound: at least this one (slotwise list bounds)."),
]
Time = Annotated[
    float,
    typer.Option(metavar="S", min=0, help="Seconds to find mistakes, and to make them small."),
]
PerInstance = Annotated[
    float, typer.Option(metavar="S", min=0.01, help="Seconds of processor time for an answer.")
]
Memory = Annotated[str, typer.Option(metavar="SIZE", help="Memory of the file, such as 500MB.")]
WithSlotwise = Annotated[
    bool, typer.Option("--slotwise/--no-slotwise", help="Whether the file may import slotwise.")
]
Page = Annotated[
    Path | None,
    typer.Option(
        "--output", "-o", metavar="PAGE", help="Write a page with pictures here, or --start's file."
    ),
    Written(what="a page"),
]
Table = Annotated[
    Path | None,
    typer.Option("--table", metavar="MARKS", help="Write a CSV with a row for each file here."),
    Written(what="a table"),
]
Pages = Annotated[
    Path | None,
    typer.Option("--pages", metavar="FOLDER", help="Of a class: write a page for each file here."),
    Written(folder=True),
]


def grade(
    file: AnswerFile = None,
    exercise: ExerciseName = None,
    list_: List = False,
    start: Start = None,
    domain: Domain = None,
    instances: Instances = 300,
    seed: Seed = 1,
    seed_file: SeedFile = None,
    at_most: AtMost = None,
    not_below: NotBelow = None,
    time: Time = 60.0,
    per_instance: PerInstance = 2.0,
    memory: Memory = "2GB",
    with_slotwise: WithSlotwise = True,
    output: Page = None,
    table: Table = None,
    pages: Pages = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """`slotwise grade --list` says what to write, `--start NAME -o FILE` writes a file to begin
    with, which can be graded as it is: `slotwise grade FILE --exercise NAME`.

    The file runs in a process of its own with limits: they stop accidents, not attackers. Grade
    strangers' files in a container or virtual machine. Of a folder every file is graded. Exits
    with 1 if a file is broken, with 2 if it cannot be loaded.
    """
    from ...core.files.inputs import read_text
    from ...core.files.quantities import parse_size
    from ...teaching.exercises.exercise import Demands, Limits
    from ...teaching.exercises.grading import wanted

    hide("--seed", "--seed-file")
    if list_ or start is not None:
        if file is not None:
            raise InputError(f"--list and --start grade no file, but here is {file}")
        if start is None:
            _list(output, as_json=as_json, quiet=quiet)
        else:
            _start(start, output, as_json=as_json, quiet=quiet)
        return
    if file is None or exercise is None:
        missing = "argument 'FILE'" if file is None else "option '--exercise'"
        raise InputError(f"grade: missing {missing} (see slotwise grade --help)")
    limits = Limits(time, per_instance, parse_size(memory, "--memory"), with_slotwise)
    drawn: int | str = seed
    if seed_file is not None:
        drawn = read_text(seed_file).strip()
        if not drawn:
            raise InputError(f"{seed_file}: is empty, need a seed")
    how = wanted(exercise, drawn, instances, domain, Demands(at_most, not_below), limits)
    if file.is_dir():
        if output is not None:
            raise InputError("-o is a page about one file: a folder has a --table")
        _class(file, how, table, pages, as_json=as_json, quiet=quiet)
    else:
        if pages is not None:
            raise InputError("--pages is for the files of a folder: one file has -o")
        _one(file, how, output, table, as_json=as_json, quiet=quiet)


@contextmanager
def _said_on_a_terminal(*, hidden: bool) -> Iterator[Callable[[str], None]]:
    """Within it, what is said stands in one line of a terminal's stderr, and is gone at the end."""
    if hidden or not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.markup import escape

    with Console(stderr=True).status("") as status:
        yield lambda text: status.update(escape(text))


def _one(
    file: Path,
    how: Wanted,
    output: Path | None,
    table: Path | None,
    *,
    as_json: bool,
    quiet: bool,
) -> None:
    from ...core.files.inputs import STANDARD, file_name, read_text
    from ...core.files.outputs import write_bytes
    from ...teaching.exercises.classes import row_of, table_text
    from ...teaching.exercises.grading import grade_source
    from ...teaching.exercises.page import page

    source = read_text(file)
    name = "stdin" if str(file) == STANDARD else file_name(file)
    with held() as signals, _said_on_a_terminal(hidden=quiet or as_json) as say:
        signals.interrupt()
        found = grade_source(source, name, how, say)
        signals.hold_if_came()
    if output is not None:
        with saving():
            write_bytes(output, page(found).encode())
    if table is not None:
        with saving():
            write_bytes(table, table_text([row_of(found)]).encode())
    show(found.text(), document=found.document(), as_json=as_json, quiet=quiet)
    tell(found.notes, quiet=quiet or as_json)
    if found.interrupted:
        raise typer.Exit(INTERRUPTED)
    if found.broken:
        raise typer.Exit(NO)


def _class(
    folder: Path,
    how: Wanted,
    table: Path | None,
    pages: Path | None,
    *,
    as_json: bool,
    quiet: bool,
) -> None:
    from ...core.files.outputs import write_bytes
    from ...teaching.exercises.classes import grade_class, shown_table, table_text

    with held() as signals, _said_on_a_terminal(hidden=quiet or as_json) as say:
        signals.interrupt()
        marks = grade_class(folder, how, pages, say)
        signals.hold_if_came()
    if table is not None:
        with saving():
            write_bytes(table, table_text(marks.rows).encode())
    show(shown_table(marks), document=marks.document(), as_json=as_json, quiet=quiet)
    tell(marks.notes, quiet=quiet or as_json)
    if marks.interrupted:
        raise typer.Exit(INTERRUPTED)
    if any(row["verdict"] != "nothing found" for row in marks.rows):
        raise typer.Exit(NO)


def _list(output: Path | None, *, as_json: bool, quiet: bool) -> None:
    from ...teaching.exercises.catalogue import EXERCISES

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


def _start(name: str, output: Path | None, *, as_json: bool, quiet: bool) -> None:
    """Print or write the file to begin an exercise with."""
    from ...core.files.examples import PREFIX
    from ...core.files.inputs import read_bytes
    from ...core.files.outputs import write_bytes
    from ...teaching.exercises.catalogue import exercise_named

    exercise = exercise_named(name)
    content = read_bytes(PREFIX + exercise.start)
    text = content.decode()
    document = _document(exercise) | {"text": text}
    if output is not None:
        with saving():
            write_bytes(output, content)
        text = f"{output}: to begin with; slotwise grade {output} --exercise {exercise.name}"
    show(text.removesuffix("\n"), document=document, as_json=as_json, quiet=quiet)


def hide(*options: str) -> None:
    """Overwrite the values of these options where the system shows them, as in `ps`."""
    with suppress(OSError, ValueError, IndexError):  # no Linux: nothing to hide them in
        fields = Path("/proc/self/stat").read_text().rpartition(")")[2].split()
        start, end = int(fields[45]), int(fields[46])
        words = ctypes.string_at(start, end - start).split(b"\0") if start else []
        names = [option.encode() for option in options]
        before = b""
        for word in words:
            name, equals, value = word.partition(b"=")
            if before in names:
                _overwrite(start, len(word))
            elif equals and name in names:
                _overwrite(start + len(word) - len(value), len(value))
            start += len(word) + 1
            before = word


def _overwrite(start: int, length: int) -> None:
    ctypes.memset(start, ord("*"), length)
