"""`slotwise.audit`: read a history and judge it."""

from __future__ import annotations

from pathlib import Path

from ...core.clock import Clock, check_time_limit
from ...formulations.history.makespan_bounds import makespan_bound
from ...heuristics.history.search import Goal
from ...instances.history.reading import read_history
from ...instances.history.run import Run
from .audit import Audit, AuditOptions, Objective
from .hadoop import Bounds, Replayed, audit_hadoop
from .spark import audit_spark

SECONDS = 30.0
"""Time limit of an audit."""

OPTIONS = AuditOptions()


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


def audit_run(run: Run, clock: Clock, options: AuditOptions = OPTIONS) -> Audit:
    """Audit a run until the clock says stop."""
    if run.framework == "spark":
        return audit_spark(run, clock)

    def bounds(objective: Objective) -> Bounds:
        if objective == "makespan":
            return lambda graph, _value: makespan_bound(graph)
        from .busy_times import best_job_time_bound

        return lambda graph, value: best_job_time_bound(
            graph, value, clock.until_left(clock.left / 2)
        )

    def goal(made: Replayed, objective: Objective) -> Goal:
        latest = None
        if options.max_loss is not None:
            latest = made.ends[0][1] + round(options.max_loss * 1000)
        graph = made.graphs.kept
        if objective == "makespan":
            return Goal(latest=latest)
        return Goal(graph.job_weight, graph.job_release, latest)

    return audit_hadoop(run, clock, bounds, goal, options)
