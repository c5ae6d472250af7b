"""Where machine code is kept between runs, and when it may be used.

The cache of numba checks only the file of the kernel that is called, so it would run old machine
code after an edit of a helper or a constant elsewhere. Here every entry carries the digest of all
modules that have kernels and of all that these import; after an edit of any of them no entry is
found. numba adds the processor and the types of the arguments.

An entry is one file with its key and a checksum in it. It is written under another name and
renamed, so that concurrent runs see whole entries or none. What one process compiles, others wait
for. No failure here ends a run; without a usable entry the kernel is compiled. This module does not
import numba, so that checking for an entry is cheap.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import re
import stat
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache, cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Any

from ..notices import progress, warning

LAYERS = ("core", "instances", "formulations", "heuristics", "solvers", "teaching")
"""The packages whose sources can be part of the digest."""

LIBRARIES = ("numba", "llvmlite", "numpy")
SETTINGS = ("OPT", "BOUNDSCHECK", "LOOP_VECTORIZE", "SLP_VECTORIZE", "DEBUGINFO")
"""Settings of numba in the environment that change the machine code."""

SUFFIX = ".kernel"
UNFINISHED = ".tmp"
TAG = f"{sys.implementation.cache_tag}{getattr(sys, 'abiflags', '')}"
STAMP = 16
"""Characters of the stamp in an entry's name; the entry holds all of it."""

PATIENCE = 0.7
"""Seconds of compiling, or of waiting for it, after which the user is told about it."""

TURN = 60.0
"""Seconds that a process waits for another's entry: it may be suspended, or on a slow machine."""

CHECKSUM = hashlib.sha256().digest_size
SECONDS_PER_DAY = 86_400.0

_DECORATES = re.compile(
    rb"kernels\.decorators import .*\b(by_reference|counted|inlined|inner|kernel)\b"
)
_IMPORT = re.compile(r"^ *from (\.+)([\w.]*) import (\([^)]*\)|.*)", re.MULTILINE)
_NAME = re.compile(r"\w+")

_PACKAGE = Path(__file__).resolve().parents[2]


@cache
def source_digest() -> str:
    """Digest of all sources that machine code may depend on, and of what compiles them."""
    versions = [sys.version, *map(version, LIBRARIES)]
    settings = [os.environ.get(f"NUMBA_{name}") for name in SETTINGS]
    digest = hashlib.sha256(repr((versions, settings)).encode())
    for file, content in sorted(sources().items()):
        _add(digest, content, str(file.relative_to(_PACKAGE)))
    return digest.hexdigest()


def sources() -> dict[Path, bytes]:
    """The modules that have kernels and, of the same layers, all that they import, directly or not.

    Other modules have nothing that a kernel could use: editing them leaves the entries valid.
    """
    files = (file for layer in LAYERS for file in (_PACKAGE / layer).rglob("*.py"))
    contents = {file: file.read_bytes() for file in files}
    covered = {file for file, content in contents.items() if _DECORATES.search(content)}
    open_ends = list(covered)
    while open_ends:
        file = open_ends.pop()
        new = _imported(file, contents[file]) & contents.keys() - covered
        covered |= new
        open_ends.extend(new)
    return {file: contents[file] for file in covered}


def _imported(file: Path, content: bytes) -> set[Path]:
    """The modules that a module may import: every imported name is taken for a module as well."""
    paths = set()
    for dots, module, names in _IMPORT.findall(content.decode()):
        base = file.parents[len(dots) - 1].joinpath(*module.split("."))
        paths |= {base.with_suffix(".py"), base / "__init__.py"}
        paths |= {base / f"{name}.py" for name in _NAME.findall(names)}
    return paths


def _add(digest: Any, content: bytes, name: str) -> None:
    digest.update(f"{name} {len(content)} ".encode() + content)


