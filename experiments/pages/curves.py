"""Performance profiles of makespans and of times."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from markupsafe import Markup

from ...core.arrays import BoolArray, FloatArray
from ...core.wording import percent, plural
from ..statistics.profiles import Profile, performance_profiles
from ..statistics.runs import Runs
from .charts import Series, Shown, number, steps_chart
from .parts import charts, count, names, paragraph, section, table

if TYPE_CHECKING:
    import pandas as pd

FARTHEST = 1e4
"""Ratios beyond this are not drawn."""

FACTORS = {"makespan": (1.0, 1.01, 1.05, 1.1, 1.25, 2.0), "time": (1.0, 2.0, 5.0, 10.0, 100.0)}
"""Factors of the tables."""

WITHOUT = {
    "makespan": "not all methods have run",
    "time": "not all methods have run, or have a time",
}
"""Why an instance is no part of a profile."""

DEFINITION = (
    "Performance profiles (Dolan and Moré 2002): on the vertical axis the share of the instances "
    "on which a method's makespan, or time, is at most the factor on the horizontal axis times the "
    "best one: the best makespan that any run of the campaign found, the shortest time of the "
    "methods. Left end: how often it is the best, ties counted for all. Right end: how often it "
    "has an answer at all: an instance without one is never reached, so only a method without "
    "failures comes to 100 %."
)


def profiles(runs: Runs, kind: str) -> tuple[dict[str, Profile], int]:
    """The profiles of all methods that look for schedules; without any, those of times of others.

    `kind`: `makespan`, of the ratio to the best makespan that any run of the campaign found, or
    `time`.
    As long as no instance was run by all, the method on the fewest is left out.
    Returns instances that are no part of them, see `WITHOUT`.
    """
    if kind == "makespan":
        chosen, costs = runs.of_makespan, np.where(runs.scheduled, runs.makespan, np.nan)
        known = np.ones(len(runs), dtype=bool)
    else:
        chosen, costs = _comparable(runs), np.where(runs.answered, runs.seconds, np.nan)
        known = ~(runs.answered & np.isnan(runs.seconds))
    if not np.isfinite(costs[chosen]).any():
        return {}, 0
    methods = list(dict.fromkeys(runs.variant[chosen]))
    there = _pivot(runs, np.where(known, 1.0, np.nan), chosen).notna()
    while len(methods) > 2 and not there[methods].all(axis=1).any():
        methods.remove(min(methods, key=lambda name: int(there[name].sum())))
    ended = there[methods].all(axis=1)
    kept = _pivot(runs, costs, chosen)[ended]
    best = None
    if kind == "makespan":
        best = _pivot(runs, runs.best_makespan, chosen)[ended].min(axis=1).to_numpy(dtype=float)
    by_method = {name: kept[name].to_numpy(dtype=float) for name in methods}
    return performance_profiles(by_method, best), int((~ended).sum())


def _comparable(runs: Runs) -> BoolArray:
    """Runs of the methods whose times are compared: those that look for schedules, if any do, else
    policies or allocators, whichever are more; they never share an instance."""
    if runs.of_makespan.any():
        return runs.of_makespan
    kinds = runs.frame["kind"]
    return np.asarray(kinds == kinds.mode()[0], dtype=bool)


def _pivot(runs: Runs, values: FloatArray, chosen: BoolArray) -> pd.DataFrame:
    """A row for each instance, a column for each method."""
    import pandas as pd

    frame = pd.DataFrame({"problem": runs.problem, "method": runs.variant, "value": values})[chosen]
    return frame.set_index(["problem", "method"])["value"].unstack("method")


def profiles_part(runs: Runs, shown: Shown) -> Markup:
    """The section of the performance profiles.

    Returns the section, empty if there is nothing to compare.
    """
    parts: list[Markup] = []
    pictures, tables = [], []
    for kind in ("makespan", "time"):
        by_name, left_out = profiles(runs, kind)
        if not by_name:
            continue
        problems = next(iter(by_name.values())).problems
        if len(by_name) < 2:
            parts.append(paragraph(f"No profile of the {kind}: there is one method only."))
        elif not problems:
            parts.append(paragraph(f"No profile of the {kind}: {WITHOUT[kind]} anywhere."))
        else:
            below = f"{plural(problems, 'instance')}."
            if left_out:
                below += f" {plural(left_out, 'instance')} left out: {WITHOUT[kind]} there."
            chosen = runs.of_makespan if kind == "makespan" else _comparable(runs)
            missing = [name for name in dict.fromkeys(runs.variant[chosen]) if name not in by_name]
            if missing:
                below += f" Without {names(missing)}: no instance in common with the others."
            pictures.append(_chart(by_name, kind, f"{below} {shown.note}".strip(), shown))
            tables.append(_table(by_name, kind))
    if pictures:
        parts.insert(0, paragraph(DEFINITION, "note"))
        parts.append(charts(pictures))
    return section("profiles", "Performance profiles", [*parts, *tables]) if parts else Markup("")


def _chart(by_name: dict[str, Profile], kind: str, below: str, shown: Shown) -> Markup:
    series, ends = [], [1.0]
    for name, colour in shown.colour.items():
        if name in by_name:
            factors, shares = by_name[name].steps()
            near = factors[factors <= FARTHEST]
            ends.extend(near[-1:].tolist())
            series.append(Series(name, factors.tolist(), shares.tolist(), colour))
    title = f"Share of instances within a factor of the best {kind}"
    axes = (f"factor of the best {kind} (log)", "share of instances")
    end = max(ends)
    return steps_chart(series, title, axes, end**1.03 if end > 1.001 else 2.0, below)


def _table(by_name: dict[str, Profile], kind: str) -> Markup:
    factors = FACTORS[kind]
    rows = [
        [name, *(percent(profile.share(factor)) for factor in factors), percent(profile.solved),
         count(profile.problems)]
        for name, profile in by_name.items()
    ]  # fmt: skip
    head = ["method", "best", *(f"within {number(f)}×" for f in factors[1:]), "ever", "instances"]
    return Markup("").join(
        [
            paragraph(f"Share of instances by factor of the best {kind}:"),
            table(head, rows, title=f"Performance profiles of the {kind}", fold=True),
        ]
    )
