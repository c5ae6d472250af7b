"""Reference pages made from what the package says of itself: commands, formats, registries."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import typer
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

import slotwise
from slotwise.commands.app import app as command_line
from slotwise.reports.documents.formats import FORMATS

WIDTH = 88
"""Columns of what `--help` prints."""


def as_cell(text: str) -> str:
    """Text that may stand in a cell of a Markdown table."""
    return text.replace("|", "\\|").replace("\n", " ").strip()


def table(head: list[str], rows: list[list[str]]) -> str:
    """A table in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(map(as_cell, line))} |" for line in lines) + "\n"


def commands(command: Any, name: str) -> Iterator[tuple[str, str]]:
    """Name and help of a command and all below it."""
    context = command.make_context(
        name, [], resilient_parsing=True, terminal_width=WIDTH, max_content_width=WIDTH
    )
    yield name, command.get_help(context)
    for below in getattr(command, "list_commands", lambda _: [])(context):
        yield from commands(command.get_command(context, below), f"{name} {below}")


def type_of(schema: dict[str, Any]) -> str:
    """What a value of a JSON Schema is, in words."""
    if "$ref" in schema:
        return f"[{schema['$ref'].rpartition('-')[2]}](#{anchor(schema['$ref'])})"
    if "const" in schema:
        return f"`{json.dumps(schema['const'])}`"
    if "enum" in schema:
        return " or ".join(f"`{json.dumps(value)}`" for value in schema["enum"])
    for choice in ("anyOf", "oneOf"):
        if choice in schema:
            return " or ".join(dict.fromkeys(type_of(one) for one in schema[choice]))
    kind = schema.get("type", "any")
    if kind == "array":
        return f"list of {type_of(schema['items'])}" if "items" in schema else "list"
    if kind == "object" and isinstance(schema.get("additionalProperties"), dict):
        return f"object, by name: {type_of(schema['additionalProperties'])}"
    return " or ".join(kind) if isinstance(kind, list) else str(kind)


def anchor(reference: str) -> str:
    """Where a part of a schema is explained."""
    return re.sub(r"[^\w-]", "-", reference.strip("#/").replace("$", "")).lower()


def fields(schema: dict[str, Any]) -> str:
    """The fields of an object."""
    needed = set(schema.get("required", ()))
    rows = [
        [
            f"`{name}`",
            type_of(field),
            "required" if name in needed else "may be left out",
        ]
        for name, field in schema.get("properties", {}).items()
    ]
    return table(["field", "value", ""], rows) if rows else type_of(schema) + "\n"


def schemas() -> Iterator[str]:
    """All formats, each with its parts."""
    for name in sorted(known.name for known in FORMATS):
        schema = slotwise.schema(name)
        place = f"schema-{name}"
        text = json.dumps(schema).replace("#/$defs/", f"#/{place}-")
        schema = json.loads(text)
        yield f"({place})=\n\n## `{schema['title']}`\n"
        yield fields(schema)
        for part, inner in schema.get("$defs", {}).items():
            yield f"({anchor(f'{place}-{part}')})=\n\n**{part}**\n\n{fields(inner)}"


def entries(kind: str) -> str:
    """The table of a registry."""
    rows = [
        [
            f"`{entry.name}`",
            entry.summary + ("" if entry.valid else " (kept to watch it fail)"),
            entry.source,
            ", ".join(sorted(entry.understands)),
        ]
        for entry in slotwise.registry(kind)
    ]
    return table(["name", "what it does", "source", "understands"], rows)


class Commands(SphinxDirective):
    """Every command of the command line with its help."""

    def run(self) -> list[nodes.Node]:
        text = [
            f"## `{name}`\n\n````text\n{told.strip()}\n````\n"
            for name, told in commands(typer.main.get_command(command_line), "slotwise")
        ]
        return self.parse_text_to_nodes("\n".join(text), allow_section_headings=True)


class Schemas(SphinxDirective):
    """Every format with its fields."""

    def run(self) -> list[nodes.Node]:
        return self.parse_text_to_nodes("\n".join(schemas()), allow_section_headings=True)


class RegistryTable(SphinxDirective):
    """What a registry has."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        return self.parse_text_to_nodes(entries(self.arguments[0]))


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directives."""
    app.add_directive("commands", Commands)
    app.add_directive("schemas", Schemas)
    app.add_directive("registry", RegistryTable)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
