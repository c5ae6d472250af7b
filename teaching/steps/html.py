"""The step page: one HTML file, without network, that steps through a method's decisions."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from importlib.resources import files
from pathlib import Path

from ...instances.errors import printable
from ...instances.files.outputs import write_bytes
from ...instances.wording import SPACE, number, plural
from .drawing import Picture
from .record import Candidate, Fact, Step, Steps

POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data: blob:"
)
"""Content security policy: the page asks nobody for anything."""

UNSCRIPTED = (
    "<noscript><style>nav, #words, [data-to] { display: none } "
    "article, article > div { display: block !important }</style></noscript>"
)
"""Without scripts the page shows the whole schedule and the words of all steps."""

BUTTONS = (
    ("first", "First", "Home"),
    ("back", "Back", "←"),
    ("next", "Next", "→"),
    ("last", "Last", "End"),
    ("save", "Save", "S"),
)


def page(steps: Steps) -> str:
    """The page of all steps."""
    title = _safe(f"{steps.method} on {steps.instance}, step by step")
    notes = "".join(f'<p class="about">{_safe(note)}</p>' for note in steps.notes)
    articles = "\n".join(_article(n, step, steps) for n, step in enumerate(steps.steps, 1))
    buttons = "".join(
        f'<button id="{name}" aria-keyshortcuts="{_shortcut(key)}">{text}'
        f'<span class="wide" aria-hidden="true"> ({key})</span></button>'
        for name, text, key in BUTTONS
    )
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{title}</title>\n<style>{_file('steps.css')}</style>"
        f"{UNSCRIPTED}</head>\n<body>"
        f'<h1>{title}</h1><p class="about">{_about(steps)}</p>\n'
        '<main><div id="words" role="status" aria-live="polite" aria-atomic="true"></div>\n'
        f'<div class="scroll" id="frame" tabindex="0" role="region" aria-label="What is decided so '
        f'far">{Picture(steps).page()}</div>\n{articles}{notes}</main>\n'
        f'<nav aria-label="Steps"><input type="range" id="slider" min="1" max="{len(steps.steps)}"'
        f' value="1" aria-label="Step"><div>{buttons}</div></nav>\n'
        f"<script>{_file('steps.js')}</script></body></html>\n"
    )


def write_step_page(steps: Steps, path: str | Path) -> None:
    """Write the page to a file whole or not at all.

    Parameters
    ----------
    steps
        The steps.
    path
        Path of the file, or `-` for stdout.

    Raises
    ------
    OutputError
        If the file cannot be written.
    """
    write_bytes(path, page(steps).encode())


def step_page(steps: Steps) -> str:
    """The page within a notebook's cell."""
    inner = escape(page(steps), quote=True)
    return (
        f'<iframe srcdoc="{inner}" title="{_safe(repr(steps))}" '
        'style="width: 100%; height: 640px; border: 1px solid #8888"></iframe>'
    )


def _about(steps: Steps) -> str:
    """What came out, in one line."""
    parts = [plural(len(steps.steps), "step")]
    if steps.makespan is not None:
        parts.append(f"makespan {number(steps.makespan)} {steps.unit}")
    parts += [f"{mark.label} {number(mark.at)} {steps.unit}" for mark in steps.marks]
    return _safe(" · ".join(parts))


def _article(n: int, step: Step, steps: Steps) -> str:
    """Words and candidates of a step; the words are shown above the picture."""
    title = f"{n}/{len(steps.steps)} {step.title}"
    return (
        f"<article hidden><div hidden><h2>{_safe(title)}</h2><p>{_safe(step.text)}</p></div>"
        f"{_table(step)}</article>"
    )


def _table(step: Step) -> str:
    """The candidates with what decides."""
    if not step.candidates:
        return ""
    columns = list(dict.fromkeys(key for one in step.candidates for key in one.facts))
    head = "".join(f'<th scope="col">{_safe(name)}</th>' for name in columns)
    rows = "".join(
        f"<tr{_standing(k, step)}>"
        f'<th scope="row">{_safe(one.label)}{_word(k, step)}</th>{_cells(one, columns)}</tr>'
        for k, one in enumerate(step.candidates)
    )
    more = f"; {number(step.left_out)} more not shown" if step.left_out else ""
    caption = _safe(f"Decided by: {step.rule}{more}")
    return (
        '<div class="scroll" tabindex="0" role="region" aria-label="Candidates"><table>'
        f'<caption>{caption}</caption><thead><tr><th scope="col">candidate</th>{head}</tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
    )


def _standing(k: int, step: Step) -> str:
    if k == step.chosen:
        return ' class="chosen"'
    return ' class="lost"' if k == step.loser else ""


def _word(k: int, step: Step) -> str:
    return " (chosen)" if k == step.chosen else ""


def _cells(one: Candidate, columns: list[str]) -> str:
    facts: Mapping[str, Fact] = one.facts
    return "".join(f"<td>{_safe(_shown(facts.get(name)))}</td>" for name in columns)


def _shown(value: Fact) -> str:
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value if isinstance(value, str) else number(value)


def _shortcut(key: str) -> str:
    return {"←": "ArrowLeft", "→": "ArrowRight"}.get(key, key)


def _file(name: str) -> str:
    return files(__package__).joinpath("page", name).read_text(encoding="utf-8")


def _safe(text: str) -> str:
    return escape(printable(text, keep=SPACE))
