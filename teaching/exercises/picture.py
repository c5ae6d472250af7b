"""A small chart of an answer: lanes with bars, those of one time one below the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from ...report.gantt.colours import ink_on, job_colours, setup_colour
from .exercise import Document

WIDTH, ROW, AXIS = 360.0, 26.0, 30.0
"""Width of the picture, height of a bar and of the axis, in pixels."""

LETTER = 6.2
"""Width of a letter, about."""


@dataclass(frozen=True)
class Bar:
    """A task or a job in a lane.

    Parameters
    ----------
    lane
        Number of the lane.
    start, begin, end
        Start of the setup, begin and end of the work.
    label, title
        What is written on it, and what is told of it.
    colour
        Its colour.
    broken
        Whether a mistake is about it.
    """

    lane: int
    start: float
    begin: float
    end: float
    label: str
    title: str
    colour: str
    broken: bool


def picture(document: Document, answer: Any, broken: Sequence[str], until: float) -> str:
    """The answer as SVG, empty if it has no bars.

    `until`: where the axis ends at the least.
    """
    if not isinstance(answer, dict):
        return ""
    if "starts" in answer:
        lanes, bars = _run_bars(document, answer["starts"], set(broken))
    else:
        lanes, bars = _batch_bars(document, answer["tasks"], set(broken))
    return _drawn(lanes, bars, max([until, *(bar.end for bar in bars)], default=until))


def last_end(answer: Any) -> float:
    """When an answer is over, 0 if it does not say."""
    if not isinstance(answer, dict):
        return 0.0
    rows = answer.get("starts") or answer.get("tasks") or []
    return max([float(row["end"]) for row in rows if "end" in row], default=0.0)


def _batch_bars(
    document: Document, rows: Sequence[dict[str, Any]], broken: set[str]
) -> tuple[list[str], list[Bar]]:
    jobs = [job["name"] for job in document["jobs"]]
    colours = dict(zip(jobs, job_colours(len(jobs)), strict=True))
    lanes = [
        (node["name"], phase, slot)
        for node in document["cluster"]["nodes"]
        for phase in ("map", "reduce")
        for slot in range(node[f"{phase}_slots"])
    ]
    bars = []
    for row in rows:
        lane = (row["node"], row["phase"], row["slot"])
        if lane not in lanes or "end" not in row:
            continue
        name = f"{row['job']} {row['phase']} {row['task']}"
        title = f"{name}: {row['start']:.6g} to {row['end']:.6g} s, setup {row['setup']:.6g} s"
        begin = row["start"] + row["setup"]
        label = f"{row['job']}.{row['task']}"
        colour = colours[row["job"]]
        place = lanes.index(lane)
        bars.append(
            Bar(place, row["start"], begin, row["end"], label, title, colour, name in broken)
        )
    return [f"{node} {phase[:3]} {slot}" for node, phase, slot in lanes], bars


def _run_bars(
    document: Document, rows: Sequence[dict[str, Any]], broken: set[str]
) -> tuple[list[str], list[Bar]]:
    colours = job_colours(len(document["jobs"]))
    machines = sum(row["count"] for row in document["datacenter"]["configurations"])
    bars = []
    for row in rows:
        name, start, end = f"job {row['job']}", row["time"], row["end"]
        title, colour = f"{name}: {start:.6g} to {end:.6g}", colours[row["job"]]
        bars.append(Bar(row["machine"], start, start, end, name, title, colour, name in broken))
    return [f"machine {m}" for m in range(machines)], bars


def _drawn(lanes: Sequence[str], bars: Sequence[Bar], until: float) -> str:
    names = LETTER * max(map(len, lanes)) + 8
    scale = (WIDTH - names - 12) / (until or 1.0)
    parts, top = [], 2.0
    for number, name in enumerate(lanes):
        own = sorted((b for b in bars if b.lane == number), key=lambda b: (b.start, b.end))
        levels = _levels(own)
        height = ROW * max([level + 1 for level in levels], default=1)
        parts.append(
            f'<rect class="lane" x="{names}" y="{top:.1f}" width="{WIDTH - names:.1f}" '
            f'height="{height - 2:.1f}"/>'
        )
        parts.append(_text(names - 6, top + ROW / 2 - 1, name, "end"))
        for bar, level in zip(own, levels, strict=True):
            parts.append(_bar(bar, names, top + level * ROW + 2, scale))
        top += height
    for at in _ticks(until):
        x = names + at * scale
        parts.append(f'<line class="tick" x1="{x:.1f}" x2="{x:.1f}" y1="2" y2="{top:.1f}"/>')
        parts.append(_text(x, top + 11, f"{at:g}", "middle"))
    high = top + AXIS - 8
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH:g} {high:g}" role="img" '
        f'aria-label="chart of the answer">{"".join(parts)}</svg>'
    )


def _levels(bars: Sequence[Bar]) -> list[int]:
    """Which row of its lane each bar takes, so that no two cover each other."""
    ends: list[float] = []
    levels = []
    for bar in bars:
        level = next((k for k, end in enumerate(ends) if end <= bar.start + 1e-9), len(ends))
        # A bar without length takes its place on the paper, too.
        after = max(bar.end, bar.start)
        if level == len(ends):
            ends.append(after)
        else:
            ends[level] = after
        levels.append(level)
    return levels


def _bar(bar: Bar, names: float, top: float, scale: float) -> str:
    left, high = names + bar.start * scale, ROW - 6
    wide = max((bar.end - bar.start) * scale, 2.0)
    setup = min(max((bar.begin - bar.start) * scale, 0.0), wide)
    kind = "bar broken" if bar.broken else "bar"
    light = setup_colour(bar.colour)
    label = ""
    if len(bar.label) * LETTER < wide:
        ink = ink_on(light if setup > wide / 2 else bar.colour)
        middle = left + (setup / 2 if setup > wide / 2 else (setup + wide) / 2)
        room = setup if setup > wide / 2 else wide - setup
        if len(bar.label) * LETTER < room:
            label = _text(middle, top + high / 2, bar.label, "middle", ink)
    return (
        f"<g><title>{escape(bar.title)}</title>"
        f'<rect x="{left:.1f}" y="{top:.1f}" width="{wide:.1f}" height="{high:.1f}" '
        f'fill="{bar.colour}"/>'
        f'<rect x="{left:.1f}" y="{top:.1f}" width="{setup:.1f}" height="{high:.1f}" '
        f'fill="{light}"/>'
        f'<rect class="{kind}" x="{left:.1f}" y="{top:.1f}" width="{wide:.1f}" '
        f'height="{high:.1f}" fill="none"/>{label}</g>'
    )


def _ticks(until: float) -> list[float]:
    if until <= 0:
        return [0.0]
    step = 10.0 ** len(str(int(until)))
    for part in (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0):
        if until / (step * part) <= 8:
            step *= part
            break
    return [k * step for k in range(int(until / step + 1e-9) + 1)]


def _text(x: float, y: float, text: str, anchor: str, ink: str = "currentColor") -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" dominant-baseline="middle" '
        f'fill="{ink}">{escape(text)}</text>'
    )
