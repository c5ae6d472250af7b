"""Parts of a page: text that is safe, tables, charts by matplotlib as SVG inlined as it is.

What is made while `keeping()` is open is kept for papers, too: figures as SVG and PDF, tables as
LaTeX.
"""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from ...core.errors import printable
from ...core.files.outputs import write_bytes
from ...core.wording import NONE, SPACE, listed, plural
from ...reports.plots import figure_bytes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_OPEN = 12
"""Rows of a table that need not be folded."""


@dataclass
class Kept:
    """What papers can print: content by the names of files."""

    files: dict[str, bytes] = field(default_factory=dict)

    def figure(self, title: str, figure: Figure) -> None:
        name = self._name(title, "svg")
        for kind in ("svg", "pdf"):
            self.files[f"{name}.{kind}"] = figure_bytes(figure, kind, title, tight=True)

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


_open: ContextVar[Kept | None] = ContextVar("what is kept", default=None)


@contextmanager
def keeping() -> Iterator[Kept]:
    """Within it, figures and tables of pages are kept."""
    kept = Kept()
    token = _open.set(kept)
    try:
        yield kept
    finally:
        _open.reset(token)


def safe(text: object) -> Markup:
    """Any text as HTML that shows it as it is; control characters and half characters escaped."""
    if isinstance(text, Markup):
        return text
    return Markup.escape(printable(str(text), keep=f"\n\t{SPACE}"))


def section(name: str, title: str, parts: Iterable[Markup]) -> Markup:
    content = Markup("").join(parts)
    return Markup('<section id="{}"><h2>{}</h2>{}</section>\n').format(name, title, content)


def paragraph(text: str, kind: str = "plain") -> Markup:
    """A paragraph of a class: `plain`, `note` or `warning`."""
    said = safe(text).replace(" %", Markup("&nbsp;%"))
    return Markup('<p class="{}">{}</p>').format(kind, said)


def heading(text: str) -> Markup:
    return Markup("<h3>{}</h3>").format(safe(text))


def folded(title: str, parts: Iterable[Markup], *, shut: bool = True) -> Markup:
    """A part that opens on a click."""
    content = Markup("").join(parts)
    state = Markup("" if shut else " open")
    form = Markup("<details{}><summary>{}</summary>{}</details>")
    return form.format(state, safe(title), content)


def table(
    head: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    title: str,
    words: int = 1,
    fold: bool = False,
) -> Markup:
    """A table that scrolls by itself where the window is narrow.

    `words`: columns at the left that are words, in LaTeX at the left.
    `fold`: whether to shut it if it has many rows.
    """
    import pandas as pd

    frame = pd.DataFrame(list(rows), columns=list(head), dtype=object)
    if (keep := _open.get()) is not None and len(frame):
        texts = {
            name: column.tolist()
            for name, column in frame.items()
            if not any(isinstance(cell, Markup) for cell in column)
        }
        sides = "".join("l" if k < words else "r" for k in range(len(texts)))
        keep.table(title, {str(name): column for name, column in texts.items()}, sides)
    shown = frame.map(safe).rename(columns=safe)
    with pd.option_context("display.max_colwidth", None):
        content = Markup(shown.to_html(index=False, escape=False, border=0))
    form = Markup('<div class="scroll" role="region" tabindex="0" aria-label="{}">{}</div>')
    made = form.format(safe(title), content)
    if fold and len(frame) > MOST_OPEN:
        return folded(f"{title}: {plural(len(frame), 'row')}", [made])
    return made


def chart(figure: Figure, title: str, below: str = "") -> Markup:
    """A figure with its title and words below."""
    if (keep := _open.get()) is not None:
        keep.figure(title, figure)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph", UserWarning)  # the browser has other fonts
        drawn = figure_bytes(figure, "svg", title, tight=True).decode()
    drawn = re.sub(r"<metadata>.*?</metadata>", "", drawn[drawn.index("<svg") :], flags=re.DOTALL)
    drawn = drawn.replace("<svg ", '<svg class="chart" role="img" ', 1)
    under = paragraph(below) if below else ""
    form = Markup("<figure><figcaption>{}</figcaption>{}{}</figure>")
    return form.format(safe(title), Markup(drawn), under)


def charts(made: Iterable[Markup]) -> Markup:
    """Charts side by side."""
    return Markup('<div class="charts">{}</div>').format(Markup("").join(made))


def count(number: int) -> str:
    """A whole number, its thousands apart."""
    return f"{number:,}".replace(",", SPACE)


def plain(value: float) -> str:
    """A number with four digits, a dash for none."""
    return f"{value:.4g}" if math.isfinite(value) else NONE


def names(all_names: Sequence[str], most: int = 6) -> str:
    """Some names as a list in a sentence, the rest as a number."""
    return listed(map(cut, all_names), most)


def cut(text: str, most: int = 40) -> str:
    """Text with its middle left out if it has more characters."""
    return text if len(text) <= most else f"{text[: most - 13]} … {text[-10:]}"
