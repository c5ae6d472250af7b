"""The frame of every command: what it takes, what it answers, and where that goes.

A verb is a function whose parameters have typer's annotations and that returns an `Answer`.
`command` adds -o, --json and --quiet and does with the answer what they say; `Verbs` is a group of
commands of which only the one that is asked for is imported.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple, get_args

import typer
from typer.core import TyperCommand, TyperGroup

from ..core.errors import InputError, OutputError
from ..core.files.outputs import write_bytes
from . import interrupts
from .completion import Word, begun_examples
from .file_rules import Written, checked_files
from .options import Json, Output, Quiet
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
    files: Mapping[Path | None, Writer] = field(default_factory=dict)
    """Who writes the further files that were asked for; None is a file that was not."""
    drawings: Mapping[Path | None, Writer] = field(default_factory=dict)
    """The same for pictures, which come after the text and which Ctrl-C skips."""
    error: BaseException | None = None
    """Raised when all is shown and written."""


def command(name: str, verb: Callable[..., Answer | None], summary: str) -> Any:
    """The command of a verb.

    A verb with a parameter `output` has its own -o: the frame writes to it unless it is a folder. A
    verb that need not answer prints by itself, and has no -o.
    """
    signature = inspect.signature(verb, eval_str=True)
    options = dict(signature.parameters)
    options.setdefault("output", keyword("output", Output, None))
    options["as_json"] = keyword("as_json", Json, False)
    options["quiet"] = keyword("quiet", Quiet, False)
    if "None" in str(signature.return_annotation):
        del options["output"]

    def run(**given: Any) -> None:
        running = begin(as_json=given.pop("as_json"), quiet=given.pop("quiet"))
        running.on_stdout = checked_files(paths, given)
        output = given["output"] if "output" in signature.parameters else given.pop("output", None)
        if output is not None:
            mark = paths["output"][1]
            if (mark and mark.folder) or output.is_dir():
                output = None  # what goes there are the answer's files
        answer = verb(**given)
        if answer is not None:
            _deliver(answer, output, running)

    run.__signature__ = inspect.Signature(list(options.values()))  # type: ignore[attr-defined]
    run.__annotations__ = {one.name: one.annotation for one in options.values()}
    app = typer.Typer(add_completion=False, rich_markup_mode=None, context_settings=HELP)
    about = inspect.cleandoc(verb.__doc__ or "")
    app.command(name, cls=Panels, help=f"{summary}\n\n{about}")(run)
    made: Any = typer.main.get_command(app)
    paths = made.paths = path_parameters(made, run.__annotations__)
    for parameter in made.params:
        is_input = parameter.name in paths and paths[parameter.name][1] is None
        if is_input and parameter._custom_shell_complete is None:
            parameter.shell_complete = begun_examples
    return made


def path_parameters(
    made: Any, annotations: Mapping[str, Any]
) -> dict[str, tuple[str, Written | None]]:
    """The parameters that are paths: their names on the command line, and their mark if written."""
    found: dict[str, tuple[str, Written | None]] = {}
    for parameter in made.params:
        kind, *notes = get_args(annotations.get(parameter.name)) or (None,)
        if Path in (kind, *get_args(kind)):
            spelled = [option for option in parameter.opts if option.startswith("--")]
            name = spelled[0] if spelled else str(parameter.metavar).strip("[]…")
            mark = next((note for note in notes if isinstance(note, Written)), None)
            found[parameter.name] = name, mark
    return found


def keyword(
    name: str, annotation: Any, default: Any = inspect.Parameter.empty
) -> inspect.Parameter:
    """A parameter of a command, for typer."""
    return inspect.Parameter(
        name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation
    )


def _deliver(answer: Answer, output: Path | None, running: Running) -> None:
    """Write, print and draw an answer; what went wrong is raised when all is done."""
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
    _draw(answer, running)
    for error in running.failures:
        if not isinstance(error, InputError):
            raise error
    if answer.error is not None:
        raise answer.error
    if running.failures:
        raise OutputError(None, "; ".join(map(str, running.failures)))
    if answer.code:
        raise typer.Exit(answer.code)


def _draw(answer: Answer, running: Running) -> None:
    """Draw the pictures, which Ctrl-C skips if what is drawn is kept."""
    skipped = interrupts.came()
    if interrupts.held():
        interrupts.interrupt()
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
        self.rows = self.table()
        self.commands: Any = dict.fromkeys(self.rows)

    def table(self) -> dict[str, Row]:
        """What commands there are, by name."""
        raise NotImplementedError

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name in self.rows and self.commands[cmd_name] is None:
            self.commands[cmd_name] = _made(cmd_name, self.rows[cmd_name])
        return self.commands.get(cmd_name)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        for panel in dict.fromkeys(row.panel for row in self.rows.values()):
            with formatter.section(panel):
                formatter.write_dl(
                    [(name, row.summary) for name, row in self.rows.items() if row.panel == panel]
                )

    def shell_complete(self, ctx: Any, incomplete: str) -> list[Any]:
        if incomplete.startswith("-"):
            return super().shell_complete(ctx, incomplete)
        words = [Word(name, row.summary) for name, row in self.rows.items()]
        return [word for word in words if word.value.startswith(incomplete)]


def _made(name: str, row: Row) -> Any:
    if callable(row.where):
        verb = row.where()
    else:
        module, function = row.where.split(":")
        verb = getattr(import_module(f".{module}", __package__), function)
    if isinstance(verb, type):  # a group
        more = {"no_args_is_help": True, "rich_markup_mode": None, "context_settings": HELP}
        return verb(name=name, help=row.summary, **more)
    return command(name, verb, row.summary)


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
