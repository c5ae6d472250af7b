"""Steps as plain text for a terminal."""

from __future__ import annotations

import textwrap

from ...core.wording import number
from .record import Steps

WIDTH = 100


def text(steps: Steps) -> str:
    """What came out, then the steps with their reasons."""
    lines = [f"{steps.method} on {steps.instance}, step by step"]
    if steps.makespan is not None:
        lines.append(f"makespan {number(steps.makespan)} {steps.unit}")
    lines += [f"{mark.label} {number(mark.at)} {steps.unit}" for mark in steps.marks]
    lines += steps.notes
    wide = len(str(len(steps.steps)))
    for n, step in enumerate(steps.steps, 1):
        lines += ["", f"{n:{wide}}  {step.title} ({step.rule})"]
        lines += textwrap.wrap(
            step.text,
            WIDTH,
            initial_indent=" " * (wide + 2),
            subsequent_indent=" " * (wide + 2),
            break_on_hyphens=False,
        )
    return "\n".join(lines)
