"""[LJR], section 5: the calibration of omega (Figure 3), mean relative errors of five methods
(Tables 2 and 3), their interactions (Figures 4 and 5), and LB1 above LB2 (Figure 2).

Errors are against the greater of LB1 and LB2 as the paper prints them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from ...core.wording import percent
from ...formulations.mapreduce.bounds.closed_form import lb1_as_printed, lb2
from ...instances.mapreduce.cluster import Cluster
from ...instances.mapreduce.instance import Instance, Job
from ..statistics.anova import Anova, analysis_of_variance
from ..statistics.means import honest_differences, honest_pairs, means_of
from ..study.instance_sources import called, drawn
from ..study.study import Block, InstanceSource, Study
from . import claims as verdicts
from . import ljr_orderings as orderings
from .claims import (
    Claim,
    Comparison,
    Experiment,
    Mean,
    Size,
    Verdict,
    nothing,
    numbered,
    printed,
    table,
)
from .ljr_orderings import METHODS, Cases
from .pictures import Panel, Words, caption, lines_of, means_plot

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

CALIBRATED = ("EASS", "EFSS", "TBS")
OMEGAS, OMEGA = (0.1, 0.3, 0.5, 0.7, 0.9), 0.7
JOBS, NODES, SEEDS = (50, 100, 150, 200, 250), (10, 15, 20, 25, 30), range(30)
RATIOS = {2: "R1", 4: "R2", 6: "R3", 8: "R4"}
"""Name of the slot ratio by map slots of a node; reduce slots are 2."""

FACTORS = ("method", "ratio", "nodes", "jobs")
ALL = (*FACTORS, "omega")
"""Factors of the comparison, and those of the calibration."""

RESPONSE, WORKLOAD = "error_percent", "workload"
"""Columns of the relative error (%), and of the jobs of a run, which all clusters and methods
meet."""

BOUNDS = ("LB1 as printed", "LB2")

PUBLISHED: dict[str, Any] = {"racks": "as published", "block_scale": 1.19}
"""Two settings that the text does not have and Table 2 needs."""

PRINTED_RUNS, ROUNDING = 30, 0.005
"""Instances behind each printed cell, and half of its last digit."""

SMALL = 0.1
"""Part of the greater of two means below which their difference is called small."""

LOW, HIGH = 5.0, 15.0
"""Relative errors (%) that are low, and that the paper calls high."""

MAPS, REDUCE = (1.0, 3.0, 4.0, 5.0), 10.0
"""Processing times (s) of the map tasks of Figure 2, and of each reduce task. The figure has them
as lengths of bars only."""

DROPPED = "no run ended with a schedule"
HSD_NOTE = "Two means whose bars do not overlap differ significantly (Tukey's HSD, 95 %)"


def _instances(size: Size) -> list[InstanceSource]:
    quick = size == "quick"
    sweep = {
        "jobs": (JOBS[0], JOBS[-1]) if quick else JOBS,
        "nodes": NODES[::2] if quick else NODES,
        "map_slots": tuple(RATIOS),
    }
    return drawn("ljr", SEEDS[:3] if quick else SEEDS, sweep=sweep, **PUBLISHED)


FIVE = [called("heuristic", name, omega=OMEGA) for name in METHODS]


def calibration(size: Size) -> Study:
    """Figure 3: three methods with five values of omega each."""
    methods = [called("heuristic", m, omega=omega) for m in CALIBRATED for omega in OMEGAS]
    return Study("ljr-calibration", [Block(_instances(size), methods)], BOUNDS)


def comparison(size: Size) -> Study:
    """Tables 2 and 3, Figures 4 and 5: five methods with omega 0.7."""
    return Study("ljr-comparison", [Block(_instances(size), FIVE)], BOUNDS)


@dataclass(frozen=True)
class Runs:
    """The runs of an experiment with the paper's analysis of variance, of all factors and their
    two-way interactions, and the one with the jobs as block."""

    frame: pd.DataFrame
    runs: pd.DataFrame
    size: Size
    plain: Anova
    blocked: Anova

    def hsd(self, *by: str) -> pd.DataFrame:
        """Means with Tukey's intervals."""
        return honest_differences(self.runs, RESPONSE, list(by), self.plain)

    def greatest_p(self, *sources: str) -> float:
        """The greatest chance of some sources; NaN if the plain analysis lacks one.

        Where runs failed the analysis with blocks may have too few of them to tell.
        """
        plain, blocked = (
            each.table.set_index("source")["p"].reindex(list(sources))
            for each in (self.plain, self.blocked)
        )
        if not np.isfinite(plain).all():
            return float("nan")
        return float(max(plain.max(), blocked.max()) if blocked.notna().any() else plain.max())


