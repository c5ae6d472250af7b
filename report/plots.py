"""Plots on their way to a file."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING

from ..instances.files.outputs import need_ending, write_bytes
from .endings import PLOT

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def write_figure(figure: Figure, path: str | Path, *, dpi: int) -> None:
    """Write a figure whole or not at all; the ending of `path` decides what kind.

    Raises `InputError`.
    """
    kind = need_ending(path, PLOT, "a plot")[1:]
    stream = io.BytesIO()
    figure.savefig(stream, format=kind, dpi=dpi)
    write_bytes(path, stream.getvalue())
