"""[MCH]: dominant shares over time and the weights of the flattened tree (Figure 4), run times on
full binary trees (Figure 5), and the worked examples of section III-A.

Figures 2 and 3 have the root's children n1 and n2, and n2's children n2,1 and n2,2. Weights of the
flat tree are meant to give every leaf what the hierarchy gives it; the exact allocation is that.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ...heuristics.hierarchy import fair
from ...instances.hierarchy.hierarchy import Hierarchy
from ...instances.hierarchy.hierarchy_file import read_hierarchy
from ...instances.hierarchy.nodes import Group, Leaf
from ..study.instance_files import found_files
from ..study.instance_sources import called, drawn, read_in
from ..study.study import Block, Study
from .claims import (
    Claim,
    Comparison,
    Experiment,
    Size,
    Verdict,
    near,
    not_testable,
    numbered,
    of_share,
    ordering,
    said,
    table,
)
from .pictures import Line, Panel, Words, caption, curves_plot

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


def study_4(size: Size) -> Study:
    """MCH as printed and, beside it, the exact allocation."""
    (tree,) = found_files(TREE, Path())
    methods = [called("allocator", name) for name in ("mch", "exact")]
    return Study("mch-figure-4", [Block(read_in(tree, (), {"events": EVENTS}), methods)])


def _figure_4(frame: pd.DataFrame, size: Size) -> Comparison:
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
        *claims_on_examples(worked()),
    ]
    notes = [
        "Where the paper prints 0.33 and 0.165, 66 and 33 whole tasks of 200, MCH with fractions "
        "of tasks has 1/3 and 1/6.",
        "The text tells of the time from 200 s to 600 s, and of 790 s; here all leaves are there "
        "from 200 s on and none but n1,2 leaves.",
    ]
    return Comparison(claims, cells, figures={"figure": _picture_4(frame)}, notes=notes)


def _picture_4(frame: pd.DataFrame) -> Figure:
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


RESOURCES = ("cpu", "memory")

POOL, NEED = (10.0, 12.0), (2.0, 3.0)
"""Capacity, and demand of a task, of the example of a normalised demand."""

TASK_SHARE, NORMALISED = 1 / 4, (4 / 5, 1.0)
"""What the paper has of it."""

EQUAL = 100.0

Needs = tuple[tuple[float, float], ...]
"""Demands of n1, n2,1 and n2,2."""

FULL_TYPE: tuple[Needs, ...] = (
    ((3, 1), (1, 1), (1, 2)),
    ((1, 1), (2, 1), (1, 3)),
    ((1, 3), (3, 1), (1, 2)),
    ((2, 1), (2, 1), (3, 2)),
)
"""Figure 2: all leaves need both resources. The paper has no numbers."""

PARTIAL_TYPE: tuple[Needs, ...] = (
    ((2, 1), (3, 1), (0, 1)),
    ((1, 3), (1, 2), (0, 1)),
    ((3, 1), (1, 1), (0, 1)),
    ((4, 1), (2, 1), (0, 1)),
)
"""Figure 3: n2,2 needs memory only, which is full first in the second case only; in the third the
flat weight 1 of n2,2 makes it full first all the same."""


class Worked(NamedTuple):
    """What the examples come to."""

    task_share: float
    normalised: tuple[float, ...]
    """`task_share`, `normalised`: of the leaf that needs `NEED` of `POOL`."""
    full: tuple[tuple[Sequence[float], Sequence[float]], ...]
    partial: tuple[tuple[Sequence[float], Sequence[float]], ...]
    """`full`, `partial`: dominant shares of the leaves in Figure 2 and in Figure 3: flat, and
    exact."""


def worked() -> Worked:
    need = Leaf("n1", _by_resource(NEED))
    example = Hierarchy.from_tree(_by_resource(POOL), Group("root", [need]))
    return Worked(
        float(example.task_share[0]),
        tuple(example.normalised[0].tolist()),
        tuple(map(_both, FULL_TYPE)),
        tuple(map(_both, PARTIAL_TYPE)),
    )


def claims_on_examples(seen: Worked) -> list[Claim]:
    """Claims 11 to 13."""
    own = (seen.task_share, *seen.normalised)
    right = [abs(a - b) < 1e-12 for a, b in zip(own, (TASK_SHARE, *NORMALISED), strict=True)]
    note = f"share of a task {own[0]:g}, normalised demand {', '.join(f'{x:g}' for x in own[1:])}"
    return [
        ordering("mch-11", right, holds=1, note=note),
        _alike("mch-12", seen.full),
        _alike("mch-13", seen.partial),
    ]


def _tree(needs: Needs) -> Hierarchy:
    """The hierarchy of Figures 2 and 3."""
    first, second, third = map(_by_resource, needs)
    below = Group("n2", [Leaf("n2,1", second), Leaf("n2,2", third)])
    return Hierarchy.from_tree(
        _by_resource((EQUAL, EQUAL)), Group("root", [Leaf("n1", first), below])
    )


def _both(needs: Needs) -> tuple[Sequence[float], Sequence[float]]:
    tree = _tree(needs)
    flat, exact = (fair(tree, method).share.tolist() for method in ("mch", "exact"))
    return flat, exact


def _alike(identifier: str, cases: Sequence[tuple[Sequence[float], Sequence[float]]]) -> Claim:
    """Whether the flat tree gives the leaves what the hierarchy gives them, in every case."""
    same = [bool(np.allclose(flat, exact, atol=1e-9)) for flat, exact in cases]
    away = [case for case, good in zip(cases, same, strict=True) if not good]
    difference = "; ".join(f"{_list(flat)}, exact {_list(exact)}" for flat, exact in away[:1])
    return ordering(identifier, same, holds=1, note=f"flat {difference}" if difference else "")


def _by_resource(amounts: Sequence[float]) -> dict[str, float]:
    return dict(zip(RESOURCES, map(float, amounts), strict=True))


def _list(values: Sequence[float]) -> str:
    return ", ".join(f"{value:.3f}" for value in values)


LEVELS = (2, 3, 4, 5)

TASKS = (20, 40, 80, 160, 320, 640)
"""About so many tasks run in all. Figure 5 has `jobs` there, from a trace that it does not name."""

QUICK_TASKS = (40, 160, 640)

MEAN_NEED = 8.0
"""Of the scarcer resource, of a task: demands are uniform from 1 to 10."""

REPEATS = 15
"""Each time is the least of so many."""

NAMES = {
    ("hdrf", "all"): "H-DRF",
    ("hdrf", "path"): "H-DRF, path only",
    ("mch", None): "MCH",
    ("ch", "cpu"): "C-CH",
    ("ch", "memory"): "M-CH",
}
"""By method and its parameter. H-DRF as MCH describes it computes every node for every task."""

DEEP, PER_LEAF = (7, 8, 9, 10), 5
"""Levels of further trees, for the theorem, and tasks of each of their leaves."""

QUICK_DEEP = (7, 10)

HALF = (0.5**1.5, 0.5**0.5)
"""Run times of MCH over those of H-DRF nearer to a half than to a quarter or to the same."""

LINEAR, SQUARE = 1.5, (1.5, 2.5)
"""The greatest exponent nearer to one than to two, and exponents nearest to two."""

VARIES = 2.0
"""Least factor between run times that shows an exponent."""

SLACK = 0.95
"""A method is no faster if it takes at least this part of the other's time: clocks are not exact.
"""


def _study_5(size: Size) -> Study:
    """Every method on every tree."""
    tasks = QUICK_TASKS if size == "quick" else TASKS
    trees = drawn(
        "mch-binary",
        [0],
        sweep={"levels": LEVELS, "capacity": [MEAN_NEED * count for count in tasks]},
        workload={"repeats": REPEATS},
    )
    for levels in QUICK_DEEP if size == "quick" else DEEP:
        capacity = MEAN_NEED * PER_LEAF * 2**levels
        own = {"levels": [levels], "capacity": [capacity]}
        trees += drawn("mch-binary", [0], sweep=own, workload={"repeats": REPEATS})
    methods = [
        called("allocator", "hdrf", update="all"),
        called("allocator", "hdrf", update="path"),
        called("allocator", "mch"),
        called("allocator", "ch", resource="cpu"),
        called("allocator", "ch", resource="memory"),
    ]
    return Study("mch-figure-5", [Block(trees, methods)])


def _figure_5(frame: pd.DataFrame, size: Size) -> Comparison:
    every = seconds_by_tree(frame)
    deeper = every.index.get_level_values("levels") > max(LEVELS)
    times, deep = every[~deeper], every[deeper]
    ratio = times["H-DRF"] / times["MCH"]
    half = 1 / ratio.loc[2]
    good = ((half >= HALF[0]) & (half <= HALF[1])).mean()
    no_faster = times["MCH"] >= SLACK * times[["C-CH", "M-CH"]].min(axis=1)
    over = (times["MCH"] / times[["C-CH", "M-CH"]].mean(axis=1)).median()
    claims = [
        _square(times[times.index.get_level_values("levels") >= 3]),
        said("mch-08", of_share(float(good)), float(half.median()), None,
             f"{_range(half)} by the number of tasks"),
        ordering("mch-09", no_faster, note=f"{over:.3g} times C-CH and M-CH"),
        _theorem(deep),
    ]  # fmt: skip
    path = _range(times["H-DRF, path only"] / times["MCH"])
    notes = [
        "Times are of this machine and of compiled code; each is the least of "
        f"{REPEATS}. H-DRF places tasks one by one and MCH fills up at once, so their ratio grows "
        "with the number of tasks as with the tree.",
        "H-DRF computes every node again for every task, as MCH says; beside it is the variant "
        f"that computes the path to the root only: {path} times MCH.",
    ]  # fmt: skip
    ratios = every.assign(**{"H-DRF / MCH": every["H-DRF"] / every["MCH"]}).reset_index()
    drawn_trees = frame[frame["levels"] <= max(LEVELS)]
    return Comparison(
        claims, tables={"seconds": ratios}, figures={"figure": _picture_5(drawn_trees)}, notes=notes
    )


def _square(times: pd.DataFrame) -> Claim:
    """The exponent of H-DRF's time over that of MCH, whatever the unit, over trees and tasks."""
    varies = float(times["MCH"].max() / times["MCH"].min())
    ratio = f"ratio {_range(times['H-DRF'] / times['MCH'])} from 3 to 5 levels"
    if varies < VARIES:
        reason = f"times of MCH vary by a factor of {varies:.2g} only, which shows no exponent"
        return not_testable("mch-07", f"{reason}; {ratio}")
    exponent = _slope(times["MCH"], times["H-DRF"])
    verdict = of_share(float(_inside(exponent, SQUARE)))
    return said("mch-07", verdict, exponent, None, ratio)