def _experiment(
    name: str, title: str, study: Callable[[Size], Study], claims: Iterable[int],
    factors: Sequence[str] = FACTORS,
) -> Callable[[Callable[[Runs], Comparison]], Experiment]:  # fmt: skip
    """What an experiment is whose runs have errors: analyses and missing runs are told of all."""
    names = numbered("ljr", *claims)

    def mark(judge: Callable[[Runs], Comparison]) -> Experiment:
        def judged(frame: pd.DataFrame, size: Size) -> Comparison:
            runs = with_errors(frame)
            if runs.empty:
                return nothing(names, DROPPED)
            plain = analysis_of_variance(runs, RESPONSE, factors)
            blocked = analysis_of_variance(runs, RESPONSE, factors, block=WORKLOAD)
            seen = judge(Runs(frame, runs, size, plain, blocked))
            seen.tables |= {"anova": plain.table, "anova-blocks": blocked.table}
            notes = _missing(frame, study(size))
            if out := blocked.left_out:
                notes.append(
                    f"anova-blocks leaves {out} of {len(plain.residuals)} results out: only "
                    "complete blocks are compared."
                )
            seen.notes[:0] = notes
            return seen

        return Experiment(name, "LJR", title, study, names, judged)

    return mark


def with_errors(frame: pd.DataFrame) -> pd.DataFrame:
    """The runs that ended with a schedule, with their errors.

    Returns the frame with the columns `error_percent`, `gap_percent` (against the best valid
    bound), `ratio` and `workload`.
    """
    runs = frame[frame["makespan"].notna()].copy()
    bound = runs[[f"bound {name}" for name in BOUNDS]].max(axis=1)
    runs[RESPONSE] = 100 * (runs["makespan"] / bound - 1)
    runs["gap_percent"] = 100 * runs["gap"]
    runs["ratio"] = runs["map_slots"].map(RATIOS)
    runs["omega"] = runs["omega"].round(6)
    runs[WORKLOAD] = runs["jobs"].astype(str) + "/" + runs["seed"].astype(str)
    return runs


def _missing(frame: pd.DataFrame, study: Study) -> list[str]:
    expected = sum(len(block.instances) * len(block.methods) for block in study.blocks)
    failed, missing = int(frame["makespan"].isna().sum()), expected - len(frame)
    said = [f"{failed} of {expected} runs failed and are left out."] if failed else []
    return said + ([f"{missing} of {expected} runs are missing."] if missing > 0 else [])


def means(
    runs: pd.DataFrame, by: Sequence[str], factors: Sequence[str] = FACTORS
) -> dict[tuple[object, ...], Mean]:
    """Means of cells, with errors that respect that all clusters and methods meet the same jobs.

    Each cell of the design counts alike, also if runs are missing. The runs of one seed are taken
    as one result: what varies is the mean over them.
    """
    cells = runs.groupby(list(factors))[RESPONSE]
    value = cells.mean().groupby(level=list(by)).mean()
    away = (runs[RESPONSE] - cells.transform("mean")).rename("away")
    draws = list(dict.fromkeys([*by, "jobs"]))  # seeds of other numbers of jobs are other draws
    of_seed = runs.assign(away=away).groupby([*draws, "seed"])["away"].mean().groupby(level=draws)
    squared = (of_seed.var(ddof=1) / of_seed.size()).groupby(level=list(by))
    error = np.sqrt(squared.mean() / squared.size())
    seeds = of_seed.size().groupby(level=list(by)).min()
    return {
        key if isinstance(key, tuple) else (key,): Mean(
            float(mean), float(spread) if count > 1 else float("inf"), int(count)
        )
        for key, mean, spread, count in zip(value.index, value, error, seeds, strict=True)
    }


