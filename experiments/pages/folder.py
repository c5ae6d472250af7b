"""A campaign's folder as a page needs it: its runs, its manifest, what failed runs said."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...core.errors import InputError
from ..engine.export import check_libraries, read_runs
from ..engine.manifest import read_manifest
from ..engine.store import NAME, records_in
from ..statistics.runs import Runs


@dataclass(frozen=True)
class Folder:
    """What a folder holds."""

    name: str
    """Name of the campaign."""
    runs: Runs
    manifest: Mapping[str, Any]
    """Its manifest, empty if there is none."""
    tracebacks: Mapping[str, str]
    """Those of failed runs, by run."""


def read_folder(path: str | Path) -> Folder:
    """Read a campaign's folder.

    Raises `InputError` if there is no such folder, it has no tables, or they cannot be read.
    """
    check_libraries()
    path = Path(path)
    if not path.is_dir():
        raise InputError(f"{path}: {'is a file' if path.exists() else 'no such folder'}: "
                         "need the folder of a campaign")  # fmt: skip
    if not (path / "results.parquet").is_file():
        if (path / NAME).is_file():
            raise InputError(
                f"{path}: no tables yet: slotwise campaign FILE.toml --table writes them"
            )
        raise InputError(f"{path}: no results.parquet there: is it the folder of a campaign?")
    try:
        runs = Runs(read_runs(path))
    except InputError as error:
        raise InputError(str(error) if str(path) in str(error) else f"{path}/{error}") from None
    manifest = read_manifest(path)
    name = manifest.get("study")
    return Folder(
        name if isinstance(name, str) and name else path.resolve().name.removesuffix(".runs"),
        runs,
        manifest,
        _tracebacks(path),
    )


def _tracebacks(folder: Path) -> dict[str, str]:
    """Of failed runs; the tables do not have them. Runs that cannot be read have none."""
    try:
        return {
            run: record.traceback for run, record in records_in(folder).items() if record.failed
        }
    except InputError:
        return {}
