"""`gap`: every heuristic and bound of an instance beside its optimum, or its best bound."""

from __future__ import annotations

from ...core.calls import checked
from ...core.clock import Clock
from ...core.registry import Choices
from ...formulations.mapreduce.bounds.closed_form import asked_bounds
from ...instances.mapreduce.instance import Instance
from ..progress import ProgressCallback
from .comparison import Comparison
from .first_results import Opening
from .solve import SolveParams, search


@checked
def gap(
    instance: Instance,
    *,
    heuristics: Choices | None = None,
    bounds: Choices | None = None,
    methods: Choices | None = None,
    time_limit: float = 60.0,
    threads: int | None = None,
    on_progress: ProgressCallback | None = None,
) -> Comparison:
    """Run heuristics and bounds on an instance beside the optimum, or the best bound.

    The heuristics come first and may take all of the time. Of an instance without any schedule it
    says only that.

    Parameters
    ----------
    instance
        The instance.
    heuristics, bounds, methods
        Names, functions or entries of the registries; by default all heuristics that keep the
        rules, all closed-form bounds, and the exact methods that suit the instance.
    time_limit
        Wall time (s), for all together.
    threads
        By default all cores.
    on_progress
        Called with each step.

    Returns
    -------
    Comparison
        The best result, those of the heuristics, and the bounds.

    Raises
    ------
    InputError, CertificateError
        As `solve` does.
    """
    opening = Opening(instance, on_progress, heuristics, bounds)
    comparison = compared(opening, Clock(time_limit), methods=methods, threads=threads)
    if comparison.best.fault is not None:
        raise comparison.best.fault
    return comparison


def compared(
    opening: Opening,
    clock: Clock,
    *,
    methods: Choices | None = None,
    threads: int | None = None,
) -> Comparison:
    """As `gap`, within the remaining time of a clock.

    `threads`: number of threads, by default all cores.
    """
    best = search(opening, clock, SolveParams(methods=methods, threads=threads), share=1.0)
    return Comparison(
        best=best,
        heuristics=list(opening.results),
        bounds=opening.bounds,
        asked_bounds=asked_bounds(opening.bounds_asked),
        missing=tuple(opening.notes),
    )
