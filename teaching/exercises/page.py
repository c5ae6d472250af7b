"""The verdict as one HTML page that needs no network and no script."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any

from ...reports.page import page as whole_page
from ...reports.page import safe
from ..steps.drawing import Picture, picture_styles
from ..steps.record import Row, Step, Steps
from .exercise import Document
from .grade import Finding, Grade, answer_lines, problem_lines, titled_answers

STYLE = """
body { max-width: 720px; }
pre { white-space: pre-wrap; }
.verdict { font-weight: 600; }
.what { border-left: 4px solid var(--bad); padding: 4px 0 4px 12px; margin: 12px 0; }
.picture { display: block; width: 100%; max-width: 620px; height: auto; margin: 6px 0; }
.broken > rect { stroke: var(--bad); stroke-width: 2.5; }
"""


def page(grade: Grade) -> str:
    """The verdict as HTML."""
    body = "\n".join(_body(grade))
    return _whole(f"{grade.file}: exercise {grade.exercise}", body)


def refusal(file: str, exercise: str, verdict: str, why: str) -> str:
    """The page about a file that cannot be graded.

    `verdict`: what it is called in a table.
    """
    body = (
        f'<h1>{safe(file)}</h1>\n<p class="note">exercise {safe(exercise)}</p>\n'
        f'<p class="verdict bad">{safe(verdict)}</p>\n<p class="what">{safe(why)}</p>'
    )
    return _whole(f"{file}: exercise {exercise}", body)


def _whole(title: str, body: str) -> str:
    return whole_page(title, f"<main>\n{body}\n</main>", styles=picture_styles() + STYLE)


def _body(grade: Grade) -> Iterator[str]:
    yield f"<h1>{safe(grade.file)}</h1>"
    yield f'<p class="note">exercise {safe(grade.exercise)}, domain {safe(grade.domain)}</p>'
    mood = "bad" if grade.broken else "good"
    yield f'<p class="verdict {mood}">{safe(grade.summary)}</p>'
    for finding in grade.findings:
        yield from _finding(finding)
    notes = "".join(f"<li>{safe(note)}</li>" for note in grade.notes)
    yield f'<ul class="note">{notes}</ul>'


def _finding(finding: Finding) -> Iterator[str]:
    failure = finding.failure
    yield f"<h2>{safe(failure.kind)}</h2>"
    yield f'<p class="what">{safe(failure.text)}</p>'
    head, *lines = problem_lines(finding)
    yield f"<p>{safe(head)}</p>"
    yield f"<pre>{safe(chr(10).join(line.strip() for line in lines))}</pre>"
    until = max(last_end(failure.answer), last_end(failure.right))
    for title, answer in titled_answers(finding):
        broken = failure.broken if answer is failure.answer else ()
        answer_shown = answer_lines(answer)
        if not answer_shown:
            continue
        yield f"<h3>{safe(title + answer_shown[0].removesuffix(':'))}</h3>"
        yield picture(finding.document, answer, broken, until)
        if answer_shown[1:]:
            yield f"<pre>{safe(chr(10).join(answer_shown[1:]))}</pre>"


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
