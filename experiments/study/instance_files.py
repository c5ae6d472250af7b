"""Files of instances: found by patterns, known by their content."""

from __future__ import annotations

import glob
import hashlib
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ...core.errors import InputError
from ...core.files.examples import find, is_example
from ...core.files.inputs import read_bytes
from ...core.files.json_files import JsonFile

FAMILIES = {f"slotwise/{name}/1": name for name in ("mapreduce", "datacenter", "hierarchy")}
"""What a file may hold, by its format."""

_FORMAT = re.compile(rb'\A\s*\{\s*"format"\s*:\s*"([^"\\]*)"')


class InstanceFile(NamedTuple):
    """A file."""

    name: str
    """What the study calls it: its path from the study's folder, or `example:NAME`."""
    path: str
    """Where it is."""
    digest: str
    """SHA-256 of its content, decompressed."""
    family: str
    """mapreduce, datacenter or hierarchy."""


def found_files(patterns: Any, folder: Path) -> list[InstanceFile]:
    """The files that patterns match, in the order of the patterns, then of their names.

    `patterns`: a pattern or several, as in a study's file; `**` stands for any folders.
    Raises `InputError` if a pattern matches nothing, and for files that hold no instance.
    """
    listed = [patterns] if isinstance(patterns, str) else patterns
    good = isinstance(listed, Sequence) and all(isinstance(each, str) and each for each in listed)
    if not good or not listed:
        raise InputError(f"files: need a pattern such as 'histories/*.json', got {listed!r}")
    name_of = {path: name for pattern in listed for name, path in _matches(pattern, folder)}
    return [InstanceFile(name, path, *_look_into(path)) for path, name in name_of.items()]


def _matches(pattern: str, folder: Path) -> Iterator[tuple[str, str]]:
    if is_example(pattern):
        yield pattern, str(find(pattern).path)
        return
    names = [pattern] if (folder / pattern).is_file() else []
    names = names or sorted(glob.glob(pattern, root_dir=folder, recursive=True))
    paths = {name: os.path.normpath(folder.absolute() / name) for name in names}
    paths = {name: path for name, path in paths.items() if os.path.isfile(path)}
    if not paths:
        raise InputError(f"no file matches {pattern!r} in {folder}")
    for name, path in paths.items():
        yield Path(name).as_posix(), path


def _look_into(path: str) -> tuple[str, str]:
    """SHA-256 of a file's content, and which family it is of."""
    content = read_bytes(path)
    match = _FORMAT.match(content.removeprefix(b"\xef\xbb\xbf"))
    family = FAMILIES.get(match[1].decode(errors="replace")) if match else None
    if family is None:  # the format stands elsewhere, or there is something to say about it
        family = FAMILIES[JsonFile.read(path).format_of(*FAMILIES)]
    return hashlib.sha256(content).hexdigest(), family