def _theorem(times: pd.DataFrame) -> Claim:
    """Exponents of run times over the number of nodes, where every leaf gets as many tasks.

    MCH is said to take *at most* O(q).
    """
    nodes = np.exp2(times.index.get_level_values("levels").to_numpy(float) + 1) - 2
    mch, hdrf = (_slope(nodes, times[name]) for name in ("MCH", "H-DRF"))
    right = [mch <= LINEAR, _inside(hdrf, SQUARE)]
    note = f"exponent {mch:.2f} of MCH from {nodes.min():.0f} to {nodes.max():.0f} nodes"
    return said("mch-10", of_share(sum(right) / 2, holds=1), hdrf, None, note)


def _slope(x: ArrayLike, y: ArrayLike) -> float:
    """The exponent of a power law through some points."""
    return float(np.polyfit(np.log(x), np.log(y), 1)[0])


def _inside(value: float, limits: tuple[float, float]) -> bool:
    return limits[0] <= value <= limits[1]


def seconds_by_tree(frame: pd.DataFrame) -> pd.DataFrame:
    """Seconds by levels and capacity, a column a method."""
    named = frame.assign(series=_series(frame))
    return named.pivot_table("seconds", ["levels", "capacity"], "series", aggfunc="min")


def _picture_5(frame: pd.DataFrame) -> Figure:
    """A panel for each number of levels."""
    named = frame.assign(series=_series(frame))
    tasks = named[named["method"] == "mch"].set_index(["levels", "capacity"])["tasks"]
    times = seconds_by_tree(frame)
    panels = [
        Panel(
            tasks.loc[levels].round().tolist(),
            [Line(name, (1000 * times.loc[levels][name]).tolist()) for name in NAMES.values()],
            f"{levels} levels",
        )
        for levels in LEVELS
    ]
    words = Words(
        "MCH, Figure 5: run time on full binary trees",
        "tasks that run",
        "run time, ms",
        caption(len(frame), [0], f"Least of {REPEATS} times", "Figure 5 prints no numbers"),
    )
    return curves_plot(panels, words, scales="log log")


def _series(frame: pd.DataFrame) -> pd.Series:
    given = frame["update"].where(frame["method"] == "hdrf", frame["resource"])
    pairs = zip(frame["method"], given, strict=True)
    names = [NAMES[method, value if isinstance(value, str) else None] for method, value in pairs]
    return frame["method"].__class__(names, index=frame.index)


def _range(values: pd.Series) -> str:
    return f"{values.min():.2g} to {values.max():.3g}"


EXPERIMENTS = [
    Experiment("mch-figure-4", "MCH", "shares of a tree of six jobs when one leaves",
               study_4, numbered("mch", *range(1, 7), 11, 12, 13), _figure_4),
    Experiment("mch-figure-5", "MCH", "run time of four allocators on binary trees",
               _study_5, numbered("mch", 7, 8, 9, 10), _figure_5),
]  # fmt: skip
