"""A run as a cluster logged it, whatever the framework: what every log is read into.

Times are whole milliseconds after `Run.origin`, so that the end of one attempt and the start of the
next on its slot compare exactly. -1 says that the log does not tell.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from enum import IntEnum
from typing import Literal

import numpy as np

from ...core.arrays import BoolArray, IntArray
from ...core.equality import ByValue
from ...core.errors import InputError
from ...core.wording import plural
from ..views import Tabular

UNKNOWN = -1
"""A time, a number or a place that the log does not tell."""

Framework = Literal["hadoop", "yarn", "spark"]
StageKind = Literal["map", "reduce", "setup", "cleanup", "master", "stage"]

METRICS = (
    "deserialize",
    "run",
    "serialize",
    "gc",
    "fetch_wait",
    "spilled",
    "read",
    "locality",
    "stage_attempt",
)
"""Names of the further columns that a log may have."""


class Outcome(IntEnum):
    """How an attempt ended."""

    SUCCESS = 0
    FAILED = 1
    KILLED = 2
    LOST = 3  # its executor went, or its output could not be fetched
    UNFINISHED = 4  # the log ends before it does


@dataclass(frozen=True)
class Application:
    """A program with executors of its own; on Hadoop 1 the whole trace is one."""

    name: str
    submitted: int
    ended: int = UNKNOWN


@dataclass(frozen=True)
class Job:
    """A job: on Hadoop what a user submitted, on Spark one action of a program.

    `group` joins jobs of one query (`spark.sql.execution.id`, `spark.jobGroup.id`). `succeeded` is
    None where the log does not say.
    """

    name: str
    application: int
    submitted: int
    launched: int = UNKNOWN
    ended: int = UNKNOWN
    user: str = ""
    queue: str = ""
    group: str = ""
    weight: float = 1.0
    succeeded: bool | None = None


@dataclass(frozen=True)
class Stage:
    """Tasks alike, of one job, in one pool of slots.

    `parents` are stages that the log proves to come before this one, also of earlier jobs; they
    have smaller positions. A job's setup and cleanup come before and after all else of it, its
    master beside: that is said by `kind` alone.
    `assumed_parents` are those that old logs only suggest: they hold in the program's order, and
    no bound over proven arcs may use them. `job` is -1 for a stage that no job of the log names.
    """

    name: str
    job: int
    pool: int
    kind: StageKind
    tasks: int
    parents: tuple[int, ...] = ()
    assumed_parents: tuple[int, ...] = ()
    submitted: int = UNKNOWN

    @property
    def stays(self) -> bool:
        """Whether its attempts hold their slots in every plan as in the run: those of no job, and
        masters, whose end is the end of their job."""
        return self.job == UNKNOWN or self.kind == "master"


@dataclass(frozen=True)
class Executor:
    """Slots of one pool on one host, from when until when (-1: from the start, to the end).

    All launches are between `since` and `until`; attempts that were lost with the executor may be
    known to have ended only later.
    """

    name: str
    host: str
    pool: int
    slots: int
    since: int = UNKNOWN
    until: int = UNKNOWN
    application: int = 0
    rack: str = ""


@dataclass(frozen=True, eq=False)
class Attempts(ByValue):
    """Every attempt to run a task, as columns of shape (attempts,), by start."""

    stage: IntArray
    """Position in `Run.stages`."""
    task: IntArray
    """Task within its stage."""
    number: IntArray
    """Which attempt of its task."""
    executor: IntArray
    """Position in `Run.executors`, -1 where the log does not tell."""
    start: IntArray
    """Launch (ms after the origin)."""
    end: IntArray
    """Finish (ms after the origin), -1 if the log does not tell it."""
    outcome: IntArray
    """An `Outcome`."""
    shuffle_end: IntArray
    """End of a reduce attempt's shuffle (ms), -1 for all others."""
    metrics: Mapping[str, IntArray] = field(default_factory=dict)
    """More columns where the log has them, -1 where an attempt has none: `deserialize`, `run`,
    `serialize`, `gc`, `fetch_wait` (ms), `spilled`, `read` (bytes), `locality` (0 process,
    1 node, 2 rack, 3 any), `stage_attempt`."""

    def __len__(self) -> int:
        return len(self.start)


