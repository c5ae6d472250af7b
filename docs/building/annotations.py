"""Types in the reference: the docstrings name parameters, the annotations say what they take."""

from __future__ import annotations

import ast
import inspect
import re
import typing
from collections.abc import Mapping
from typing import Any

from sphinx.util.typing import stringify_annotation

from .mentioned import value_of

ARRAYS = ("FloatArray", "IntArray", "BoolArray", "LevelArray")
"""Types of arrays, which `api/index` explains."""

NAME = re.compile(r"(?<![\w.'\"])[A-Za-z_][\w.]*")
ENTRY = re.compile(r"(?P<names>\**\w+(?:, \**\w+)*)(?: : (?P<type>.+))?")
TYPED_SECTIONS = {"Parameters", "Attributes", "Other Parameters"}


class _Plain(ast.NodeTransformer):
    """Annotations without what `Annotated` adds, and with the names in quotes as names."""

    def __init__(self, module: str) -> None:
        self.module = module

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        if ast.unparse(node.value) == "Annotated" and isinstance(node.slice, ast.Tuple):
            return self.visit(node.slice.elts[0])
        if ast.unparse(node.value) == "Literal":
            return node
        return self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        value = value_of(node.id, self.module)
        if typing.get_origin(value) is typing.Annotated:
            return ast.parse(stringify_annotation(value.__origin__), mode="eval").body
        return node

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        if isinstance(node.value, str):
            return self.visit(ast.parse(node.value, mode="eval").body)
        return node


def shown(annotation: str, module: str, names: Mapping[str, str]) -> str:
    """An annotation of a module as reStructuredText; `names` has the classes that can be linked."""

    def linked(found: re.Match[str]) -> str:
        name = found[0]
        if name in ARRAYS:
            return f"\\ :py:type:`{name}`\\ "
        value = value_of(name, module)
        full = f"{value.__module__}.{value.__qualname__}" if inspect.isclass(value) else name
        return f"\\ :py:class:`~{names[full]}`\\ " if full in names else name

    tree = _Plain(module).visit(ast.parse(annotation, mode="eval"))
    plain = ast.unparse(tree)
    text = NAME.sub(linked, plain)
    return f"``{plain}``" if text == plain else text.strip().removeprefix("\\ ").removesuffix("\\")


def annotations(value: Any) -> dict[str, tuple[str, str]]:
    """Annotation and module of every parameter and field of a function or a class."""
    found = {}
    for part in reversed(value.__mro__) if inspect.isclass(value) else [value]:
        for holder in (getattr(part, "__init__", None), part) if inspect.isclass(part) else [part]:
            for name, note in getattr(holder, "__annotations__", {}).items():
                note = note.__forward_arg__ if isinstance(note, typing.ForwardRef) else note
                if isinstance(note, str):
                    found[name] = (note, holder.__module__)
    return found


def one_name_each(lines: list[str]) -> None:
    """Give attributes that a docstring lists together, as `a, b : shape`, an entry each."""
    section, place = "", 0
    while place < len(lines):
        line = lines[place]
        if place + 1 < len(lines) and line and set(lines[place + 1]) == {"-"}:
            section = line
        found = ENTRY.fullmatch(line) if section == "Attributes" else None
        if found and ", " in found["names"]:
            end = place + 1
            while end < len(lines) and lines[end].startswith(" "):
                end += 1
            text = lines[place + 1 : end]
            kind = f" : {found['type']}" if found["type"] else ""
            lines[place:end] = [
                one for name in found["names"].split(", ") for one in (name + kind, *text)
            ]
        place += 1


def typed(value: Any, lines: list[str], names: Mapping[str, str]) -> None:
    """Add types to a numpydoc docstring; a shape that stands in their place goes to the text."""
    one_name_each(lines)
    notes = annotations(getattr(value, "__func__", value))
    section = ""
    for place, line in enumerate(lines):
        if place + 1 < len(lines) and line and set(lines[place + 1]) == {"-"}:
            section = line
        elif line.startswith((" ", "-")) or not line:
            continue
        elif section in TYPED_SECTIONS and (found := ENTRY.fullmatch(line)):
            note = notes.get(found["names"].partition(",")[0].lstrip("*"))
            lines[place] = found["names"] + (f" : {shown(*note, names)}" if note else "")
            if (found["type"] or "").startswith("(") and place + 1 < len(lines):
                lines[place + 1] = f"    {found['type']}: {lines[place + 1].strip()}"
        elif section == "Returns" and "return" in notes:
            lines[place] = shown(*notes["return"], names)
        elif section == "Raises":
            error = value_of(line, value.__module__)
            if inspect.isclass(error):
                lines[place] = names.get(f"{error.__module__}.{error.__qualname__}", line)
