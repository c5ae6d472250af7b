"""A run as a cluster logged it, whatever the framework: what every log is read into.

Times are whole milliseconds after `Run.origin`, so that the end of one attempt and the start of the
next on its slot compare exactly. -1 says that the log does not tell.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Literal

from ...core.arrays import IntArray
from ...core.equality import ByValue

UNKNOWN = -1
"""A time, a number or a place that the log does not tell."""

Framework = Literal["hadoop", "yarn", "spark"]
StageKind = Literal["map", "reduce", "setup", "cleanup", "master", "stage"]


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

    `parents` are stages that the log proves to come before this one, also of earlier jobs.
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


@dataclass(frozen=True)
class Executor:
    """Slots of one pool on one host, from when until when (-1: from the start, to the end)."""

    name: str
    host: str
    pool: int
    slots: int
    since: int = UNKNOWN
    until: int = UNKNOWN
    application: int = 0


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
    """Finish (ms after the origin)."""
    outcome: IntArray
    """An `Outcome`."""
    shuffle_end: IntArray
    """End of a reduce attempt's shuffle (ms), -1 for all others."""
    metrics: Mapping[str, IntArray] = field(default_factory=dict)
    """More columns where the log has them, -1 where an attempt has none: `deserialize`, `run`,
    `serialize`, `gc`, `fetch_wait` (ms), `spilled`, `read` (bytes), `locality` (0 process,
    1 node, 2 rack, 3 any), `stage_attempt`."""


@dataclass(frozen=True, eq=False)
class Run(ByValue):
    """What a cluster logged of one application, one night or one trace."""

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
