"""Table 2 of [LJR]: mean relative errors by method, slot ratio, nodes and jobs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ....core.wording import percent
from ...statistics.anova import Anova
from ...statistics.means import honest_differences, honest_pairs, means_of
from .. import verdicts
from ..experiment import Claim, Comparison, Experiment, Size
from ..pictures import Line, Panel, Words, caption, means_plot
from ..printed import table
from . import figure_2, orderings
from .analysis import analysed, fact, nothing
from .cells import PRINTED_RUNS, ROUNDING, judged, means, printed_cells, wide
from .design import (
    AS_WRITTEN,
    FACTORS,
    JOBS,
    METHODS,
    PUBLISHED,
    RATIOS,
    RESPONSE,
    WORKLOAD,
    comparison_and_text,
    missing_note,
    with_errors,
)

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

CLAIMS = ("ljr-01", *(f"ljr-{k}" for k in (*range(11, 19), *range(23, 28), 37)))

TENTH = 0.1
"""Points of difference above which cells are counted."""


def _compare(frame: pd.DataFrame, size: Size) -> Comparison:
    """What the runs say of the table, cell by cell, and of what the text says about it."""
    runs = with_errors(frame)
    notes = missing_note(frame, comparison_and_text(size))
    if runs.empty:
        return nothing(*CLAIMS)
    errors = compared(runs)
    beside = with_errors(frame, AS_WRITTEN)
    published = frame["block_scale"] == PUBLISHED["block_scale"]
    analysis = analysed(runs)
    notes += analysis.notes
    hsd = honest_differences(runs, RESPONSE, ["ratio", "method"], analysis.plain)
    claims = [*_facts(runs, int(published.sum()), size), *_claims(runs, analysis.plain)]
    claims.append(figure_2.claim_of(*figure_2.bounds()))
    tables = {
        "errors": errors,
        "differences": differences(errors),
        **analysis.tables,
        "hsd": hsd,
    }
    notes += [_summary(errors, "with the two published settings"), _stronger(runs)]
    if len(beside):
        tables["errors-as-written"] = compared(beside)
        notes.append(_summary(tables["errors-as-written"], "as the text alone has it"))
    cells = [*_cells(errors), *_averages(runs)]
    return Comparison(claims, cells, tables, {"figure": _figure(runs)}, notes)


def compared(runs: pd.DataFrame) -> pd.DataFrame:
    """Each cell beside the printed one.

    Returns one row a cell: the factors, `runs`, `error_percent`, `standard_error`,
    `printed_percent`, `difference`, `gap_percent` (against the best valid bound).
    """
    import pandas as pd

    gaps = runs.groupby(list(FACTORS))["gap_percent"].mean()
    rows = []
    for key, mean in means(runs, FACTORS).items():
        method, ratio, nodes, jobs = key
        printed = float(printed_cells().loc[(ratio, nodes, jobs), method])
        ours = (mean.runs, mean.value, mean.standard_error, printed, mean.value - printed)
        rows.append((*key, *ours, float(gaps.loc[key])))
    columns = ["runs", RESPONSE, "standard_error", "printed_percent", "difference", "gap_percent"]
    return pd.DataFrame(rows, columns=[*FACTORS, *columns])


def differences(errors: pd.DataFrame) -> pd.DataFrame:
    """Mean and greatest absolute difference by number of jobs, for R1 to R3 together and R4.

    Returns one row a group: `jobs`, `ratios`, `cells`, `mean`, `above_tenth` (cells that are more
    than 0.1 points off), `greatest`, `where`.
    """
    import pandas as pd

    away = errors["difference"].abs()
    ratios = np.where(errors["ratio"] == "R4", "R4", "R1-R3")
    rows = []
    for (jobs, group), own in away.groupby([errors["jobs"], ratios]):
        worst = errors.loc[own.idxmax()]
        where = f"{worst['method']} {worst['ratio']} {worst['nodes']} nodes"
        above = int((own > TENTH).sum())
        rows.append((jobs, group, len(own), own.mean(), above, own.max(), where))
    columns = ["jobs", "ratios", "cells", "mean", "above_tenth", "greatest", "where"]
    return pd.DataFrame(rows, columns=columns)


def _summary(errors: pd.DataFrame, settings: str) -> str:
    """The goal of the generator: the mean difference at the most jobs."""
    most = differences(errors)
    most = most[most["jobs"] == JOBS[-1]]
    distances = [
        f"{row['mean']:.3f} points at {row['ratios']} ({row['above_tenth']} of {row['cells']} "
        f"cells above {TENTH:g}, greatest {row['greatest']:.2f})"
        for row in most.to_dict("records")
    ]
    return (
        f"Mean absolute difference from print with {JOBS[-1]} jobs {settings}: "
        f"{', '.join(distances)}."
    )


def _stronger(runs: pd.DataFrame) -> str:
    error, gap = runs[RESPONSE].mean(), runs["gap_percent"].mean()
    return (
        "Errors are against the greater of LB1 and LB2 as printed, "
        f"{percent(error / 100)} on average; against the best valid closed-form bound they are "
        f"{percent(gap / 100)}."
    )


def _facts(runs: pd.DataFrame, count: int, size: Size) -> list[Claim]:
    workloads = float(runs[WORKLOAD].nunique())
    return [fact("ljr-01", workloads, size), fact("ljr-11", float(count), size)]


def _claims(runs: pd.DataFrame, anova: Anova) -> list[Claim]:
    cells = wide(runs)
    cases = orderings.policy_better_at_odd_nodes(cells)
    odd = f"at {orderings.ODD} nodes the policy is better in {sum(cases)} of {len(cases)} (R2)"
    return [
        judged("ljr-12", orderings.policy_best_at_equal_slots, cells, note=odd),
        _second_ratio(runs, cells, anova),
        judged("ljr-14", orderings.efss_best_at_thrice, cells),
        _fourth_ratio(runs, anova),
        judged("ljr-16", orderings.policy_better, cells),
        judged("ljr-17", orderings.grows_with_ratio, cells, holds=1.0),
        judged("ljr-18", orderings.falls_with_jobs, cells),
        judged("ljr-23", orderings.least_but_at_odd_nodes, cells),
        judged("ljr-24", orderings.policy_better_at_twice, cells, note=odd),
        judged("ljr-25", orderings.grows_with_nodes, cells),
        judged("ljr-26", orderings.falls_with_jobs_everywhere, cells),
        judged("ljr-27", orderings.policy_weak_at_odd_nodes, cells, note=_where_it_gains(cells)),
    ]


def _where_it_gains(cells: pd.DataFrame) -> str:
    """The same without R4, where the policy gains little at any number of nodes."""
    others = cells[cells.index.get_level_values("ratio") != "R4"]
    cases = orderings.policy_weak_at_odd_nodes(others)
    return f"without R4 {sum(cases)} of {len(cases)}"


def _alike(runs: pd.DataFrame, anova: Anova, ratio: str) -> dict[frozenset[str], bool]:
    """Whether pairs of methods do not differ significantly at a ratio."""
    by = ["ratio", "method"]
    pairs = honest_pairs(honest_differences(runs, RESPONSE, by, anova), by)
    own = pairs[(pairs["ratio"] == ratio) & (pairs["ratio with"] == ratio)]
    names = zip(own["method"], own["method with"], ~own["significant"], strict=True)
    return {frozenset((method, other)): bool(alike) for method, other, alike in names}


def _second_ratio(runs: pd.DataFrame, cells: pd.DataFrame, anova: Anova) -> Claim:
    """R2: EFSS-L best, EFSS and TBS-L not significantly different."""
    cases = orderings.efss_local_best_at_twice(cells)
    pair = _alike(runs, anova, "R2").get(frozenset(("EFSS", "TBS-L")))
    note = "" if pair is None else f"EFSS and TBS-L differ significantly: {'no' if pair else 'yes'}"
    return verdicts.ordering("ljr-13", [*cases, *([] if pair is None else [pair])], note=note)


def _fourth_ratio(runs: pd.DataFrame, anova: Anova) -> Claim:
    """R4: pairs without TBS alike, pairs with one of them not."""
    pairs = _alike(runs, anova, "R4")
    task_based = {"TBS", "TBS-L"}
    cases = [
        alike == pair.isdisjoint(task_based)
        for pair, alike in pairs.items()
        if not pair <= task_based
    ]
    mean = runs[runs["ratio"] == "R4"].groupby("method")[RESPONSE].mean()
    note = "pairs by HSD; means " + ", ".join(f"{name} {value:.2f}" for name, value in mean.items())
    return verdicts.ordering("ljr-15", cases, note=note)


def _cells(errors: pd.DataFrame) -> list[Claim]:
    claims = []
    for row in errors.to_dict("records"):
        where = f"{row['method']}/{row['jobs']}/{row['ratio']}/{row['nodes']}"
        words = (
            f"mean relative error of {row['method']}, {row['jobs']} jobs, {row['ratio']}, "
            f"{row['nodes']} nodes, %"
        )
        mean = verdicts.Mean(row[RESPONSE], row["standard_error"], row["runs"])
        claims.append(_near(where, words, row["printed_percent"], mean))
    return claims


def _near(where: str, words: str, printed: float, ours: verdicts.Mean) -> Claim:
    return verdicts.near(
        f"ljr-table-2/{where}",
        words,
        printed,
        ours,
        printed_runs=PRINTED_RUNS,
        rounding=ROUNDING,
    )


def _averages(runs: pd.DataFrame) -> list[Claim]:
    """The rows of averages, which are over all numbers of jobs."""
    if set(runs["jobs"]) != set(JOBS):
        return []
    by = ["method", "ratio", "nodes"]
    ours = means(runs, by) | {("all", *key): mean for key, mean in means(runs, by[1:]).items()}
    claims = []
    for row in table("ljr_table2_averages").to_dict("records"):
        key = (row["method"], row["slot_ratio"], row["nodes"])
        if key in ours:
            words = f"average over jobs of {key[0]}, {key[1]}, {key[2]} nodes, %"
            where = f"{key[0]}/average/{key[1]}/{key[2]}"
            claims.append(_near(where, words, row["re_percent"], ours[key]))
    return claims


def _figure(runs: pd.DataFrame) -> Figure:
    """A panel for each number of jobs and ratio."""
    nodes = sorted(runs["nodes"].unique().tolist())
    ours = means_of(runs, RESPONSE, ["ratio", "jobs", "method", "nodes"])
    ours = ours.assign(half=ours["high"] - ours["mean"])
    ours = ours.set_index(["ratio", "jobs", "method", "nodes"])
    panels = []
    for jobs in sorted(runs["jobs"].unique().tolist()):
        for ratio in RATIOS.values():
            lines = []
            for method in METHODS:
                rows = ours.reindex([(ratio, jobs, method, n) for n in nodes])
                hollow = [float(printed_cells().loc[(ratio, n, jobs), method]) for n in nodes]
                lines.append(Line(method, rows["mean"].tolist(), rows["half"].tolist(), hollow))
            panels.append(Panel(nodes, lines, f"{ratio}, {jobs} jobs"))
    below = caption(len(runs), runs["seed"].tolist(), "Bars are 95 % confidence intervals")
    words = Words("LJR, Table 2: relative error by nodes", "nodes", "mean relative error, %", below)
    return means_plot(panels, words, columns=len(RATIOS), shared=False)


EXPERIMENT = Experiment(
    "ljr-table-2",
    "LJR",
    "mean errors of five methods by slot ratio, nodes and jobs",
    comparison_and_text,
    _compare,
)
