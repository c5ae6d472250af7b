"""Claims of the papers: what is printed, what the runs say, and the verdicts that follow.

A module of a paper names the claim and gives numbers; text and printed limits come from
`printed/claims.csv`. docs/papers/reproduction.md tells what the verdicts mean.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cache
from importlib.resources import files
from io import StringIO
from math import sqrt
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from ..statistics.anova import Anova
from ..study.study import Study

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

Size = Literal["quick", "full"]
"""Some seeds and levels, under a minute; or the paper's own size."""

FOLDER, EXPECTED = files(__package__) / "printed", files(__package__) / "expected.csv"

SIZE_OF_DESIGN = "size of design"
"""Kind of what is no claim on results, but the size of an experiment: ours is made as large."""

HOLDS_FROM, PARTLY_FROM = 0.8, 0.5
"""Shares of the cases from which on a claim that has no word such as `always` holds, or holds
partly."""

LEVEL = 0.05
"""Of significance: below it an effect is there."""

LIKELY, POSSIBLE = 0.95, 0.997
"""Chance that a difference from the printed mean stays within the margin if both are samples of
one population: within the first margin a number holds, within the second partly."""

SLIGHT_SKEWNESS, SLIGHT_KURTOSIS, SAME_SPREAD, NO_SPREAD = 1.0, 1.0, 2.0, 1e-12
"""Residuals within the first two are slightly non-normal, and levels within this ratio of standard
deviations, which count as at least the last part of the greatest, spread alike."""


class Verdict(StrEnum):
    """What came of a claim. Always computed from the runs."""

    HOLDS = "holds"
    PARTLY = "partly"
    DOES_NOT = "does not hold"
    NOT_TESTABLE = "not testable"


@dataclass(frozen=True)
class PrintedClaim:
    """A claim as the paper makes it: where it stands, of which kind it is (`number`, `ordering`,
    `statistic`, `SIZE_OF_DESIGN`), in our words, and the printed limits, None for none."""

    id: str
    paper: str
    section: str
    item: str
    kind: str
    claim: str
    low: float | None
    high: float | None
    unit: str


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
        low = self.ours if self.printed_low is None else self.printed_low
        high = self.ours if self.printed_high is None else self.printed_high
        return min(self.ours - low, 0.0) or max(self.ours - high, 0.0)


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
    """A table or figure of a paper: the runs that it needs, those of `quick` among those of
    `full`, and what they say."""

    name: str
    """On the command line: `ljr-figure-3`."""
    paper: str
    """Key of the paper in `docs/papers/references.md`."""
    title: str
    study: Callable[[Size], Study]
    claims: tuple[str, ...]
    judged: Callable[[pd.DataFrame, Size], Comparison]

    def compare(self, frame: pd.DataFrame, size: Size) -> Comparison:
        """What these runs say; without any that a claim is about, none is testable."""
        if frame.empty:
            return nothing(self.claims, "every run failed")
        return self.judged(frame, size)


def numbered(paper: str, *numbers: int) -> tuple[str, ...]:
    """Names of claims."""
    return tuple(f"{paper}-{number:02}" for number in numbers)


def nothing(claims: Iterable[str], reason: str) -> Comparison:
    """What is said if no run tells."""
    return Comparison([not_testable(name, reason) for name in claims])


def table(name: str) -> pd.DataFrame:
    """A printed table by the name of its file without ending: `ljr_table2`."""
    import pandas as pd

    return pd.read_csv(StringIO(FOLDER.joinpath(f"{name}.csv").read_text("utf-8")))


def claims(of: str = "") -> list[PrintedClaim]:
    """Claims in the order of the papers: of a paper (`LJR`), of an item as it is printed
    (`Table 2`), or all."""
    return [claim for claim in _claims().values() if of in ("", claim.paper, claim.item)]


def printed(identifier: str) -> PrintedClaim:
    """The claim of a name. Raises `KeyError` if there is none."""
    return _claims()[identifier]


def is_size(identifier: str) -> bool:
    """Whether a name is that of the size of a design. No name of a printed claim is none."""
    return identifier in _claims() and _claims()[identifier].kind == SIZE_OF_DESIGN


