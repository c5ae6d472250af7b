"""Gaps by method and by factor, how runs ended, and time against gap."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from markupsafe import Markup

from ...core.arrays import BoolArray, FloatArray
from ...core.wording import NONE, percent, plural, seconds
from ..statistics.runs import Factor, Runs
from .charts import MOST_SERIES, Series, Shown, cloud_chart, means_chart
from .means import Mean, means
from .parts import (
    charts,
    count,
    cut,
    folded,
    heading,
    names,
    paragraph,
    plain,
    section,
    table,
)

if TYPE_CHECKING:
    import pandas as pd

INTERVAL = (
    "± is half of a 95 % interval of the mean over instances: what other instances drawn alike "
    "would give. Methods share their instances, so differences between methods are surer than the "
    "intervals look; for a test see an analysis of variance with the instance as block."
)

MOST_LEVELS, MOST_COLUMNS, EVERY = 30, 24, "all"
"""Factors with more levels are no factors to look at one by one; and methods side by side."""

LEAST_SECONDS = 1e-6
"""Times below this are drawn there."""


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
    import pandas as pd

    chosen = runs.of_makespan
    counts = pd.DataFrame(kinds)[chosen].groupby(runs.variant[chosen], sort=False).sum()
    return {str(name): row.to_dict() for name, row in counts.astype(int).iterrows()}


def gaps_part(runs: Runs, shown: Shown) -> Markup:
    """The section of the gaps, empty if no run was to find a schedule."""
    ended = outcomes(runs)
    if not ended:
        return Markup("")
    gap, own = by_method(runs, runs.gap), by_method(runs, runs.own_gap)
    rows = []
    for name in ended:
        mean, itself = gap.get(name, Mean()), own.get(name, Mean())
        rows.append([
            name, with_half(mean, percent), percent(mean.median), percent(mean.worst),
            count(mean.count), with_half(itself, percent), count(itself.count),
        ])  # fmt: skip
    parts = [
        paragraph(
            "The gap is (makespan - bound) / bound. The bound is the best one that any run of the "
            "campaign knew of the instance; the own gap takes what the run itself proved. "
            + INTERVAL,
            "note",
        ),
        *_left_out(runs, ended),
        table(["method", "mean gap", "median", "worst", "runs with a gap", "own gap",
               "runs with one"], rows, title="Gaps by method"),
        heading("How the runs ended"),
        table(["method", "runs", "schedules", "proven optimal", "by the run itself", "no schedule",
               "infeasible", "failed"],
              [[name, *(count(number) for number in row.values())] for name, row in ended.items()],
              title="How the runs ended", fold=True),
        paragraph(
            "Proven optimal: the makespan is the best bound that any run knew. No schedule: the "
            "time was over first. Infeasible: proven that there is none.",
            "note",
        ),
        *factor_parts(runs, runs.gap, [n for n in runs.variants if n in ended], shown, name="gap"),
    ]  # fmt: skip
    return section("gaps", "Gaps", parts)


def _left_out(runs: Runs, ended: dict[str, dict[str, int]]) -> list[Markup]:
    """Sentences on runs that no mean can count."""
    without = ", ".join(
        f"{cut(name)} {count(lacking)} of {count(row['runs'])}"
        for name, row in ended.items()
        if (lacking := row["no schedule"] + row["failed"])
    )
    sentences = []
    if without:
        sentences.append(
            f"Runs without a schedule (time over, or failed): {without}. Means of gaps are over "
            "the other runs and flatter these methods; the performance profiles count all."
        )
    if no_bound := int((runs.scheduled & runs.of_makespan & ~np.isfinite(runs.gap)).sum()):
        what = plural(no_bound, "schedule")
        sentences.append(f"{what} without a gap: no bound above 0 is known of the instance.")
    return [paragraph(sentence, "warning") for sentence in sentences]


def with_half(mean: Mean, text: Any) -> str:
    """A mean with half of its interval, where there is one."""
    half = f" ± {text(mean.half).removesuffix(' %')}" if math.isfinite(mean.half) else ""
    return f"{text(mean.value)}{half}"


def factor_parts(
    runs: Runs, values: FloatArray, methods: Sequence[str], shown: Shown, *, name: str
) -> list[Markup]:
    """A chart and a table for each factor.

    `values`: a number for each run, NaN for none.
    """
    pictures, tables, skipped = [], [], []
    for factor in runs.factors if np.isfinite(values).any() else ():
        if len(factor.levels) > MOST_LEVELS:
            skipped.append(f"{factor.column} ({len(factor.levels)} values)")
            continue
        labels = runs.frame["method"].astype(str) if factor.of_method else runs.variant
        ways = list(dict.fromkeys(labels)) if factor.of_method else list(methods)
        by_level = _means(runs, values, factor, labels)
        present = [way for way in ways if any(key[0] == way for key in by_level)]
        if present:
            pictures.append(_chart(runs, factor, by_level, present, shown, name))
            tables.append(_table(factor, by_level, present, name))
    parts = []
    if pictures:
        parts += [
            heading(f"{name} by factor"),
            charts(pictures),
            folded(f"The same as tables: {name} by factor", tables),
        ]
    if skipped:
        words = f"Not shown, for more than {MOST_LEVELS} values: {names(skipped)}."
        parts.append(paragraph(words, "note"))
    return parts


ByLevel = dict[tuple[str, Any], Mean]


def _means(runs: Runs, values: FloatArray, factor: Factor, labels: pd.Series) -> ByLevel:
    level = runs.frame[factor.column].to_numpy(dtype=object)
    by_level = means(values, {"way": labels.to_numpy(), "level": level}, runs.problem)
    every = means(values, {"level": level}, runs.problem)
    return {
        **{(str(way), of): mean for (way, of), mean in by_level.items()},
        **{(EVERY, key[0]): mean for key, mean in every.items()},
    }


def _chart(
    runs: Runs, factor: Factor, by_level: ByLevel, present: Sequence[str], shown: Shown, name: str
) -> Markup:
    colours, note = shown.colour, shown.note
    if factor.of_method:  # a method whatever its parameters
        drawn = list(present)[:MOST_SERIES]
        left = list(present)[MOST_SERIES:]
        colours = {way: k for k, way in enumerate(drawn)}
        note = f"Only in the table: {names(left, 4)}." if left else ""
    else:
        drawn = [way for way in present if way in colours]
    series = []
    for way in drawn:
        own = [by_level.get((way, level), Mean()) for level in factor.levels]
        values, halves = [mean.value for mean in own], [mean.half for mean in own]
        series.append(Series(way, range(len(own)), values, colours[way], halves))
    is_gap = name == "gap"
    title = f"{'Mean gap' if is_gap else f'Mean of {name}'} by {factor.column}, with 95 % intervals"
    axes = (factor.column, f"mean {name}" if is_gap else f"mean of {name}")
    return means_chart(series, factor.labels, title, axes, share=is_gap, below=note)


def _table(factor: Factor, by_level: ByLevel, present: Sequence[str], name: str) -> Markup:
    text = percent if name == "gap" else plain
    columns = [*present[:MOST_COLUMNS], EVERY] if len(present) > 1 else list(present)
    rows = []
    for level, label in zip(factor.levels, factor.labels, strict=True):
        own = [by_level.get((way, level), Mean()) for way in columns]
        rows.append(
            [label, *(f"{with_half(m, text)} ({count(m.count)})" if m.count else NONE for m in own)]
        )
    mean_of = "Mean gap" if name == "gap" else f"Mean of {name}"
    left = len(present) - MOST_COLUMNS
    parts = [
        heading(f"{name} by {factor.column}"),
        table([factor.column, *columns], rows, title=f"{mean_of} by {factor.column}"),
        paragraph(f"{left} more methods have no column here.", "note") if left > 0 else Markup(""),
    ]
    return Markup("").join(parts)


def times_part(runs: Runs, shown: Shown) -> Markup:
    """The section of time against gap, empty where no run has both."""
    both = np.isfinite(runs.gap) & np.isfinite(runs.seconds)
    if not both.any():
        return Markup("")
    took, labels = np.maximum(runs.seconds, LEAST_SECONDS), runs.variant.to_numpy()
    gap = by_method(runs, np.where(both, runs.gap, np.nan))
    time = by_method(runs, np.where(both, runs.seconds, np.nan))
    clouds, centres = [], []
    for name, colour in shown.colour.items():
        own = both & (labels == name)
        if own.any():
            clouds.append(Series(name, took[own].tolist(), runs.gap[own].tolist(), colour))
            middle = max(time[name].median, LEAST_SECONDS)
            centres.append(Series(name, [middle], [gap[name].value], colour))
    gaps = np.array([y for cloud in clouds for y in cloud.y])
    most, high = float(gaps.max()), float(np.quantile(gaps, 0.99))
    top = 1.5 * high if most > 3 * high > 0 else 1.04 * most or 1.0  # a few far off squeeze nothing
    beyond = int((gaps > top).sum())
    notes = [f"{plural(len(gaps), 'run')}; large marks: median time and mean gap."]
    if beyond:
        notes.append(f"{plural(beyond, 'run')} with a larger gap drawn at the upper edge.")
    below = " ".join([*notes, shown.note]).strip()
    title = "Gap to the best bound against wall time, a dot for each run"
    picture = cloud_chart(clouds, title, ("seconds (log)", "gap"), top, best=centres, below=below)
    rows = [
        [name, count(time[name].count), count(row["runs"] - time[name].count),
         seconds(time[name].value), seconds(time[name].median), seconds(time[name].worst),
         percent(gap[name].value)]
        for name, row in outcomes(runs).items() if name in time
    ]  # fmt: skip
    head = ["method", "runs shown", "not shown", "mean time", "median", "longest", "mean gap"]
    parts = [
        paragraph(
            "Runs without a schedule, a bound or a time have no place here; the table counts them. "
            "Wall times of runs side by side depend on how busy the machine was.",
            "note",
        ),
        charts([picture]),
        table(head, rows, title="Time and gap by method", fold=True),
    ]
    return section("times", "Time against gap", parts)
