"""An audit in sentences, and as text for the terminal."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...core.wording import number, percent, plural
from ...solvers.history.audit import Audit, Reference

BAR = 36
"""Characters of the longest bar."""

WORST = 10
"""Jobs that are told."""


def seconds(milliseconds: float) -> str:
    """`94.67 s`; two decimals, as many as a log's times are worth."""
    return f"{number(round(milliseconds / 1000, 2))} s"


def verdict(audit: Audit) -> list[str]:
    """The verdict in two sentences, and for an application a third: any order."""
    mean = audit.objective == "mean"
    name = audit.run.name
    if mean:
        count = plural(len(audit.run.jobs), "job")
        first = f"{name}: {count} took {seconds(audit.actual)} on average. "
    else:
        first = f"{name}: took {seconds(audit.actual)}. "
    kept, none = audit.reference("kept"), audit.reference("none")
    texts = [
        f"{first}In hindsight, {kept.under}, {_possible(kept)}.",
        f"{none.under[:1].upper()}{none.under[1:]}, {_possible(none)}.",
    ]
    texts += [
        f"{r.under[:1].upper()}{r.under[1:]}, nothing under {seconds(r.bound.value)}."
        for r in audit.references
        if r.best is None
    ]
    return texts


def _possible(reference: Reference) -> str:
    assert reference.best is not None
    if reference.best <= reference.bound.value * (1 + 1e-6):
        return f"{seconds(reference.best)} was possible, and is proven best"
    return (
        f"{seconds(reference.best)} was possible, and nothing under "
        f"{seconds(reference.bound.value)} (gap {percent(gap_of(reference))})"
    )


def gap_of(reference: Reference) -> float | None:
    """The gap between what was possible and its bound."""
    if reference.best is None or reference.bound.value <= 0:
        return None
    return reference.best / reference.bound.value - 1


def audit_text(audit: Audit) -> str:
    """The verdict, causes as bars, the ten worst jobs, and what the figures rest on."""
    lines = [*verdict(audit), "", "Where the time went:", *_bars(audit)]
    lines += ["", *_worst_jobs(audit), "", "This rests on:"]
    lines += [f"- {text}" for text in audit.assumptions]
    return "\n".join(lines)


def _bars(audit: Audit) -> list[str]:
    last = audit.steps[-1]
    assert last.bound is not None
    rows = [(name, about, time) for name, about, time in audit.causes]
    rows.append(("bound", f"nothing is under this: {last.bound.proved_by}", last.bound.value))
    widest = max(len(name) for name, _, _ in rows)
    longest = max(max(time for _, _, time in rows), 1e-9)
    lines = []
    for k, (name, about, time) in enumerate(rows):
        if k == audit.kept:
            lines.append("  (above: what a better scheduler saves; below: the platform)")
        bar = "█" * max(round(BAR * time / longest), 0)
        lines.append(f"  {name:{widest}}  {seconds(time):>12}  {bar:{BAR}}  {about}".rstrip())
    total = sum(time for _, _, time in rows)
    return [*lines, f"  {'as it ran':{widest}}  {seconds(total):>12}"]


def job_rows(audit: Audit) -> list[dict[str, object]]:
    """A row for each job: when it came, what it took and takes in the best plan (s)."""
    best = audit.steps[audit.kept]
    run = audit.steps[0]
    release = audit.projection.graph.job_release
    begins = release if audit.objective == "mean" else _submitted(audit)
    took, possible = run.job_end - begins, best.job_end - release
    rows = []
    for j, job in enumerate(audit.run.jobs):
        rows.append(
            {
                "job": job.name,
                "release": float(begins[j]) / 1000,
                "end": float(run.job_end[j]) / 1000,
                "took": float(took[j]) / 1000,
                "end_in_best": float(best.job_end[j]) / 1000,
                "took_in_best": float(possible[j]) / 1000 if audit.objective == "mean" else None,
                "weight": job.weight,
                "ends": [float(step.job_end[j]) / 1000 for step in audit.steps],
            }
        )
    return rows


def _submitted(audit: Audit) -> np.ndarray:
    return np.array([job.submitted for job in audit.run.jobs]) - audit.projection.shift


def _worst_jobs(audit: Audit) -> Sequence[str]:
    run, best = audit.steps[0].job_end, audit.steps[audit.kept].job_end
    lost = run - best
    order = np.argsort(-lost, kind="stable")[:WORST]
    lines = [
        "Jobs that end latest against the best plan (s):",
        "  earlier by   as it ran   best  job",
    ]
    lines += [
        f"  {number(round(lost[j] / 1000, 2)):>10}  {number(round(run[j] / 1000, 2)):>10}"
        f"  {number(round(best[j] / 1000, 2)):>10}  {audit.run.jobs[j].name}"
        for j in order.tolist()
    ]
    worst = int(np.argmin(lost))
    if lost[worst] < 0:
        name = audit.run.jobs[worst].name
        lines.append(
            f"  the best plan ends {name} {seconds(-float(lost[worst]))} later than the run"
        )
    return lines
