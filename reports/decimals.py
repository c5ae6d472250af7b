"""Figures of a table in the terminal, one below the other at their decimal points."""

from __future__ import annotations

import re
from typing import Any

from rich.console import Group
from rich.padding import Padding
from rich.table import Table

_NUMBER = re.compile(r"^\D*\d+")


def with_points_aligned(view: Any) -> Any:
    """The view, in whose tables the figures of a right-justified column stand at their points."""
    if isinstance(view, Group):
        return Group(*map(with_points_aligned, view.renderables))
    if isinstance(view, Table):
        for column in view.columns:
            if column.justify == "right":
                column._cells[:] = padded(column._cells)
    return view


def padded(cells: list[Any]) -> list[Any]:
    """The cells with as much room after each as others have more behind their last whole digit."""
    behind = [_behind(cell) for cell in cells]
    most = max((n for n in behind if n is not None), default=0)
    return [
        cell if n is None or n == most else Padding(cell, (0, most - n, 0, 0))
        for cell, n in zip(cells, behind, strict=True)
    ]


def _behind(cell: Any) -> int | None:
    """Characters after the whole digits of a figure; None of what is none."""
    if not isinstance(cell, str) or not cell:
        return None
    number = _NUMBER.match(cell)
    return len(cell) - number.end() if number else 0
