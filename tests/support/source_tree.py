"""The package's source as data: modules, what each imports, functions and their sizes.

Everything is read with `ast`, nothing is imported, so that an import within a function or for type
checking counts as much as one at the top.
"""

import ast
import subprocess
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

NOT_THE_PACKAGE = {"benchmarks", "build", "dist", "docs", "examples", "tests"}
"""Top-level folders that hold no module of the package; so do those with a dot."""

LAYERS = {
    "verify": -1,
    "core": 0,
    "instances": 1,
    "formulations": 2,
    "heuristics": 2,
    "solvers": 3,
    "report": 4,
    "experiments": 5,
    "teaching": 5,
    "commands": 6,
}
"""Height of each layer. What lies beside them (`cli`, the public API) may import all."""

TOP = 7

FAMILIES = {"mapreduce", "datacenter", "hierarchy", "history"}
"""Folders of the families of problem and of logged runs; in each layer they know nothing of one
another."""

COMPILED = {"by_reference", "kernel", "inner", "inlined", "counted", "overload"}
"""Decorators of functions that numba compiles, which may be long and take many arrays."""


@dataclass(frozen=True)
class Function:
    """One function: `module:Class.name`, its lines without docstring, how many arguments it takes.

    `public` is whether no part of its name begins with an underscore and it stands in no other
    function.
    """

    name: str
    lines: int
    arguments: int
    public: bool


def project_files(root: Path) -> list[Path]:
    """The project's own files: what git tracks, else what the sdist lists, else all there are.

    So nothing that a user leaves in a clone counts, whatever it is called.
    """
    ask = ["git", "-c", "safe.directory=*", "-C", str(root), "ls-files", "-z"]
    listed = root / "slotwise.egg-info" / "SOURCES.txt"
    try:
        names = subprocess.run(ask, capture_output=True, text=True, check=True).stdout.split("\0")
    except (OSError, subprocess.CalledProcessError):
        names = []
    if not any(names):
        names = (
            listed.read_text(encoding="utf-8").splitlines()
            if listed.is_file()
            else [path.relative_to(root).as_posix() for path in root.rglob("*")]
        )
    return sorted(path for name in filter(None, names) if (path := root / name).is_file())


def files_below(root: Path, pattern: str) -> list[Path]:
    """The project's own files that a pattern fits, such as `docs/**/*.md`."""
    return sorted(set(root.glob(pattern)).intersection(project_files(root)))


def module_files(root: Path) -> dict[str, Path]:
    """Files of all modules by dotted name below the package, whose own name is empty."""
    found = {}
    for path in project_files(root):
        parts = path.relative_to(root).with_suffix("").parts
        hidden = any(part.startswith(".") for part in parts)
        if path.suffix != ".py" or parts[0] in NOT_THE_PACKAGE or hidden:
            continue
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports(root: Path) -> dict[str, set[str]]:
    """What every module imports from the package, wherever in its text."""
    files = module_files(root)
    found: dict[str, set[str]] = {}
    for name, path in files.items():
        package = name if path.name == "__init__.py" else name.rpartition(".")[0]
        found[name] = {
            target
            for statement in _import_statements(path.read_text(encoding="utf-8"))
            for target in _targets(statement, package, root.name, files)
            if target != name
        }
    return found


@cache
def _import_statements(text: str) -> list[ast.Import | ast.ImportFrom]:
    """Found once, as several rules ask for them."""
    return [n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Import | ast.ImportFrom)]


def _targets(
    node: ast.Import | ast.ImportFrom, package: str, whole: str, files: dict[str, Path]
) -> Iterator[str]:
    """Modules that a statement imports: of `from . import a`, `a` if it is one, else the package.

    Absolute imports of the package count, whatever the folder of the checkout is called.
    """
    if isinstance(node, ast.Import):
        for alias in node.names:
            first, _, rest = alias.name.partition(".")
            if first in {"slotwise", whole}:
                yield rest
    else:
        if node.level:
            above = package.split(".")[: package.count(".") + 2 - node.level] if package else []
            base = ".".join([*above, *filter(None, [node.module])])
        else:
            first, _, base = str(node.module).partition(".")
            if first not in {"slotwise", whole}:
                return
        for alias in node.names:
            inside = f"{base}.{alias.name}".strip(".")
            yield inside if inside in files else base