def wide(runs: pd.DataFrame) -> pd.DataFrame:
    """Mean errors of the cells that all methods have, a row each, a column a method."""
    cells = runs.groupby(list(FACTORS))[RESPONSE].mean().unstack("method")
    return cells.reindex(columns=list(METHODS)).dropna()


@cache
def printed_cells() -> pd.DataFrame:
    cells = table("ljr_table2").rename(columns={"slot_ratio": "ratio", "re_percent": RESPONSE})
    return wide(cells)


def printed_like(ours: pd.DataFrame) -> pd.DataFrame:
    """The printed cells whose ratio, nodes and jobs are in a table of ours or in its index."""
    cells, levels = printed_cells(), ours.reset_index()
    for name in cells.index.names:
        cells = cells[cells.index.isin(levels[name], level=name)]
    return cells


def judged(
    identifier: str, cases: Callable[[pd.DataFrame], Cases], ours: pd.DataFrame,
    *, holds: float = verdicts.HOLDS_FROM, note: str = "",
) -> Claim:  # fmt: skip
    """A claim that is true or not in each of several cases; the note has the printed cells, too."""
    in_print = cases(printed_like(ours))
    of_print = f"in print {sum(in_print)} of {len(in_print)}"
    own = cases(ours) if len(ours) else []
    return verdicts.ordering(
        identifier, own, holds=holds, note="; ".join(filter(None, [of_print, note]))
    )


def _effect(identifier: str, of: Runs, sources: Sequence[str], note: str) -> Claim:
    """Some sources matter. The few runs of `quick` may be too few to show what is there."""
    p = of.greatest_p(*sources)
    if not np.isfinite(p):
        return verdicts.not_testable(identifier, "too few levels or runs to analyse")
    if of.size == "quick" and p >= verdicts.LEVEL:
        return verdicts.not_testable(identifier, f"too few runs to tell; {note}", p)
    return verdicts.significant(identifier, p, note=note)


def _fact(identifier: str, ours: float, size: Size) -> Claim:
    """How large an experiment is. Fewer runs than planned say nothing about the paper."""
    claim = verdicts.within(identifier, ours)
    if claim.verdict is Verdict.HOLDS:
        return claim
    reason = "a part of the design" if size == "quick" else "runs are missing"
    return verdicts.not_testable(identifier, reason, ours)


def _near(where: str, words: str, paper: float, ours: Mean) -> Claim:
    return verdicts.near(
        f"ljr-table-{where}", words, paper, ours, printed_runs=PRINTED_RUNS, rounding=ROUNDING
    )


@_experiment("ljr-figure-3", "calibration of omega: mean errors of three methods", calibration,
             range(2, 11), ALL)  # fmt: skip
