"""The reference of the public Python: autodoc, with links to the classes of the package."""

from __future__ import annotations

import ast
import inspect
import re
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.docutils import SphinxDirective
from sphinx.util.nodes import find_pending_xref_condition

import slotwise


def full_name(cls: type) -> str:
    """Module and name of a class."""
    return f"{cls.__module__}.{cls.__qualname__}"


PUBLIC = [getattr(slotwise, name) for name in slotwise.__all__]
PUBLIC_NAMES = {
    full_name(value): f"slotwise.{name}"
    for name, value in zip(slotwise.__all__, PUBLIC, strict=True)
    if inspect.isclass(value)
}


def import_for_types() -> None:
    """Import what modules import for type checkers only: annotations name it."""
    done: set[str] = set()
    while new := {name for name in sys.modules if name.startswith("slotwise.")} - done:
        for name in new:
            for block in ast.parse(Path(sys.modules[name].__file__ or "").read_bytes()).body:
                if isinstance(block, ast.If) and ast.unparse(block.test) == "TYPE_CHECKING":
                    with suppress(ImportError):
                        exec(ast.unparse(ast.Module(block.body, [])), vars(sys.modules[name]))
        done |= new


def annotations(thing: Any) -> Iterator[tuple[str, str]]:
    """Module and text of each annotation of a function, or of a class and what is public in it."""
    if inspect.isfunction(thing):
        yield from ((thing.__module__, str(note)) for note in thing.__annotations__.values())
    elif inspect.isclass(thing):
        for cls in thing.__mro__:
            if cls.__module__.startswith("slotwise."):
                fields = inspect.get_annotations(cls).items()
                yield from ((cls.__module__, str(note)) for name, note in fields if name[0] != "_")
                for name, member in vars(cls).items():
                    if name[0] != "_":
                        inner = getattr(member, "fget", getattr(member, "__func__", member))
                        yield from annotations(inner)


def mentioned() -> dict[str, type]:
    """Classes of the package that public names mention, however far away, by full name."""
    found: dict[str, type] = {}
    waiting = list(PUBLIC)
    while waiting:
        for module, note in annotations(waiting.pop()):
            for word in re.findall(r"\w+", note):
                value = getattr(sys.modules[module], word, None)
                if inspect.isclass(value) and value.__module__.startswith("slotwise."):
                    name = full_name(value)
                    # The arrays that the compiled simulator works on are for its own eyes.
                    inner = name.startswith("slotwise.heuristics.datacenter.engine.")
                    if name not in found and not inner:
                        found[name] = value
                        waiting.append(value)
    return {name: found[name] for name in sorted(found) if name not in PUBLIC_NAMES}


class OtherTypes(SphinxDirective):
    """Classes that public names mention without being public."""

    def run(self) -> list[nodes.Node]:
        import_for_types()
        lines = "\n".join(f".. autoclass:: {name}" for name in mentioned())
        return self.parse_text_to_nodes(f"```{{eval-rst}}\n{lines}\n```")


TOGETHER = re.compile(r"(?m)^(?P<names>\w+(?:, \w+)+)(?P<rest>(?: : .*)?(?:\n +.*)+)")
"""Attributes that a docstring lists together, as `a, b : shape`."""


def link(
    app: Sphinx, env: BuildEnvironment, node: pending_xref, words: nodes.TextElement
) -> nodes.Node | None:
    """Link a class by its public name; one that the reference does not have stays text."""
    if node.get("refdomain") != "py" or node["reftype"] not in ("class", "exc", "obj"):
        return None
    if name := PUBLIC_NAMES.get(node["reftarget"]):
        domain = env.domains.python_domain
        return domain.resolve_xref(
            env, node["refdoc"], app.builder, node["reftype"], name, node, words
        )
    short = find_pending_xref_condition(node, "resolved")
    return short[0].deepcopy() if short is not None else words


def no_types(app: Sphinx, what: str, name: str, value: Any, options: Any, lines: list[str]) -> None:
    """Keep shapes of arrays, and words before a property's first colon, from being types."""
    if what in ("attribute", "property", "data"):
        lines[:1] = [f": {line}" for line in lines[:1]]
    else:
        text = "\n".join(lines)
        text = TOGETHER.sub(
            lambda one: "\n".join(f"{name}{one['rest']}" for name in one["names"].split(", ")), text
        )
        lines[:] = re.sub(r"(?m)^(\w.*? : )(.+)", r"\1``\2``", text).splitlines()


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directive, the links, and what is done to docstrings before napoleon."""
    app.add_directive("other-types", OtherTypes)
    app.connect("builder-inited", lambda app: import_for_types())
    app.connect("autodoc-process-docstring", no_types, priority=100)
    app.connect("missing-reference", link)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
