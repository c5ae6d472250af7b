"""The verdicts to expect, with wide margins: what a change of ours must not turn."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from io import StringIO

from .experiment import Claim, Size, Verdict

FILE = files(__package__) / "expected.csv"

OR = " or "
"""Between verdicts that are both to be expected: chance or the machine decides."""


def expected(identifier: str, size: Size) -> frozenset[Verdict]:
    """The verdicts to expect for a claim.

    Returns any of them; all if nothing is known of the claim at that size.
    """
    return _table().get((identifier, size), frozenset(Verdict))


def lost(claims: Iterable[Claim], size: Size) -> list[Claim]:
    """Claims that should hold, fully or partly, and do less."""
    return [
        claim for claim in claims if rank(claim.verdict) > max(map(rank, expected(claim.id, size)))
    ]


def rank(verdict: Verdict) -> int:
    """0 for a claim that holds, more for less. What cannot be tested is no loss."""
    order = {Verdict.HOLDS: 0, Verdict.NOT_TESTABLE: 0, Verdict.PARTLY: 1, Verdict.DOES_NOT: 2}
    return order[verdict]


@cache
def _table() -> dict[tuple[str, str], frozenset[Verdict]]:
    rows = csv.DictReader(StringIO(FILE.read_text("utf-8")))
    return {
        (row["id"], row["size"]): frozenset(map(Verdict, row["verdict"].split(OR))) for row in rows
    }