def _layer(module: str) -> str:
    first = module.partition(".")[0]
    return "verify" if first.startswith("verify_") else first


def height(module: str) -> int:
    """How high the layer of a module stands."""
    return LAYERS.get(_layer(module), TOP)


def wrong_ways(root: Path) -> list[str]:
    """Imports that run upwards, or from one layer to another one beside it."""
    return [
        f"{module} imports {target or 'the package itself'}"
        for module, targets in imports(root).items()
        for target in sorted(targets)
        if height(target) > height(module)
        or (height(target) == height(module) < TOP and _layer(target) != _layer(module))
    ]


def family(module: str) -> str | None:
    """The family of problem whose folder a module is in, None if it is in none."""
    return next((part for part in module.split(".")[:-1] if part in FAMILIES), None)


def across_families(root: Path) -> list[str]:
    """Imports from one family of problem to another."""
    files = module_files(root)

    def own(module: str) -> str | None:
        # A package is in its folder, as the modules in it are.
        is_package = module in files and files[module].name == "__init__.py"
        return family(f"{module}.__init__" if is_package else module)

    return [
        f"{module} imports {target}"
        for module, targets in imports(root).items()
        for target in sorted(targets)
        if own(module) and own(target) and own(module) != own(target)
    ]


def files_in_rooms(root: Path) -> dict[str, int]:
    """How many modules lie flat in each folder, without its `__init__`."""
    return Counter(
        path.parent.relative_to(root).as_posix()
        for path in module_files(root).values()
        if path.name != "__init__.py"
    )


def packages(root: Path, name: str) -> set[str]:
    """Dotted names of all folders with modules, below a package called `name`."""
    return {
        ".".join([name, *path.parent.relative_to(root).parts])
        for path in module_files(root).values()
    }


def functions(root: Path) -> Iterator[Function]:
    """All functions that are not compiled, those within others and in classes too."""
    for module, path in module_files(root).items():
        yield from _functions_in(f"{module or '__init__'}:", path.read_text(encoding="utf-8"))


@cache
def _functions_in(module: str, text: str) -> list[Function]:
    return list(_functions(ast.parse(text), module, public=True))


def _functions(node: ast.AST, within: str, *, public: bool) -> Iterator[Function]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            if COMPILED & {_called(decorator) for decorator in child.decorator_list}:
                continue
            name = within + child.name
            is_public = public and (child.name == "__init__" or child.name[0] != "_")
            yield Function(name, _lines(child), _arguments(child), is_public)
            yield from _functions(child, f"{name}.", public=False)
        elif isinstance(child, ast.ClassDef):
            is_public = public and child.name[0] != "_"
            yield from _functions(child, f"{within}{child.name}.", public=is_public)
        else:
            yield from _functions(child, within, public=public)


def _called(decorator: ast.expr) -> str:
    """The last name of a decorator, called or not."""
    if isinstance(decorator, ast.Call):
        decorator = decorator.func
    return ast.unparse(decorator).rpartition(".")[2]


def _lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    assert function.end_lineno is not None
    lines = function.end_lineno - function.lineno + 1
    if ast.get_docstring(function) is not None:
        text = function.body[0]
        assert text.end_lineno is not None
        lines -= text.end_lineno - text.lineno + 1
    return lines


def _arguments(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    given = function.args
    names = [argument.arg for argument in (*given.posonlyargs, *given.args, *given.kwonlyargs)]
    return len(names) - (names[:1] in (["self"], ["cls"]))