def figure_3(of: Runs) -> Comparison:
    runs, hsd, of_omega = of.runs, of.hsd("method", "omega"), of.hsd("omega")
    claims = [
        _fact("ljr-02", float(len(of.frame)), of.size),
        _best(runs, honest_pairs(of_omega, ["omega"])),
        _effect("ljr-04", of, ALL, "greatest p of the factors; 0 is below 1e-300"),
        _omega_matters(runs),
        *_shares(of.plain),
        verdicts.slightly_non_normal("ljr-08", of.plain, runs["ratio"]),
        _few_jobs(runs),
        _mostly_low(runs),
    ]
    cells = [
        verdicts.near("/".join(["ljr-figure-3", *names]), f"best omega of {' at '.join(names)}",
                      OMEGA, Mean(float(best)))
        for by in (["method"], ["method", "ratio"])
        for key, best in _best_omegas(runs, *by).items()
        for names in [(key,) if isinstance(key, str) else key]
    ]  # fmt: skip
    paper = printed_like(runs).mean()
    lines = lines_of(
        hsd, "method", CALIBRATED, "omega", OMEGAS,
        lambda method, omega: paper[method] if omega == OMEGA else np.nan,
    )  # fmt: skip
    words = Words(
        "LJR, Figure 3: relative error by omega", "omega", "mean relative error, %",
        caption(len(runs), runs["seed"].tolist(), HSD_NOTE, "Printed: means of Table 2"),
    )  # fmt: skip
    tables = {"hsd": hsd, "hsd-pairs": honest_pairs(hsd, ["method", "omega"]),
              "hsd-omega": of_omega}  # fmt: skip
    figure = means_plot([Panel(OMEGAS, lines)], words, columns=1)
    return Comparison(claims, cells, tables, {"figure": figure})


def _best_omegas(runs: pd.DataFrame, *by: str) -> pd.Series:
    """The omega with the least mean error, by factors."""
    return runs.groupby([*by, "omega"])[RESPONSE].mean().unstack("omega").idxmin(axis=1)


def _best(runs: pd.DataFrame, pairs: pd.DataFrame) -> Claim:
    best_of = [*_best_omegas(runs, "method").items(), *_best_omegas(runs, "ratio").items()]
    with_it = pairs[(pairs["omega"] == OMEGA) | (pairs["omega with"] == OMEGA)]
    note = (
        f"best: {', '.join(f'{name} {best:g}' for name, best in best_of)}; over all methods "
        f"{OMEGA:g} differs significantly from {int(with_it['significant'].sum())} of "
        f"{len(with_it)} other values"
    )
    cases = [best == OMEGA for _, best in best_of]
    verdict = verdicts.of_share(sum(cases) / len(cases), holds=1)
    overall = runs.groupby("omega")[RESPONSE].mean().idxmin()
    return verdicts.said("ljr-03", verdict, float(overall), None, note)


def _omega_matters(runs: pd.DataFrame) -> Claim:
    factors = [name for name in ALL if name != "method"]
    p_of = {}
    for method in CALIBRATED:
        own = runs[runs["method"] == method]
        if own["omega"].nunique() > 1:
            p_of[method] = float(analysis_of_variance(own, RESPONSE, factors).row("omega")["p"])
    if not p_of:
        return verdicts.not_testable("ljr-05", "no method with several values of omega")
    note = ", ".join(f"{method} p = {p:.2g}" for method, p in p_of.items())
    return verdicts.significant("ljr-05", max(p_of.values()), note=note)


def _shares(anova: Anova) -> list[Claim]:
    """No interaction explains more than omega itself; the ratio explains most."""
    shares = anova.table.set_index("source")["share"] * 100
    if "omega" in shares:
        beside = {s: v for s, v in shares.items() if "omega" in str(s).split(":") and s != "omega"}
        weaker = ", ".join(f"{source} {percent(share / 100)}" for source, share in beside.items())
        note = f"weaker than omega itself ({percent(shares['omega'] / 100)}): {weaker}"
        cases = [share < shares["omega"] for share in beside.values()]
        weak = verdicts.ordering("ljr-06", cases, holds=1, note=note)
    else:
        weak = verdicts.not_testable("ljr-06", "one value of omega")
    alone = shares[[name for name in ALL if name in shares.index]].sort_values(ascending=False)
    note = "share of the sum of squares, %: " + ", ".join(f"{k} {v:.1f}" for k, v in alone.items())
    verdict = verdicts.of_share(float(len(alone) > 0 and alone.index[0] == "ratio"))
    ratio = float(alone.get("ratio", np.nan))
    return [weak, verdicts.said("ljr-07", verdict, ratio, None, note)]


