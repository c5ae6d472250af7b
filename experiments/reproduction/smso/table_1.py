"""[SMSO], Table I: makespans of 500 jobs without outages and with gamma = 0.03."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...statistics.anova import analysis_of_variance
from ...statistics.means import honest_differences, means_of
from ...study.study import Block, Study
from ..experiment import Claim, Comparison, Experiment, Size, Verdict
from ..pictures import Line, Panel, Words, caption, means_plot
from ..printed import table
from ..verdicts import HOLDS_FROM, inside, mean_of, near, of_share, ordering, said
from .readings import (
    AGAIN,
    BOTH,
    LABELS,
    METHODS,
    NODES,
    READINGS,
    SETUP,
    instances,
    nothing,
    of_readings,
)

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

JOBS, GAMMA = 500, 0.03
SEEDS = {"quick": 3, "full": 10}


def _study(size: Size) -> Study:
    drawn = instances(SEEDS[size], [JOBS], NODES, [0.0, GAMMA])
    return Study("smso-table-1", [Block(drawn, METHODS)])


def _compare(frame: pd.DataFrame, size: Size) -> Comparison:
    """What the runs say of Table I, cell means and claims."""
    del size
    if frame.empty:
        return nothing("smso-07", "smso-08", "smso-09", "smso-10", "smso-11")
    printed = _side_by_side(table("smso_table1"), "instance")
    ours = {
        reading: _side_by_side(frame[frame["reduces"] == reading], "seed") for reading in READINGS
    }
    before = _cells_before(printed, ours[AGAIN])
    growth = {reading: _cells_growth(printed, own, reading) for reading, own in ours.items()}
    claims = [
        *(
            of_readings({reading: make(own) for reading, own in ours.items()})
            for make in (_never_falls, _under_20, _mostly_under_10)
        ),
        _means_without_outages(before),
        of_readings({reading: _mean_growth(cells) for reading, cells in growth.items()}),
    ]
    cells = [*before, *(cell for part in growth.values() for cell in part)]
    return Comparison(
        claims,
        cells,
        _tables(ours),
        {"figure": _figure(frame, printed, ours)},
        _notes(printed, ours),
    )


def _side_by_side(runs: pd.DataFrame, instance: str) -> pd.DataFrame:
    """One row an instance and number of nodes: `nodes`, `before`, `after` (s), `growth` (%)."""
    wide = runs.pivot(index=["nodes", instance], columns="gamma", values="makespan").dropna()
    wide = wide.rename(columns={0.0: "before", GAMMA: "after"}).reset_index()
    wide["growth"] = 100 * (wide["after"] / wide["before"] - 1)
    return wide.rename(columns={instance: "seed"})


def _cells_before(printed: pd.DataFrame, ours: pd.DataFrame) -> list[Claim]:
    """The mean makespan without outages for each number of nodes."""
    cells = []
    for nodes, own in ours.groupby("nodes"):
        value = float(printed.loc[printed["nodes"] == nodes, "before"].mean())
        mean = mean_of(own["before"])
        apart = 100 * (mean.value / value - 1)
        name = f"smso-table-1/{nodes}/0"
        words = f"mean makespan of {JOBS} jobs on {nodes} nodes, gamma = 0 (s)"
        cells.append(near(name, words, value, mean, printed_runs=10, note=f"{apart:+.1f} %"))
    return cells


def _cells_growth(printed: pd.DataFrame, ours: pd.DataFrame, reading: str) -> list[Claim]:
    """By how much outages lengthen the makespan for each number of nodes."""
    cells = []
    for nodes, own in ours.groupby("nodes"):
        value = float(printed.loc[printed["nodes"] == nodes, "growth"].mean())
        name = f"smso-table-1/{nodes}/growth/{reading}"
        words = f"mean growth on {nodes} nodes to gamma = {GAMMA:g} (%), {LABELS[reading]}"
        cells.append(near(name, words, value, mean_of(own["growth"]), printed_runs=10))
    return cells


def _never_falls(own: pd.DataFrame) -> Claim:
    growth = own["growth"]
    note = f"falls in {(growth < 0).sum()}, equal in {(growth == 0).sum()}"
    return ordering("smso-07", growth >= 0, note=note)


def _under_20(own: pd.DataFrame) -> Claim:
    return inside("smso-08", own["growth"])


def _mostly_under_10(own: pd.DataFrame) -> Claim:
    return inside("smso-09", own["growth"], holds=HOLDS_FROM)


def _means_without_outages(cells: list[Claim]) -> Claim:
    """Each mean no further from the printed one than chance explains."""
    apart = [100 * (_number(cell.ours) / _number(cell.printed_low) - 1) for cell in cells]
    means = " ".join(f"{cell.ours:.0f}" for cell in cells)
    differences = " ".join(f"{part:+.1f}" for part in apart)
    return _all_within("smso-10", cells, f"{means}: {differences} %")


def _mean_growth(cells: list[Claim]) -> Claim:
    """Each mean growth no further from the printed one than chance explains."""
    return _all_within("smso-11", cells, " ".join(f"{cell.ours:.1f}" for cell in cells) + " %")


def _all_within(identifier: str, cells: list[Claim], numbers: str) -> Claim:
    """All of several printed numbers agree within chance."""
    good = sum(cell.verdict is Verdict.HOLDS for cell in cells)
    note = f"{numbers}; {good} of {len(cells)} within chance"
    return said(identifier, of_share(good / len(cells), holds=1), note=note)


def _number(value: float | None) -> float:
    assert value is not None
    return value


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


def _figure(frame: pd.DataFrame, printed: pd.DataFrame, ours: dict[str, pd.DataFrame]) -> Figure:
    nodes = sorted(frame["nodes"].unique())
    panels = []
    for column, unit, title in (
        ("before", 1000, "makespan without outages, 1000 s"),
        ("growth", 1, f"growth with gamma = {GAMMA:g}, %"),
    ):
        value = printed.groupby("nodes")[column].mean().reindex(nodes) / unit
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
        f"{JOBS} jobs, {SETUP}",
        "Bars: 95 % confidence intervals of the mean",
    )
    words = Words("SMSO, Table I: means of the instances", "number of nodes", "", below)
    return means_plot(panels, words, shared=False)


def _notes(printed: pd.DataFrame, ours: dict[str, pd.DataFrame]) -> list[str]:
    fewest = min(NODES)
    hit = {
        name: rows.loc[rows["nodes"] == fewest, "growth"].ne(0)
        for name, rows in (("here", ours[AGAIN]), ("printed", printed))
    }
    changed = ", ".join(f"{name} {sum(own)} of {len(own)}" for name, own in hit.items())
    return [
        BOTH,
        f"On {fewest} nodes gamma = {GAMMA:g} changes the makespan of few instances: {changed}. "
        "Single nodes lost with that probability do not explain the print.",
        "The paper does not say how many slots a node has; 15 + 15 fit its makespans.",
    ]


EXPERIMENT = Experiment(
    "smso-table-1",
    "SMSO",
    "makespans of 500 jobs without outages and with gamma = 0.03",
    _study,
    _compare,
)
