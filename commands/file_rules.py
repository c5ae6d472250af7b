"""Rules for the files of every command.

A parameter that is a path is an input unless it is marked as `Written`. Outputs are checked before
a command begins. What the command cannot write at its end is told, and the result is shown.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import typer

from ..core.errors import InputError
from ..core.files.outputs import (
    check_distinct,
    check_ending,
    check_folder,
    check_writable,
    takes_stdout,
)
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


def checked_files(
    paths: Mapping[str, tuple[str, Written | None]], given: Mapping[str, Any]
) -> list[str]:
    """Check the files of a command line before it runs; those of its outputs that are stdout."""
    inputs: dict[str, list[Path]] = {}
    outputs: dict[str, Path] = {}
    for parameter, (name, mark) in paths.items():
        path = given[parameter]
        if path is None:
            continue
        if mark is None:
            inputs[name] = [path] if isinstance(path, Path) else list(path)
        elif mark.folder or (mark.either and path.is_dir()):
            check_folder(path)
        else:
            if mark.endings:
                check_ending(path, mark.endings, mark.what)
            check_writable(path)
            outputs[name] = path
    check_distinct(outputs, inputs)
    on_stdout = [str(path) for path in outputs.values() if takes_stdout(path)]
    if on_stdout and is_closed():
        raise InputError(f"{on_stdout[0]}: standard output is closed")
    return on_stdout


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
