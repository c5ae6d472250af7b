"""What a person reads: tables in a printed text, row by row."""

from io import StringIO
from typing import Any

from rich.console import Console

WIDE = {"COLUMNS": "300"}
"""Environment in which the command line wraps no cell of a test's table."""


def shown(view: Any, width: int = 300) -> str:
    """A rich renderable as text."""
    console = Console(width=width, record=True, file=StringIO())
    console.print(view)
    return console.export_text()


def tables(text: str) -> list[list[dict[str, str]]]:
    """The rows of every table in a text, cells by the names of their columns."""
    found: list[list[dict[str, str]]] = []
    header: list[str] = []
    for line in text.splitlines():
        if "┃" in line:
            header = [cell.strip() for cell in line.split("┃")[1:-1]]
            found.append([])
        elif line.startswith("│"):
            cells = [cell.strip() for cell in line.split("│")[1:-1]]
            found[-1].append(dict(zip(header, cells, strict=True)))
    return found
