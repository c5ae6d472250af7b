"""The verdict of a checker on a schedule, guidance or an allocation."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Verdict:
    """Every rule that a solution breaks.

    Attributes
    ----------
    violations : list of str
        One line each; empty if the solution is valid.
    makespan : float or None
        Of a schedule, in s, recomputed from slots and starts; None for everything else.
    """

    violations: list[str] = field(default_factory=list)
    makespan: float | None = None

    @property
    def valid(self) -> bool:
        """Whether no rule is broken."""
        return not self.violations
