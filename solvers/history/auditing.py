"""`slotwise.audit`: read a history and judge it."""

from __future__ import annotations

from pathlib import Path

from ...core.clock import Clock, check_time_limit
from ...instances.history.reading import read_history
from ...instances.history.run import Run
from .audit import Audit
from .spark import audit_spark

SECONDS = 30.0
"""Time limit of an audit."""


def audit(history: str | Path | Run, *, time_limit: float = SECONDS) -> Audit:
    """Say, with proof, how far a run was from the best that was possible, and where the time went.

    Parameters
    ----------
    history
        What a cluster logged: a file, a folder of one application, or a run that was read.
    time_limit
        Seconds of wall time for the search, once the history is read.

    Returns
    -------
    Audit
        What was possible, what was not, and the causes of the difference.

    Raises
    ------
    InputError
        If the history cannot be read, or holds nothing to audit.
    """
    check_time_limit(time_limit)
    run = history if isinstance(history, Run) else read_history(history)
    return audit_run(run, Clock(time_limit))


def audit_run(run: Run, clock: Clock) -> Audit:
    """Audit a run until the clock says stop."""
    return audit_spark(run, clock)
