"""`gap`: every heuristic and bound of an instance beside its optimum, or its best bound."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from threading import Event
from typing import Any

from ...core.calls import checked
from ...core.clock import Clock
from ...core.registry import Choices, Entry
from ...core.values import ByValue
from ...formulations.mapreduce.bounds import BOUNDS
from ...formulations.mapreduce.bounds.closed_form import asked_bounds
from ...instances.mapreduce.instance import Instance
from ...instances.views import Plottable, Tabular
from ..certificate import Certificate
from ..progress import ProgressCallback
from .params import SolveParams
from .result import Result, relative_gap


@dataclass(frozen=True, eq=False)
class Comparison(Plottable, Tabular, ByValue):
    """The best result, and what every heuristic and closed-form bound makes of the instance.

    `bounds` in s by name, invalid printed ones included; `asked_bounds` are their entries.
    `missing` says why heuristics or bounds are not there.
    `certificate` is that of the best result, if somebody asked for it.
    """

    best: Result
    heuristics: list[Result]
    bounds: dict[str, float]
    asked_bounds: Sequence[Entry] = field(default_factory=lambda: BOUNDS, compare=False)
    certificate: Certificate | None = None
    missing: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"Comparison({len(self.heuristics)} heuristics; best: {self.best})"

    @property
    def instance(self) -> Instance:
        """The instance."""
        return self.best.instance

    def gap_of(self, result: Result) -> float | None:
        """The heuristic's true gap: against the best proven bound, not its own."""
        assert result.makespan is not None
        return relative_gap(result.makespan, self.best.lower_bound)

    def document(self) -> dict[str, Any]:
        """One entry of the `gap` document."""
        best = self.best
        document: dict[str, Any] = {
            "instance": self.instance.name,
            "status": best.status.value,
            "makespan": best.makespan,
            "lower_bound": best.lower_bound,
            "gap": best.gap,
            "bound": best.bound_name,
            "found_by": best.found_by,
            "seconds": round(best.seconds, 6),
            "notes": list(best.notes),
            "bounds": self.bounds,
            "heuristics": {
                result.method: {
                    "makespan": result.makespan,
                    "gap": self.gap_of(result),
                    "seconds": round(result.seconds, 6),
                    "assumptions_dropped": list(result.assumptions_dropped),
                }
                for result in self.heuristics
            },
        }
        if self.certificate is not None:
            document["proved"] = {
                "class": self.certificate.kind,
                "lower_bound": self.certificate.proved_bound,
                "exactly": self.certificate.exactly,
                "attested_by": list(self.certificate.witnesses),
            }
        if self.instance.history is not None:
            history = self.instance.history
            document["as_it_ran"] = {
                "makespan": history.makespan,
                "not_comparable": list(history.not_comparable),
            }
        return document


def gaps_of(comparisons: Sequence[Comparison]) -> dict[str, list[float | None]]:
    found = [{each.method: one.gap_of(each) for each in one.heuristics} for one in comparisons]
    names = dict.fromkeys(name for gaps in found for name in gaps)
    return {name: [gaps.get(name) for gaps in found] for name in names}


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
    from .solve import Solving  # builds models, which tables of results do without

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
