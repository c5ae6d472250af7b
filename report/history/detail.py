"""What an audit tells beside the sum of its causes: as a document, as text and on its page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...core.wording import NONE, number
from ...solvers.history.audit import Audit, WhatIf
from ..page import safe

AREAS = {
    "slots": "slots while they were there",
    "idle": "of it nothing ran",
    "wasted": "attempts that did not count",
    "fetch_wait": "tasks waited for shuffle data",
    "gc": "garbage collection",
}
"""What slot-seconds were spent on, by name."""

ONE_BY_ONE = (
    "Each cause removed before all others and after all others, in the order of the run; seconds, "
    "which need not add up."
)
WHAT_IF = "What if some tasks had been shorter, with all else as it ran; not in the sum."
SPENT = (
    "What slots spent their time on, in slot-seconds, and what was spilled. Waiting for shuffle "
    "data and garbage collection are parts of attempts."
)

Rows = list[tuple[str, ...]]
"""A table as text: its head, then its rows."""


def detail_document(audit: Audit) -> dict[str, Any] | None:
    """The detail in seconds (areas: slot-seconds), null without one."""
    detail = audit.detail
    if detail is None:
        return None
    return {
        "causes": [
            {"cause": one.cause, "first": _seconds(one.first), "last": _seconds(one.last)}
            for one in detail.causes
        ],
        "what_if": [
            {
                "what": one.name,
                "about": one.about,
                "tasks": one.tasks,
                "seconds": one.value / 1000,
                "jobs": [float(gain) / 1000 for gain in one.jobs],
            }
            for one in detail.what_if
        ],
        "areas": dict(detail.areas),
    }


def detail_tables(audit: Audit) -> Iterator[tuple[str, Rows]]:
    """What stands above each table, and the table; none without detail."""
    detail = audit.detail
    if detail is None:
        return
    rows: Rows = [("cause", "first", "last")]
    rows += [(one.cause, _told(one.first), _told(one.last)) for one in detail.causes]
    yield ONE_BY_ONE, rows
    rows = [("what if", "tasks", "less", "job that gains most")]
    rows += [
        (one.name, number(one.tasks), _told(one.value), _most(audit, one)) for one in detail.what_if
    ]
    abouts = "; ".join(f"{one.name}: {one.about}" for one in detail.what_if)
    yield f"{WHAT_IF} {abouts[:1].upper()}{abouts[1:]}.", rows
    if detail.areas:
        rows = [("what", "slot-seconds")]
        rows += [
            (about, number(round(detail.areas[name], 2)))
            for name, about in AREAS.items()
            if name in detail.areas
        ]
        if "spilled" in detail.areas:
            rows.append(("spilled", f"{number(round(detail.areas['spilled'] / 1e6, 2))} MB"))
        yield SPENT, rows


def detail_lines(audit: Audit) -> list[str]:
    """The tables as lines of text."""
    lines: list[str] = []
    for text, rows in detail_tables(audit):
        widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
        lines += ["", text]
        for first, *cells in rows:
            padded = (f"{cell:>{width}}" for cell, width in zip(cells, widths[1:], strict=True))
            lines.append(f"  {first:{widths[0]}}  {'  '.join(padded)}".rstrip())
    return lines


def detail_page(audit: Audit) -> str:
    """The tables as HTML, empty without detail."""
    parts = []
    for text, (head, *rows) in detail_tables(audit):
        titles = "".join(f"<th>{safe(cell)}</th>" for cell in head)
        lines = "".join(
            f"<tr><th>{safe(first)}</th>{''.join(f'<td>{safe(cell)}</td>' for cell in cells)}</tr>"
            for first, *cells in rows
        )
        parts.append(
            f'<p class="note">{safe(text)}</p><div class="scroll"><table><thead><tr>'
            f"{titles}</tr></thead><tbody>{lines}</tbody></table></div>"
        )
    return "<h2>In detail</h2>" + "".join(parts) if parts else ""


def _most(audit: Audit, what: WhatIf) -> str:
    """The job that would have gained most."""
    if not what.jobs.any():
        return NONE
    job = int(what.jobs.argmax())
    return f"{audit.run.jobs[job].name} ({_told(float(what.jobs[job]))})"


def _seconds(value: float | None) -> float | None:
    return None if value is None else value / 1000


def _told(value: float | None) -> str:
    return NONE if value is None else number(round(value / 1000, 2))
