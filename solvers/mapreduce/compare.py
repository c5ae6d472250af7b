"""`gap`: every heuristic and bound of an instance beside its optimum, or its best bound."""

from __future__ import annotations

from threading import Event

from ...core.calls import checked
from ...core.clock import Clock
from ...core.registry import Choices
from ...formulations.mapreduce.bounds.closed_form import asked_bounds
from ...instances.mapreduce.instance import Instance
from ..progress import ProgressCallback
from .comparison import Comparison
from .params import SolveParams
from .solve import Solving


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
    stop: Event | None = None,
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
    stop
        Ends the search when it is set: a `threading.Event`.

    Returns
    -------
    Comparison
        The best result, those of the heuristics, and the bounds.

    Raises
    ------
    InputError, CertificateError
        As `solve` does; the error's `result` is the comparison that stands.
    """
    params = SolveParams(
        heuristics=heuristics,
        bounds=bounds,
        methods=methods,
        time_limit=time_limit,
        threads=threads,
        on_progress=on_progress,
    )
    solving = Solving(instance, Clock(time_limit, stop), params, share=1.0)
    comparison = Comparison(
        best=solving.result(),
        heuristics=list(solving.results),
        bounds=solving.bounds,
        asked_bounds=asked_bounds(params.bounds),
        missing=tuple(solving.notes),
    )
    if comparison.best.fault is not None:
        comparison.best.fault.result = comparison
        raise comparison.best.fault
    return comparison
