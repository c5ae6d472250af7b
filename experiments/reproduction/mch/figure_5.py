"""Figure 5 of [MCH]: run times of H-DRF, MCH and collapsed hierarchies on full binary trees."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...study.making import called, drawn
from ...study.study import Block, Study
from ..experiment import Comparison, Experiment, Size, Verdict
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

NEAR = (0.25, 1.0)
"""Run time of MCH over that of H-DRF that counts as half: within a factor of two."""

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
    methods = [
        called("allocator", "hdrf", update="all"),
        called("allocator", "hdrf", update="path"),
        called("allocator", "mch"),
        called("allocator", "ch", resource="cpu"),
        called("allocator", "ch", resource="memory"),
    ]
    return Study("mch-figure-5", [Block(trees, methods)])


def compare(frame: pd.DataFrame, size: Size) -> Comparison:
    """Ratios of run times.

    Parameters
    ----------
    frame
        The results.
    size
        Size of the study.
    """
    times = seconds_by_tree(frame)
    ratio = times["H-DRF"] / times["MCH"]
    deep, flat = ratio[ratio.index.get_level_values("levels") >= 3], ratio.loc[2]
    told = f"ratio {_range(deep)} from 3 to 5 levels, {_range(flat)} at 2"
    half = 1 / flat
    good = ((half >= NEAR[0]) & (half <= NEAR[1])).mean()
    collapsed = times[["C-CH", "M-CH"]]
    no_faster = times["MCH"] >= SLACK * collapsed.min(axis=1)
    over = (times["MCH"] / collapsed.mean(axis=1)).median()
    per_node = times["MCH"].groupby("levels").median() / [2 ** (n + 1) - 2 for n in LEVELS]
    linear = bool(per_node.iloc[-1] <= per_node.iloc[0])
    claims = [
        not_testable("mch-07", f"a square of seconds depends on their unit; {told}"),
        said("mch-08", of_share(float(good)), float(half.median()), None,
             f"{_range(half)} by the number of tasks"),
        ordering("mch-09", no_faster, note=f"{over:.3g} times C-CH and M-CH"),
        said("mch-10", Verdict.HOLDS if linear else Verdict.DOES_NOT, None, None,
             f"microseconds of MCH per node {_list(1e6 * per_node)} at 2 to 5 levels"),
    ]  # fmt: skip
    path = _range(times["H-DRF, path only"] / times["MCH"])
    notes = [
        "Times are of this machine and of compiled code; each is the least of "
        f"{REPEATS}. H-DRF places tasks one by one and MCH fills up at once, so their ratio grows "
        "with the number of tasks as with the tree.",
        "H-DRF computes every node again for every task, as MCH says; beside it is the variant "
        f"that computes the path to the root only: {path} times MCH.",
    ]  # fmt: skip
    ratios = times.assign(**{"H-DRF / MCH": ratio}).reset_index()
    return Comparison(
        claims, tables={"seconds": ratios}, figures={"figure": picture(frame)}, notes=notes
    )


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


def _list(values: pd.Series) -> str:
    return ", ".join(f"{value:.2g}" for value in values)


EXPERIMENT = Experiment(
    "mch-figure-5", "MCH", "run time of four allocators on binary trees", study, compare
)
