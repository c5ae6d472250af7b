"""A small chart of an answer: its bars in their lanes, as step pages draw them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from ..steps.drawing import Picture
from ..steps.record import Row, Step, Steps
from .exercise import Document

WIDTH = 400.0
"""Width of the picture, in pixels."""

Named = list[tuple[str, Row]]
"""Bars with the names that a mistake is told by."""


def picture(document: Document, answer: Any, broken: Collection[str], until: float) -> str:
    """The answer as SVG, empty if it has no bars.

    `broken`: names of the tasks or jobs that a mistake is about.
    `until`: where the axis ends at the least.
    """
    if not isinstance(answer, dict):
        return ""
    if "starts" in answer:
        lanes, bars = _runs(document, answer["starts"])
        unit = document["datacenter"]["time_unit"]
    else:
        lanes, bars = _tasks(document, answer["tasks"])
        unit = "s"
    rows = tuple(row for _, row in bars)
    drawn = Step("place", "", "", "", rows=rows)
    steps = Steps("answer", "this instance", tuple(lanes), (drawn,), None, unit=unit)
    return Picture(steps, WIDTH, until).still([row for name, row in bars if name in broken])


def last_end(answer: Any) -> float:
    """When an answer is over, 0 if it does not say."""
    if not isinstance(answer, dict):
        return 0.0
    rows = answer.get("starts") or answer.get("tasks") or []
    return max([float(row["end"]) for row in rows if "end" in row], default=0.0)


def _tasks(document: Document, rows: Sequence[dict[str, Any]]) -> tuple[list[str], Named]:
    jobs = [job["name"] for job in document["jobs"]]
    lanes = {
        (node["name"], phase, slot): f"{node['name']} {phase[:3]} {slot}"
        for node in document["cluster"]["nodes"]
        for phase in ("map", "reduce")
        for slot in range(node[f"{phase}_slots"])
    }
    places = {lane: place for place, lane in enumerate(lanes)}
    bars = []
    for row in rows:
        place = places.get((row["node"], row["phase"], row["slot"]))
        if place is None or "end" not in row:
            continue
        label, job = f"{row['job']}.{row['task']}", jobs.index(row["job"])
        bar = Row(place, row["start"], row["end"], label, job, row["setup"])
        bars.append((f"{row['job']} {row['phase']} {row['task']}", bar))
    return list(lanes.values()), bars


def _runs(document: Document, rows: Sequence[dict[str, Any]]) -> tuple[list[str], Named]:
    machines = sum(row["count"] for row in document["datacenter"]["configurations"])
    bars = [
        (name, Row(row["machine"], row["time"], row["end"], name, row["job"]))
        for row in rows
        for name in [f"job {row['job']}"]
        if row["machine"] < machines
    ]
    return [f"machine {m}" for m in range(machines)], bars
