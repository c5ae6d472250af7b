"""The files of one event log, in the order in which Spark wrote them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from ....core.errors import InputError
from ....core.files.examples import is_example
from ....core.files.inputs import STANDARD
from ....core.wording import listed

_ROLLING = re.compile(r"events_(\d{1,9})_.*?(\.compact)?(\.inprogress)?")
_OLD = re.compile(r"EVENT_LOG_(\d{1,9})(\.inprogress)?")
_DATABRICKS = re.compile(r"eventlog(-[\d-]+)?(\.\w+)?")


@dataclass(frozen=True)
class LogFiles:
    """One log: a file, or the parts of a folder."""

    parts: tuple[Path, ...]
    note: str = ""


def is_log_folder(path: Path) -> bool:
    """Whether a folder is one event log, rather than a place where several lie."""
    return path.is_dir() and bool(_parts(path))


def log_files(path: str | Path) -> LogFiles:
    """The files of an event log. Raises `InputError` for a folder without any."""
    if str(path) == STANDARD or is_example(path) or not Path(path).is_dir():
        return LogFiles((Path(path),))
    numbered = _parts(Path(path))
    if not numbered:
        raise InputError(
            f"{path}: no event log of Spark: a folder of one holds events_1_… or EVENT_LOG_1"
        )
    # A compact file stands for all files up to its number, without what ended by then.
    first = max((k for k, (_, compact, _) in enumerate(numbered) if compact), default=0)
    note = ""
    numbers = [number for number, _, _ in numbered[first:] if isinstance(number, int)]
    if numbers and numbers != list(range(numbers[0], numbers[0] + len(numbers))):
        note = f"parts of the log are missing: there are {listed([str(k) for k in numbers])}"
    elif numbered[first][1]:
        note = f"Spark compacted the log up to part {numbered[first][0]}: what had ended is gone"
    return LogFiles(tuple(part for _, _, part in numbered[first:]), note)


def _parts(folder: Path) -> list[tuple[str | int, bool, Path]]:
    """Number, whether it is compacted, and path of each part, in order."""
    files = sorted(part for part in folder.iterdir() if part.is_file())
    for pattern in (_ROLLING, _OLD):
        found = [(match, part) for part in files if (match := pattern.match(part.name))]
        if found:
            numbered: list[tuple[str | int, bool, Path]] = [
                (int(match[1]), ".compact" in part.name, part) for match, part in found
            ]
            return sorted(numbered, key=lambda one: (one[0], one[1]))
    # Databricks dates the closed parts and writes on in `eventlog`.
    found = [(match, part) for part in files if (match := _DATABRICKS.fullmatch(part.name))]
    return [
        (match[1] or "last", False, part)
        for match, part in sorted(found, key=lambda one: (one[0][1] is None, one[0][1] or ""))
    ]
