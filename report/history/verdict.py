"""An audit in sentences, and as text for the terminal."""

from __future__ import annotations

from typing import Any

from ...core.wording import number, plural
from ...formulations.history.job_time_bounds import alone_ends
from ...instances.history.heads_tails import heads_and_tails
from ...solvers.history.audit import Audit, Reference, Sizes
from .detail import detail_lines

BAR = 36
"""Characters of the longest bar."""

WORST = 10
"""Jobs that are told."""


def seconds(milliseconds: float) -> str:
    """`94.67 s`; two decimals, as many as a log's times are worth."""
    return f"{number(round(milliseconds / 1000, 2))} s"


def verdict(audit: Audit) -> list[str]:
    """The verdict: what was possible as the platform was, without overheads, in any order, as far
    as that was asked; and for jobs that arrive, the other objective."""
    shown = audit.shown
    texts = [f"{audit.run.name}: {_took(audit)}. In hindsight, {shown.under}, {_possible(shown)}."]
    if audit.overheads == "both":
        more = (one for one in audit.references if one is not shown)
        texts += [f"{_capital(one.under)}, {_possible(one)}." for one in more]
    if audit.other is not None:
        other = audit.other
        texts.append(
            f"{_capital(_took(other))}; {shown.under}, {_possible(other.reference(shown.key))}."
        )
    return texts


def _took(audit: Audit) -> str:
    count = plural(len(audit.run.jobs), "job")
    if audit.objective == "mean":
        return f"{count} took {seconds(audit.actual)} on average"
    return f"{count} took {seconds(audit.actual)} from the first submission to the last end"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _possible(reference: Reference) -> str:
    if reference.best is None:
        return f"nothing under {seconds(reference.bound.value)}"
    if reference.best <= reference.bound.value * (1 + 1e-6):
        return f"{seconds(reference.best)} was possible, and is proven best"
    likely = ""
    if reference.likely is not None and reference.likely < reference.best * (1 - 1e-6):
        likely = f" ({seconds(reference.likely)} if reduces held no slot while they waited)"
    return (
        f"{seconds(reference.best)} was possible{likely}, and nothing under "
        f"{seconds(reference.bound.value)}"
    )


def gap_of(reference: Reference) -> float | None:
    """The gap between what was possible and its bound."""
    if reference.best is None or reference.bound.value <= 0:
        return None
    return reference.best / reference.bound.value - 1


def audit_text(audit: Audit) -> str:
    """The verdict, causes as bars, the ten worst jobs, and what the figures rest on."""
    what = "mean job time" if audit.objective == "mean" else "time"
    lines = [*verdict(audit), "", f"Where the {what} went:", *_bars(audit)]
    lines += [*detail_lines(audit), "", *_worst_jobs(audit)]
    if audit.sizes is not None:
        lines += ["", *_sizes(audit, audit.sizes)]
    lines += ["", "This rests on:"]
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


def job_rows(audit: Audit) -> list[dict[str, Any]]:
    """A row for each job (s): its release, its ends in all steps, and the earliest end alone.

    Jobs of an application are released with it: when they are submitted the program decides.
    """
    graph, best = audit.shown.graph, audit.shown.plan
    release = graph.job_release
    alone = alone_ends(graph, heads_and_tails(graph))
    assert best is not None
    return [
        {
            "job": job.name,
            "weight": job.weight,
            "release": float(release[j]) / 1000,
            "end": float(audit.steps[0].job_end[j]) / 1000,
            "best_end": float(best.job_end[j]) / 1000,
            "alone_end": float(alone[j]) / 1000,
            "ends": [float(step.job_end[j]) / 1000 for step in audit.steps],
        }
        for j, job in enumerate(audit.run.jobs)
    ]


def _worst_jobs(audit: Audit) -> list[str]:
    """The jobs that lost most against the best plan, and the one that would lose most by it (s)."""
    rows = job_rows(audit)
    rows.sort(key=lambda row: float(row["best_end"] - row["end"]))
    lines = [
        "Jobs that lost most, with their ends, in seconds:",
        f"  {'lost':>10}  {'ended':>10}  {'best':>10}  job",
    ]
    for row in rows[:WORST]:
        cells = (row["end"] - row["best_end"], row["end"], row["best_end"])
        lines.append(f"  {'  '.join(f'{_rounded(x):>10}' for x in cells)}  {row['job']}")
    last = rows[-1]
    if last["best_end"] > last["end"]:
        later = _rounded(last["best_end"] - last["end"])
        lines.append(f"  The best plan ends {last['job']} {later} s later than the run did.")
    return lines


def _sizes(audit: Audit, sizes: Sizes) -> list[str]:
    """What other numbers of slots could have done, and how few would have been enough (s)."""
    alone = ", for these tasks alone" if any(stage.stays for stage in audit.run.stages) else ""
    lines = [f"The same on another number of slots, all the time{alone}:"]
    if sizes.asked:
        lines.append(f"  {'slots':>7}  {'possible':>10}  {'never under':>11}")
    for size in sizes.asked:
        best, bound = (_rounded(value / 1000) for value in (size.best, size.bound.value))
        lines.append(f"  {number(size.slots):>7}  {best:>10}  {bound:>11}")
    least = "" if sizes.least <= 1 else f", and with fewer than {sizes.least} it is impossible"
    lines.append(
        f"  {seconds(audit.actual)}, as it ran, is possible with {plural(sizes.fewest, 'slot')} "
        f"of the {len(audit.graph.capacity)}{least}."
    )
    return lines


def _rounded(value: float) -> str:
    return number(round(value, 2))
