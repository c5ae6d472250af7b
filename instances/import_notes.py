"""What an importer left out or adjusted, in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass
class ImportNotes:
    """Remarks of an importer, one sentence each.

    Parameters
    ----------
    lines
        All remarks.
    not_comparable
        Those that make the trace's own run differ from the model.
    """

    lines: list[str] = field(default_factory=list)
    not_comparable: list[str] = field(default_factory=list)

    def add(self, line: str, *, comparable: bool = True) -> None:
        """Add a remark.

        Parameters
        ----------
        line
            The sentence.
        comparable
            False if it makes the trace's own run differ from the model.
        """
        self.lines.append(line)
        if not comparable:
            self.not_comparable.append(line)


def plural(number: int, noun: str) -> str:
    """`1 job`, `2 jobs`.

    Parameters
    ----------
    number
        How many.
    noun
        The noun in the singular.

    Returns
    -------
    str
        Number and noun.
    """
    if number == 1:
        return f"1 {noun}"
    return f"{number} {noun}{'es' if noun.endswith('s') else 's'}"


def listed(names: Sequence[str], most: int = 5) -> str:
    """`a, b, c` or, of many names, the first ones and `and 7 more`.

    Parameters
    ----------
    names
        The names.
    most
        Most names to list.

    Returns
    -------
    str
        The list.
    """
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"
