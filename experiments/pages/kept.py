"""Figures and tables of a page, kept while it is made: as SVG, PDF and LaTeX for papers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...core.files.outputs import write_bytes
from ...reports.plots import figure_bytes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_open: ContextVar[Kept | None] = ContextVar("what is kept", default=None)


@dataclass
class Kept:
    """What papers can print, by the names of files."""

    files: dict[str, bytes] = field(default_factory=dict)
    """Content by name."""

    def figure(self, title: str, figure: Figure) -> None:
        name = self._name(title, "svg")
        for kind in ("svg", "pdf"):
            content = figure_bytes(figure, kind, title, tight=True)
            self.files[f"{name}.{kind}"] = content

    def table(self, title: str, columns: Mapping[str, Sequence[Any]], sides: str = "") -> None:
        from ...reports.table_files import booktabs

        self.files[f"{self._name(title, 'tex')}.tex"] = booktabs(columns, sides=sides).encode()

    def write(self, folder: Path) -> list[Path]:
        """Write all into a folder, which is made if need be; the names of the files."""
        folder.mkdir(exist_ok=True)
        for name, content in self.files.items():
            write_bytes(folder / name, content)
        return [folder / name for name in self.files]

    def _name(self, title: str, ending: str) -> str:
        """A name that no other has, of letters, digits and hyphens."""
        plain = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")[:60] or ending
        names = [plain, *(f"{plain}-{n}" for n in range(2, len(self.files) + 2))]
        return next(name for name in names if f"{name}.{ending}" not in self.files)


@contextmanager
def keeping() -> Iterator[Kept]:
    """Within it, figures and tables of pages are kept."""
    kept = Kept()
    token = _open.set(kept)
    try:
        yield kept
    finally:
        _open.reset(token)


def kept() -> Kept | None:
    """Where to keep figures and tables, if anybody wants them."""
    return _open.get()
