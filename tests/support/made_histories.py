"""Runs of clusters made by hand: a few jobs, stages and attempts."""

import numpy as np

from slotwise.instances.history.run import (
    Application,
    Attempts,
    Executor,
    Framework,
    Job,
    Outcome,
    Run,
    Stage,
)

Row = tuple[int, int, int, int, int, int]
"""Stage, task, attempt, executor, start, end (ms)."""


def made_run(
    jobs: list[Job],
    stages: list[Stage],
    executors: list[Executor],
    rows: list[Row],
    *,
    framework: Framework = "spark",
    outcomes: dict[int, Outcome] | None = None,
    pools: tuple[str, ...] = ("slots",),
    metrics: dict[str, list[int]] | None = None,
) -> Run:
    """A run; every attempt is a success but those of `outcomes`, by row."""
    columns = np.array(rows, dtype=np.int64).T.copy()
    outcome = np.zeros(len(rows), dtype=np.int64)
    for row, how in (outcomes or {}).items():
        outcome[row] = how
    order = np.argsort(columns[4], kind="stable")
    stage, task, number, executor, start, end = columns[:, order]
    more = {name: np.array(values)[order] for name, values in (metrics or {}).items()}
    none = np.full(len(rows), -1, dtype=np.int64)
    return Run(
        name="made",
        framework=framework,
        origin=0,
        applications=(Application("made", 0),),
        jobs=tuple(jobs),
        pools=pools,
        stages=tuple(stages),
        executors=tuple(executors),
        attempts=Attempts(stage, task, number, executor, start, end, outcome[order], none, more),
    )
