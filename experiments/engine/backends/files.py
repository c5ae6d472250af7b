"""The files that a unit names, for a machine that does not have them."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from ....core.files.examples import is_example
from ...study.study import InstanceSource, Unit
from ...study.workload import FROM_TRACE


def contents_of(unit: Unit) -> dict[str, bytes]:
    """What is in the files of a unit, by their paths.

    `unit`: the unit.
    Returns without files that cannot be read: the worker says so of their paths.
    """
    contents = {}
    for path in {unit.instance.path, *(path for _, _, path in _of_workload(unit.instance))} - {""}:
        with suppress(OSError):
            contents[path] = Path(path).read_bytes()
    return contents


def with_files(unit: Unit, contents: Mapping[str, bytes], folder: Path) -> tuple[Unit, Names]:
    """The unit with its files in a folder, where those of other units may be, too.

    `unit`: the unit.
    Returns the unit with the paths here.
    """
    copies = {path: _put(path, content, folder) for path, content in contents.items()}
    source = unit.instance
    workload = dict(source.workload)
    for key, law, path in _of_workload(source):
        workload[key] = law + copies.get(path, path)
    moved = replace(source, path=copies.get(source.path, source.path), workload=workload)
    return replace(unit, instance=moved), {new: old for old, new in copies.items()}


Names = dict[str, str]


def _of_workload(source: InstanceSource) -> Iterator[tuple[str, str, str]]:
    """The keys of a workload that name files, what stands before the name, the name."""
    for key in source.files:
        value = str(source.workload[key])
        law = FROM_TRACE if value.startswith(FROM_TRACE) else ""
        if not is_example(path := value.removeprefix(law)):
            yield key, law, path


def _put(path: str, content: bytes, folder: Path) -> str:
    """Where a file is here: the same place for the same content, as plans are kept by place."""
    place = folder / hashlib.sha256(content).hexdigest()[:16]
    file = place / Path(path).name
    if not file.exists():
        place.mkdir(parents=True, exist_ok=True)
        new = place / f"{file.name}.{os.getpid()}"
        new.write_bytes(content)
        new.replace(file)
    return str(file)
