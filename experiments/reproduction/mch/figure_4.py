"""Figure 4 of [MCH]: dominant shares over time, and the weights of the flattened tree."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ....instances.hierarchy.hierarchy_file import read_hierarchy
from ...study.files import found_files
from ...study.instance_sources import called, read_in
from ...study.study import Block, Study
from ..experiment import Claim, Comparison, Experiment, Size, Verdict
from ..pictures import Line, Panel, Words, curves_plot
from ..printed import table
from ..verdicts import near, of_share, ordering, said
from .worked_examples import claims_of, worked

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

TREE, EVENTS = "example:mch-figure-4", "example:mch-figure-4-events"

LEAVES = ("n1/n1,1", "n1/n1,2", "n2/n2,1", "n2/n2,2", "n2/n2,3", "n3/n3,1")
"""From left to right."""

AWAY, FREED = 1, 4
"""The leaf that leaves, and the one whose share rises."""

TASK = 1 / 200
"""Share of a task: the paper runs whole ones, and prints 0.165, 33 of 200, for 1/6."""

END = 1000.0
"""Where the picture ends (s)."""


def study(size: Size) -> Study:
    """MCH as printed and, beside it, the exact allocation."""
    (tree,) = found_files(TREE, Path())
    methods = [called("allocator", name) for name in ("mch", "exact")]
    return Study("mch-figure-4", [Block(read_in(tree, (), {"events": EVENTS}), methods)])


def compare(frame: pd.DataFrame, size: Size) -> Comparison:
    """Shares before and after a leaf leaves, and weights, beside the print."""
    row = frame[frame["method"] == "mch"].iloc[0]
    before, after = np.array(json.loads(row["shares_over_time"]))
    weights = np.array(json.loads(row["weights_over_time"]))[0]
    printed = table("mch_figure4")
    shares, flat = printed["share_200_to_600_s"], printed["weight_flattened"]
    cells = [
        near(f"mch-figure-4/share/{leaf}", f"dominant share of {leaf}", float(value), float(ours),
             rounding=TASK)
        for leaf, value, ours in zip(printed["leaf"], shares, before, strict=True)
    ]  # fmt: skip
    cells += [
        near(f"mch-figure-4/weight/{leaf}", f"flat weight of {leaf}", float(value), float(ours))
        for leaf, value, ours in zip(printed["leaf"], flat, weights, strict=True)
    ]
    others = [i for i in range(len(LEAVES)) if i not in (AWAY, FREED)]
    tree = read_hierarchy(TREE)
    fits = bool((tree.capacity == 200).all() and len(tree.capacity) == 2)
    jobs = tree.leaves == 6 and bool((tree.tasks == 2000).all())
    claims = [
        said("mch-01", _verdict(fits), float(tree.capacity[0])),
        said("mch-02", _verdict(jobs), float(tree.tasks[0]), None, f"{tree.leaves} jobs"),
        _all("mch-03", cells[: len(LEAVES)], before),
        _all("mch-04", cells[len(LEAVES) :], weights),
        said("mch-05", _verdict(abs(after[FREED] - 1) < 1e-9), float(after[FREED])),
        ordering("mch-06", [abs(after[i] - before[i]) < 1e-9 for i in others], holds=1.0),
        *claims_of(worked()),
    ]
    notes = [
        "Where the paper prints 0.33 and 0.165, 66 and 33 whole tasks of 200, MCH with fractions "
        "of tasks has 1/3 and 1/6.",
        "The text tells of the time from 200 s to 600 s, and of 790 s; here all leaves are there "
        "from 200 s on and none but n1,2 leaves.",
    ]
    return Comparison(claims, cells, figures={"figure": picture(frame)}, notes=notes)


def picture(frame: pd.DataFrame) -> Figure:
    """Figure 4b, once for each method."""
    printed = list(table("mch_figure4")["share_200_to_600_s"])
    panels = []
    for _, row in frame.iterrows():
        times, shares = json.loads(row["times"]), np.array(json.loads(row["shares_over_time"]))
        (begins, leaves) = times
        levels = [begins, (begins + 600) / 2, 600.0, leaves, leaves, END]
        steps = shares[[0, 0, 0, 0, 1, 1]]
        steps[4:, AWAY] = np.nan
        known = np.full(len(levels), np.nan)
        lines = []
        for i, leaf in enumerate(LEAVES):
            shown = known.copy()
            shown[1] = printed[i]
            if i == FREED:
                shown[5] = 1.0
            lines.append(Line(leaf.partition("/")[2], steps[:, i].tolist(), printed=shown.tolist()))
        panels.append(Panel(levels, lines, f"{row['method']}"))
    words = Words(
        "MCH, Figure 4: dominant shares of six jobs; n1,2 leaves at 790 s",
        "time, s",
        "dominant share",
        f"{len(frame)} runs, in which nothing is drawn.",
    )
    figure = curves_plot(panels, words)
    for axis in figure.axes:
        axis.set_ylim(0, 1.05)
    return figure


def _verdict(holds: bool) -> Verdict:
    return Verdict.HOLDS if holds else Verdict.DOES_NOT


def _all(identifier: str, cells: list[Claim], ours: np.ndarray) -> Claim:
    """The verdict on several numbers of one claim, from left to right."""
    good = sum(cell.verdict is Verdict.HOLDS for cell in cells)
    values = ", ".join(f"{value:.4g}" for value in ours.tolist())
    verdict = of_share(good / len(cells), holds=1.0)
    return said(identifier, verdict, None, None, f"{good} of {len(cells)}: {values}")


EXPERIMENT = Experiment(
    "mch-figure-4", "MCH", "shares of a tree of six jobs when one leaves", study, compare
)