def _few_jobs(runs: pd.DataFrame) -> Claim:
    """Whether mean errors pass the limit at 50 jobs and R3, R4, and nowhere at R1, R2."""
    cells = runs[runs["omega"] == OMEGA].groupby(list(FACTORS))[RESPONSE].mean().reset_index()
    if cells.empty:
        return verdicts.not_testable("ljr-09", f"no run with omega {OMEGA:g}")
    high = cells[cells[RESPONSE] > HIGH]
    few = cells[(cells["jobs"] == 50) & cells["ratio"].isin(["R3", "R4"])]
    counts = {int(n): int(k) for n, k in high["jobs"].value_counts().sort_index().items()}
    mine = printed_cells()[list(CALIBRATED)].stack()
    paper = mine[mine > HIGH].groupby(level="jobs").size().to_dict()
    note = f"means over {HIGH:g} % by number of jobs: {counts}, in print {paper}"
    greatest = float(few[RESPONSE].max())
    right = greatest > HIGH and not high["ratio"].isin(["R1", "R2"]).any()
    return verdicts.said("ljr-09", verdicts.of_share(float(right)), greatest, None, note)


def _mostly_low(runs: pd.DataFrame) -> Claim:
    """Most means are low; R1 and R2 below R3 and R4; the most jobs below the fewest."""
    cells = runs.groupby([*ALL])[RESPONSE].mean().reset_index()
    low = float((cells[RESPONSE] < LOW).mean())
    cases = [low > 0.5]
    for _, own in cells.groupby("jobs"):
        by = own.groupby(own["ratio"].isin(["R1", "R2"]))[RESPONSE].mean()
        cases += [bool(by[True] < by[False])] if len(by) == 2 else []
    for _, own in cells.groupby("ratio"):
        by_jobs = own.groupby("jobs")[RESPONSE].mean()
        cases += [bool(by_jobs.iloc[-1] < by_jobs.iloc[0])] if len(by_jobs) > 1 else []
    return verdicts.ordering("ljr-10", cases, note=f"{percent(low)} of the means below {LOW:g} %")


@_experiment("ljr-table-2", "mean errors of five methods by slot ratio, nodes and jobs",
             comparison, (1, *range(11, 19), *range(23, 28), 37))  # fmt: skip
def table_2(of: Runs) -> Comparison:
    """The table, cell by cell, and what the text says about it."""
    runs, cells = of.runs, wide(of.runs)
    errors = compared(runs)
    claims = [
        _fact("ljr-01", float(runs[WORKLOAD].nunique()), of.size),
        _fact("ljr-11", float(len(of.frame)), of.size),
        *_orderings(runs, cells, of.plain),
        lb1_exceeds_lb2(*bounds_of_figure_2()),
    ]
    error, gap = runs[RESPONSE].mean(), runs["gap_percent"].mean()
    tables = {
        "errors": errors,
        "hsd": of.hsd("ratio", "method"),
    }
    notes = [
        "Errors are against the greater of LB1 and LB2 as printed, "
        f"{percent(error / 100)} on average; against the best valid closed-form bound they are "
        f"{percent(gap / 100)}.",
    ]
    rows = [
        _near(
            f"2/{row['method']}/{row['jobs']}/{row['ratio']}/{row['nodes']}",
            f"mean relative error of {row['method']}, {row['jobs']} jobs, {row['ratio']}, "
            f"{row['nodes']} nodes, %",
            row["printed_percent"],
            Mean(row[RESPONSE], row["standard_error"], row["runs"]),
        )
        for row in errors.to_dict("records")
    ]
    figure = _table_2_figure(runs)
    return Comparison(claims, [*rows, *_averages(runs)], tables, {"figure": figure}, notes)


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
        paper = float(printed_cells().loc[(ratio, nodes, jobs), method])
        ours = (mean.runs, mean.value, mean.standard_error, paper, mean.value - paper)
        rows.append((*key, *ours, float(gaps.loc[key])))
    columns = ["runs", RESPONSE, "standard_error", "printed_percent", "difference", "gap_percent"]
    return pd.DataFrame(rows, columns=[*FACTORS, *columns])


