"""The start-up of application masters, which all else of a job waits for as for a setup."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np

from ...core.arrays import IntArray
from .run import UNKNOWN, Attempts, Outcome, Run, Stage


def with_master_starts(run: Run) -> Run:
    """The run with each master's container in two: until the job's first attempt it is a setup.

    A job with several masters stays as it is: which of them the tasks waited for no log says.
    """
    attempts = run.attempts
    own, until = _starting(run)
    if not len(own):
        return run
    job = [run.stages[s].job for s in attempts.stage[own]]
    stages = [
        Stage(f"{run.jobs[j].name} start of the master", j, run.stages[s].pool, "setup", 1)
        for j, s in zip(job, attempts.stage[own].tolist(), strict=True)
    ]
    number = np.arange(len(run.stages), len(run.stages) + len(stages))
    added = {"stage": number, "task": np.zeros_like(own), "end": until}
    added["outcome"] = np.full_like(own, Outcome.SUCCESS)
    start = attempts.start.copy()
    start[own] = until
    columns = {
        column.name: getattr(attempts, column.name)
        for column in fields(attempts)
        if column.name != "metrics"
    }
    joined = {
        name: np.append(start if name == "start" else column, added.get(name, column[own]))
        for name, column in columns.items()
    }
    metrics = {
        name: np.append(column, np.full_like(own, UNKNOWN))
        for name, column in attempts.metrics.items()
    }
    order = np.argsort(joined["start"], kind="stable")
    return replace(
        run,
        stages=(*run.stages, *stages),
        attempts=Attempts(
            **{name: column[order] for name, column in joined.items()},
            metrics={name: column[order] for name, column in metrics.items()},
        ),
    )


def _starting(run: Run) -> tuple[IntArray, IntArray]:
    """Masters whose job has no other, and the first start (ms) of another attempt of the job, for
    those that ran then."""
    attempts = run.attempts
    job = np.array([stage.job for stage in run.stages], dtype=np.int64)[attempts.stage]
    master = np.array([stage.kind == "master" for stage in run.stages])[attempts.stage]
    first = np.full(len(run.jobs), np.iinfo(np.int64).max)
    others = ~master & (job >= 0)
    np.minimum.at(first, job[others], attempts.start[others])
    own = np.flatnonzero(master & (job >= 0))
    own = own[np.bincount(job[own], minlength=len(run.jobs))[job[own]] == 1]
    until = first[job[own]]
    split = (attempts.start[own] < until) & (until < attempts.end[own])
    return own[split], until[split]
