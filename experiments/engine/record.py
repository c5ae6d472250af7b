"""What is kept of a run: a line of the journal, and a row of the tables."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

ERROR, CRASHED = "error", "crashed"
"""Of a run that raised an exception or broke the rules, and of one whose worker died."""

FAILED = (ERROR, CRASHED)


@dataclass(frozen=True)
class Record:
    """One run that has ended.

    Parameters
    ----------
    run, order, instance, method, parameters
        The run, its place in the study, name of the instance, method, parameters of the method.
    status
        optimal, feasible, infeasible, unknown (as of a result), done (a run without a makespan),
        error or crashed.
    makespan, lower_bound, gap
        As of a result; None where there is none.
    bounds
        The lower bounds that the study asks for (s), by name.
    measures
        What else came of it, by name: of a policy the waits, of an allocator the shares. Numbers,
        texts and lists of numbers.
    error, traceback
        Of a failed run: the first line, which is the same wherever it ran, and everything.
    seconds, cpu_seconds
        Wall and processor time of the method alone.
    host, pid
        Where it ran.
    """

    run: str
    order: int
    instance: str
    method: str
    parameters: dict[str, Any]
    status: str
    makespan: float | None = None
    lower_bound: float | None = None
    gap: float | None = None
    bounds: dict[str, float] = field(default_factory=dict)
    measures: dict[str, Any] = field(default_factory=dict)
    error: str = ""
    traceback: str = ""
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    host: str = ""
    pid: int = 0

    @property
    def failed(self) -> bool:
        """Whether it has no answer, for want of a correct method or a living worker."""
        return self.status in FAILED