def _orderings(runs: pd.DataFrame, cells: pd.DataFrame, anova: Anova) -> list[Claim]:
    odd = orderings.policy_better_at_odd_nodes(cells)
    note = f"at {orderings.ODD} nodes the policy is better in {sum(odd)} of {len(odd)} (R2)"
    # Where the policy gains little at any number of nodes says nothing about one of them.
    others = orderings.policy_weak_at_odd_nodes(
        cells[cells.index.get_level_values("ratio") != "R4"]
    )
    alike_at_2, alike_at_4 = (_alike(runs, anova, ratio) for ratio in ("R2", "R4"))
    pair = alike_at_2.get(frozenset(("EFSS", "TBS-L")))
    told = "" if pair is None else f"EFSS and TBS-L differ significantly: {'no' if pair else 'yes'}"
    second = orderings.efss_local_best_at_twice(cells) + ([] if pair is None else [pair])
    task_based = {"TBS", "TBS-L"}
    fourth = [
        alike == both.isdisjoint(task_based)
        for both, alike in alike_at_4.items()
        if not both <= task_based
    ]
    mean = runs[runs["ratio"] == "R4"].groupby("method")[RESPONSE].mean()
    of_fourth = ", ".join(f"{name} {value:.2f}" for name, value in mean.items())
    return [
        judged("ljr-12", orderings.policy_best_at_equal_slots, cells, note=note),
        verdicts.ordering("ljr-13", second, note=told),
        judged("ljr-14", orderings.efss_best_at_thrice, cells),
        verdicts.ordering("ljr-15", fourth, note=f"pairs by HSD; means {of_fourth}"),
        judged("ljr-16", orderings.policy_better, cells),
        judged("ljr-17", orderings.grows_with_ratio, cells, holds=1.0),
        judged("ljr-18", orderings.falls_with_jobs, cells),
        judged("ljr-23", orderings.least_but_at_odd_nodes, cells),
        judged("ljr-24", orderings.policy_better_at_twice, cells, note=note),
        judged("ljr-25", orderings.grows_with_nodes, cells),
        judged("ljr-26", orderings.falls_with_jobs_everywhere, cells),
        judged("ljr-27", orderings.policy_weak_at_odd_nodes, cells,
               note=f"without R4 {sum(others)} of {len(others)}"),
    ]  # fmt: skip


def _alike(runs: pd.DataFrame, anova: Anova, ratio: str) -> dict[frozenset[str], bool]:
    """Whether pairs of methods do not differ significantly at a ratio."""
    by = ["ratio", "method"]
    pairs = honest_pairs(honest_differences(runs, RESPONSE, by, anova), by)
    own = pairs[(pairs["ratio"] == ratio) & (pairs["ratio with"] == ratio)]
    names = zip(own["method"], own["method with"], ~own["significant"], strict=True)
    return {frozenset((method, other)): bool(alike) for method, other, alike in names}


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
            where = f"2/{key[0]}/average/{key[1]}/{key[2]}"
            claims.append(_near(where, words, row["re_percent"], ours[key]))
    return claims