@cache
def _claims() -> dict[str, PrintedClaim]:
    rows: list[dict[str, Any]] = list(
        csv.DictReader(StringIO(FOLDER.joinpath("claims.csv").read_text("utf-8")))
    )
    for row in rows:
        row |= {name: float(row[name]) if row[name] else None for name in ("low", "high")}
    return {row["id"]: PrintedClaim(**row) for row in rows}


def expected(identifier: str, size: Size) -> frozenset[Verdict]:
    """The verdicts to expect for a claim, with wide margins; all if nothing is known of it."""
    return _expected().get((identifier, size), frozenset(Verdict))


def lost(claims: Iterable[Claim], size: Size) -> list[Claim]:
    """Claims that should hold, fully or partly, and do less."""
    return [
        claim for claim in claims if rank(claim.verdict) > max(map(rank, expected(claim.id, size)))
    ]


def rank(verdict: Verdict) -> int:
    """0 for a claim that holds, more for less. What cannot be tested is no loss."""
    return {Verdict.PARTLY: 1, Verdict.DOES_NOT: 2}.get(verdict, 0)


@cache
def _expected() -> dict[tuple[str, str], frozenset[Verdict]]:
    rows = csv.DictReader(StringIO(EXPECTED.read_text("utf-8")))
    return {
        (row["id"], row["size"]): frozenset(map(Verdict, row["verdict"].split(" or ")))
        for row in rows
    }


@dataclass(frozen=True)
class Mean:
    """A mean of so many independent results with its standard error, 0 without chance."""

    value: float
    standard_error: float = 0.0
    runs: int = 1


def mean_of(values: ArrayLike) -> Mean:
    """The mean of independent results; that of a single one has the standard error infinity."""
    sample = np.asarray(values, dtype=float)
    count = len(sample)
    error = float(sample.std(ddof=1)) / sqrt(count) if count > 1 else float("inf")
    return Mean(float(sample.mean()), error, count)


def said(
    identifier: str,
    verdict: Verdict,
    ours: float | None = None,
    standard_error: float | None = None,
    note: str = "",
) -> Claim:
    """A row of `comparison.csv` for a printed claim, in its unit."""
    paper = printed(identifier)
    return Claim(
        identifier, paper.claim, verdict, paper.low, paper.high, ours, standard_error, note
    )


def not_testable(identifier: str, reason: str, ours: float | None = None) -> Claim:
    """The row of a claim on which these runs say nothing."""
    return said(identifier, Verdict.NOT_TESTABLE, ours, None, reason)


def of_share(share: float, holds: float = HOLDS_FROM, partly: float = PARTLY_FROM) -> Verdict:
    """The verdict for a share of cases in which a claim is true."""
    slack = 1e-9
    if share >= holds - slack:
        return Verdict.HOLDS
    return Verdict.PARTLY if share >= partly - slack else Verdict.DOES_NOT


def ordering(
    identifier: str,
    cases: Iterable[object],
    *,
    holds: float = HOLDS_FROM,
    partly: float = PARTLY_FROM,
    note: str = "",
) -> Claim:
    """Verdict on a claim that is true or not in each of several cases; without any it is not
    testable. A claim that says `always` needs `holds=1`."""
    true = [bool(case) for case in cases]
    if not true:
        return not_testable(identifier, note or "no run of this size tells")
    share = sum(true) / len(true)
    words = _joined(f"{sum(true)} of {len(true)} cases", note)
    return said(identifier, of_share(share, holds, partly), share, None, words)


def inside(
    identifier: str, values: ArrayLike, *, slack: float = 0.0, holds: float = 1.0, note: str = ""
) -> Claim:
    """Verdict on several numbers that the paper says are within its limits.

    `slack`: how far outside still counts as inside, such as half of the last printed digit.
    """
    sample = np.asarray(values, dtype=float)
    if not len(sample):
        return not_testable(identifier, note or "no run of this size tells")
    low, high = _limits(identifier)
    good = (sample >= low - slack) & (sample <= high + slack)
    words = _joined(
        f"{int(good.sum())} of {len(good)} within the limits, "
        f"from {sample.min():.4g} to {sample.max():.4g}",
        note,
    )
    verdict = of_share(float(good.mean()), holds)
    return said(identifier, verdict, float(sample.mean()), None, words)


