"""Figure 5 of [MCH]: run times of H-DRF, MCH and collapsed hierarchies on full binary trees."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ...study.instance_sources import called, drawn
from ...study.study import Block, Study
from ..experiment import Claim, Comparison, Experiment, Size
from ..pictures import Line, Panel, Words, caption, curves_plot
from ..verdicts import not_testable, of_share, ordering, said

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

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


def study(size: Size) -> Study:
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


def compare(frame: pd.DataFrame, size: Size) -> Comparison:
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
        claims, tables={"seconds": ratios}, figures={"figure": picture(drawn_trees)}, notes=notes
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


def picture(frame: pd.DataFrame) -> Figure:
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


EXPERIMENT = Experiment(
    "mch-figure-5", "MCH", "run time of four allocators on binary trees", study, compare
)
