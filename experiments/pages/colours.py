"""Which methods a chart shows, and in which colours."""

from __future__ import annotations

from dataclasses import dataclass

from ..statistics.runs import Runs
from .charts import MOST_SERIES
from .markup import names


@dataclass(frozen=True)
class Shown:
    """The methods that the charts show."""

    colour: dict[str, int]
    """Number of the colour by method."""
    left_out: tuple[str, ...]
    """Those that are in the tables only."""

    @property
    def note(self) -> str:
        """What is to be said under a chart; empty if all are shown."""
        if not self.left_out:
            return ""
        return f"Only in the tables, for want of colours: {names(self.left_out, 4)}."


def shown_methods(runs: Runs, ranked: list[str]) -> Shown:
    """The methods of the charts: all, or the first of a ranking."""
    chosen = set(list(dict.fromkeys([*ranked, *runs.variants]))[:MOST_SERIES])
    kept = [name for name in runs.variants if name in chosen]
    return Shown(
        {name: k for k, name in enumerate(kept)},
        tuple(name for name in runs.variants if name not in chosen),
    )
