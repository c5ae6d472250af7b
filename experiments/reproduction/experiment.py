"""What a table or figure of a paper is here: a study, and what its runs say of the claims."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Literal

from ..study.study import Study

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

Size = Literal["quick", "full"]
"""Some seeds and levels, under a minute; or the paper's own size."""


class Verdict(StrEnum):
    """What came of a claim. Always computed from the runs."""

    HOLDS = "holds"
    PARTLY = "partly"
    DOES_NOT = "does not hold"
    NOT_TESTABLE = "not testable"


@dataclass(frozen=True)
class Claim:
    """One row of `comparison.csv`: a printed claim, or a printed number.

    Parameters
    ----------
    id
        As in `claims.csv`; of a cell of a table the experiment and its factors, with slashes.
    claim
        In words.
    verdict
        What came of it.
    printed_low, printed_high
        What the paper prints, the same twice for a number; None for no limit.
    ours
        What the runs say, in the unit of the claim.
    standard_error
        Of `ours`, None if it has none.
    note
        What was measured, where that is not plain: `12 of 20 cells`, `at 20 nodes not`.
    scale
        How large what was run is beside what the paper ran, if claims of one paper differ in it.
    """

    id: str
    claim: str
    verdict: Verdict
    printed_low: float | None = None
    printed_high: float | None = None
    ours: float | None = None
    standard_error: float | None = None
    note: str = ""
    scale: str = ""

    @property
    def difference(self) -> float | None:
        """`ours` less the nearest printed value: 0 within the printed range."""
        if self.ours is None or (self.printed_low is None and self.printed_high is None):
            return None
        if self.printed_low is not None and self.ours < self.printed_low:
            return self.ours - self.printed_low
        if self.printed_high is not None and self.ours > self.printed_high:
            return self.ours - self.printed_high
        return 0.0


@dataclass
class Comparison:
    """What the runs of an experiment say.

    Parameters
    ----------
    claims
        The paper's claims, in the order of `claims.csv`.
    cells
        Printed numbers one by one.
    tables
        Further tables by file name without ending: `anova`, `hsd`.
    figures
        Pictures by file name without ending: `figure`.
    notes
        What a reader has to know, one sentence each.
    """

    claims: list[Claim] = field(default_factory=list)
    cells: list[Claim] = field(default_factory=list)
    tables: dict[str, pd.DataFrame] = field(default_factory=dict)
    figures: dict[str, Figure] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Experiment:
    """A table or figure of a paper.

    Parameters
    ----------
    name
        Its name on the command line: `ljr-figure-3`.
    paper
        Key of the paper in `docs/papers/references.md`.
    title
        What it shows, in one line.
    study
        The runs that it needs at a size. Those of `quick` are among those of `full`.
    compare
        What they say; it gets the frame of these runs only.
    """

    name: str
    paper: str
    title: str
    study: Callable[[Size], Study]
    compare: Callable[[pd.DataFrame, Size], Comparison]
