"""[SMSO], section V-A: relative percentage deviations (RPD) by probability of an outage and number
of nodes, Figures 1 and 2, and the makespans of Table I.

Each claim is judged in two readings of what reduce tasks do after an outage.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

from ...core.wording import percent
from ..statistics.anova import Anova, analysis_of_variance
from ..statistics.means import honest_differences, honest_pairs, means_of
from ..study.instance_sources import called, drawn
from ..study.study import Block, InstanceSource, Study
from .claims import (
    HOLDS_FROM,
    Claim,
    Comparison,
    Experiment,
    Size,
    Verdict,
    inside,
    mean_of,
    near,
    not_testable,
    numbered,
    of_share,
    ordering,
    said,
    slightly_non_normal,
    table,
    within,
)
from .pictures import Line, Panel, Words, caption, means_plot

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

AGAIN, STAY = "again", "stay"
LABELS = {AGAIN: "reduce tasks placed again", STAY: "reduce tasks stay"}
"""What reduce tasks do after an outage. With the first, Table I grows as printed; the second is how
slotwise reads the paper."""

BOTH = (
    "The paper does not say what reduce tasks do after an outage. A claim has the verdict of the "
    "reading in which Table I grows as printed, all reduce tasks placed again; if it holds only in "
    "the other, reduce tasks on remaining slots stay, it holds partly."
)
METHODS = [
    called("heuristic", "SMSO", load="seconds", data="ignored", reduces=reading)
    for reading in LABELS
]

NODES = (10, 20, 50, 100, 150)
SLOTS = 15
JOBS = {"quick": (20, 50), "full": (20, 50, 200, 500)}
GAMMAS = {
    "quick": (0.0, 0.01, 0.02, 0.03),
    "full": (0.0, 0.005, 0.01, 0.015, 0.02, 0.025, 0.03),
}
SEEDS = {"quick": 3, "full": 10}
TABLE_JOBS, TABLE_GAMMA = 500, 0.03
SETUP = f"{SLOTS} + {SLOTS} slots a node, lost nodes, load in seconds, data ignored"

FACTORS = ["gamma", "nodes", "jobs"]

BORDER = 50
"""Fewer nodes are one group of the paper, as many and more the other."""


def _instances(seeds: int, jobs: Iterable[int], gammas: Iterable[float]) -> list[InstanceSource]:
    sweep: dict[str, list[float]] = {
        "jobs": list(jobs), "nodes": list(NODES), "gamma": list(gammas),
    }  # fmt: skip
    return drawn("smso", range(seeds), sweep=sweep, map_slots=SLOTS, reduce_slots=SLOTS)


def _study_of_figures(size: Size) -> Study:
    drawn = _instances(SEEDS[size], JOBS[size], GAMMAS[size])
    return Study("smso-figures", [Block(drawn, METHODS)])


def _study_of_table(size: Size) -> Study:
    drawn = _instances(SEEDS[size], [TABLE_JOBS], [0.0, TABLE_GAMMA])
    return Study("smso-table-1", [Block(drawn, METHODS)])


@dataclass(frozen=True)
class Deviations:
    """One reading: runs with `rpd` (%) and `block` (number of jobs and seed), the analyses as in
    the paper and with the instances as blocks, means by level with Tukey's intervals, and which
    pairs of levels differ significantly."""

    runs: pd.DataFrame
    anova: Anova
    blocked: Anova
    means: pd.DataFrame
    pairs: pd.DataFrame


def of_readings(claims: Mapping[str, Claim]) -> Claim:
    """One verdict of two readings: that of Table I counts, the other alone makes it `partly`."""
    first, second = claims[AGAIN], claims[STAY]
    verdict = first.verdict
    if second.verdict is Verdict.HOLDS and verdict is Verdict.DOES_NOT:
        verdict = Verdict.PARTLY
    notes = [f"{reading}: {claims[reading].note}" for reading in LABELS if claims[reading].note]
    if first.verdict is not second.verdict:
        notes.append(f"with {STAY} it would be '{second.verdict.value}'")
    return replace(first, verdict=verdict, note="; ".join(notes))


def deviations_of(frame: pd.DataFrame, factor: str) -> dict[str, Deviations]:
    """The deviations by reading, from the best makespan of an instance and number of nodes over all
    probabilities."""
    by_reading = {}
    for reading in LABELS:
        runs = frame[frame["reduces"] == reading].dropna(subset=["makespan"]).copy()
        best = runs.groupby(["jobs", "seed", "nodes"])["makespan"].transform("min")
        runs["rpd"] = 100 * (runs["makespan"] / best - 1)
        runs["block"] = runs["jobs"].astype(str) + "/" + runs["seed"].astype(str)
        anova = analysis_of_variance(runs, "rpd", FACTORS)
        blocked = analysis_of_variance(runs, "rpd", FACTORS, block="block")
        means = honest_differences(runs, "rpd", [factor], anova)
        by_reading[reading] = Deviations(runs, anova, blocked, means, honest_pairs(means, [factor]))
    return by_reading


def _figure(
    by_reading: dict[str, Deviations], factor: str, title: str, x: str, claims: list[Claim]
) -> Comparison:
    import pandas as pd

    every = pd.concat([each.runs for each in by_reading.values()])
    parts: dict[str, list[pd.DataFrame]] = {
        name: [] for name in ("anova", "anova-blocks", "hsd", "pairs")
    }
    for reading, each in by_reading.items():
        made = (each.anova.table, each.blocked.table, each.means, each.pairs)
        for name, table_of in zip(parts, made, strict=True):
            parts[name].append(table_of.assign(reduces=reading))
    tables = {name: pd.concat(each, ignore_index=True) for name, each in parts.items()}
    lines = [
        Line(LABELS[reading], each.means["mean"].tolist(), each.means["half_width"].tolist())
        for reading, each in by_reading.items()
    ]
    levels = [f"{level:g}" for level in by_reading[AGAIN].means[factor]]
    below = caption(
        len(every),
        every["seed"].tolist(),
        SETUP,
        "Bars: Tukey's 95 % intervals with the mean square of the whole design",
        "A greater gamma loses the same nodes and more: gamma = 0 is nearly always the best",
        "The paper prints no numbers",
    )
    figure = means_plot([Panel(levels, lines)], Words(title, x, "mean RPD, %", below))
    at_zero = [each.runs[each.runs["gamma"] == 0]["rpd"] for each in by_reading.values()]
    best = min(float((rpd == 0).mean()) for rpd in at_zero)
    nested = (
        "A greater gamma loses the same nodes and more. So gamma = 0 is nearly always the best of "
        f"an instance and number of nodes (here in {percent(best)} of them), and its mean RPD is "
        "nearly 0 by construction."
    )
    return Comparison(claims, [], tables, {"figure": figure}, [nested, BOTH])


def _figure_1(frame: pd.DataFrame, size: Size) -> Comparison:
    """What the runs say of the claims about gamma."""
    by_reading = deviations_of(frame, "gamma")
    claims = [
        *size_of(by_reading, size),
        _in_both(by_reading, lambda each: _grows("smso-03", each, "gamma")),
        _in_both(by_reading, _not_always_apart),
        _in_both(by_reading, lambda e: slightly_non_normal("smso-12", e.anova, e.runs["gamma"])),
    ]
    title = "SMSO, Figure 1: deviation from the best makespan"
    return _figure(by_reading, "gamma", title, "probability of an outage, gamma", claims)


def _figure_2(frame: pd.DataFrame, _size: Size) -> Comparison:
    """What the runs say of the claims about the number of nodes."""
    by_reading = deviations_of(frame, "nodes")
    claims = [
        _in_both(by_reading, lambda each: _grows("smso-05", each, "nodes")),
        _in_both(by_reading, _grouped),
    ]
    title = "SMSO, Figure 2: deviation from the best makespan"
    seen = _figure(by_reading, "nodes", title, "number of nodes, q", claims)
    means = table("smso_table1_rpd").groupby("nodes")["rpd_percent"].mean()
    printed_means = " ".join(f"{mean:.1f}" for mean in means)
    seen.notes.append(f"The RPD that Table I prints do not grow with q either: {printed_means} %.")
    return seen


def _in_both(by_reading: Mapping[str, Deviations], claim: Callable[[Deviations], Claim]) -> Claim:
    return of_readings({reading: claim(each) for reading, each in by_reading.items()})


def size_of(by_reading: dict[str, Deviations], size: Size) -> list[Claim]:
    """The size of the experiment, which only a full one shares with the paper."""
    runs = by_reading[AGAIN].runs
    counts = {"smso-01": float(runs["block"].nunique()), "smso-02": float(len(runs))}
    if size == "quick":
        return [not_testable(name, "not the paper's size", n) for name, n in counts.items()]
    note = "for each of two readings"
    return [within(name, n, note=note if name == "smso-02" else "") for name, n in counts.items()]


def _grows(identifier: str, deviations: Deviations, factor: str) -> Claim:
    """Whether the mean grows from level to level."""
    means = deviations.means.sort_values(factor)["mean"].tolist()
    grows = [after > before for before, after in pairwise(means)]
    note = "mean RPD " + " ".join(f"{mean:.1f}" for mean in means) + " %"
    return ordering(identifier, grows, holds=1, note=note)


def _not_always_apart(deviations: Deviations) -> Claim:
    """Of the neighbouring gammas above 0 some pair does not differ."""
    gammas = sorted(gamma for gamma in deviations.means["gamma"] if gamma > 0)
    pairs = deviations.pairs.set_index(["gamma", "gamma with"])["significant"]
    apart = [(low, high) for low, high in pairwise(gammas) if pairs[low, high]]
    neighbours = ", ".join(f"{low:g} and {high:g}" for low, high in apart) or "none"
    return ordering(
        "smso-04", [len(apart) < len(gammas) - 1], note=f"neighbours above 0 apart: {neighbours}"
    )


def _grouped(deviations: Deviations) -> Claim:
    """Neighbouring numbers of nodes differ significantly across the border and not within."""
    nodes = sorted(deviations.means["nodes"])
    pairs = deviations.pairs.set_index(["nodes", "nodes with"])["significant"]
    neighbours = list(pairwise(nodes))
    apart = [(low, high) for low, high in neighbours if pairs[low, high]]
    pairs_apart = ", ".join(f"{low} and {high}" for low, high in apart) or "none"
    as_printed = [((low, high) in apart) == (low < BORDER <= high) for low, high in neighbours]
    return ordering("smso-06", as_printed, holds=1, note=f"neighbours apart: {pairs_apart}")


def _table_1(frame: pd.DataFrame, _size: Size) -> Comparison:
    """What the runs say of Table I, cell means and claims."""
    print_ = _side_by_side(table("smso_table1"), "instance")
    ours = {
        reading: _side_by_side(frame[frame["reduces"] == reading], "seed") for reading in LABELS
    }
    before = _cells(print_, ours[AGAIN], "before", "0",
                    f"mean makespan of {TABLE_JOBS} jobs on {{}} nodes, gamma = 0 (s)")  # fmt: skip
    growth = {
        reading: _cells(print_, own, "growth", f"growth/{reading}",
                        f"mean growth on {{}} nodes to gamma = {TABLE_GAMMA:g} (%), "
                        f"{LABELS[reading]}")
        for reading, own in ours.items()
    }  # fmt: skip
    grown = {reading: own["growth"] for reading, own in ours.items()}
    means = " ".join(f"{cell.ours:.0f}" for cell in before)
    claims = [
        of_readings({
            reading: ordering("smso-07", own >= 0,
                              note=f"falls in {(own < 0).sum()}, equal in {(own == 0).sum()}")
            for reading, own in grown.items()
        }),
        of_readings({reading: inside("smso-08", own) for reading, own in grown.items()}),
        of_readings(
            {reading: inside("smso-09", own, holds=HOLDS_FROM) for reading, own in grown.items()}
        ),
        _all_within("smso-10", before,
                    f"{means}: " + " ".join(cell.note.removesuffix(" %") for cell in before)),
        of_readings({
            reading: _all_within("smso-11", cells, " ".join(f"{c.ours:.1f}" for c in cells))
            for reading, cells in growth.items()
        }),
    ]  # fmt: skip
    return Comparison(
        claims,
        [*before, *(cell for part in growth.values() for cell in part)],
        _tables(ours),
        {"figure": _table_figure(frame, print_, ours)},
        _notes(print_, ours),
    )


def _side_by_side(runs: pd.DataFrame, instance: str) -> pd.DataFrame:
    """One row an instance and number of nodes: `nodes`, `before`, `after` (s), `growth` (%)."""
    wide = runs.pivot(index=["nodes", instance], columns="gamma", values="makespan").dropna()
    wide = wide.rename(columns={0.0: "before", TABLE_GAMMA: "after"}).reset_index()
    wide["growth"] = 100 * (wide["after"] / wide["before"] - 1)
    return wide.rename(columns={instance: "seed"})


def _cells(
    print_: pd.DataFrame, ours: pd.DataFrame, column: str, name: str, words: str
) -> list[Claim]:
    """The mean of a column for each number of nodes, beside the printed instances."""
    cells = []
    for nodes, own in ours.groupby("nodes"):
        value = float(print_.loc[print_["nodes"] == nodes, column].mean())
        mean = mean_of(own[column])
        note = f"{100 * (mean.value / value - 1):+.1f} %" if column == "before" else ""
        where = f"smso-table-1/{nodes}/{name}"
        cells.append(near(where, words.format(nodes), value, mean, printed_runs=10, note=note))
    return cells


def _all_within(identifier: str, cells: list[Claim], numbers: str) -> Claim:
    """All of several printed numbers agree within chance."""
    good = sum(cell.verdict is Verdict.HOLDS for cell in cells)
    note = f"{numbers} %; {good} of {len(cells)} within chance"
    return said(identifier, of_share(good / len(cells), holds=1), note=note)


def _tables(ours: dict[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    import pandas as pd

    every = pd.concat(
        [own.assign(reduces=reading) for reading, own in ours.items()], ignore_index=True
    )
    factors = ["reduces", "nodes"]
    anova = analysis_of_variance(every, "growth", factors, block="seed")
    return {
        "makespans": every,
        "means": means_of(every, "growth", factors),
        "anova": anova.table,
        "hsd": honest_differences(every, "growth", factors, anova),
    }


def _table_figure(
    frame: pd.DataFrame, print_: pd.DataFrame, ours: dict[str, pd.DataFrame]
) -> Figure:
    nodes = sorted(frame["nodes"].unique())
    panels = []
    for column, unit, title in (
        ("before", 1000, "makespan without outages, 1000 s"),
        ("growth", 1, f"growth with gamma = {TABLE_GAMMA:g}, %"),
    ):
        value = print_.groupby("nodes")[column].mean().reindex(nodes) / unit
        lines = []
        for reading, own in ours.items():
            means = means_of(own, column, ["nodes"])
            half = ((means["high"] - means["mean"]) / unit).tolist()
            marks = value.tolist() if reading == AGAIN else None
            lines.append(Line(LABELS[reading], (means["mean"] / unit).tolist(), half, marks))
        panels.append(Panel([str(count) for count in nodes], lines, title))
    below = caption(
        len(frame),
        frame["seed"].tolist(),
        f"{TABLE_JOBS} jobs, {SETUP}",
        "Bars: 95 % confidence intervals of the mean",
    )
    words = Words("SMSO, Table I: means of the instances", "number of nodes", "", below)
    return means_plot(panels, words, shared=False)


def _notes(print_: pd.DataFrame, ours: dict[str, pd.DataFrame]) -> list[str]:
    fewest = min(NODES)
    hit = {
        name: rows.loc[rows["nodes"] == fewest, "growth"].ne(0)
        for name, rows in (("here", ours[AGAIN]), ("printed", print_))
    }
    changed = ", ".join(f"{name} {sum(own)} of {len(own)}" for name, own in hit.items())
    return [
        BOTH,
        f"On {fewest} nodes gamma = {TABLE_GAMMA:g} changes the makespan of few instances: "
        f"{changed}. Single nodes lost with that probability do not explain the print.",
        "The paper does not say how many slots a node has; 15 + 15 fit its makespans.",
    ]


EXPERIMENTS = [
    Experiment("smso-figure-1", "SMSO", "mean RPD by probability of an outage",
               _study_of_figures, numbered("smso", 1, 2, 3, 4, 12), _figure_1),
    Experiment("smso-figure-2", "SMSO", "mean RPD by number of nodes",
               _study_of_figures, numbered("smso", 5, 6), _figure_2),
    Experiment("smso-table-1", "SMSO",
               "makespans of 500 jobs without outages and with gamma = 0.03",
               _study_of_table, numbered("smso", *range(7, 12)), _table_1),
]  # fmt: skip
