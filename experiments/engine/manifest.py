"""The manifest of a folder: with what, where and when its runs were made."""

from __future__ import annotations

import json
import os
import platform
import sys
from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from ...core.errors import InputError
from ...core.files.outputs import write_bytes
from ..study.study import Study
from .build import LIBRARIES, build, installed
from .record import Record

NAME = "manifest.json"

TOOLS = ("joblib", "distributed", "pandas", "pyarrow", "matplotlib")
"""Libraries that make no results."""


class Manifest:
    """The manifest of a folder, with an entry for the session that begins now.

    `settings`: what the session runs with: workers, threads, backend, the file of the study.
    """

    def __init__(self, folder: Path, study: Study, settings: Mapping[str, Any]) -> None:
        self.path, self.study = folder / NAME, study
        sessions = read_manifest(folder).get("sessions", [])
        for session in sessions:
            if session.get("end") is None:
                session["ended"] = "killed"
        self.session: dict[str, Any] = {
            "start": _now(), "end": None, "ended": "running", "build": build(), **settings,
        }  # fmt: skip
        self.sessions = [*sessions, self.session]

    def write(self, records: Mapping[str, Record], ended: str = "running") -> None:
        """Write the manifest.

        `ended`: how the session ended, if it has.
        """
        own = [records[run.id] for run in self.study.runs if run.id in records]
        self.session["ended"] = ended
        self.session["end"] = None if ended == "running" else _now()
        document = {
            "format": "slotwise/campaign/1",
            "study": self.study.name,
            "build": build(),
            "versions": {"python": platform.python_version(), **installed((*LIBRARIES, *TOOLS))},
            "machine": _machine(),
            "seeds": self.study.seeds,
            "runs": {
                "all": len(self.study.runs),
                "ended": len(own),
                "failed": sum(record.failed for record in own),
                "by_status": dict(sorted(Counter(record.status for record in own).items())),
            },
            "cpu_seconds": round(sum(record.cpu_seconds for record in own), 3),
            "sessions": self.sessions,
        }
        write_bytes(self.path, json.dumps(document, indent=1).encode() + b"\n")


def read_manifest(folder: Path) -> dict[str, Any]:
    """The manifest of a folder, empty if there is none.

    Raises `InputError` if it cannot be read.
    """
    path = folder / NAME
    try:
        document = json.loads(path.read_bytes())
    except FileNotFoundError:
        return {}
    except OSError as failure:
        raise InputError(f"{path}: {failure.strerror}") from None
    except ValueError:
        raise InputError(f"{path}: not JSON; move it away to go on without it") from None
    if not isinstance(document, dict):
        raise InputError(f"{path}: no manifest; move it away to go on without it")
    return document


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


@cache
def _machine() -> dict[str, Any]:
    return {
        "host": platform.node(),
        "system": platform.platform(),
        "processor": _processor(),
        "cores": os.cpu_count(),
        "byte_order": sys.byteorder,
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(errors="replace").splitlines()
    except OSError:
        return platform.processor()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()
