"""Rules for the files of every command.

A parameter that is a path is an input unless it is marked as `Written`. Outputs are checked before
a command begins. What the command cannot write at its end is told, and the result is shown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from errno import EPIPE
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import typer

from ..core.errors import InputError, OutputError
from .process.streams import is_closed


@dataclass(frozen=True)
class Written:
    """Marks a parameter as a file that the command writes, or a folder of such files."""

    endings: tuple[str, ...] = ()
    """The only suffixes that are accepted, if there are any."""
    what: str = "the file"
    """What is written, for messages."""
    folder: bool = False
    """Whether it is a folder, which the command makes if need be."""
    either: bool = False
    """Whether a folder that is there is taken as well as a file."""


@dataclass
class _Files:
    """Files of the running command, by their names on the command line."""

    inputs: dict[str, list[Path]] = field(default_factory=dict)
    outputs: dict[str, Path] = field(default_factory=dict)
    on_stdout: list[str] = field(default_factory=list)
    failures: list[BaseException] = field(default_factory=list)

    def fail(self, error: BaseException) -> None:
        """Record an error; a reader of stdout that has gone away is none."""
        if isinstance(error, OutputError) and error.errno == EPIPE and error.path in self.on_stdout:
            return
        self.failures.append(error)


_files: ContextVar[_Files | None] = ContextVar("files of the command", default=None)


def apply_to(app: typer.Typer) -> None:
    """Apply the rules before and after every command of an app."""
    for command in app.registered_commands:
        assert command.callback is not None
        command.callback = ruled(command.callback)
    for group in app.registered_groups:
        assert group.typer_instance is not None
        apply_to(group.typer_instance)


def ruled(command: Callable[..., None]) -> Callable[..., None]:
    """The command with the rules before and after it."""

    @wraps(command)
    def run(**given: Any) -> None:
        files = _Files()
        for parameter, (name, mark) in path_parameters(command).items():
            paths = given[parameter]
            if paths is None:
                continue
            if mark is None:
                files.inputs[name] = [paths] if isinstance(paths, Path) else list(paths)
            elif mark.folder:
                _check_folder(paths)
            else:
                files.outputs[name] = paths
                _check(paths, mark)
        from ..core.files.outputs import check_distinct, takes_stdout

        check_distinct(files.outputs, files.inputs)
        files.on_stdout = [str(path) for path in files.outputs.values() if takes_stdout(path)]
        if files.on_stdout and is_closed():
            raise InputError(f"{files.on_stdout[0]}: standard output is closed")
        token = _files.set(files)
        try:
            command(**given)
        except OutputError as error:
            files.fail(error)
        except typer.Exit:
            if not files.failures:
                raise
        finally:
            _files.reset(token)
        _raise(files.failures)

    return run


def path_parameters(command: Callable[..., None]) -> dict[str, tuple[str, Written | None]]:
    """The parameters that are paths: their names on the command line, and their mark if written."""
    found: dict[str, tuple[str, Written | None]] = {}
    for parameter, hint in get_type_hints(command, include_extras=True).items():
        if get_origin(hint) is not Annotated:
            continue
        kind, *notes = get_args(hint)
        if Path not in (kind, *get_args(kind)):
            continue
        name = parameter
        for note in notes:
            if isinstance(note, typer.models.OptionInfo):
                # Within `Annotated`, typer takes the first name for the default.
                declared = [str(d) for d in (note.default, *(note.param_decls or ()))]
                long = [word for word in declared if word.startswith("--")]
                name = long[0] if long else f"--{parameter.replace('_', '-')}"
            elif isinstance(note, typer.models.ArgumentInfo):
                name = str(note.metavar or parameter.upper()).strip("[]…")
        mark = next((note for note in notes if isinstance(note, Written)), None)
        found[parameter] = name, mark
    return found


@contextmanager
def saving() -> Iterator[None]:
    """Within it, a result is written that is shown even if it cannot be written.

    Errors are raised when the command ends.
    """
    files = _files.get()
    try:
        yield
    except (Exception, KeyboardInterrupt) as error:
        if files is None:
            raise
        files.fail(error)


def stdout_is_taken() -> bool:
    """Whether an output of the command goes to stdout, which then holds nothing else."""
    files = _files.get()
    return files is not None and bool(files.on_stdout)


def _check(path: Path, mark: Written) -> None:
    from ..core.files.outputs import check_ending, check_writable

    if mark.either and path.is_dir():
        _check_folder(path)
        return
    if mark.endings:
        check_ending(path, mark.endings, mark.what)
    check_writable(path)


def _check_folder(path: Path) -> None:
    from ..core.files.outputs import check_folder

    check_folder(path)


def _raise(failures: list[BaseException]) -> None:
    """Raise the failures of a command as one, if there are any."""
    for error in failures:
        if not isinstance(error, InputError):
            raise error
    if failures:
        raise InputError("; ".join(map(str, failures)))
