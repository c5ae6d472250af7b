"""Help as plain text: what it lists stands under headings, and no line is cut."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from typer.core import TyperCommand, TyperGroup

WHOLE = 10_000
"""Characters that no summary has."""


class Panels(TyperCommand):
    """A command whose options stand under the names of their help panels."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the arguments and options."""
        rows = []
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None:
                plain = "Arguments" if parameter.param_type_name == "argument" else "Options"
                rows.append((_panel(parameter, plain), record))
        _write(rows, formatter)


class Summaries(TyperGroup):
    """A group whose commands stand under the names of their help panels."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the commands with the first sentence of each."""
        commands = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        _write(
            [
                (_panel(command, "Commands"), (name, command.get_short_help_str(WHOLE)))
                for name, command in commands
                if command is not None and not command.hidden
            ],
            formatter,
        )


def _panel(thing: Any, plain: str) -> str:
    panel = getattr(thing, "rich_help_panel", None)
    return panel if isinstance(panel, str) else plain


def _write(rows: Iterable[tuple[str, tuple[str, str]]], formatter: Any) -> None:
    """Write the rows, those of one panel together, in the order of the panels' first rows."""
    panels: dict[str, list[tuple[str, str]]] = {}
    for panel, row in rows:
        panels.setdefault(panel, []).append(row)
    for panel, below in panels.items():
        with formatter.section(panel):
            formatter.write_dl(below)
