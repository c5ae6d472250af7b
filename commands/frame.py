"""The frame of every command: what it takes, what it answers, and where that goes.

A verb is a function whose parameters have typer's annotations and that returns an `Answer`.
`framed` adds -o, --json and --quiet and does with the answer what they say; `Verbs` is a group of
commands of which only the one that is asked for is imported.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import typer
from typer.core import TyperCommand, TyperGroup

from ..core.errors import InputError, OutputError
from ..core.files.outputs import write_bytes
from .completion import Word, begun_examples
from .file_rules import checked_files, path_parameters
from .options import Json, Output, Quiet
from .process.interrupts import Signals, held
from .running import Running, begin

HELP = {"help_option_names": ["-h", "--help"]}

Writer = Callable[[Path], object]


@dataclass
class Answer:
    """What a command found out."""

    text: Any
    """For people: words, or something that rich can print; None where nothing is left to say."""
    document: Any
    """For programs: what --json prints, and -o writes if there is no `content`."""
    code: int = 0
    """The exit code: `running.NO` if the answer is no."""
    notes: Sequence[str] = ()
    """For stderr, a line each; with --json they are in the document."""
    line: str = ""
    """Said of the file that -o writes, instead of the text; by default the text's first line."""
    content: bytes | Writer | None = None
    """What -o writes instead of the document, or who writes it."""
    is_written: bool = True
    """False if there is nothing that -o could write."""
    files: Mapping[Path | None, Writer] = field(default_factory=dict)
    """Who writes the further files that were asked for; None is a file that was not."""
    drawings: Mapping[Path | None, Writer] = field(default_factory=dict)
    """The same for pictures, which come after the text and which Ctrl-C skips."""
    error: BaseException | None = None
    """Raised when all is shown and written."""


def framed(verb: Callable[..., Answer | None]) -> Callable[..., None]:
    """The command of a verb.

    A verb with a parameter `output` has its own -o: the frame writes to it unless it is a folder. A
    parameter of the type `Signals` is the frame's to give, and is no option. A verb that need not
    answer prints by itself, and has no -o.
    """
    parameters = inspect.signature(verb, eval_str=True).parameters
    signals_name = next((p.name for p in parameters.values() if p.annotation is Signals), None)
    options = {p.name: p for p in parameters.values() if p.name != signals_name}
    for name, kind, default in (
        ("output", Output, None), ("as_json", Json, False), ("quiet", Quiet, False),
    ):  # fmt: skip
        options.setdefault(name, keyword(name, kind, default))
    if "None" in str(inspect.signature(verb).return_annotation):
        del options["output"]

    def run(**given: Any) -> None:
        running = begin(as_json=given.pop("as_json"), quiet=given.pop("quiet"))
        running.on_stdout = checked_files(paths, given)
        output = given["output"] if "output" in parameters else given.pop("output", None)
        if output is not None:
            mark = paths["output"][1]
            if (mark and mark.folder) or output.is_dir():
                output = None  # what goes there are the answer's files
        with held() as signals:
            if signals_name is not None:
                given[signals_name] = signals
            answer = verb(**given)
            if answer is not None:
                _deliver(answer, output, running, signals if signals_name else None)
        if answer is not None:
            _end(answer, running)

    run.__signature__ = inspect.Signature(list(options.values()))  # type: ignore[attr-defined]
    run.__annotations__ = {option.name: option.annotation for option in options.values()}
    run.__doc__ = verb.__doc__
    run.__name__ = verb.__name__
    paths = path_parameters(run)
    return run


def keyword(
    name: str, annotation: Any, default: Any = inspect.Parameter.empty
) -> inspect.Parameter:
    """A parameter of a command, for typer."""
    return inspect.Parameter(
        name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation
    )


