"""The step page: one HTML file, without network, that steps through a method's decisions."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ...core.calls import checked
from ...core.files.outputs import write_bytes
from ...core.wording import number, plural
from ...reports.page import in_notebook, safe, web_file
from ...reports.page import page as whole_page
from .drawing import Picture, picture_styles
from .record import Candidate, Fact, Step, Steps

UNSCRIPTED = (
    "<noscript><style>nav, #words, [data-to] { display: none } "
    "article[hidden], article > [hidden] { display: block !important }</style></noscript>"
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
    title = f"{steps.method} on {steps.instance}, step by step"
    notes = "".join(f'<p class="about">{safe(note)}</p>' for note in steps.notes)
    articles = "\n".join(_article(n, step, steps) for n, step in enumerate(steps.steps, 1))
    buttons = "".join(
        f'<button id="{name}" aria-keyshortcuts="{_shortcut(key)}">{text}'
        f'<span class="wide" aria-hidden="true"> ({key})</span></button>'
        for name, text, key in BUTTONS
    )
    body = (
        f'{UNSCRIPTED}<h1>{safe(title)}</h1><p class="about">{_about(steps)}</p>\n'
        '<main><div id="words" role="status" aria-live="polite" aria-atomic="true"></div>\n'
        f'<div class="scroll" id="frame" tabindex="0" role="region" aria-label="What is decided so '
        f'far">{Picture(steps).page()}</div>\n{articles}{notes}</main>\n'
        f'<nav aria-label="Steps"><input type="range" id="slider" min="1" max="{len(steps.steps)}"'
        f' value="1" aria-label="Step"><div>{buttons}</div></nav>'
    )
    style, script = (web_file(__package__, f"page/{name}") for name in ("steps.css", "steps.js"))
    return whole_page(title, body, styles=picture_styles() + style, scripts=[script])


@checked
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
    return in_notebook(page(steps), repr(steps), 640)


def _about(steps: Steps) -> str:
    """What came out, in one line."""
    parts = [plural(len(steps.steps), "step")]
    if steps.makespan is not None:
        parts.append(f"makespan {number(steps.makespan)} {steps.unit}")
    parts += [f"{mark.label} {number(mark.at)} {steps.unit}" for mark in steps.marks]
    return safe(" · ".join(parts))


def _article(n: int, step: Step, steps: Steps) -> str:
    """Words and candidates of a step; the words are shown above the picture."""
    title = f"{n}/{len(steps.steps)} {step.title}"
    return (
        f"<article hidden><div hidden><h2>{safe(title)}</h2><p>{safe(step.text)}</p></div>"
        f"{_table(step)}</article>"
    )


def _table(step: Step) -> str:
    """The candidates with what decides."""
    if not step.candidates:
        return ""
    columns = list(dict.fromkeys(key for candidate in step.candidates for key in candidate.facts))
    head = "".join(f'<th scope="col">{safe(name)}</th>' for name in columns)
    rows = "".join(
        f"<tr{_standing(k, step)}>"
        f'<th scope="row">{safe(candidate.label)}{(" (chosen)" if k == step.chosen else "")}</th>'
        f"{_cells(candidate, columns)}</tr>"
        for k, candidate in enumerate(step.candidates)
    )
    more = f"; {number(step.left_out)} more not shown" if step.left_out else ""
    caption = safe(f"Decided by: {step.rule}{more}")
    return (
        '<div class="scroll" tabindex="0" role="region" aria-label="Candidates"><table>'
        f'<caption>{caption}</caption><thead><tr><th scope="col">candidate</th>{head}</tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
    )


def _standing(k: int, step: Step) -> str:
    if k == step.chosen:
        return ' class="chosen"'
    return ' class="lost"' if k == step.loser else ""


def _cells(candidate: Candidate, columns: list[str]) -> str:
    facts: Mapping[str, Fact] = candidate.facts
    return "".join(f"<td>{safe(_shown(facts.get(name)))}</td>" for name in columns)


def _shown(value: Fact) -> str:
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value if isinstance(value, str) else number(value)


def _shortcut(key: str) -> str:
    return {"←": "ArrowLeft", "→": "ArrowRight"}.get(key, key)
