"""Table 3 of [LJR]: mean relative errors by number of jobs."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from ...statistics.means import honest_differences
from .. import verdicts
from ..experiment import Claim, Comparison, Experiment, Size, Verdict
from ..pictures import Line, Panel, Words, caption, means_plot
from ..printed import printed, table
from ..verdicts import Mean
from . import orderings
from .analysis import HSD_NOTE, analysed, nothing
from .cells import PRINTED_RUNS, ROUNDING, judged, means, printed_like, wide
from .design import JOBS, METHODS, NODES, RESPONSE, comparison, missing_note, with_errors

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

CLAIMS = ("ljr-19", "ljr-20", "ljr-36")


def _compare(frame: pd.DataFrame, size: Size) -> Comparison:
    """What the runs say of the table and of what the text says about it."""
    runs = with_errors(frame)
    notes = missing_note(frame, comparison(size))
    if runs.empty:
        return nothing(*CLAIMS)
    analysis = analysed(runs)
    notes += analysis.notes
    hsd = honest_differences(runs, RESPONSE, ["jobs", "method"], analysis.plain)
    cells = wide(runs)
    errors = _errors(runs)
    claims = [
        judged("ljr-19", orderings.efss_local_least, cells, holds=1),
        judged("ljr-20", orderings.task_based_bad_for_few_jobs, cells),
        _averages(runs, errors),
    ]
    return Comparison(
        claims,
        list(errors.values()),
        {**analysis.tables, "hsd": hsd},
        {"figure": _figure(runs, hsd)},
        notes,
    )


def _errors(runs: pd.DataFrame) -> dict[tuple[str, str], Claim]:
    """The cells with errors, if all numbers of nodes are there; averages if all of jobs are."""
    if set(runs["nodes"]) != set(NODES):
        return {}
    ours: dict[tuple[str, str], Mean] = {
        (str(jobs), str(method)): mean
        for (jobs, method), mean in means(runs, ["jobs", "method"]).items()
    }
    if set(runs["jobs"]) == set(JOBS):
        average = means(runs, ["method"]).items()
        ours |= {("average", str(method)): mean for (method,), mean in average}
    claims = {}
    for row in table("ljr_table3").to_dict("records"):
        key = (str(row["jobs"]), row["method"])
        if key in ours:
            claims[key] = verdicts.near(
                f"ljr-table-3/{key[1]}/{key[0]}/error",
                f"mean relative error of {key[1]}, {_of_jobs(key[0])}, %",
                row["re_percent"],
                ours[key],
                printed_runs=PRINTED_RUNS,
                rounding=ROUNDING,
            )
    return claims


def _of_jobs(jobs: str) -> str:
    return "average" if jobs == "average" else f"{jobs} jobs"


def _averages(runs: pd.DataFrame, cells: dict[tuple[str, str], Claim]) -> Claim:
    """The averages of the five methods within chance, and each pair in the printed order."""
    averages = {method: claim for (jobs, method), claim in cells.items() if jobs == "average"}
    if set(averages) != set(METHODS):
        return verdicts.not_testable("ljr-36", "a part of the design")
    paper = {method: claim.printed_low or 0.0 for method, claim in averages.items()}
    own = {method: claim.ours or 0.0 for method, claim in averages.items()}
    order = [(paper[a] < paper[b]) == (own[a] < own[b]) for a, b in combinations(METHODS, 2)]
    near = [claim.verdict is Verdict.HOLDS for claim in averages.values()]
    means = ", ".join(f"{method} {value:.2f}" for method, value in own.items())
    note = f"{sum(near)} of 5 means and {sum(order)} of 10 pairs as printed: {means}"
    cases = [*near, *order]
    verdict = verdicts.of_share(sum(cases) / len(cases), holds=1)
    unit = printed("ljr-36").unit
    return verdicts.said("ljr-36", verdict, sum(own.values()) / 5, None, f"{note} {unit}")


def _figure(runs: pd.DataFrame, hsd: pd.DataFrame) -> Figure:
    jobs = sorted(runs["jobs"].unique().tolist())
    ours = hsd.set_index(["method", "jobs"])
    paper = printed_like(runs).groupby(level="jobs").mean()
    lines = []
    for method in METHODS:
        rows = ours.reindex([(method, n) for n in jobs])
        hollow = [float(paper.loc[n, method]) for n in jobs]
        lines.append(Line(method, rows["mean"].tolist(), rows["half_width"].tolist(), hollow))
    below = caption(len(runs), runs["seed"].tolist(), HSD_NOTE)
    words = Words("LJR, Table 3: relative error by jobs", "jobs", "mean relative error, %", below)
    return means_plot([Panel(jobs, lines)], words, columns=1)


EXPERIMENT = Experiment(
    "ljr-table-3", "LJR", "mean errors of five methods by jobs", comparison, _compare
)