def _table_2_figure(runs: pd.DataFrame) -> Figure:
    """A panel for each number of jobs and ratio."""
    nodes = sorted(runs["nodes"].unique().tolist())
    ours = means_of(runs, RESPONSE, ["ratio", "jobs", "method", "nodes"])
    panels = [
        Panel(
            nodes,
            lines_of(
                ours[(ours["ratio"] == ratio) & (ours["jobs"] == jobs)], "method", METHODS,
                "nodes", nodes,
                lambda m, n, r=ratio, j=jobs: float(printed_cells().loc[(r, n, j), m]),
            ),
            f"{ratio}, {jobs} jobs",
        )
        for jobs in sorted(runs["jobs"].unique().tolist())
        for ratio in RATIOS.values()
    ]  # fmt: skip
    below = caption(len(runs), runs["seed"].tolist(), "Bars are 95 % confidence intervals")
    words = Words("LJR, Table 2: relative error by nodes", "nodes", "mean relative error, %", below)
    return means_plot(panels, words, columns=len(RATIOS), shared=False)


def bounds_of_figure_2() -> tuple[float, float]:
    """LB1 as printed, and LB2, of the case that the figure shows."""
    cluster = Cluster.uniform(1, map_slots=3, reduce_slots=2)
    jobs = [Job(f"J{k}", [map_], [REDUCE]) for k, map_ in enumerate(MAPS, 1)]
    instance = Instance.from_jobs("ljr-figure-2", cluster, jobs)
    return lb1_as_printed(instance), lb2(instance)


def lb1_exceeds_lb2(first: float, second: float) -> Claim:
    note = f"LB1 {first:g}, LB2 {second:g} with map tasks of {', '.join(f'{m:g}' for m in MAPS)} s"
    return verdicts.ordering("ljr-37", [first > second], note=note)


@_experiment("ljr-table-3", "mean errors of five methods by jobs", comparison, (19, 20, 36))
def table_3(of: Runs) -> Comparison:
    runs, cells, hsd = of.runs, wide(of.runs), of.hsd("jobs", "method")
    errors = _errors_by_jobs(runs)
    jobs = sorted(runs["jobs"].unique().tolist())
    paper = printed_like(runs).groupby(level="jobs").mean()
    lines = lines_of(
        hsd, "method", METHODS, "jobs", jobs, lambda method, n: float(paper.loc[n, method])
    )
    below = caption(len(runs), runs["seed"].tolist(), HSD_NOTE)
    words = Words("LJR, Table 3: relative error by jobs", "jobs", "mean relative error, %", below)
    return Comparison(
        [
            judged("ljr-19", orderings.efss_local_least, cells, holds=1),
            judged("ljr-20", orderings.task_based_bad_for_few_jobs, cells),
            _five_averages(errors),
        ],
        list(errors.values()),
        {"hsd": hsd},
        {"figure": means_plot([Panel(jobs, lines)], words, columns=1)},
    )


def _errors_by_jobs(runs: pd.DataFrame) -> dict[tuple[str, str], Claim]:
    """The cells with errors, if all numbers of nodes are there; averages if all of jobs are."""
    if set(runs["nodes"]) != set(NODES):
        return {}
    ours = {(str(n), str(method)): m for (n, method), m in means(runs, ["jobs", "method"]).items()}
    if set(runs["jobs"]) == set(JOBS):
        average = means(runs, ["method"]).items()
        ours |= {("average", str(method)): mean for (method,), mean in average}
    claims = {}
    for row in table("ljr_table3").to_dict("records"):
        jobs, method = key = (str(row["jobs"]), row["method"])
        if key in ours:
            words = jobs if jobs == "average" else f"{jobs} jobs"
            claims[key] = _near(
                f"3/{method}/{jobs}/error", f"mean relative error of {method}, {words}, %",
                row["re_percent"], ours[key],
            )  # fmt: skip
    return claims


