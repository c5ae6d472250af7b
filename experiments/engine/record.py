"""What is kept of a run: a row of the store, and a row of the tables."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field, fields
from typing import Any

ERROR, CRASHED = "error", "crashed"
"""Of a run that raised an exception or broke the rules, and of one whose process died."""

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
        What else came of it, by name: of a policy the waits, of an allocator the shares, of a
        function `measure NAME`. Numbers, texts and lists of numbers.
    error, traceback
        Of a failed run: the first line, which is the same wherever it ran, and everything.
    seconds, cpu_seconds
        Wall and processor time of the method alone.
    host, pid, build
        Where it ran, and on which build of slotwise and libraries, see `build_name`.
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
    build: str = ""

    @property
    def failed(self) -> bool:
        """Whether it has no answer, for want of a correct method or a living process."""
        return self.status in FAILED


FIELDS = {one.name for one in fields(Record)}
NEEDED = {"run", "order", "instance", "method", "parameters", "status"}


def record_text(record: Record) -> str:
    """A record as JSON, without what is empty. Numbers that are not finite become null."""
    return json.dumps(
        {
            name: _plain(value)
            for name, value in vars(record).items()
            if name in NEEDED or value not in (None, "", {})
        }
    )


def record_of(text: bytes | str) -> Record:
    """The record of a text. Raises `ValueError` if the text holds none."""
    document = json.loads(text)
    try:
        return Record(**{name: value for name, value in document.items() if name in FIELDS})
    except (TypeError, AttributeError) as failure:
        raise ValueError(str(failure)) from None


def _plain(value: Any) -> Any:
    """A value as JSON has it: numbers and arrays of numpy, too, and what it has not as text."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, str | int) else str(value)
