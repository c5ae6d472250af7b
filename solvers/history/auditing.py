"""`slotwise.audit`: read a history and judge it."""

from __future__ import annotations

from pathlib import Path

from ...core.calls.checked import checked
from ...core.calls.objective import Objective
from ...core.clock import Clock, check_time_limit
from ...formulations.history.makespan_bounds import makespan_bound
from ...heuristics.history.search import Goal
from ...instances.history.reading import read_run
from ...instances.history.run import Run
from .audit import Audit, AuditOptions
from .detail import with_detail
from .hadoop import Bounds, Replayed, audit_hadoop
from .spark import audit_spark

SECONDS = 30.0
"""Time limit of an audit."""

LONGEST = 1e7
"""Longest time limit (s)."""

OPTIONS = AuditOptions()


@checked
def audit(
    history: str | Path | Run,
    *,
    objective: Objective | None = None,
    heartbeat: float = OPTIONS.heartbeat,
    max_loss: float | None = None,
    time_limit: float = SECONDS,
    detail: bool = False,
) -> Audit:
    """Say, with proof, how far a run was from the best that was possible, and where the time went.

    Parameters
    ----------
    history : str, Path or Run
        What a cluster logged, as `read_run` takes it, or a run that was read.
    objective : str, optional
        `makespan` or `mean` job time; by default the mean if jobs arrive. Applications of Spark are
        judged by their makespan.
    heartbeat : float
        Seconds that a task may wait for a free slot before the scheduler is to blame.
    max_loss : float, optional
        No job may end more seconds later than it did.
    time_limit : float
        Seconds of wall time for the search, once the history is read.
    detail : bool
        Also tell what each cause gives removed first and removed last, and figures beside the sum.

    Returns
    -------
    Audit
        What was possible, what was not, and the causes of the difference.

    Raises
    ------
    InputError
        If the history cannot be read, holds nothing to audit, or breaks the model of an audit.
    """
    check_time_limit(time_limit)
    run = history if isinstance(history, Run) else read_run(history)
    options = AuditOptions(objective, heartbeat, max_loss, detail)
    return audit_run(run, Clock(min(time_limit, LONGEST)), options)


def audit_run(run: Run, clock: Clock, options: AuditOptions = OPTIONS) -> Audit:
    """Audit a run until the clock says stop."""
    made = audit_spark(run, clock) if run.framework == "spark" else _hadoop(run, clock, options)
    return with_detail(made) if options.detail else made


def _hadoop(run: Run, clock: Clock, options: AuditOptions) -> Audit:
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
