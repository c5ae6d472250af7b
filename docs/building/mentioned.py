"""Classes that the public Python mentions in its signatures without making them public."""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from typing import Any, ForwardRef

INNER = "slotwise.heuristics.datacenter.engine."
"""The arrays that the compiled simulator works on are for its own eyes."""


@cache
def for_type_checkers(module: str) -> dict[str, str]:
    """Names that a module imports for type checkers only, and the modules they come from."""
    tree = ast.parse(inspect.getsource(sys.modules[module]))
    package = module if hasattr(sys.modules[module], "__path__") else module.rpartition(".")[0]
    found = {}
    for block in tree.body:
        if isinstance(block, ast.If) and ast.unparse(block.test) == "TYPE_CHECKING":
            for node in block.body:
                if isinstance(node, ast.ImportFrom) and node.level:
                    base = package.rsplit(".", node.level - 1)[0] if node.level > 1 else package
                    home = f"{base}.{node.module}" if node.module else base
                    found |= {alias.asname or alias.name: home for alias in node.names}
    return found


def value_of(name: str, module: str) -> Any:
    """What a name stands for in a module; None if nothing."""
    home = for_type_checkers(module).get(name)
    return getattr(sys.modules[module] if home is None else import_module(home), name, None)


def named(annotation: Any, module: str) -> Iterator[Any]:
    """What the names in an annotation stand for in a module."""
    if isinstance(annotation, ForwardRef):
        annotation = annotation.__forward_arg__
    if not isinstance(annotation, str):
        annotation = getattr(annotation, "__name__", "None")
    for node in ast.walk(ast.parse(annotation, mode="eval")):
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and node.value.isidentifier()
        ):
            node = ast.Name(node.value)
        if isinstance(node, ast.Name):
            yield value_of(node.id, module)


def signatures(value: Any) -> Iterator[tuple[str, Any]]:
    """Module and annotations of a function, or of a class, its public methods and properties."""
    if inspect.isfunction(value):
        yield from ((value.__module__, note) for note in value.__annotations__.values())
    elif inspect.isclass(value):
        for cls in value.__mro__:
            if cls.__module__.startswith("slotwise."):
                notes = inspect.get_annotations(cls)
                yield from (
                    (cls.__module__, note) for name, note in notes.items() if name[0] != "_"
                )
                for name, member in vars(cls).items():
                    if name[0] != "_":
                        for part in (member, getattr(member, "fget", None)):
                            yield from signatures(getattr(part, "__func__", part))


def raised(value: Any) -> Iterator[tuple[str, str]]:
    """Module and names of the errors that a function's docstring lists."""
    _, _, section = (inspect.getdoc(value) or "").partition("\nRaises\n------\n")
    if inspect.isfunction(value):
        yield from (
            (value.__module__, line)
            for line in section.split("\n\n")[0].splitlines()
            if line.isidentifier()
        )


def is_ours(module: str) -> bool:
    """Whether a reader may want to know the classes of a module."""
    return module.startswith("slotwise.") and not module.startswith(INNER)


def mentioned(public: list[Any]) -> dict[str, Any]:
    """Classes of the package that public things mention, however far away, by full name."""
    found: dict[str, Any] = {}
    waiting = list(public)
    while waiting:
        one = waiting.pop()
        notes = [*signatures(one), *raised(one)]
        for module, annotation in notes:
            for value in named(annotation, module):
                if inspect.isclass(value) and is_ours(value.__module__):
                    name = f"{value.__module__}.{value.__qualname__}"
                    if name not in found:
                        found[name] = value
                        waiting.append(value)
    return found
