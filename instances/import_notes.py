"""What an importer left out or adjusted, in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass
class Notes:
    """One sentence each; `not_comparable` are those that make the trace's own run differ."""

    lines: list[str] = field(default_factory=list)
    not_comparable: list[str] = field(default_factory=list)

    def add(self, line: str, *, comparable: bool = True) -> None:
        self.lines.append(line)
        if not comparable:
            self.not_comparable.append(line)


def counted(number: int, noun: str) -> str:
    """`1 job`, `2 jobs`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def listed(names: Sequence[str], most: int = 5) -> str:
    """`a, b, c` or, of many, the first and `and 7 more`."""
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"
