"""Jobs of a Hadoop history as a run, whatever its format."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import NamedTuple

import numpy as np

from ....core.arrays import IntArray
from ....core.errors import InputError
from ....core.wording import listed, plural
from ...hadoop.records import Attempt, JobRecord, TaskRecord, is_success
from ...importers import Imported
from ..run import UNKNOWN, Application, Attempts, Framework, Job, Outcome, Run, Stage, StageKind
from .places import Hosts, executors_of

NO_START = "attempt without a start"
BACKWARDS = "attempt that ends before it starts"
NO_TIMES = "job without any time"

_LOCALITY = {"NODE_LOCAL": 1, "RACK_LOCAL": 2, "OFF_SWITCH": 3}
_ORDER: tuple[StageKind, ...] = ("setup", "map", "reduce", "cleanup", "master")
_KINDS: dict[str, StageKind] = {
    "MAP": "map",
    "REDUCE": "reduce",
    "SETUP": "setup",
    "JOB_SETUP": "setup",
    "CLEANUP": "cleanup",
    "JOB_CLEANUP": "cleanup",
    "TASK_CLEANUP": "cleanup",
    "MASTER": "master",
}


class _Row(NamedTuple):
    """An attempt with times of the log; `host` is the name, empty where it is not told."""

    stage: int
    task: int
    number: int
    host: str
    start: int
    end: int
    outcome: int
    shuffle_end: int
    read: int
    locality: int


@dataclass
class History:
    """Jobs in order of submission, and what the reader says of the log."""

    name: str
    framework: Framework
    jobs: Sequence[JobRecord]
    complete: bool = True
    dropped: Counter[str] = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)


def framework_of(jobs: Sequence[JobRecord]) -> Framework:
    """Who ran the jobs: YARN names clusters by a time in ms, a JobTracker by a date."""
    return "yarn" if all(re.match(r"job_\d{13}_", job.jobID) for job in jobs) else "hadoop"


def pools_of(framework: Framework) -> tuple[str, ...]:
    """Names of the pools of slots."""
    return ("containers",) if framework == "yarn" else ("map", "reduce")


def imported(
    history: History, hosts: Hosts, slots: Sequence[int | None], path: object
) -> Imported[Run]:
    """The run of a history, with notes on what was assumed and left out.

    `slots`: slots of every host in each pool, None for what the history shows.
    Raises `InputError` if no task succeeded.
    """
    pools = pools_of(history.framework)
    stages: list[Stage] = []
    rows: list[_Row] = []
    jobs: list[Job] = []
    for record in history.jobs:
        own = list(_stages(record, len(jobs), len(stages), len(pools)))
        found = [
            row
            for k, (_, tasks) in enumerate(own, len(stages))
            for row in _rows(tasks, k, hosts, history.dropped)
        ]
        submitted = record.submitTime or record.launchTime
        if submitted is None:
            submitted = min((row.start for row in found), default=None)
        if submitted is None:
            history.dropped[NO_TIMES] += 1
            continue
        jobs.append(_job(record, submitted))
        stages += [stage for stage, _ in own]
        rows += found
    if not any(
        row.outcome == Outcome.SUCCESS and stages[row.stage].kind in ("map", "reduce")
        for row in rows
    ):
        named = listed([job.jobID for job in history.jobs])
        raise InputError(
            f"{path}: {named}: no task ever succeeded, so nothing says how long it takes; "
            "nothing to audit"
        )
    rows.sort(key=lambda row: (row.start, row[:3]))
    columns = np.array([row[:3] + row[4:] for row in rows], dtype=np.int64).T
    where = [(row.host, stages[row.stage].pool) for row in rows]
    places = executors_of(hosts, pools, slots, where, (columns[3], columns[4]))
    origin = int(min(columns[3].min(), min(job.submitted for job in jobs)))
    run = Run(
        name=history.name,
        framework=history.framework,
        origin=origin,
        applications=(Application(history.name, 0, _last_end(jobs, columns[4]) - origin),),
        jobs=tuple(_after(job, origin) for job in jobs),
        pools=pools,
        stages=tuple(stages),
        executors=places.executors,
        attempts=_attempts(columns, places.of_attempt, origin),
        complete=history.complete,
        dropped=dict(sorted((+history.dropped).items())),
        notes=(*history.notes, *_notes(stages, columns), places.note),
    )
    return Imported(run, run.remarks)


def _stages(
    record: JobRecord, job: int, first: int, pools: int
) -> Iterator[tuple[Stage, list[TaskRecord]]]:
    """The stages of a job with their tasks; reduces come after maps."""
    tasks: dict[tuple[int, int], list[TaskRecord]] = {}
    for task in chain(record.mapTasks or [], record.reduceTasks or [], record.otherTasks or []):
        kind = _kind(task)
        pool = int(pools > 1 and on_reduce_slot(task))
        tasks.setdefault((_ORDER.index(kind), pool), []).append(task)
    announced = {"map": record.totalMaps or 0, "reduce": record.totalReduces or 0}
    maps = None
    for k, ((kind_number, pool), own) in enumerate(sorted(tasks.items()), first):
        kind = _ORDER[kind_number]
        if kind == "map":
            maps = k
        parents = (maps,) if kind == "reduce" and maps is not None else ()
        number = max(len(own), announced.get(kind, 0))
        yield Stage(f"{record.jobID} {kind}", job, pool, kind, number, parents), own


def _kind(task: TaskRecord) -> StageKind:
    return _KINDS.get((task.taskType or "").upper(), "cleanup")


def on_reduce_slot(task: TaskRecord) -> bool:
    """Setup and cleanup tasks run on either kind of slot; their name tells which."""
    return task.taskType == "REDUCE" or "_r_" in (task.taskID or "")


def _rows(
    tasks: Sequence[TaskRecord], stage: int, hosts: Hosts, dropped: Counter[str]
) -> Iterator[_Row]:
    """The attempts of a stage."""
    for number, task in enumerate(tasks):
        replicas = task.replicas()
        for k, attempt in enumerate(task.attempts or []):
            place = attempt.place()
            if place:
                hosts.add(place, runs=True)
            start, end = attempt.startTime, attempt.finishTime
            if start is None:
                dropped[NO_START] += 1
            elif end is not None and end < start:
                dropped[BACKWARDS] += 1
            else:
                is_reduce = attempt.shuffleFinished is not None
                read = attempt.reduceShuffleBytes if is_reduce else attempt.hdfsBytesRead
                yield _Row(
                    stage,
                    number,
                    _number(attempt, k),
                    place[1] if place else "",
                    start,
                    UNKNOWN if end is None else end,
                    _outcome(attempt),
                    attempt.shuffleFinished or UNKNOWN,
                    UNKNOWN if read is None else read,
                    hosts.locality(place, replicas)
                    if attempt.locality is None
                    else _LOCALITY.get(attempt.locality, UNKNOWN),
                )


def _number(attempt: Attempt, position: int) -> int:
    last = (attempt.attemptID or "").rpartition("_")[2]
    return int(last) if last.isascii() and last.isdigit() and len(last) < 10 else position


def _outcome(attempt: Attempt) -> Outcome:
    result = (attempt.result or "").upper()
    if attempt.finishTime is None or not result:
        return Outcome.UNFINISHED
    if is_success(result):
        return Outcome.SUCCESS
    return Outcome.KILLED if result == "KILLED" else Outcome.FAILED


def _job(record: JobRecord, submitted: int) -> Job:
    return Job(
        record.jobID,
        0,
        submitted,
        record.launchTime or UNKNOWN,
        record.finishTime or UNKNOWN,
        record.user or "",
        record.queue or "",
        succeeded=None if record.outcome is None else not record.failed,
    )


def _after(job: Job, origin: int) -> Job:
    """The job with times after the origin."""
    launched = job.launched if job.launched == UNKNOWN else max(job.launched - origin, 0)
    ended = job.ended if job.ended == UNKNOWN else max(job.ended - origin, 0)
    return replace(job, submitted=job.submitted - origin, launched=launched, ended=ended)


def _last_end(jobs: Sequence[Job], ends: IntArray) -> int:
    return max(int(ends.max()), max(job.ended for job in jobs))


def _attempts(columns: IntArray, executor: IntArray, origin: int) -> Attempts:
    """The columns of a run, from those of the rows but for their hosts."""
    stage, task, number, start, end, outcome, shuffle_end, read, locality = columns

    def after(times: IntArray) -> IntArray:
        return np.where(times == UNKNOWN, UNKNOWN, np.maximum(times - origin, 0))

    return Attempts(
        stage=stage,
        task=task,
        number=number,
        executor=executor,
        start=start - origin,
        end=after(end),
        outcome=outcome,
        shuffle_end=after(shuffle_end),
        metrics={"read": read, "locality": locality},
    )


def _notes(stages: Sequence[Stage], columns: IntArray) -> list[str]:
    """What the history does not tell, in sentences."""
    notes = []
    seen = np.unique(columns[:2], axis=1)[0]
    absent = sum(stage.tasks for stage in stages) - len(seen)
    if absent:
        notes.append(f"{plural(absent, 'task')} announced, but without an attempt in the log")
    endless = int((columns[5] == Outcome.UNFINISHED).sum())
    if endless:
        notes.append(f"{plural(endless, 'attempt')} without an end or a result")
    return notes
