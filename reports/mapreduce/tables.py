"""Tables for the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from rich.markup import escape
from rich.table import Table

from ...core.wording import percent
from ...formulations.mapreduce.bounds import BOUNDS
from ...instances.mapreduce.instance import Instance
from ...solvers.certificate import PROVED
from ...solvers.mapreduce.comparison import Comparison, gaps_of
from ...solvers.mapreduce.result import Status


def bounds_table(instance: Instance, values: dict[str, float], best: str) -> Table:
    """A table of the closed-form bounds with their sources; the best valid one is marked.

    `values`: bounds (s) by name.
    """
    table = Table(title=escape(f"Lower bounds of {instance.name}"), title_justify="left")
    table.add_column("bound")
    table.add_column("seconds", justify="right")
    table.add_column("valid")
    table.add_column("source")
    for entry in BOUNDS:
        if entry.name in values:  # a plug-in's bound may be left out
            mark = "best" if entry.name == best else "yes" if entry.valid else "no"
            table.add_row(entry.name, f"{values[entry.name]:.6g}", mark, entry.source)
    return table


def comparison_table(comparison: Comparison) -> Table:
    """A table of bounds, heuristics and the best schedule of one instance, with gaps."""
    best, instance = comparison.best, comparison.instance
    table = Table(
        title=escape(
            f"{instance.name}: {instance.jobs} jobs, {instance.map_tasks} map and "
            f"{instance.reduce_tasks} reduce tasks, {instance.cluster.nodes} nodes"
        ),
        title_justify="left",
        caption=escape(_caption(comparison)),
        caption_justify="left",
    )
    table.add_column("")
    table.add_column("makespan s", justify="right")
    table.add_column("gap", justify="right")
    table.add_column("time s", justify="right")
    for name, value in comparison.bounds.items():
        valid = next(entry.valid for entry in comparison.asked_bounds if entry.name == name)
        table.add_row(f"bound {name}{'' if valid else ' (not valid)'}", f"{value:.9g}", "", "")
    table.add_section()
    for result in comparison.heuristics:
        table.add_row(
            result.method,
            f"{result.makespan:.9g}",
            percent(comparison.gap_of(result)),
            f"{result.seconds:.3f}",
        )
    table.add_section()
    if best.makespan is None:
        table.add_row(best.status.value, "–", "", "", style="bold")
        return table
    label = "optimum" if best.status is Status.OPTIMAL else "best found"
    table.add_row(
        f"{label} ({best.found_by})", f"{best.makespan:.9g}", percent(best.gap),
        f"{best.seconds:.2f}", style="bold",
    )  # fmt: skip
    table.add_row(
        f"best bound ({best.bound_name})", f"{best.lower_bound:.9g}", "", "", style="bold"
    )
    if comparison.certificate is not None:
        table.add_row(f"proved: {comparison.certificate}", "", "", "")
    if instance.history is not None:
        table.add_section()
        table.add_row("as it ran *", f"{instance.history.makespan:.9g}", "", "")
    return table


def _caption(comparison: Comparison) -> str:
    history = comparison.instance.history
    if comparison.best.makespan is None:
        return "; ".join(comparison.best.notes)
    bound = "Gaps are to the best bound, the greatest of all valid ones."
    if history is None:
        return bound
    if not history.not_comparable:
        return f"{bound}\n* what the trace recorded"
    return f"{bound}\n* not comparable with the model: {'; '.join(history.not_comparable)}"


def summary_table(comparisons: Sequence[Comparison]) -> Table:
    """A table of the mean gap of every heuristic over several instances, and of how many it is."""
    solved = sum(c.best.status is Status.OPTIMAL for c in comparisons)
    table = Table(
        title=f"{len(comparisons)} instances, {solved} solved to optimality", title_justify="left"
    )
    table.add_column("")
    table.add_column("mean gap", justify="right")
    table.add_column("worst gap", justify="right")
    proved = [c.certificate.kind == PROVED for c in comparisons if c.certificate is not None]
    if proved:
        table.caption = f"bound proved of {sum(proved)} of {len(proved)} instances"
        table.caption_justify = "left"
    gaps = {
        name: [gap for gap in values if gap is not None]
        for name, values in gaps_of(comparisons).items()
    }
    fewer = any(len(known) < len(comparisons) for known in gaps.values())
    if fewer:
        table.add_column("instances", justify="right")
    for name, known in gaps.items():
        both = (fmean(known), max(known)) if known else (None, None)
        table.add_row(name, *map(percent, both), *([str(len(known))] if fewer else []))
    return table
