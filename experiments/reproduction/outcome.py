"""What came of tables and figures: the runs, and what they say of the print."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from ..engine.record import Record
from ..study.study import Study
from .expected import lost
from .experiment import Claim, Comparison, Experiment, Size, Verdict


@dataclass(frozen=True)
class Reproduced:
    """A table or figure with what its runs say.

    Parameters
    ----------
    experiment
        What it is.
    study
        Its runs.
    comparison
        What they say.
    failed
        How many of its runs failed.
    """

    experiment: Experiment
    study: Study
    comparison: Comparison
    failed: int


@dataclass(frozen=True)
class Reproduction:
    """What came of tables and figures.

    Parameters
    ----------
    size
        Size of the studies.
    parts
        Each table or figure, in the order in which they were asked for.
    study
        All runs.
    records
        What came of each run, by its name.
    """

    size: Size
    parts: list[Reproduced]
    study: Study
    records: Mapping[str, Record] = field(repr=False)

    @cached_property
    def claims(self) -> list[Claim]:
        """The claims of all parts; what several say alike is there once."""
        return list(dict.fromkeys(claim for part in self.parts for claim in part.comparison.claims))

    @cached_property
    def cells(self) -> list[Claim]:
        """The printed numbers of all parts one by one."""
        return list(dict.fromkeys(cell for part in self.parts for cell in part.comparison.cells))

    @property
    def agreeing(self) -> int:
        """How many of the printed numbers agree."""
        return sum(cell.verdict is Verdict.HOLDS for cell in self.cells)

    @property
    def testable(self) -> int:
        """Of how many of the printed numbers the runs tell whether they agree."""
        return sum(cell.verdict is not Verdict.NOT_TESTABLE for cell in self.cells)

    @property
    def failed(self) -> int:
        """How many runs failed."""
        return sum(record.failed for record in self.records.values())

    @property
    def lost(self) -> list[Claim]:
        """Claims that should hold at this size and do not."""
        return lost(self.claims, self.size)
