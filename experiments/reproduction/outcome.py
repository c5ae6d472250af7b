"""What came of tables and figures: the runs, what they say of the print, and `comparison.csv`."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from ..engine.record import Record
from ..study.study import Study
from .claims import Claim, Comparison, Experiment, Size, Verdict, lost

COLUMNS = (
    "id", "claim", "printed_low", "printed_high", "ours", "difference", "standard_error",
    "verdict", "note", "scale",
)  # fmt: skip
"""Of `comparison.csv`."""

DIGITS = 8
"""Significant digits of tables: fewer than those in which libraries and machines differ."""


@dataclass(frozen=True)
class Reproduced:
    """A table or figure with its runs, what they say, and how many of them failed."""

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


def row_of(claim: Claim) -> dict[str, Any]:
    """A claim or cell by column. Empty cells are None."""
    return {name: getattr(claim, name) for name in COLUMNS} | {"verdict": claim.verdict.value}


def comparison_csv(claims: Iterable[Claim]) -> bytes:
    """The file, the same bytes for the same numbers; rows that experiments share are there once."""

    def cell(value: Any) -> str:
        if value is None:
            return ""
        return f"{value:.{DIGITS}g}" if isinstance(value, float | int) else str(value)

    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(dict.fromkeys(tuple(map(cell, row_of(each).values())) for each in claims))
    return stream.getvalue().encode()
