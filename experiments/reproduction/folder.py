"""The files of a reproduction: comparisons, tables, pictures, and the claims in words."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ...core.files.outputs import write_bytes
from ...report.plots import write_figure
from .claims_page import claims_page
from .comparison import DIGITS, comparison_csv

if TYPE_CHECKING:
    from .outcome import Reproduced, Reproduction

COMPARISON, CLAIMS = "comparison.csv", "claims.md"

DPI = 150


def write_folder(done: Reproduction, folder: Path) -> None:
    """Write what the runs say.

    Of one table or figure everything is in the folder itself; of several each has a folder of its
    own below it, and `comparison.csv` holds all.
    """
    write_bytes(folder / CLAIMS, claims_page(done).encode())
    if len(done.parts) == 1:
        _write_part(done.parts[0], folder)
        return
    write_bytes(folder / COMPARISON, comparison_csv([*done.claims, *done.cells]))
    for part in done.parts:
        below = folder / part.experiment.name
        below.mkdir(exist_ok=True)
        _write_part(part, below)


def _write_part(part: Reproduced, folder: Path) -> None:
    seen = part.comparison
    write_bytes(folder / COMPARISON, comparison_csv([*seen.claims, *seen.cells]))
    for name, table in seen.tables.items():
        text = table.to_csv(index=False, float_format=f"%.{DIGITS}g", lineterminator="\n")
        write_bytes(folder / f"{name}.csv", text.encode())
    for name, figure in seen.figures.items():
        for ending in (".png", ".svg"):
            write_figure(figure, folder / f"{name}{ending}", dpi=DPI)
