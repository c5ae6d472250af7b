"""Files that a shell may offer: those of the format that a command reads, before all others."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

MOST, BEGINNING = 300, 2000
"""Files that are looked into, and bytes of each."""

_INSTANCE, _PROBLEM = ("mapreduce",), ("mapreduce", "datacenter", "hierarchy")
_GUIDANCE, _JOBS = ("guidance",), (".csv", ".csv.gz")
FORMATS: dict[tuple[str, str], tuple[str, ...]] = {
    **{(verb, "instance"): _INSTANCE for verb in ("solve", "heuristic", "bounds")},
    **{(verb, "instance"): _PROBLEM for verb in ("check", "explain", "lesson", "steps")},
    **{(verb, "guidance"): _GUIDANCE for verb in ("simulate", "steps")},
    **{(verb, "trace"): _JOBS for verb in ("simulate", "steps")},
    ("gap", "instances"): _INSTANCE,
    ("check", "schedule"): ("schedule", "result", "steps", "guidance", "allocation"),
    ("guide", "datacenter"): ("datacenter",),
    ("simulate", "datacenter"): ("datacenter", ".toml"),
    ("fair", "hierarchy"): ("hierarchy",),
    ("fair", "events"): ("hierarchy-events",),
    ("campaign", "study"): (".toml",),
    ("rank", "table"): (".csv", ".parquet"),
    ("grade", "file"): (".py",),
}
"""Formats of slotwise's own, by name, or endings; by command and parameter."""

_FORMAT = re.compile(rb'"format"\s*:\s*"slotwise/([a-z-]+)/')


def files_of(command: str, parameter: str, typed: str) -> list[str]:
    """Files of the right format that begin as typed, and folders; none if no such file is there.

    A shell that is offered nothing offers all files.
    """
    formats = FORMATS.get((command, parameter))
    if formats is None:
        return []
    head, slash, begin = typed.rpartition("/")
    try:
        entries = sorted(Path(head + slash or ".").iterdir())
    except OSError:
        return []
    entries = [one for one in entries if one.name.startswith(begin) and one.name[0] != "."]
    found = [head + slash + name for name in _matching(entries, formats)]
    folders = [f"{head}{slash}{one.name}/" for one in entries if one.is_dir()]
    return [*found, *folders] if found else []


def _matching(entries: list[Path], formats: tuple[str, ...]) -> Iterator[str]:
    endings = tuple(one for one in formats if one.startswith("."))
    for path in islice((one for one in entries if one.is_file()), MOST):
        if (endings and path.name.endswith(endings)) or _format_of(path) in formats:
            yield path.name


def _format_of(path: Path) -> str:
    """The format that the beginning of a JSON file names; empty for all others."""
    if not path.name.endswith((".json", ".json.gz")):
        return ""
    try:
        with gzip.open(path) if path.suffix == ".gz" else open(path, "rb") as stream:
            found = _FORMAT.search(stream.read(BEGINNING))
    except (OSError, EOFError):
        return ""
    return found[1].decode() if found else ""