@dataclass(frozen=True, eq=False)
class Run(ByValue, Tabular):
    """What a cluster logged of one application, one night or one trace.

    Attributes
    ----------
    applications, jobs, pools, stages, executors : tuple
        What ran and where; they refer to one another by position.
    attempts : Attempts
        Every attempt to run a task, as columns.
    notes : tuple of str
        What was assumed while reading, in sentences.

    Raises
    ------
    InputError
        If parts do not fit one another.
    """

    name: str
    framework: Framework
    """Who wrote the log."""
    origin: int
    """Epoch milliseconds of time 0."""
    applications: tuple[Application, ...]
    jobs: tuple[Job, ...]
    pools: tuple[str, ...]
    """Names of the pools of slots: maps and reduces on Hadoop 1, one pool on YARN and Spark."""
    stages: tuple[Stage, ...]
    executors: tuple[Executor, ...]
    attempts: Attempts
    complete: bool = True
    """False if the log ends before the run does."""
    dropped: Mapping[str, int] = field(default_factory=dict)
    """Lines or records that were left out, counted by reason."""
    notes: tuple[str, ...] = ()
    """What was assumed while reading, in sentences."""
    versions: Mapping[str, str] = field(default_factory=dict)
    """Versions that the log names."""

    def __post_init__(self) -> None:
        _check_places(self)
        _check_columns(self)

    @property
    def remarks(self) -> tuple[str, ...]:
        """The notes, and what was left out of the log, in sentences."""
        left_out = (f"left out: {count} × {reason}" for reason, count in self.dropped.items())
        return (*self.notes, *left_out)

    def __repr__(self) -> str:
        return (
            f"Run({self.name!r}, {plural(len(self.jobs), 'job')}, "
            f"{plural(len(self.stages), 'stage')}, {plural(len(self.attempts), 'attempt')})"
        )


def _check_places(run: Run) -> None:
    """Check that jobs, stages and executors refer to what there is. Raises `InputError`."""
    applications, jobs, pools = len(run.applications), len(run.jobs), len(run.pools)
    for job in run.jobs:
        _check(0 <= job.application < applications, f"job {job.name!r}, application", "no such one")
        _check(job.submitted >= 0, f"job {job.name!r}, submitted", "must not be negative")
    for k, stage in enumerate(run.stages):
        where = f"stage {stage.name!r}"
        _check(UNKNOWN <= stage.job < jobs, f"{where}, job", "no such one")
        _check(0 <= stage.pool < pools, f"{where}, pool", "no such one")
        parents = (*stage.parents, *stage.assumed_parents)
        _check(all(0 <= p < k for p in parents), f"{where}, parents", "must be earlier stages")
    for executor in run.executors:
        where = f"executor {executor.name!r}"
        _check(0 <= executor.pool < pools, f"{where}, pool", "no such one")
        _check(0 <= executor.application < applications, f"{where}, application", "no such one")
        _check(executor.slots > 0, f"{where}, slots", "must be at least 1")
        ends = executor.until == UNKNOWN or executor.until >= executor.since
        _check(ends, f"{where}, until", "before since")


def _check_columns(run: Run) -> None:
    """Check the attempts. Raises `InputError`."""
    attempts = run.attempts
    columns: dict[str, IntArray] = {
        known.name: getattr(attempts, known.name)
        for known in fields(attempts)
        if known.name != "metrics"
    }
    for name, column in (columns | dict(attempts.metrics)).items():
        same = column.shape == attempts.start.shape
        _check(same, f"attempts, {name}", "has another number of values than start")
    tasks = np.array([stage.tasks for stage in run.stages], dtype=np.int64)
    for name, least, most in (
        ("stage", 0, len(run.stages)),
        ("executor", UNKNOWN, len(run.executors)),
        ("outcome", 0, len(Outcome)),
    ):
        column = columns[name]
        _check_each((column >= least) & (column < most), f"attempts, {name}", "no such one")
    task_is_known = (attempts.task >= 0) & (attempts.task < tasks[attempts.stage])
    _check_each(task_is_known, "attempts, task", "its stage has no such one")
    pools = np.array([one.pool for one in run.executors], dtype=np.int64)
    placed = attempts.executor >= 0
    right = (
        pools[attempts.executor[placed]]
        == np.array([s.pool for s in run.stages])[attempts.stage[placed]]
    )
    _check_each(right, "attempts, executor", "of another pool than the stage")
    _check_each(attempts.start >= 0, "attempts, start", "must not be negative")
    _check_each(np.diff(attempts.start, prepend=0) >= 0, "attempts, start", "must not fall")
    ended = (attempts.end >= attempts.start) | (attempts.end == UNKNOWN)
    _check_each(ended, "attempts, end", "before the start")
    counted = (attempts.outcome != Outcome.SUCCESS) | (attempts.end != UNKNOWN)
    _check_each(counted, "attempts, end", "is missing for a success")


def _check(right: bool, where: str, what: str) -> None:
    if not right:
        raise InputError(f"{where}: {what}")


def _check_each(right: BoolArray, where: str, what: str) -> None:
    if not right.all():
        raise InputError(f"{where} {int(np.argmin(right))}: {what}")
