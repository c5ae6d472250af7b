"""Where compiled kernels are kept between runs, and when what is kept may be used.

numba's own cache looks only at the file of the kernel that is called, so it would run old machine
code after an edit of a helper or a constant elsewhere. Here every entry carries the digest of all
sources that can have kernels or what they use: after any edit none is found. numba adds the
processor and the types of the arguments.

An entry is one file with its key and a checksum in it, written under another name and renamed:
runs at the same time see whole entries or none. Nothing that goes wrong here ends a run; without a
usable entry the kernel is compiled.
"""

from __future__ import annotations

import hashlib
import logging
import os
import pickle
import re
import stat
import sys
import tempfile
import time
import uuid
from contextlib import suppress
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import llvmlite
import numpy as np
from numba import __version__ as numba_version
from numba.core import caching, config

LAYERS = ("instances", "formulations", "heuristics", "solvers")
"""The packages whose sources can be part of the digest."""

SETTINGS = ("OPT", "BOUNDSCHECK", "LOOP_VECTORIZE", "SLP_VECTORIZE", "DEBUGINFO_DEFAULT")
"""Of numba, from the environment, that change the machine code."""

SUFFIX = ".kernel"
UNFINISHED = ".tmp"
TAG = f"{sys.implementation.cache_tag}{getattr(sys, 'abiflags', '')}"
STAMP = 16
"""Characters of the stamp in an entry's name; the whole of it is inside."""

CHECKSUM = hashlib.sha256().digest_size
A_DAY = 86_400.0

_DECORATES = b"kernels import"
_IMPORT = re.compile(r"^ *from (\.+)([\w.]*) import (\([^)]*\)|.*)", re.MULTILINE)
_NAME = re.compile(r"\w+")

_PACKAGE = Path(__file__).resolve().parent.parent
_log = logging.getLogger("slotwise")
_caching: Any = caching


@cache
def source_digest() -> str:
    """Of all sources that machine code may depend on, and of what compiles them."""
    versions = (sys.version, numba_version, llvmlite.__version__, np.__version__)
    digest = hashlib.sha256(repr(versions).encode())
    digest.update(repr([getattr(config, name, None) for name in SETTINGS]).encode())
    for file, content in sorted(sources().items()):
        _add(digest, content, str(file.relative_to(_PACKAGE)))
    return digest.hexdigest()


def sources() -> dict[Path, bytes]:
    """The modules that have kernels and, of the same layers, all that they import, at any remove.

    Other modules have nothing that a kernel could use: editing them leaves the entries valid.
    """
    files = (file for layer in LAYERS for file in (_PACKAGE / layer).rglob("*.py"))
    contents = {file: file.read_bytes() for file in files}
    found = {file for file, content in contents.items() if _DECORATES in content}
    open_ends = list(found)
    while open_ends:
        file = open_ends.pop()
        new = _imported(file, contents[file]) & contents.keys() - found
        found |= new
        open_ends.extend(new)
    return {file: contents[file] for file in found}


def _imported(file: Path, content: bytes) -> set[Path]:
    """What may be the modules that a module imports: all names are taken for modules, too."""
    paths = set()
    for dots, module, names in _IMPORT.findall(content.decode()):
        base = file.parents[len(dots) - 1].joinpath(*module.split("."))
        paths |= {base.with_suffix(".py"), base / "__init__.py"}
        paths |= {base / f"{name}.py" for name in _NAME.findall(names)}
    return paths


def _add(digest: Any, content: bytes, name: str) -> None:
    digest.update(f"{name} {len(content)} ".encode() + content)


class KernelCache(_caching.FunctionCache):  # type: ignore[misc]
    """The entries of one kernel, looked for when it is first called."""

    def __init__(self, function: Any) -> None:
        # Not numba's own, which looks for a folder at once and fails where there is none.
        self._name = repr(function)
        self._py_func = function
        self.enable()

    @property
    def cache_path(self) -> str | None:
        """The folder of the entries, None if they are not kept."""
        return None if self._cache_file is None else str(self._cache_file.folder)

    @cached_property
    def _impl(self) -> Any:
        return _Implementation(self._py_func)

    @cached_property
    def _cache_file(self) -> Entries | None:
        try:
            locator = self._impl.locator
            digest = hashlib.sha256(source_digest().encode())
            file = Path(self._py_func.__code__.co_filename).resolve()
            inside = any(_PACKAGE / layer in file.parents for layer in LAYERS)
            if not inside:
                _add(digest, file.read_bytes(), "")
            folder = Path(locator.get_cache_path())
            base = self._impl.filename_base
            module = "*" if inside else base.split(".")[0]
            return Entries(folder, base, module, digest.hexdigest())
        except (OSError, RuntimeError):
            _tell(
                "compiled code cannot be kept, so every run compiles anew; NUMBA_CACHE_DIR can "
                "name a writable folder"
            )
            return None

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The kernel for these types, None if there is no entry that can be used."""
        if self._cache_file is None:
            return None
        try:
            return super().load_overload(sig, target_context)
        except Exception:
            # An entry that numba cannot read is as good as none; the next one replaces it.
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep the kernel for these types, if there is room."""
        if self._cache_file is None:
            return
        try:
            super().save_overload(sig, data)
            if isinstance(self._impl.locator, _TemporaryLocator):
                _tell(
                    f"compiled code is kept in {self._cache_file.folder.parent}, as nowhere else "
                    "is writable; NUMBA_CACHE_DIR can name another folder"
                )
        except OSError as error:
            self._cache_file = None
            _tell(
                f"compiled code cannot be kept ({error.strerror or error}), so the next run "
                "compiles anew"
            )

    def flush(self) -> None:
        """Forget all entries."""
        if self._cache_file is not None:
            self._cache_file.clear()


