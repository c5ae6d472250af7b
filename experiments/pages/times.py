"""Time against gap."""

from __future__ import annotations

import numpy as np

from ...instances.wording import percent, plural, seconds
from .axes import Axis, linear, logarithmic
from .charts import BOTTOM, LEFT, RIGHT, TOP, Point, Series, Words, cloud_chart
from .colours import Shown
from .gaps import by_method, outcomes
from .markup import Markup, count, paragraph, section, table
from .runs import Runs

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
    x = logarithmic([p.x for one in clouds for p in one.points], LEFT, RIGHT)
    y, beyond = _gaps([p.y for one in clouds for p in one.points])
    dots = sum(len(one.points) for one in clouds)
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
        Markup(f'<div class="charts">{cloud_chart(clouds, words, x, y, best=centres)}</div>'),
        table(head, rows, title="Time and gap by method", fold=True),
    ]
    return section("times", "Time against gap", parts)


def _gaps(values: list[float]) -> tuple[Axis, int]:
    """An axis that a few runs far off do not squeeze, and how many lie beyond it."""
    found = np.array(values)
    high = float(np.quantile(found, 0.99))
    if found.max() <= 3 * high or high == 0:
        return linear(values, BOTTOM, TOP), 0
    axis = linear([0.0, 1.5 * high], BOTTOM, TOP)
    return axis, int((found > axis.high).sum())
