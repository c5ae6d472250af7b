"""Rules for the files of every command.

A parameter that is a path is an input unless it is marked as `Written`. Outputs are checked before
a command begins. What the command cannot write at its end is told, and the result is shown.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from pathlib import Path
from typing import Any

from ..core.errors import InputError
from ..core.files.inputs import STANDARD
from ..core.files.outputs import (
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


def check_distinct(
    outputs: Mapping[str, str | Path], inputs: Mapping[str, Sequence[str | Path]]
) -> None:
    """Raise `InputError` if an output is an input or another output, or two inputs are stdin."""
    read = [(name, path) for name, paths in inputs.items() for path in paths]
    standard = [name for name, path in read if str(path) == STANDARD]
    if len(standard) > 1:
        raise InputError(f"-: only one input can be stdin, not {' and '.join(standard)}")
    for (name, path), (other, source) in product(outputs.items(), read):
        if _same(path, source, 0):
            raise InputError(f"{name} {path} is the input {other} {source}: choose another name")
    for (other, target), (name, path) in combinations(outputs.items(), 2):
        if _same(path, target, 1) or str(path) == str(target) == STANDARD:
            raise InputError(f"{other} and {name} both write to {path}")


def _same(path: str | Path, other: str | Path, standard: int) -> bool:
    """Whether an output and another path are one file; `standard` is what `-` is for the other.

    One terminal may be both stdin and stdout: what stands behind `-` counts if it is a file.
    """
    dashed = STANDARD in (str(path), str(other))
    try:
        one = os.stat(1 if str(path) == STANDARD else path)
        two = os.stat(standard if str(other) == STANDARD else other)
    except (OSError, ValueError):
        return not dashed and os.path.realpath(path) == os.path.realpath(other)
    kept = stat.S_ISREG(one.st_mode) or not (dashed or stat.S_ISCHR(one.st_mode))
    return kept and os.path.samestat(one, two)
