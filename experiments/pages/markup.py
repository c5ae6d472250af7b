"""Parts of a page: text that is safe, tables, folded parts, figures."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from ...core.wording import NONE, SPACE, listed, plural
from ...reports.page import safe as escaped
from .kept import Kept, kept

MOST_OPEN = 12
"""Rows of a table that need not be folded."""
LONG = 40
"""Characters of a cell that needs a wide column."""


class Markup(str):
    """Text that is HTML already."""


Cell = str | Markup


def safe(text: object) -> Markup:
    """Any text as HTML that shows it as it is; control characters and half characters escaped."""
    if isinstance(text, Markup):
        return text
    return Markup(escaped(str(text)))


def joined(parts: Iterable[str]) -> Markup:
    return Markup("".join(parts))


def section(name: str, title: str, parts: Iterable[str]) -> Markup:
    content = "".join(parts)
    return Markup(f'<section id="{name}"><h2>{safe(title)}</h2>{content}</section>\n')


def paragraph(text: str, kind: str = "") -> Markup:
    """A paragraph.

    `kind`: its class: `note`, `warning` or none.
    """
    named = f' class="{kind}"' if kind else ""
    return Markup(f"<p{named}>{safe(text)}</p>".replace(" %", "&nbsp;%"))


def heading(text: str) -> Markup:
    return Markup(f"<h3>{safe(text)}</h3>")


def folded(title: str, parts: Iterable[str], *, shut: bool = True) -> Markup:
    """A part that opens on a click."""
    state = "" if shut else " open"
    return Markup(f"<details{state}><summary>{safe(title)}</summary>{''.join(parts)}</details>")


def table(
    head: Sequence[Cell],
    rows: Iterable[Sequence[Cell]],
    *,
    title: str,
    words: int = 1,
    fold: bool = False,
) -> Markup:
    """A table that scrolls by itself where the window is narrow.

    `fold`: whether to shut it if it has many rows.
    """
    shown, rows = [], list(rows)
    keep = kept()
    if keep is not None and rows:
        _keep(keep, title, head, rows, words)
    for row in rows:
        cells = [
            f"<td{_of_words(cell)}>{safe(cell)}</td>" if k < words else f"<td>{safe(cell)}</td>"
            for k, cell in enumerate(row[1:], 1)
        ]
        shown.append(f'<tr><th scope="row">{safe(row[0])}</th>{"".join(cells)}</tr>')
    names = [
        f'<th scope="col"{" class=w" if k < words else ""}>{safe(name)}</th>'
        for k, name in enumerate(head)
    ]
    label = safe(title)
    made = Markup(
        f'<div class="scroll" role="region" tabindex="0" aria-label="{label}">'
        f"<table><thead><tr>{''.join(names)}</tr></thead><tbody>{''.join(shown)}</tbody></table>"
        "</div>"
    )
    if fold and len(shown) > MOST_OPEN:
        return folded(f"{title}: {plural(len(shown), 'row')}", [made])
    return made


def _keep(
    keep: Kept, title: str, head: Sequence[Cell], rows: Sequence[Sequence[Cell]], words: int
) -> None:
    """Keep what is text of a table; pictures in cells are left out."""
    columns: dict[str, list[Cell]] = {}
    sides = ""
    for k, name in enumerate(head):
        column = [row[k] for row in rows]
        if not any(isinstance(cell, Markup) for cell in (name, *column)):
            columns[str(name)] = column
            sides += "l" if k < words else "r"
    keep.table(title, columns, sides)


def _of_words(cell: Cell) -> str:
    return f' class="w{" long" if len(cell) > LONG else ""}"'


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
    """Text with its middle left out if it is too long.

    `most`: characters that it may have.
    """
    return text if len(text) <= most else f"{text[: most - 13]} … {text[-10:]}"
