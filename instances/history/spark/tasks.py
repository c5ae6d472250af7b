"""Which task of its stage each attempt ran."""

from __future__ import annotations

import numpy as np

from ....core.arrays import IntArray
from ..run import Outcome
from .events import COLUMNS, EventLog

TaskNumbers = tuple[IntArray, dict[int, int], int]
_STAGE, _RETRY, _INDEX, _PARTITION = map(
    COLUMNS.index, ("stage", "stage_attempt", "index", "partition")
)
_OUTCOME = COLUMNS.index("outcome")


def task_numbers(rows: IntArray, log: EventLog) -> TaskNumbers:
    """Task of each attempt, tasks of each stage, and the number of stages where it is a guess.

    The index of a task counts within one try of its stage. A try after the first runs what is
    missing, in order; newer logs tell the partition, older ones leave that to be worked out.
    `rows`: attempts with the `COLUMNS`.
    """
    task = rows[:, _INDEX].copy()
    counts: dict[int, int] = {}
    guessed = 0
    order = np.argsort(rows[:, _STAGE], kind="stable")
    stages, begins = np.unique(rows[order, _STAGE], return_index=True)
    for stage, own in zip(stages.tolist(), np.split(order, begins[1:]), strict=True):
        announced = log.stages[stage].tasks if stage in log.stages else {}
        if rows[own, _RETRY].any():
            numbers, sure = _over_tries(rows[own], announced)
            task[own] = numbers
            guessed += not sure
        total = announced.get(0, 0)
        if task[own].max() >= total:
            distinct, task[own] = np.unique(task[own], return_inverse=True)
            total = max(total, len(distinct))
        counts[stage] = total
    return task, counts, guessed


def _over_tries(rows: IntArray, announced: dict[int, int]) -> tuple[IntArray, bool]:
    """Tasks of the attempts of a stage that was tried again, and whether that is sure."""
    if (rows[:, _PARTITION] >= 0).all():
        return rows[:, _PARTITION], True
    task = rows[:, _INDEX].copy()
    done: set[int] = set()
    total, sure = announced.get(0, int(task.max()) + 1), True
    for retry in np.unique(rows[:, _RETRY]).tolist():
        own = np.flatnonzero(rows[:, _RETRY] == retry)
        if retry:
            missing = np.setdiff1d(np.arange(total), list(done))
            if len(missing) == announced.get(retry) and task[own].max() < len(missing):
                task[own] = missing[task[own]]
            else:
                sure = False
        done.update(task[own][rows[own, _OUTCOME] == Outcome.SUCCESS].tolist())
    return task, sure
