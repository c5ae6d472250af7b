"""Functions of the user's own: `file.py:function` or `module:function`."""

from __future__ import annotations

import importlib
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

from ...core.errors import InputError, one_line
from ...core.registry import Entry
from .parameters import or_one_of
from .sources import digest_of, is_of_sources, run_sources, sources_of
from .study import MethodCall

FORM = re.compile(r"(?P<where>.+?):(?P<name>[A-Za-z_]\w*)")
NEED = "need 'file.py:function' or 'module:function'"


@dataclass(frozen=True)
class FoundFunction:
    """A function and what it consists of."""

    function: Any
    """The function, or an `Entry` that says what it understands."""
    digest: str
    """SHA-256 of the texts that it consists of."""
    folder: str = ""
    """Of one in a file: where it is."""
    sources: Mapping[str, str] = field(default_factory=dict)
    """Of one in a file: the texts by their names below `folder`."""


def find_function(target: str, folder: Path) -> FoundFunction:
    """Look a function up, and run the file that it is in.

    Raises `InputError` if there is none, or its file does not run.
    """
    parts = FORM.fullmatch(target)
    if parts is None:
        raise InputError(f"function: {NEED}, got {target!r}")
    where, name = parts["where"], parts["name"]
    if where.endswith(".py"):
        file = Path(os.path.normpath(folder.absolute() / where))
        if not file.is_file():
            raise InputError(f"function: no file {where!r} in {folder}")
        root, sources = str(file.parent), sources_of(file, file.parent)
        digest = digest_of(sources)
        module = _ran(where, lambda: run_sources(file.name, digest, root, sources))
        return FoundFunction(_function_in(module, name, where), digest, root, sources)
    if not all(part.isidentifier() for part in where.split(".")):
        raise InputError(f"function: {NEED}, got {target!r}")
    beside = (folder / f"{where}.py").is_file()
    module, digest = _installed(where, f": did you mean '{where}.py:{name}'?" if beside else "")
    return FoundFunction(_function_in(module, name, where), digest)


def load_function(method: MethodCall) -> Any:
    """The function of a call, from its sources: whatever has become of its file meanwhile.

    Raises `InputError` if an installed module is another one here.
    """
    where, _, name = method.name.rpartition(":")
    if method.sources:
        file = Path(where).name
        module = run_sources(file, method.digest, method.folder, method.sources)
    else:
        module, digest = _installed(where)
        if not method.digest == digest == _imported[where]:
            raise InputError(f"module {where!r} is another one here than where the study was read")
    return _function_in(module, name, where)


def _function_in(module: ModuleType, name: str, where: str) -> Any:
    function = getattr(module, name, None)
    if not callable(function) and not isinstance(function, Entry):
        own = [key for key, value in vars(module).items() if callable(value)]
        raise InputError(f"{where} has no function {name!r}{or_one_of(name, own, few=0)}")
    return function


_imported: dict[str, str] = {}
"""SHA-256 of the texts of installed modules when this process imported them: a worker may live on
while its files change."""


def _installed(where: str, hint: str = "") -> tuple[ModuleType, str]:
    """A module that Python finds by itself, and SHA-256 of the texts that it consists of."""
    top = where.split(".")[0]
    try:
        spec = find_spec(top) and find_spec(where)
    except ModuleNotFoundError:
        spec = None
    if spec is None or is_of_sources(spec) or not (spec.origin or "").endswith(".py"):
        raise InputError(f"function: no module {where!r} with a source file{hint}")
    module = _ran(where, lambda: importlib.import_module(where))
    origin = Path(str(spec.origin))
    is_package = origin.name == "__init__.py"
    root = origin.parents[where.count(".") + is_package]
    package = top if is_package or where != top else ""
    digest = digest_of(sources_of(origin, root, package))
    _imported.setdefault(where, digest)
    return module, digest


def _ran(where: str, load: Callable[[], ModuleType]) -> ModuleType:
    """What comes of running a file of the user's; whatever it raises is an `InputError`."""
    try:
        return load()
    except (Exception, SystemExit) as failure:
        raise InputError(one_line(f"{where}: {type(failure).__name__}: {failure}")) from failure
