"""Several audits as a table: a line for each application or night."""

from __future__ import annotations

from collections.abc import Sequence

from ...core.wording import number, percent
from ...solvers.history.audit import Audit
from .verdict import gap_of


def night_table(audits: Sequence[Audit]) -> str:
    """A line for each audit, those that lost most first (s)."""
    head = (
        f"{'lost':>10}  {'as it ran':>10}  {'possible':>10}  {'never under':>11}  {'gap':>8}  run"
    )
    return "\n".join([head, *map(_line, sorted(audits, key=_lost, reverse=True))])


def _lost(audit: Audit) -> float:
    best = audit.shown.best
    assert best is not None
    return audit.actual - best


def _line(audit: Audit) -> str:
    shown = audit.shown
    assert shown.best is not None
    lost, ran, best, bound = (
        number(round(value / 1000, 2))
        for value in (_lost(audit), audit.actual, shown.best, shown.bound.value)
    )
    gap = percent(gap_of(shown))
    return f"{lost:>10}  {ran:>10}  {best:>10}  {bound:>11}  {gap:>8}  {audit.run.name}"