class Entries:
    """The kept machine code of one function: files `module.function.tag.stamp.key.kernel`.

    Entries are looked for in the folder that NUMBA_CACHE_DIR names, beside the module, in the
    user's cache and among the temporary files, and kept in the first of these that is writable.
    """

    _cleared: set[Path] = set()
    _waits = sys.platform != "win32"

    def __init__(self, function: Callable[..., Any]) -> None:
        self._file = Path(function.__code__.co_filename).resolve()
        self._name = re.sub("[<>]", "", f"{self._file.stem}.{function.__qualname__}.{TAG}")

    def exist(self) -> bool:
        """Whether there is any entry made from the present sources."""
        pattern = f"{self._name}.{self._stamp[:STAMP]}.*{SUFFIX}"
        return any(next(folder.glob(pattern), None) for folder in self._folders)

    def load(self, key: Any) -> Any:
        """The data saved under a key, None if there is none or it is damaged."""
        for folder in self._folders:
            try:
                content = (folder / self._entry(key)).read_bytes()
            except OSError:
                continue
            checksum, payload = content[:CHECKSUM], content[CHECKSUM:]
            if hashlib.sha256(payload).digest() == checksum:
                stamp, saved, data = pickle.loads(payload)
                if (stamp, saved) == (self._stamp, key):
                    return data
        return None

    def save(self, key: Any, data: Any, dumps: Callable[[Any], bytes] = pickle.dumps) -> None:
        """Keep data under a key; if there is no place for it, a note says so."""
        folder = self._writable
        if folder is None:
            warning(
                "compiled code cannot be kept, so every run compiles anew; NUMBA_CACHE_DIR can "
                "name a writable folder"
            )
            return
        if folder is self._folders[-1]:
            warning(
                f"compiled code is kept in {folder.parent}, as nowhere else is writable; "
                "NUMBA_CACHE_DIR can name another folder"
            )
        file = folder / self._entry(key)
        made = file.with_name(f"{file.name}.{uuid.uuid4().hex[:16]}{UNFINISHED}")
        payload = dumps((self._stamp, key, data))
        try:
            self._clear_stale(folder)
            made.write_bytes(hashlib.sha256(payload).digest() + payload)
            made.replace(file)
        except OSError as error:
            warning(
                f"compiled code cannot be kept ({error.strerror or error}), so the next run "
                "compiles anew"
            )
        finally:
            with suppress(OSError):
                made.unlink(missing_ok=True)

    @contextmanager
    def turn(self, key: Any) -> Iterator[None]:
        """Within it, no other process is in its turn for this key, but if that takes too long.

        The lock is the system's and ends with the process that holds it; what is left then is an
        empty file.
        """
        folder = self._writable if self._waits else None
        if folder is None:
            yield
            return
        file = folder / f"{self._entry(key)}{UNFINISHED}"
        try:
            with open(file, "a") as held:
                self._wait_for(held)
                yield
        finally:
            # Whoever waits for a file that is gone finds the entry, or compiles as well.
            with suppress(OSError):
                file.unlink()

    def _wait_for(self, file: Any) -> None:
        """After one wait in vain a process waits no more."""
        import fcntl

        began = time.monotonic()
        while Entries._waits:
            try:
                fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return
            except (BlockingIOError, PermissionError):
                waited = time.monotonic() - began
                Entries._waits = waited < TURN
                if waited > PATIENCE:
                    _tell_of_waiting()
                time.sleep(0.02)
            except OSError:  # a file system without locks
                Entries._waits = False

    def clear(self) -> None:
        for folder in self._folders:
            for file in folder.glob(f"{self._name}.*{SUFFIX}"):
                file.unlink(missing_ok=True)

    @cached_property
    def _inside(self) -> bool:
        return any(_PACKAGE / layer in self._file.parents for layer in LAYERS)

    @cached_property
    def _stamp(self) -> str:
        digest = hashlib.sha256(source_digest().encode())
        if not self._inside:
            _add(digest, self._file.read_bytes(), "")
        return digest.hexdigest()

    @cached_property
    def _folders(self) -> list[Path]:
        """Places to look in, best first; the last one is a fallback."""
        source = self._file.parent
        name = f"{source.name}_{hashlib.sha256(str(source).encode()).hexdigest()[:32]}"
        asked = os.environ.get("NUMBA_CACHE_DIR")
        folders = [] if not asked else [Path(asked) / name]
        folders += [source / "__pycache__"]
        with suppress(RuntimeError):
            folders += [users_cache() / "slotwise" / name]
        return [*folders, Path(tempfile.gettempdir()) / f"slotwise-{_user()}" / name]

    @cached_property
    def _writable(self) -> Path | None:
        for folder in self._folders:
            with suppress(OSError):
                if folder is self._folders[-1]:
                    _make_private(folder.parent)
                folder.mkdir(parents=True, exist_ok=True)
                tempfile.TemporaryFile(dir=folder).close()
                return folder
        return None

    def _clear_stale(self, folder: Path) -> None:
        """Once per process: remove entries with another stamp, and files left by interrupted runs.

        All modules of the package share a stamp; others have their own.
        """
        modules = "*" if self._inside else self._file.stem
        if folder / modules in self._cleared:
            return
        self._cleared.add(folder / modules)
        for file in folder.glob(f"{modules}.*.{TAG}.*{SUFFIX}"):
            if f".{TAG}.{self._stamp[:STAMP]}." not in file.name:
                file.unlink(missing_ok=True)
        for file in folder.glob(f"{modules}.*{UNFINISHED}"):
            with suppress(FileNotFoundError):
                if file.stat().st_mtime < time.time() - SECONDS_PER_DAY:
                    file.unlink()

    def _entry(self, key: Any) -> str:
        signature, target, _ = key
        short = hashlib.sha256(f"{signature} {target}".encode()).hexdigest()[:16]
        return f"{self._name}.{self._stamp[:STAMP]}.{short}{SUFFIX}"


@cache
def _tell_of_waiting() -> None:
    progress("waiting for another run that compiles what this one needs")


def users_cache() -> Path:
    """Raises `RuntimeError` for a user without a home."""
    named = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    return Path(named) if named else Path.home() / ".cache"


def _user() -> str:
    return str(os.getuid()) if hasattr(os, "getuid") else "user"


def _make_private(folder: Path) -> None:
    """Make a folder that nobody else can write to, as entries are pickles; else `OSError`."""
    folder.mkdir(mode=0o700, exist_ok=True)
    status = folder.lstat()
    mine = not hasattr(os, "getuid") or (
        status.st_uid == os.getuid() and not status.st_mode & 0o077
    )
    if not (stat.S_ISDIR(status.st_mode) and mine):
        raise OSError(f"{folder} is not a private folder")