def within(identifier: str, ours: Mean | float, *, slack: float = 0.0, note: str = "") -> Claim:
    """Verdict on a number that the paper prints, or prints limits of.

    Within the limits, or outside by no more than chance explains, it holds; the margin is that of
    `near`.
    """
    mean = ours if isinstance(ours, Mean) else Mean(ours)
    low, high = _limits(identifier)
    outside = max(low - mean.value, mean.value - high, 0.0)
    verdict = _by_margin(outside - slack, mean.standard_error, mean.runs)
    return said(identifier, verdict, mean.value, _shown(mean), note)


def near(
    identifier: str,
    claim: str,
    value: float,
    ours: Mean | float,
    *,
    printed_runs: int | None = None,
    rounding: float = 0.0,
    note: str = "",
) -> Claim:
    """Verdict on one cell of a printed table: its mean against ours.

    The print has no standard errors. Its results are taken to spread as ours do: the difference of
    the means then has the standard error `s sqrt(1 / runs + 1 / printed_runs)`. The cell holds
    within the 95 % margin of the difference, partly within that of 99.7 %.

    `printed_runs`: how many results the print is the mean of; None for as many as ours.
    """
    mean = ours if isinstance(ours, Mean) else Mean(ours)
    error = mean.standard_error * sqrt(1 + mean.runs / (printed_runs or mean.runs))
    verdict = _by_margin(abs(mean.value - value) - rounding, error, mean.runs)
    return Claim(identifier, claim, verdict, value, value, mean.value, _shown(mean), note)


def significant(identifier: str, p: float, *, note: str = "") -> Claim:
    """Verdict on a claim that an effect is there; of several effects the greatest p counts."""
    verdict = Verdict.HOLDS if p < LEVEL else Verdict.DOES_NOT
    return said(identifier, verdict, p, None, note)


def slightly_non_normal(identifier: str, anova: Anova, levels: pd.Series) -> Claim:
    """Whether residuals are nearly normal, and spread alike at all levels of a factor."""
    skewness, kurtosis = anova.skewness, anova.excess_kurtosis
    spread = anova.residuals.groupby(levels).std()
    widest = spread.max()
    ratio = float(widest / max(spread.min(), NO_SPREAD * widest)) if widest > 0 else 1.0
    note = (
        f"skewness {skewness:.2f}, excess kurtosis {kurtosis:.1f}; standard deviation at "
        f"{spread.idxmax()} {ratio:.3g} times that at {spread.idxmin()}"
    )
    cases = [
        abs(skewness) <= SLIGHT_SKEWNESS,
        abs(kurtosis) <= SLIGHT_KURTOSIS,
        ratio <= SAME_SPREAD,
    ]
    return ordering(identifier, cases, holds=1, note=note)


def with_scale(claims: Iterable[Claim], words: str) -> list[Claim]:
    return [replace(claim, scale=words) for claim in claims]


def _limits(identifier: str) -> tuple[float, float]:
    paper = printed(identifier)
    assert paper.low is not None or paper.high is not None, f"{identifier} prints no limit"
    low = -np.inf if paper.low is None else paper.low
    return low, np.inf if paper.high is None else paper.high


def _by_margin(distance: float, error: float, runs: int) -> Verdict:
    """Whether chance explains a distance of a mean of that many results."""
    if distance <= 1e-9:
        return Verdict.HOLDS
    if error == 0:
        return Verdict.DOES_NOT
    if runs < 2:
        return Verdict.NOT_TESTABLE
    from scipy.stats import t

    likely, possible = error * t.ppf((1 + np.array([LIKELY, POSSIBLE])) / 2, runs - 1)
    if distance <= likely:
        return Verdict.HOLDS
    return Verdict.PARTLY if distance <= possible else Verdict.DOES_NOT


def _shown(mean: Mean) -> float | None:
    return mean.standard_error if 0 < mean.standard_error < np.inf else None


def _joined(*words: str) -> str:
    return "; ".join(word for word in words if word)
