"""Every heuristic and bound of an instance beside its optimum, or its best bound."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ...core.registry import Entry
from ...core.values import ByValue
from ...formulations.mapreduce.bounds import BOUNDS
from ...instances.mapreduce.instance import Instance
from ...instances.views import Plottable, Tabular
from ..certificate import Certificate
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
