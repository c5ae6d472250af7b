"""Audits that were made before: a folder of the user's cache, by content and all that was asked."""

from __future__ import annotations

import hashlib
import json
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from ...core.errors import InputError
from ...core.files.inputs import file_name
from ...core.files.outputs import write_bytes
from ...core.kernels.cache import users_cache
from ...experiments.engine.build import build_name
from ...experiments.study.study import Run
from ...report.history.document import FORMAT

MOST_DAYS = 30
"""Days after which an audit is thrown away."""

DAY = 86_400.0


class KeptAudits:
    """Audits as documents. No failure here ends a run: an audit that cannot be kept is made again.

    An audit belongs to the content of its history, to what was asked, with the time limit, and to
    the build of slotwise and its libraries.
    """

    def __init__(self) -> None:
        self.folder: Path | None = None
        with suppress(OSError, RuntimeError):
            folder = users_cache() / "slotwise" / "audits"
            folder.mkdir(0o700, parents=True, exist_ok=True)
            self.folder = folder

    def load(self, run: Run) -> dict[str, Any] | None:
        """The audit of a history, None if there is none."""
        if self.folder is None:
            return None
        with suppress(OSError, ValueError):
            document: dict[str, Any] = json.loads(self._file(self.folder, run).read_bytes())
            if document["key"] == self._key(run) and document["audit"]["format"] == FORMAT:
                return dict(document["audit"])
        return None

    def save(self, run: Run, audit: dict[str, Any]) -> None:
        """Keep an audit."""
        if self.folder is None:
            return
        content = json.dumps({"key": self._key(run), "audit": audit}).encode()
        with suppress(OSError, InputError):
            self._clear(self.folder)
            write_bytes(self._file(self.folder, run), content)

    def _key(self, run: Run) -> list[str]:
        return [run.id, file_name(run.instance.path), build_name()]

    def _file(self, folder: Path, run: Run) -> Path:
        digest = hashlib.sha256(json.dumps(self._key(run)).encode())
        return folder / f"{digest.hexdigest()[:32]}.json"

    def _clear(self, folder: Path) -> None:
        """Throw old ones away."""
        for file in folder.glob("*.json"):
            with suppress(OSError):
                if file.stat().st_mtime < time.time() - MOST_DAYS * DAY:
                    file.unlink()
