"""A campaign's folder as a page needs it: its runs, its manifest, what failed runs said."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...instances.errors import InputError
from ..engine.export import need_libraries, read_runs
from ..engine.manifest import read_manifest
from .runs import Runs

JOURNAL = "journal.jsonl"
MOST_TRACEBACKS = 1_000
"""Tracebacks that are looked up in the journal."""


@dataclass(frozen=True)
class Folder:
    """What a folder holds.

    Parameters
    ----------
    name
        Name of the campaign.
    runs
        Its runs.
    manifest
        Its manifest, empty if there is none.
    tracebacks
        Those of failed runs, by run.
    """

    name: str
    runs: Runs
    manifest: Mapping[str, Any]
    tracebacks: Mapping[str, str]


def read_folder(path: str | Path) -> Folder:
    """Read a campaign's folder.

    Parameters
    ----------
    path
        The folder.

    Returns
    -------
    Folder
        What it holds.

    Raises
    ------
    InputError
        If there is no such folder, it has no tables, or they cannot be read.
    """
    need_libraries()
    path = Path(path)
    if not path.is_dir():
        raise InputError(f"{path}: {'is a file' if path.exists() else 'no such folder'}: "
                         "need the folder of a campaign")  # fmt: skip
    if not (path / "results.parquet").is_file():
        if (path / JOURNAL).is_file():
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
        _tracebacks(path / JOURNAL, runs),
    )


def _tracebacks(journal: Path, runs: Runs) -> dict[str, str]:
    """Of failed runs; the tables do not have them. A line that cannot be read has none."""
    failed = set(runs.frame["run"][runs.failed].head(MOST_TRACEBACKS))
    found: dict[str, str] = {}
    if not failed or not journal.is_file():
        return found
    with open(journal, encoding="utf-8", errors="replace") as lines:
        for line in lines:
            if '"traceback"' not in line:
                continue
            try:
                record = json.loads(line)
            except ValueError:
                continue
            if isinstance(record, dict) and record.get("run") in failed:
                found[record["run"]] = str(record.get("traceback") or "")
    return found
