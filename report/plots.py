"""Writing matplotlib figures to files."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING

from ..instances.files.outputs import need_ending, write_bytes
from .endings import PLOT

if TYPE_CHECKING:
    from matplotlib.figure import Figure


COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
"""Of lines in plots: told apart by the colour-blind as well."""


def write_figure(figure: Figure, path: str | Path, *, dpi: int) -> None:
    """Write a figure whole or not at all; the suffix of the path decides its kind.

    Parameters
    ----------
    figure
        The figure.
    path
        Path of the file, or `-` for stdout.
    dpi
        Dots per inch.

    Raises
    ------
    InputError
        For an unknown suffix.
    """
    kind = need_ending(path, PLOT, "a plot")[1:]
    stream = io.BytesIO()
    figure.savefig(stream, format=kind, dpi=dpi)
    write_bytes(path, stream.getvalue())
