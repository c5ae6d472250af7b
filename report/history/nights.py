"""Several audits: as a table with a line for each application or night, and as a document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...core.wording import number, percent, plural

FORMAT = "slotwise/audits/1"


@dataclass(frozen=True)
class Audits:
    """Audits as documents in the order of their histories, a line for each history that could not
    be audited, and those that were not begun or not ended."""

    audits: tuple[Mapping[str, Any], ...]
    failures: tuple[str, ...] = ()
    unfinished: tuple[str, ...] = ()

    def document(self) -> dict[str, Any]:
        """As `slotwise/audits/1`."""
        return {
            "format": FORMAT,
            "audits": [dict(audit) for audit in self.audits],
            "failures": list(self.failures),
            "unfinished": list(self.unfinished),
        }


def night_table(audits: Sequence[Mapping[str, Any]], top: int | None = None) -> str:
    """A line for each audit, those that lost most first (s); at most `top` lines if that is given,
    and how many are left out.
    """
    head = (
        f"{'lost':>10}  {'as it ran':>10}  {'possible':>10}  {'never under':>11}  {'gap':>8}  run"
    )
    rows = sorted(map(_row, audits), reverse=True)
    lines = [head, *(f"{cells}  {name}" for _, name, cells in rows[:top])]
    if top is not None and len(rows) > top:
        lines.append(f"and {plural(len(rows) - top, 'more run')}")
    return "\n".join(lines)


def _row(audit: Mapping[str, Any]) -> tuple[float, str, str]:
    """What an audit lost (s), its name, and the cells of its line."""
    values = audit["makespan" if audit["objective"] == "makespan" else "mean_job_time"]
    shown = values["references"]["none" if audit["overheads"] == "none" else "kept"]
    actual, best = values["actual"], shown["sure"]
    lost, ran, possible, bound = (
        number(round(value, 2)) for value in (actual - best, actual, best, shown["bound"])
    )
    gap = percent(shown["gap"])
    cells = f"{lost:>10}  {ran:>10}  {possible:>10}  {bound:>11}  {gap:>8}"
    return actual - best, audit["name"], cells
