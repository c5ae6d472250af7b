"""Pictures of results in files, which say the main thing at one glance."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from .plots import write_figure
from .views.comparisons import draw_bounds, draw_comparison, draw_comparisons
from .views.drawing import MOST_BARS, plot
from .views.rows import size_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..instances.datacenter.guidance import Guidance
    from ..instances.hierarchy.allocation import Allocation
    from ..solvers.mapreduce.comparison import Comparison


def write_gaps(comparisons: Sequence[Comparison], path: str | Path) -> None:
    """Draw heuristics beside the optimum, or their gaps on several instances.

    Raises `InputError` for an unknown suffix.
    """
    most = max(len(comparison.heuristics) for comparison in comparisons) + 1
    if len(comparisons) == 1:
        _write(lambda ax: draw_comparison(comparisons[0], ax), most, path)
    else:
        _write(lambda ax: draw_comparisons(comparisons, ax), most, path)


def write_bounds(name: str, values: Mapping[str, float], best: str, path: str | Path) -> None:
    """Draw the closed-form bounds of an instance.

    `values`: the bounds (s) by name.
    Raises `InputError` for an unknown suffix.
    """
    _write(lambda ax: draw_bounds(name, values, best, ax), len(values), path)


def write_shares(allocation: Allocation, path: str | Path) -> None:
    """Draw the shares of an allocation beside the guarantees.

    Raises `InputError` for an unknown suffix.
    """
    rows = min(MOST_BARS, allocation.hierarchy.leaves)
    _write(lambda ax: plot(allocation, ax), rows, path)


def write_guidance(guidance: Guidance, path: str | Path) -> None:
    """Draw what one machine of each configuration should run.

    Raises `InputError` for an unknown suffix.
    """
    _write(lambda ax: plot(guidance, ax), len(guidance.datacenter.configurations), path)


def _write(draw: Callable[[Axes], object], rows: int, path: str | Path) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=size_of(rows), layout="constrained")
    draw(figure.add_subplot())
    write_figure(figure, path, dpi=130)
