"""Where machine code is kept between runs, and when it may be used.

numba's own cache would run old machine code after an edit of a helper or a constant in another
file, and two processes can choose one name for two results. Here a folder is named after all that
machine code depends on; in it every signature of a kernel has a file. What cannot be read is
compiled anew. This module does not import numba, so that looking for machine code is cheap.
"""

from __future__ import annotations

import os
import pickle
import re
import shutil
import sys
import uuid
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any

from ..notices import warning

PACKAGE = Path(__file__).resolve().parents[2]
LAYERS = ("core", "instances", "formulations", "heuristics", "solvers", "teaching")
"""The rooms whose sources machine code can depend on."""

LIBRARIES = ("numba", "llvmlite", "numpy")
SUFFIX = ".kernel"
CHECKSUM = sha256().digest_size
DIGITS = 24

_DECORATES = re.compile(rb"\n@(by_reference|counted|inlined|inner|kernel)\n")
_IMPORT = re.compile(r"^ *from (\.+)([\w.]*) import (\([^)]*\)|.*)", re.MULTILINE)


@cache
def sources() -> dict[str, bytes]:
    """The modules that have kernels and, of the same layers, all that they import, by path.

    Other modules have nothing that a kernel could use: machine code outlives an edit of them.
    """
    files = (file for layer in LAYERS for file in (PACKAGE / layer).rglob("*.py"))
    contents = {str(file): file.read_bytes() for file in files}
    covered: set[str] = set()
    found = {file for file, content in contents.items() if _DECORATES.search(content)}
    while found:
        covered |= found
        imported = [_imported(file, contents[file]) for file in found]
        found = set().union(*imported) & contents.keys() - covered
    return {file: contents[file] for file in sorted(covered)}


def _imported(file: str, content: bytes) -> set[str]:
    """The files that a module may import: every imported name is taken for a module as well."""
    files = set()
    for dots, module, names in _IMPORT.findall(content.decode()):
        base = "/".join([*file.split("/")[: -len(dots)], *filter(None, module.split("."))])
        files |= {f"{base}.py", f"{base}/__init__.py"}
        files |= {f"{base}/{name}.py" for name in re.findall(r"\w+", names)}
    return files


def is_covered(function: Callable[..., Any]) -> bool:
    """Whether an edit of a function, or of a kernel that it has in a closure, would be noticed."""
    held = [cell.cell_contents for cell in function.__closure__ or ()]
    kernels = [value.py_func for value in held if hasattr(value, "py_func")]
    file = os.path.realpath(function.__code__.co_filename)
    return file in sources() and all(map(is_covered, kernels))


@cache
def _folder_name() -> str:
    """What this Python makes for this package, then a digest of all that it depends on."""
    place = sha256(str(PACKAGE).encode()).hexdigest()[:8]
    digest = sha256(repr([sys.version, *map(version, LIBRARIES)]).encode())
    for file, content in sources().items():
        digest.update(f"{file} {len(content)} ".encode() + content)
    return f"kernels-{sys.implementation.cache_tag}-{place}-{digest.hexdigest()[:DIGITS]}"


def _folders() -> list[Path]:
    """Where machine code is looked for; it is kept in the first of them that is writable."""
    asked = os.environ.get("NUMBA_CACHE_DIR")
    places = [Path(asked)] if asked else []
    places.append(PACKAGE / "__pycache__")
    with suppress(RuntimeError):
        places.append(users_cache() / "slotwise")
    return [place / _folder_name() for place in places]


def users_cache() -> Path:
    """Raises `RuntimeError` for a user without a home."""
    named = os.environ.get("XDG_CACHE_HOME")
    return Path(named) if named else Path.home() / ".cache"


def _file_name(function: Callable[..., Any], digest: str) -> str:
    return f"{function.__module__}.{function.__qualname__}.{digest}{SUFFIX}"


def _entry(function: Callable[..., Any], key: Any) -> str:
    return _file_name(function, sha256(repr(key).encode()).hexdigest()[:DIGITS])


def is_kept(function: Callable[..., Any]) -> bool:
    """Whether there is machine code of a function, for whatever signature."""
    return any(any(folder.glob(_file_name(function, "*"))) for folder in _folders())


def load(function: Callable[..., Any], key: Any) -> Any:
    """What was saved under a key, None if there is nothing or it is damaged."""
    for folder in _folders():
        with suppress(OSError):
            content = (folder / _entry(function, key)).read_bytes()
            checksum, payload = content[:CHECKSUM], content[CHECKSUM:]
            if sha256(payload).digest() == checksum:
                saved, data = pickle.loads(payload)
                if saved == key:
                    return data
    return None


def save(function: Callable[..., Any], key: Any, payload: bytes) -> None:
    """Keep a pickled pair of key and data; if there is no place for it, a note says so."""
    reasons = []
    for folder in _folders():
        made = folder / f"{uuid.uuid4().hex}.tmp"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            _clear_beside(folder)
            made.write_bytes(sha256(payload).digest() + payload)
            made.replace(folder / _entry(function, key))
            return
        except OSError as error:
            reasons.append(error.strerror or str(error))
        finally:
            with suppress(OSError):
                made.unlink(missing_ok=True)
    warning(
        f"compiled code cannot be kept ({reasons[0]}), so every run compiles anew; "
        "NUMBA_CACHE_DIR can name a writable folder"
    )


@cache
def _clear_beside(folder: Path) -> None:
    """Once per process: remove machine code of other states of the package."""
    for other in folder.parent.glob(f"{folder.name[:-DIGITS]}*"):
        if other != folder:
            shutil.rmtree(other, ignore_errors=True)
