"""An audit as a page: verdict, causes, both Gantt charts on one axis, jobs."""

from __future__ import annotations

from pathlib import Path

from ...core.files.outputs import write_bytes
from ...solvers.history.audit import Audit
from ..page import data_element, page, safe, web_file
from .charts import charts
from .detail import detail_page
from .verdict import job_rows, seconds, verdict

MOST_COLOURS = 8


def write_audit_page(audit: Audit, path: str | Path, line: str) -> None:
    """Write the page of an audit: one file that asks no host for anything."""
    write_bytes(path, audit_page(audit, line).encode())


def audit_page(audit: Audit, line: str) -> str:
    """The page of an audit as HTML; `line` makes it again."""
    last = audit.steps[-1]
    assert last.bound is not None
    causes = [
        *audit.causes,
        ("bound", f"nothing is under: {last.bound.proved_by}", last.bound.value),
    ]
    rows = job_rows(audit)
    data = {
        **charts(audit),
        "jobs": [row["job"] for row in rows],
        "rows": [
            [row["release"], row["end"], row["best_end"], row["alone_end"], *row["ends"]]
            for row in rows
        ],
    }
    body = f"""<h1>{safe(audit.run.name)}</h1>
{"".join(f"<p>{safe(text)}</p>" for text in verdict(audit))}
<h2>Where the {"mean job time" if audit.objective == "mean" else "time"} went</h2>
<p class="note">As it ran, {seconds(audit.actual)}, is all of it. Choose a cause: the jobs are
sorted by it.</p>
{_bar(audit, causes)}
{detail_page(audit)}
<h2>As it ran, and the best plan</h2>
{_tools()}
<h3>As it ran</h3>
<canvas id="ran" tabindex="0" role="img" aria-label="Slots over time as it ran"></canvas>
<h3>The best plan, {safe(audit.shown.under)}</h3>
<canvas id="best" tabindex="0" role="img" aria-label="Slots over time in the best plan"></canvas>
<p id="told" class="note" role="status" aria-live="polite"></p>
<h2>Jobs</h2>
<p class="note">Seconds from the release: of a Spark application, from its first submission.
<i>Alone</i>: the least a job takes on the empty cluster, under what the best plan keeps.
<i>Cause</i>: what the chosen cause adds to the job. Choose a job to see it in both charts.</p>
<div class="scroll"><table><thead><tr><th>job</th><th>release</th><th>took</th><th>best plan</th>
<th>alone</th><th>lost</th><th id="cause">cause</th></tr></thead><tbody id="jobs"></tbody>
</table></div>
<button type="button" id="more" hidden>All jobs</button>
<h2>What this rests on</h2>
<ul>{"".join(f"<li>{safe(text)}</li>" for text in audit.assumptions)}</ul>
{_deviations(audit)}
<h2>Again</h2>
<pre>{safe(line)}</pre>
{data_element("audit-data", data)}
<noscript><p>The charts are drawn by a script in this file; please allow it.</p></noscript>"""
    style, script = (web_file(__package__, f"web/audit.{end}") for end in ("css", "js"))
    return page(f"Audit of {audit.run.name}", body, styles=style, scripts=[script])


def _tools() -> str:
    return """<div class="tools"><button type="button" id="in">Zoom in</button>
<button type="button" id="out">Zoom out</button><button type="button" id="whole">Whole run</button>
<span class="note">Drag or arrows: move. Wheel or + and −: zoom both. Hatched: waits for maps;
crossed: an attempt that did not count.</span></div>"""


def _bar(audit: Audit, causes: list[tuple[str, str, float]]) -> str:
    """Causes as one stacked bar, and as a list with their seconds."""
    shown = [(k, *cause) for k, cause in enumerate(causes) if cause[2] > 0]
    whole = max(audit.actual, 1e-9)
    parts = "".join(
        f'<i class="p{k % MOST_COLOURS} {"second" if k >= MOST_COLOURS else ""}" '
        f'style="width: {100 * time / whole:.3f}%" title="{safe(name)}: {seconds(time)}"></i>'
        for k, name, _, time in shown
    )
    lines = "".join(
        f'<li><button type="button" data-cause="{k}" title="{safe(about)}">'
        f'<i class="p{k % MOST_COLOURS} {"second" if k >= MOST_COLOURS else ""}"></i>'
        f"<b>{seconds(time)}</b> {safe(name)}<small>{safe(about)}</small></button></li>"
        for k, name, about, time in shown
    )
    return f'<div class="stack" aria-hidden="true">{parts}</div><ol class="causes">{lines}</ol>'


def _deviations(audit: Audit) -> str:
    dropped = audit.run.dropped
    if not dropped:
        return ""
    lines = "".join(f"<li>{count} × {safe(reason)}</li>" for reason, count in dropped.items())
    return f"<h3>Lines of the log that were left out</h3><ul>{lines}</ul>"
