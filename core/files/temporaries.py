"""Temporary files and folders that are removed even if the process ends during its work."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_to_remove: set[str] = set()


@contextmanager
def removed_afterwards(path: str | Path) -> Iterator[None]:
    """Remove `path`, if it exists, at the end of the context or of the process."""
    name = os.fspath(path)
    _to_remove.add(name)
    try:
        yield
    finally:
        _remove(name)
        _to_remove.discard(name)


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """A temporary folder, as `tempfile.TemporaryDirectory`."""
    import tempfile

    folder = tempfile.mkdtemp(prefix="slotwise-")
    with removed_afterwards(folder):
        yield Path(folder)


def remove_all() -> None:
    """Remove everything that is left, for a process that ends now."""
    for name in list(_to_remove):
        _remove(name)


def _remove(name: str) -> None:
    with suppress(OSError):
        if os.path.isdir(name):
            import shutil

            shutil.rmtree(name, ignore_errors=True)
        else:
            os.unlink(name)