def _deliver(
    answer: Answer, output: Path | None, running: Running, signals: Signals | None
) -> None:
    """Write, print and draw an answer; what cannot be written is known to `running`."""
    if not answer.is_written:
        output = None
    if output is not None:
        running.save(output, _writer(answer))
    is_written = output is not None and not running.failures
    for path, write in answer.files.items():
        if path is not None:
            running.save(path, write)
    if is_written and not running.as_json:
        running.show(f"{output}: {answer.line or str(answer.text).partition(chr(10))[0]}")
    else:
        running.show(answer.text, answer.document)
    if not running.as_json:
        running.tell(answer.notes)
    skipped = signals is not None and signals.came
    if signals is not None:
        signals.interrupt()
    for path, write in answer.drawings.items():
        if path is None:
            continue
        try:
            if skipped:
                raise KeyboardInterrupt
            running.save(path, write)
        except KeyboardInterrupt:
            skipped = True
            running.tell([f"interrupted: {path} was not drawn"])


def _writer(answer: Answer) -> Writer:
    content = answer.content
    if content is None:
        from ..core.files.json_files import write_json  # pydantic takes a while

        return lambda path: write_json(path, answer.document)
    return content if callable(content) else partial(write_bytes, content=content)


def _end(answer: Answer, running: Running) -> None:
    for error in running.failures:
        if not isinstance(error, InputError):
            raise error
    if answer.error is not None:
        raise answer.error
    if running.failures:
        raise OutputError(None, "; ".join(map(str, running.failures)))
    if answer.code:
        raise typer.Exit(answer.code)


class Row(NamedTuple):
    """A command of a table."""

    panel: str
    """The heading under which help shows it."""
    where: str | Callable[[], Any]
    """`module:function` in this package, or what makes the function."""
    summary: str


class Verbs(TyperGroup):
    """A group whose commands are made when they are asked for; its help shows the table's words."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.commands = _Commands(self.rows)  # type: ignore[assignment]

    def rows(self) -> Mapping[str, Row]:
        """The table: what commands there are, by name."""
        raise NotImplementedError

    def list_commands(self, ctx: Any) -> list[str]:
        return list(self.rows())

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        rows = self.rows()
        for panel in dict.fromkeys(row.panel for row in rows.values()):
            with formatter.section(panel):
                formatter.write_dl(
                    [(name, row.summary) for name, row in rows.items() if row.panel == panel]
                )

    def shell_complete(self, ctx: Any, incomplete: str) -> list[Any]:
        if incomplete.startswith("-"):
            return super().shell_complete(ctx, incomplete)
        words = [Word(name, row.summary) for name, row in self.rows().items()]
        return [word for word in words if word.value.startswith(incomplete)]


class _Commands(Mapping[str, Any]):
    """The commands of a table by name; each is made when it is looked up, and kept."""

    def __init__(self, rows: Callable[[], Mapping[str, Row]]) -> None:
        self._rows = rows
        self._made: dict[str, Any] = {}

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows())

    def __len__(self) -> int:
        return len(self._rows())

    def __getitem__(self, name: str) -> Any:
        if name not in self._made:
            self._made[name] = _command(name, self._rows()[name])
        return self._made[name]


def _command(name: str, row: Row) -> Any:
    if callable(row.where):
        verb = row.where()
    else:
        module, function = row.where.split(":")
        verb = getattr(import_module(f".{module}", __package__), function)
    if isinstance(verb, type):  # a group
        more = {"no_args_is_help": True, "rich_markup_mode": None, "context_settings": HELP}
        return verb(name=name, help=row.summary, **more)
    app = typer.Typer(add_completion=False, rich_markup_mode=None, context_settings=HELP)
    about = inspect.cleandoc(verb.__doc__ or "")
    command = framed(verb)
    app.command(name, cls=Panels, help=f"{row.summary}\n\n{about}")(command)
    made: Any = typer.main.get_command(app)
    inputs = [name for name, (_, mark) in path_parameters(command).items() if mark is None]
    for parameter in made.params:
        if parameter.name in inputs and parameter._custom_shell_complete is None:
            parameter.shell_complete = begun_examples
    return made


class Panels(TyperCommand):
    """A command whose options stand under the names of their help panels."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        panels: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None:
                plain = "Arguments" if parameter.param_type_name == "argument" else "Options"
                panel = getattr(parameter, "rich_help_panel", None)
                panels.setdefault(panel if isinstance(panel, str) else plain, []).append(record)
        for panel, records in panels.items():
            with formatter.section(panel):
                formatter.write_dl(records)
