"""Time against gap."""

from __future__ import annotations

import numpy as np

from ...core.arrays import FloatArray
from ...core.wording import percent, plural, seconds
from ..statistics.runs import Runs
from .charts import Point, Series, Words, cloud_chart
from .colours import Shown
from .gaps import by_method, outcomes
from .markup import Markup, count, paragraph, section, table

LEAST_SECONDS = 1e-6
"""Times below this are drawn there."""


def times_part(runs: Runs, shown: Shown) -> Markup:
    """The section of time against gap.

    Returns the section, empty where no run has both.
    """
    both = np.isfinite(runs.gap) & np.isfinite(runs.seconds)
    if not both.any():
        return Markup("")
    took = np.maximum(runs.seconds, LEAST_SECONDS)
    labels = runs.variant.to_numpy()
    gap = by_method(runs, np.where(both, runs.gap, np.nan))
    median = by_method(runs, np.where(both, runs.seconds, np.nan))
    clouds, centres = [], []
    for name, colour in shown.colour.items():
        own = both & (labels == name)
        if own.any():
            pairs = zip(took[own].tolist(), runs.gap[own].tolist(), strict=True)
            clouds.append(Series(name, [Point(a, b) for a, b in pairs], colour))
            said = (
                f"{name}: median time {seconds(median[name].median)}, "
                f"mean gap {percent(gap[name].value)}"
            )
            at = Point(max(median[name].median, LEAST_SECONDS), gap[name].value, said=said)
            centres.append(Series(name, [at], colour))
    gaps = np.array([point.y for cloud in clouds for point in cloud.points])
    top = _top(gaps)
    beyond = int((gaps > top).sum())
    dots = sum(len(cloud.points) for cloud in clouds)
    notes = [f"{plural(dots, 'run')}; large marks: median time and mean gap."]
    if beyond:
        notes.append(f"{plural(beyond, 'run')} with a larger gap drawn at the upper edge.")
    words = Words(
        "Gap to the best bound against wall time, a dot for each run",
        "seconds (log)", "gap", " ".join([*notes, shown.note]).strip(),
    )  # fmt: skip
    ended = outcomes(runs)
    rows = [
        [name, count(median[name].count), count(row["runs"] - median[name].count),
         seconds(median[name].value), seconds(median[name].median), seconds(median[name].worst),
         percent(gap[name].value)]
        for name, row in ended.items() if name in median
    ]  # fmt: skip
    head = ["method", "runs shown", "not shown", "mean time", "median", "longest", "mean gap"]
    parts = [
        paragraph(
            "Runs without a schedule, a bound or a time have no place here; the table counts them. "
            "Wall times of runs side by side depend on how busy the machine was.",
            "note",
        ),
        Markup(f'<div class="charts">{cloud_chart(clouds, words, top, best=centres)}</div>'),
        table(head, rows, title="Time and gap by method", fold=True),
    ]
    return section("times", "Time against gap", parts)


def _top(gaps: FloatArray) -> float:
    """The end of an axis that a few runs far off do not squeeze."""
    most, high = float(gaps.max()), float(np.quantile(gaps, 0.99))
    if most > 3 * high > 0:
        return 1.5 * high
    return 1.04 * most or 1.0
