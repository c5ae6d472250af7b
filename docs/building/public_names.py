"""The reference of the public Python: every name of `slotwise`, from its docstring.

A page shows those of one area, by the rooms in `AREAS`:

    ```{public-names} batches
    ```

A name that no page shows ends the build. Types that signatures name by the module where they are
defined are linked to their public names.
"""

from __future__ import annotations

import inspect
import re
import types
from enum import Enum
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.errors import ExtensionError
from sphinx.util.docutils import SphinxDirective

import slotwise

from .annotations import typed
from .mentioned import mentioned

STUB = Path(slotwise.__file__).with_suffix(".pyi").read_text("utf-8")
PUBLIC = {
    name: (module, name)
    for module, name in re.findall(r"^from (\S+) import (\w+)", STUB, re.MULTILINE)
}
"""Module and attribute of each public name."""

AREAS = {
    "batches": ("instances.mapreduce",),
    "solving": ("solvers", "formulations", "core.clock"),
    "datacenters": (
        "instances.datacenter",
        "heuristics.datacenter",
        "solvers.datacenter",
        "formulations.datacenter.waiting_bound",
    ),
    "hierarchies": ("instances.hierarchy", "heuristics.hierarchy"),
    "files": (
        "reports.documents",
        "instances.importers",
        "instances.mapreduce.importers",
        "instances.datacenter.importers",
        "instances.exporters",
    ),
    "pictures": ("reports",),
    "studies": ("experiments",),
    "learning": ("teaching",),
    "extending": (
        "core.registry",
        "instances.generators",
        "reports.catalogue",
        "solvers.mapreduce.method",
        "solvers.progress",
        "core.stop_reason",
        "heuristics.datacenter.python_policy",
        "heuristics.datacenter.policy",
    ),
    "errors": ("core.errors", "instances.verdict", "reports.documents.verdicts"),
}
"""Rooms of the package whose names a page has. The longest that fits decides."""

HOMES = {f"slotwise{module}.{attribute}": name for name, (module, attribute) in PUBLIC.items()}


OTHERS = {
    name: value
    for name, value in mentioned([getattr(slotwise, name) for name in PUBLIC]).items()
    if name not in HOMES
}
"""Classes that public names mention without being public, by full name."""


LINKED = {full: f"slotwise.{name}" for full, name in HOMES.items()} | {
    name: name for name in OTHERS
}
"""What every class is called in the reference, by its full name."""


def area(module: str) -> str:
    """The area that the names of a module belong to."""
    module = module.removeprefix("slotwise").removeprefix(".") + "."
    fits = [
        (len(room), area)
        for area, rooms in AREAS.items()
        for room in rooms
        if module.startswith(f"{room}.")
    ]
    if not fits:
        raise ExtensionError(f"no area of the reference has {module} see AREAS")
    return max(fits)[1]


def kind(value: Any) -> str:
    """The directive of autodoc for something."""
    if isinstance(value, types.ModuleType):
        return "function"
    if inspect.isclass(value):
        return "exception" if issubclass(value, BaseException) else "class"
    return "function" if callable(value) else "data"


def directive(name: str, value: Any) -> list[str]:
    """Lines that document something by its full name."""
    what = kind(value)
    lines = [f".. auto{what}:: {name}"]
    if what == "class":
        lines += ["   :members:"]
        foreign = {part.__name__ for part in value.__mro__ if part.__module__[:8] != "slotwise"}
        if not issubclass(value, (Enum, tuple, dict)):
            lines += [f"   :inherited-members: {','.join(sorted(foreign))}"]
    return [*lines, ""]


class PublicNames(SphinxDirective):
    """The names of an area, functions first."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        wanted = self.arguments[0]
        names = [name for name, (module, _) in PUBLIC.items() if area(module) == wanted]
        others = [name for name in OTHERS if area(OTHERS[name].__module__) == wanted]
        names.sort(key=lambda name: (kind(getattr(slotwise, name)) != "function", name.lower()))
        shown = self.env.metadata[self.env.docname].setdefault("public_names", [])
        shown.extend(names)
        lines = ["## Functions and classes", "", "````{eval-rst}"]
        lines += [".. currentmodule:: slotwise", ""]
        for name in names:
            lines += directive(f"slotwise.{name}", getattr(slotwise, name))
        lines += ["````"]
        if others:
            lines += ["", "## What these return and take", "", "````{eval-rst}"]
            for name in sorted(others, key=lambda name: name.rpartition(".")[2]):
                lines += directive(name, OTHERS[name])
            lines += ["````"]
        return self.parse_text_to_nodes("\n".join(lines), allow_section_headings=True)


def all_shown(app: Sphinx, env: BuildEnvironment) -> None:
    """End the build if a public name is on no page or on two."""
    shown = [name for data in env.metadata.values() for name in data.get("public_names", [])]
    if sorted(shown) != sorted(PUBLIC):
        missing, twice = set(PUBLIC) - set(shown), {name for name in shown if shown.count(name) > 1}
        raise ExtensionError(f"public names on no page: {missing}, on two: {twice}")


def with_types(
    app: Sphinx, what: str, name: str, value: Any, options: Any, lines: list[str]
) -> None:
    """Put the types in. What stands before a colon in a property's docstring is none."""
    if what in ("attribute", "property", "data") and lines:
        lines[0] = f": {lines[0]}"
    elif what in ("class", "exception", "function", "method"):
        typed(value, lines, LINKED)


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directive and the links of types."""
    app.add_directive("public-names", PublicNames)
    app.connect("env-check-consistency", all_shown)
    app.connect("autodoc-process-docstring", with_types, priority=100)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
