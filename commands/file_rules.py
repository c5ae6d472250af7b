"""Rules for the files of every command.

A parameter that is a path is an input unless it is marked as `Written`. Outputs are checked before
a command begins. What the command cannot write at its end is told, and the result is shown.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..core.errors import InputError
from ..core.files.outputs import (
    check_distinct,
    check_ending,
    check_folder,
    check_writable,
    takes_stdout,
)
from .streams import is_closed


@dataclass(frozen=True)
class Written:
    """Marks a parameter as a file that the command writes, or a folder of such files."""

    endings: tuple[str, ...] = ()
    """The only suffixes that are accepted, if there are any."""
    what: str = "the file"
    """What is written, for messages."""
    folder: bool | None = False
    """True for a folder, made if need be; None for a file, or a folder that is there."""


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
        elif mark.folder or (mark.folder is None and path.is_dir()):
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