class _TemporaryLocator(_caching.UserWideCacheLocator):  # type: ignore[misc]
    """A folder of the user's own among the temporary files.

    Entries are pickles: the folder must be one that nobody else can write to.
    """

    def __init__(self, function: Any, file: str) -> None:
        super().__init__(function, file)
        root = Path(tempfile.gettempdir()) / f"slotwise-{os.getuid()}"
        root.mkdir(mode=0o700, exist_ok=True)
        found = root.lstat()
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o077:
            raise OSError(f"{root} is not a private folder")
        self._cache_path = str(root / self.get_suitable_cache_subpath(file))

    @classmethod
    def from_function(cls, function: Any, file: str) -> Any:
        """None where there is no such folder."""
        if not hasattr(os, "getuid"):
            return None
        try:
            return super().from_function(function, file)
        except OSError:
            return None


class _Implementation(_caching.CompileResultCacheImpl):  # type: ignore[misc]
    _locator_classes = [*_caching.CacheImpl._locator_classes, _TemporaryLocator]

    def get_filename_base(self, fullname: str, abiflags: str) -> str:
        """Without the number of a line: a kernel that moves keeps its name."""
        name = fullname.replace("<", "").replace(">", "")
        return f"{name}.{TAG}"


class Entries:
    """Files `base.tag.stamp.key.kernel` of a kernel; `modules` in the folder share the stamp."""

    _cleared: set[tuple[Path, str]] = set()

    def __init__(self, folder: Path, base: str, modules: str, stamp: str) -> None:
        self.folder = folder
        self._base = base
        self._modules = modules
        self._stamp = stamp

    def load(self, key: Any) -> Any:
        """What was saved under the key, None if nothing was or it is damaged."""
        try:
            content = self._file(key).read_bytes()
        except FileNotFoundError:
            return None
        checksum, payload = content[:CHECKSUM], content[CHECKSUM:]
        if hashlib.sha256(payload).digest() != checksum:
            return None
        stamp, saved, data = pickle.loads(payload)
        return data if (stamp, saved) == (self._stamp, key) else None

    def save(self, key: Any, data: Any) -> None:
        """Keep data under the key."""
        self._clear_stale()
        payload = _caching.dumps((self._stamp, key, data))
        file = self._file(key)
        made = file.with_name(f"{file.name}.{uuid.uuid4().hex[:16]}{UNFINISHED}")
        try:
            made.write_bytes(hashlib.sha256(payload).digest() + payload)
            made.replace(file)
        except BaseException:
            made.unlink(missing_ok=True)
            raise

    def clear(self) -> None:
        """Remove all entries of the kernel."""
        for file in self.folder.glob(f"{self._base}.*{SUFFIX}"):
            file.unlink(missing_ok=True)

    def _clear_stale(self) -> None:
        """Once per process: remove entries with another stamp, and what killed runs left."""
        if (self.folder, self._modules) in self._cleared:
            return
        self._cleared.add((self.folder, self._modules))
        for file in self.folder.glob(f"{self._modules}.*.{TAG}.*{SUFFIX}"):
            if f".{TAG}.{self._stamp[:STAMP]}." not in file.name:
                file.unlink(missing_ok=True)
        for file in self.folder.glob(f"{self._modules}.*{UNFINISHED}"):
            with suppress(FileNotFoundError):
                if file.stat().st_mtime < time.time() - A_DAY:
                    file.unlink()

    def _file(self, key: Any) -> Path:
        signature, target, _ = key
        short = hashlib.sha256(f"{signature} {target}".encode()).hexdigest()[:16]
        return self.folder / f"{self._base}.{self._stamp[:STAMP]}.{short}{SUFFIX}"


@cache
def _tell(message: str) -> None:
    """Once per process, to whoever listens to the logger `slotwise`, else on stderr."""
    _log.warning("note: %s", message)
