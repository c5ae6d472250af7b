"""What came of runs beside or without a makespan."""

from __future__ import annotations

from markupsafe import Markup

from ...core.wording import NONE
from ..statistics.runs import Runs
from .charts import Shown
from .gaps import INTERVAL, by_method, factor_parts, with_half
from .parts import count, folded, heading, paragraph, plain, section, table

FIRST = ("mean_wait", "p99_wait", "max_wait", "waited", "guarantees_met")
"""Measures that are shown open, in this order; the others are folded."""


def measures_part(runs: Runs, shown: Shown) -> Markup:
    """The section of the measures.

    Returns the section, empty if there are no measures.
    """
    if not runs.measures:
        return Markup("")
    units = f"Waits are in {_unit(runs)}, shares are of the whole cluster. "
    parts = [paragraph(f"{'' if runs.of_makespan.all() else units}{INTERVAL}", "note")]
    first = [name for name in FIRST if name in runs.measures]
    rest = [name for name in runs.measures if name not in first]
    for name in first or rest[:1]:
        values = runs.measure(name)
        means = by_method(runs, values)
        status = runs.frame["status"].isin(("error", "crashed"))
        failed = runs.variant[status].value_counts()
        rows = [
            [method, with_half(mean, plain), plain(mean.median), plain(mean.worst),
             count(mean.count), count(int(failed.get(method, 0)))]
            for method, mean in means.items()
        ]  # fmt: skip
        head = ["method", "mean", "median", "largest", "runs", "failed"]
        methods = [method for method in runs.variants if method in means]
        parts += [
            heading(f"{name} by method"),
            table(head, rows, title=f"{name} by method"),
            *factor_parts(runs, values, methods, shown, name=name),
        ]
    folded_ = rest if first else rest[1:]
    if folded_:
        parts.append(folded("Other measures by method (number of runs)", [_others(runs, folded_)]))
    return section("measures", "Measures", parts)


def _unit(runs: Runs) -> str:
    """The unit of the waits, if the datacenters agree on one."""
    units = runs.frame["time_unit"].dropna().unique() if "time_unit" in runs.frame else []
    return str(units[0]) if len(units) == 1 else "the time unit of the datacenter"


def _others(runs: Runs, names: list[str]) -> Markup:
    by_name = {name: by_method(runs, runs.measure(name)) for name in names}
    methods = [m for m in runs.variants if any(m in means for means in by_name.values())]
    rows = [
        [name, *(f"{with_half(mean, plain)} ({count(mean.count)})" if mean else NONE
                 for mean in map(means.get, methods))]
        for name, means in by_name.items()
    ]  # fmt: skip
    return table(["measure", *methods], rows, title="Means of other measures")
