"""Figure 3 of [LJR]: the calibration of omega."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ....core.wording import percent
from ...statistics.anova import analysis_of_variance
from ...statistics.means import honest_differences, honest_pairs
from .. import verdicts
from ..assumptions import slightly_non_normal
from ..experiment import Claim, Comparison, Experiment, Size
from ..pictures import Line, Panel, Words, caption, means_plot
from ..verdicts import Mean
from .analysis import HSD_NOTE, Analysis, analysed, effect, fact, nothing
from .cells import printed_cells, printed_like
from .design import (
    CALIBRATED,
    FACTORS,
    OMEGA,
    OMEGAS,
    RESPONSE,
    calibration,
    missing_note,
    with_errors,
)

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

ALL = (*FACTORS, "omega")

CLAIMS = tuple(f"ljr-{number:02}" for number in range(2, 11))

LOW, HIGH = 5.0, 15.0
"""Relative errors (%) that are low, and that the paper calls high."""


def _compare(frame: pd.DataFrame, size: Size) -> Comparison:
    runs = with_errors(frame)
    notes = missing_note(frame, calibration(size))
    if runs.empty:
        return nothing(*CLAIMS)
    analysis = analysed(runs, ALL)
    notes += analysis.notes
    hsd = honest_differences(runs, RESPONSE, ["method", "omega"], analysis.plain)
    pairs = honest_pairs(hsd, ["method", "omega"])
    of_omega = honest_differences(runs, RESPONSE, ["omega"], analysis.plain)
    claims = [
        fact("ljr-02", float(len(frame)), size),
        _best(runs, honest_pairs(of_omega, ["omega"])),
        effect("ljr-04", analysis, ALL, size, note="greatest p of the factors; 0 is below 1e-300"),
        _omega_matters(runs),
        _interactions(analysis),
        _strongest(analysis),
        slightly_non_normal("ljr-08", analysis.plain, runs["ratio"]),
        _few_jobs(runs),
        _mostly_low(runs),
    ]
    tables = {**analysis.tables, "hsd": hsd, "hsd-pairs": pairs, "hsd-omega": of_omega}
    return Comparison(claims, _cells(runs), tables, {"figure": _figure(runs, hsd)}, notes)


def _best_omegas(runs: pd.DataFrame, *by: str) -> pd.Series:
    """The omega with the least mean error, by factors."""
    means = runs.groupby([*by, "omega"])[RESPONSE].mean().unstack("omega")
    return means.idxmin(axis=1)


def _best(runs: pd.DataFrame, pairs: pd.DataFrame) -> Claim:
    by_method, by_ratio = _best_omegas(runs, "method"), _best_omegas(runs, "ratio")
    best_values = [
        f"{name} {best:g}" for best in (by_method, by_ratio) for name, best in best.items()
    ]
    with_it = pairs[(pairs["omega"] == OMEGA) | (pairs["omega with"] == OMEGA)]
    apart = int(with_it["significant"].sum())
    note = (
        f"best: {', '.join(best_values)}; over all methods {OMEGA:g} differs significantly from "
        f"{apart} of {len(with_it)} other values"
    )
    cases = [best == OMEGA for best in (*by_method, *by_ratio)]
    verdict = verdicts.of_share(sum(cases) / len(cases), holds=1)
    overall = runs.groupby("omega")[RESPONSE].mean().idxmin()
    return verdicts.said("ljr-03", verdict, float(overall), None, note)


def _cells(runs: pd.DataFrame) -> list[Claim]:
    """The best omega of each method, and of each at each ratio."""
    cells = []
    for by in (["method"], ["method", "ratio"]):
        for key, best in _best_omegas(runs, *by).items():
            names = (key,) if isinstance(key, str) else key
            where = f"best omega of {' at '.join(names)}"
            name = "/".join(["ljr-figure-3", *names])
            cells.append(verdicts.near(name, where, OMEGA, Mean(float(best))))
    return cells


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


def _interactions(analysis: Analysis) -> Claim:
    """An interaction is strong if it explains more than omega itself."""
    shares = analysis.plain.table.set_index("source")["share"] * 100
    if "omega" not in shares:
        return verdicts.not_testable("ljr-06", "one value of omega")
    with_omega = {s: v for s, v in shares.items() if "omega" in str(s).split(":") and s != "omega"}
    weaker = [f"{source} {percent(share / 100)}" for source, share in with_omega.items()]
    note = f"weaker than omega itself ({percent(shares['omega'] / 100)}): {', '.join(weaker)}"
    cases = [share < shares["omega"] for share in with_omega.values()]
    return verdicts.ordering("ljr-06", cases, holds=1, note=note)


def _strongest(analysis: Analysis) -> Claim:
    shares = analysis.plain.table.set_index("source")["share"] * 100
    shares = shares[[name for name in ALL if name in shares.index]].sort_values(ascending=False)
    note = "share of the sum of squares, %: " + ", ".join(f"{k} {v:.1f}" for k, v in shares.items())
    verdict = verdicts.of_share(float(len(shares) > 0 and shares.index[0] == "ratio"))
    return verdicts.said("ljr-07", verdict, float(shares.get("ratio", np.nan)), None, note)


def _few_jobs(runs: pd.DataFrame) -> Claim:
    """Whether mean errors pass the limit at 50 jobs and R3, R4, and nowhere at R1, R2."""
    cells = runs[runs["omega"] == OMEGA].groupby(list(FACTORS))[RESPONSE].mean().reset_index()
    if cells.empty:
        return verdicts.not_testable("ljr-09", f"no run with omega {OMEGA:g}")
    high = cells[cells[RESPONSE] > HIGH]
    few = cells[(cells["jobs"] == 50) & cells["ratio"].isin(["R3", "R4"])]
    counts = {int(n): int(k) for n, k in high["jobs"].value_counts().sort_index().items()}
    mine = printed_cells()[list(CALIBRATED)].stack()
    printed = mine[mine > HIGH].groupby(level="jobs").size().to_dict()
    note = f"means over {HIGH:g} % by number of jobs: {counts}, in print {printed}"
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


def _figure(runs: pd.DataFrame, hsd: pd.DataFrame) -> Figure:
    ours = hsd.set_index(["method", "omega"])
    paper = printed_like(runs).mean()
    lines = []
    for method in CALIBRATED:
        rows = ours.reindex([(method, omega) for omega in OMEGAS])
        hollow = [paper[method] if omega == OMEGA else np.nan for omega in OMEGAS]
        lines.append(Line(method, rows["mean"].tolist(), rows["half_width"].tolist(), hollow))
    words = Words(
        "LJR, Figure 3: relative error by omega",
        "omega",
        "mean relative error, %",
        caption(len(runs), runs["seed"].tolist(), HSD_NOTE, "Printed: means of Table 2"),
    )
    return means_plot([Panel(OMEGAS, lines)], words, columns=1)


EXPERIMENT = Experiment(
    "ljr-figure-3",
    "LJR",
    "calibration of omega: mean errors of three methods",
    calibration,
    _compare,
)
