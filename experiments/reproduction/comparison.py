"""`comparison.csv`: what the paper prints beside what the runs say."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from typing import Any

from .experiment import Claim

COLUMNS = (
    "id",
    "claim",
    "printed_low",
    "printed_high",
    "ours",
    "difference",
    "standard_error",
    "verdict",
    "note",
    "scale",
)
"""Columns of the file, in their order."""

DIGITS = 8
"""Significant digits: fewer than those in which libraries and machines differ."""


def row_of(claim: Claim) -> dict[str, Any]:
    """A claim or cell by column. Empty cells are None."""
    return {name: getattr(claim, name) for name in COLUMNS} | {"verdict": claim.verdict.value}


def comparison_csv(claims: Iterable[Claim]) -> bytes:
    """The file, the same bytes for the same numbers.

    `claims`: claims and cells, in the order of the rows. A row that is there already is left out:
    experiments share claims.
    """
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(COLUMNS)
    rows = dict.fromkeys(tuple(map(_cell, row_of(claim).values())) for claim in claims)
    writer.writerows(rows)
    return stream.getvalue().encode()


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.{DIGITS}g}" if isinstance(value, float | int) else str(value)
