"""The files that a user's function consists of: which they are, and how to run them from text.

What a function does depends on its file and on the files beside it that this one imports: its
sources. Files that are imported by a name made at run time, and data, are not seen.
"""

from __future__ import annotations

import ast
import hashlib
import sys
from collections.abc import Iterator, Mapping
from importlib.abc import MetaPathFinder, SourceLoader
from importlib.machinery import ModuleSpec
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

from ...core.errors import InputError
from ...core.files.inputs import read_text
from .identity import canonical


def digest_of(sources: Mapping[str, str]) -> str:
    """SHA-256 of sources."""
    return hashlib.sha256(canonical(sources).encode()).hexdigest()


def sources_of(file: Path, root: Path, package: str | None = None) -> dict[str, str]:
    """The texts of a file and of all below a folder that it imports, directly or not.

    `package`: the package that all of them belong to; empty for single files only, None for
    whatever is there.
    Returns the texts by their names below the folder, in the order of the names.
    Raises `InputError` if one of them is no Python.
    """
    sources: dict[str, str] = {}
    waiting = [file]
    while waiting:
        path = waiting.pop()
        name = path.relative_to(root).as_posix()
        if name in sources:
            continue
        sources[name] = read_text(path)
        for parts in _imported(_parsed(sources[name], name), path.relative_to(root).parent.parts):
            if package and parts[0] != package:
                continue
            files = list(_files_of(parts, root))
            if package != "" or [file.parent for file in files] == [root]:
                waiting += files
    return dict(sorted(sources.items()))


def run_sources(file: str, digest: str, folder: str, sources: Mapping[str, str]) -> ModuleType:
    """The module that sources make; it is made once in a process.

    `folder`: where they were, and may still be.
    """
    if (file, digest) in _modules:
        return _modules[file, digest]
    # Asked by `vars`: some modules import others when they are asked for an attribute.
    for name, loaded in list(sys.modules.items()):  # those of other sources by the same names
        if isinstance(vars(loaded).get("__loader__"), _Text):
            del sys.modules[name]
    finder = _Beside(Path(folder), sources)
    spec = finder.spec(f"{Path(file).stem}_{digest[:8]}", file)
    module = module_from_spec(spec)
    sys.modules[module.__name__] = module
    sys.meta_path.insert(0, finder)
    try:
        assert spec.loader is not None
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[module.__name__]
        sys.meta_path.remove(finder)
        raise
    # What the function imports later must not stand before modules of the same name elsewhere.
    sys.meta_path.remove(finder)
    sys.meta_path.append(finder)
    _modules[file, digest] = module
    return module


def is_of_sources(spec: ModuleSpec) -> bool:
    """Whether a module is one of sources, and not one that Python finds by itself."""
    return isinstance(spec.loader, _Text)


def _parsed(text: str, name: str) -> ast.AST:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError) as error:
        line = f"line {error.lineno}: " if isinstance(error, SyntaxError) else ""
        said = error.msg if isinstance(error, SyntaxError) else error
        raise InputError(f"{name}: {line}{type(error).__name__}: {said}") from None


def _imported(tree: ast.AST, package: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """The modules, as parts of their names, that a file of a package imports."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield tuple(alias.name.split("."))
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else ()
            base = (*above, *(node.module.split(".") if node.module else ()))
            for alias in node.names:
                yield (*base, alias.name)


def _files_of(parts: tuple[str, ...], root: Path) -> Iterator[Path]:
    """The files below a folder that the import of a module runs."""
    for length in range(1, len(parts) + 1):
        place = root.joinpath(*parts[:length])
        if (place / "__init__.py").is_file():
            yield place / "__init__.py"
        elif place.with_name(f"{place.name}.py").is_file():
            yield place.with_name(f"{place.name}.py")
            return


class _Text(SourceLoader):
    """Runs a text as a file. Compiled files, which may be of another text, are not looked at."""

    def __init__(self, file: Path, text: str) -> None:
        self._file, self._text = str(file), text

    def get_filename(self, fullname: str) -> str:
        return self._file

    def get_data(self, path: str) -> bytes:
        return self._text.encode()


class _Beside(MetaPathFinder):
    """Finds modules among sources."""

    def __init__(self, root: Path, sources: Mapping[str, str]) -> None:
        self.root, self.sources = root, sources

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        stem = fullname.replace(".", "/")
        for name in (f"{stem}/__init__.py", f"{stem}.py"):
            if name in self.sources:
                return self.spec(fullname, name)
        return None

    def spec(self, fullname: str, name: str) -> ModuleSpec:
        """How to load one of the sources."""
        file = self.root / name
        inside = [str(file.parent)] if file.name == "__init__.py" else None
        loader = _Text(file, self.sources[name])
        spec = spec_from_file_location(
            fullname, file, loader=loader, submodule_search_locations=inside
        )
        assert spec is not None
        return spec


_modules: dict[tuple[str, str], ModuleType] = {}