def _five_averages(cells: dict[tuple[str, str], Claim]) -> Claim:
    """The averages of the five methods within chance, and each pair in the printed order."""
    averages = {method: claim for (jobs, method), claim in cells.items() if jobs == "average"}
    if set(averages) != set(METHODS):
        return verdicts.not_testable("ljr-36", "a part of the design")
    paper = {method: claim.printed_low or 0.0 for method, claim in averages.items()}
    own = {method: claim.ours or 0.0 for method, claim in averages.items()}
    order = [(paper[a] < paper[b]) == (own[a] < own[b]) for a, b in combinations(METHODS, 2)]
    near = [claim.verdict is Verdict.HOLDS for claim in averages.values()]
    told = ", ".join(f"{method} {value:.2f}" for method, value in own.items())
    note = f"{sum(near)} of 5 means and {sum(order)} of 10 pairs as printed: {told}"
    verdict = verdicts.of_share((sum(near) + sum(order)) / 15, holds=1)
    unit = printed("ljr-36").unit
    return verdicts.said("ljr-36", verdict, sum(own.values()) / 5, None, f"{note} {unit}")


def _with_ratio(
    of: Runs, factor: str, claim: str, alone: tuple[str, ...], title: str
) -> Comparison:
    """The factor, the slot ratio and the method together.

    `alone`: the factors that must matter by themselves, beside the interactions.
    """
    runs, hsd = of.runs, of.hsd("ratio", factor, "method")
    sources = (*alone, f"ratio:{factor}", "method:ratio", f"method:{factor}")
    levels = sorted(runs[factor].unique().tolist())
    paper = printed_like(runs).groupby(level=["ratio", factor]).mean()
    panels = [
        Panel(
            levels,
            lines_of(
                hsd[hsd["ratio"] == ratio], "method", METHODS, factor, levels,
                lambda m, level, r=ratio: paper[m].reindex([(r, level)]).iloc[0],
            ),
            f"{ratio} = {slots} : 2",
        )
        for slots, ratio in RATIOS.items()
    ]  # fmt: skip
    words = Words(title, factor, "mean relative error, %",
                  caption(len(runs), runs["seed"].tolist(), HSD_NOTE))  # fmt: skip
    return Comparison(
        [
            _effect(claim, of, sources, f"greatest p of {', '.join(sources)}"),
            _small_differences(runs, of.plain),
        ],
        tables={"hsd": hsd},
        figures={"figure": means_plot(panels, words, shared=False)},
    )


def _small_differences(runs: pd.DataFrame, anova: Anova) -> Claim:
    """Pairs of methods at the same slot ratio and number of jobs or nodes that are close do not
    differ significantly."""
    cases: list[bool] = []
    least = []
    for factor in ("jobs", "nodes"):
        by = ["ratio", factor, "method"]
        pairs = honest_pairs(honest_differences(runs, RESPONSE, by, anova), by)
        same = (pairs["ratio"] == pairs["ratio with"]) & (pairs[factor] == pairs[f"{factor} with"])
        small = pairs[same & (pairs["difference"].abs() < SMALL * pairs["greater"])]
        cases += (~small["significant"]).tolist()
        least.append(float(pairs["least"].median()))
    note = (
        f"pairs of methods apart by less than {percent(SMALL)} of the greater mean; the least "
        f"significant difference is {least[0]:.2f} points in Figure 4, {least[1]:.2f} in Figure 5"
    )
    return verdicts.ordering("ljr-34", cases, note=note)


@_experiment("ljr-figure-4", "mean errors of five methods by slot ratio and jobs", comparison,
             (32, 34, 35))  # fmt: skip
def figure_4(of: Runs) -> Comparison:
    title = "LJR, Figure 4: relative error by slot ratio and jobs"
    seen = _with_ratio(of, "jobs", "ljr-32", ("ratio", "jobs"), title)
    seen.claims.append(judged("ljr-35", orderings.falls_with_jobs_everywhere, wide(of.runs)))
    return seen


@_experiment("ljr-figure-5", "mean errors of five methods by slot ratio and nodes", comparison,
             (33, 34))  # fmt: skip
def figure_5(of: Runs) -> Comparison:
    title = "LJR, Figure 5: relative error by slot ratio and nodes"
    return _with_ratio(of, "nodes", "ljr-33", ("nodes",), title)


EXPERIMENTS = [figure_3, table_2, table_3, figure_4, figure_5]
