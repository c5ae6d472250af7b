"""Gaps by method and by factor, and what the means leave out."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from ...core.arrays import BoolArray
from ...core.wording import percent, plural
from ..statistics.runs import Runs
from .charts import WHISKER, whisker
from .colours import Shown
from .factors import factor_parts
from .markup import Markup, count, cut, heading, joined, paragraph, safe, section, table
from .means import Mean, means

INTERVAL = (
    "± is half of a 95 % interval of the mean over instances: what other instances drawn alike "
    "would give. Methods share their instances, so differences between methods are surer than the "
    "intervals look; for a test see an analysis of variance with the instance as block."
)


def by_method(runs: Runs, values: Any) -> dict[str, Mean]:
    """The mean of the values for each method that has any.

    `values`: a number for each run, NaN for none.
    """
    by_variant = means(values, {"method": runs.variant}, runs.problem)
    return {str(key[0]): mean for key, mean in by_variant.items()}


def outcomes(runs: Runs) -> dict[str, dict[str, int]]:
    """How the runs of each method that looks for schedules ended.

    For each method: runs, schedules, optimal, by itself (optimal and proven by the run), no
    schedule (unknown at the end of its time), infeasible, failed.
    """
    status = runs.frame["status"].to_numpy()
    infeasible = (status == "infeasible") & ~runs.scheduled
    kinds: dict[str, BoolArray] = {
        "runs": np.ones(len(runs), dtype=bool),
        "schedules": runs.scheduled,
        "optimal": runs.optimal & runs.scheduled,
        "by itself": (status == "optimal") & runs.scheduled,
        "no schedule": ~runs.scheduled & ~infeasible & ~runs.failed,
        "infeasible": infeasible,
        "failed": runs.failed,
    }
    chosen = runs.of_makespan
    labels = runs.variant[chosen]
    counts = {
        name: labels[mask[chosen]].value_counts(sort=False).to_dict()
        for name, mask in kinds.items()
    }
    return {
        method: {name: int(by_name.get(method, 0)) for name, by_name in counts.items()}
        for method in dict.fromkeys(labels)
    }


def gaps_part(runs: Runs, shown: Shown) -> Markup:
    """The section of the gaps.

    Returns the section, empty if no run was to find a schedule.
    """
    ended = outcomes(runs)
    if not ended:
        return Markup("")
    parts: list[str] = [
        paragraph(
            "The gap is (makespan - bound) / bound. The bound is the best one that any run of the "
            "campaign knew of the instance; the own gap takes what the run itself proved. "
            + INTERVAL,
            "note",
        ),
        *_left_out(runs, ended),
        _table(runs, ended),
        heading("How the runs ended"),
        _outcomes_table(ended),
    ]
    chosen = [name for name in runs.variants if name in ended]
    parts += factor_parts(runs, runs.gap, chosen, shown, name="gap")
    return section("gaps", "Gaps", parts)


def _left_out(runs: Runs, ended: dict[str, dict[str, int]]) -> list[Markup]:
    """Sentences on runs that no mean can count."""
    sentences = []
    without = {
        name: (row["no schedule"] + row["failed"], row["runs"])
        for name, row in ended.items()
        if row["no schedule"] + row["failed"]
    }
    if without:
        said = ", ".join(
            f"{cut(name)} {count(n)} of {count(all_)}" for name, (n, all_) in without.items()
        )
        sentences.append(
            paragraph(
                f"Runs without a schedule (time over, or failed): {said}. Means of gaps are over "
                "the other runs and flatter these methods; the performance profiles count all.",
                "warning",
            )
        )
    no_bound = int((runs.scheduled & runs.of_makespan & ~np.isfinite(runs.gap)).sum())
    if no_bound:
        sentences.append(
            paragraph(
                f"{plural(no_bound, 'schedule')} without a gap: no bound above 0 is known of the "
                "instance.",
                "warning",
            )
        )
    return sentences


def _table(runs: Runs, ended: dict[str, dict[str, int]]) -> Markup:
    gap, own = by_method(runs, runs.gap), by_method(runs, runs.own_gap)
    end = whisker_end(gap.values())
    rows = []
    for name in ended:
        mean, itself = gap.get(name, Mean()), own.get(name, Mean())
        with_ = f"{percent(mean.value)}{plus_minus(mean.half)}"
        rows.append([
            name, whisker(mean.value, mean.half, end, f"{name}: {with_}"), with_,
            percent(mean.median), percent(mean.worst), count(mean.count),
            f"{percent(itself.value)}{plus_minus(itself.half)}", count(itself.count),
        ])  # fmt: skip
    head = [
        "method", axis_head(percent(end)), "mean gap", "median", "worst", "runs with a gap",
        "own gap", "runs with one",
    ]  # fmt: skip
    return table(head, rows, title="Gaps by method")


def _outcomes_table(ended: dict[str, dict[str, int]]) -> Markup:
    rows = [[name, *(count(number) for number in row.values())] for name, row in ended.items()]
    head = [
        "method", "runs", "schedules", "proven optimal", "by the run itself", "no schedule",
        "infeasible", "failed",
    ]  # fmt: skip
    said = (
        "Proven optimal: the makespan is the best bound that any run knew. No schedule: the time "
        "was over first. Infeasible: proven that there is none."
    )
    return joined(
        [table(head, rows, title="How the runs ended", fold=True), paragraph(said, "note")]
    )


def plus_minus(half: float) -> str:
    """Half an interval of shares after a mean; nothing where there is none."""
    return f" ± {percent(half).removesuffix(' %')}" if math.isfinite(half) else ""


def whisker_end(means: Iterable[Mean]) -> float:
    """Where the axis of the charts in a table ends; it begins at 0."""
    ends = [m.value + (m.half if math.isfinite(m.half) else 0.0) for m in means]
    return 1.04 * max(ends, default=0.0) or 1.0


def axis_head(end: str) -> Markup:
    """The head of a column of small charts: where their axis ends."""
    return Markup(f'<span class="ends" style="width:{WHISKER}px"><span>0</span>{safe(end)}</span>')
