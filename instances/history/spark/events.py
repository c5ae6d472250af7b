"""What the events of a Spark log say, collected line by line in bounded memory."""

from __future__ import annotations

import re
import struct
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

try:
    from orjson import loads
except ImportError:  # it is only faster
    from json import loads  # type: ignore[assignment]

from ..run import UNKNOWN, Outcome

NOT_JSON = "line that is not JSON"
CUT = "last line, cut"
NO_EVENT = "line without an event"
RESUBMITTED = "end of a task whose output was lost later (Resubmitted); its first end counts"

COLUMNS = (
    "id",
    "stage",
    "stage_attempt",
    "index",
    "partition",
    "number",
    "executor",
    "start",
    "end",
    "outcome",
    "locality",
    "deserialize",
    "run",
    "serialize",
    "gc",
    "fetch_wait",
    "spilled",
    "read",
)
"""What is kept of every attempt, eight bytes each."""

ROW = struct.Struct(f"<{len(COLUMNS)}q")

LATEST = 10**15
"""Latest time (ms) that is believed, and largest number of anything."""

MOST_TASKS = 10**7
"""Most tasks of a stage that are believed."""
MOST_CORES = 10**6
"""Most cores of an executor that are believed."""

_OUTCOMES = {
    "Success": Outcome.SUCCESS,
    "ExceptionFailure": Outcome.FAILED,
    "TaskKilled": Outcome.KILLED,
    "TaskCommitDenied": Outcome.KILLED,
    "FetchFailed": Outcome.LOST,
    "ExecutorLostFailure": Outcome.LOST,
    "TaskResultLost": Outcome.LOST,
    "UnknownReason": Outcome.FAILED,
}
_LOCALITY = {"PROCESS_LOCAL": 0, "NODE_LOCAL": 1, "RACK_LOCAL": 2, "ANY": 3}

_EVENT = re.compile(rb'\s*\{\s*"Event"\s*:\s*"(\w+(?:[.$]\w+)*)"')
_BROKEN = (AttributeError, KeyError, TypeError, ValueError, OverflowError, struct.error)


@dataclass
class JobSeen:
    """A job as far as the log tells; None is unknown."""

    stages: tuple[int, ...] = ()
    submitted: int | None = None
    ended: int | None = None
    succeeded: bool | None = None
    group: str = ""
    queue: str = ""


@dataclass
class StageSeen:
    """A stage as far as the log tells; `parents` is None in logs that name none."""

    name: str = ""
    tasks: dict[int, int] = field(default_factory=dict)
    parents: tuple[int, ...] | None = None
    rdds: bytes = b""
    submitted: int | None = None


@dataclass
class ExecutorSeen:
    """An executor that was added, with what it has."""

    name: str
    host: str
    since: int
    cores: int
    profile: int


class EventLog:
    """Everything of a log that a run needs."""

    def __init__(self) -> None:
        self.rows = bytearray()
        """A `ROW` for every end of a task."""
        self.running: dict[int, bytes] = {}
        """A `ROW` for every task that was started and has not ended."""
        self.executors: dict[str, int] = {}
        """Numbers of the executors that the tasks name."""
        self.hosts: dict[int, str] = {}
        """Hosts of these numbers, as the tasks name them."""
        self.added: list[ExecutorSeen] = []
        self.removed: list[tuple[str, int]] = []
        self.jobs: dict[int, JobSeen] = {}
        self.stages: dict[int, StageSeen] = {}
        self.profiles: dict[int, dict[str, float]] = {}
        """What a task needs of each resource, by resource profile."""
        self.properties: dict[str, str] = {}
        self.versions: dict[str, str] = {}
        self.application: dict[str, Any] = {}
        self.ended: int | None = None
        self.events = 0
        self.last_time = 0
        self.dropped = Counter[str]()
        self._handlers: dict[bytes, Callable[[dict[str, Any]], None]] = {
            b"SparkListenerLogStart": self._log_start,
            b"SparkListenerEnvironmentUpdate": self._environment,
            b"SparkListenerResourceProfileAdded": self._profile,
            b"SparkListenerApplicationStart": self._application_start,
            b"SparkListenerApplicationEnd": self._application_end,
            b"SparkListenerExecutorAdded": self._executor_added,
            b"SparkListenerExecutorRemoved": self._executor_removed,
            b"SparkListenerJobStart": self._job_start,
            b"SparkListenerJobEnd": self._job_end,
            b"SparkListenerStageSubmitted": self._stage,
            b"SparkListenerStageCompleted": self._stage,
            b"SparkListenerTaskStart": self._task_start,
            b"SparkListenerTaskEnd": self._task_end,
        }

    def take(self, line: bytes) -> None:
        """Take a line; one that cannot be used is counted by reason."""
        match = _EVENT.match(line, 0, 200)
        if match is not None and match[1] not in self._handlers:
            self.events += 1  # nothing of it is needed: it is not even parsed
            return
        if not line.strip():
            return
        try:
            event = loads(line)
        except (ValueError, RecursionError):
            self.dropped[NOT_JSON if line.endswith(b"\n") else CUT] += 1
            return
        name = event.get("Event") if isinstance(event, dict) else None
        if not isinstance(name, str):
            self.dropped[NO_EVENT] += 1
            return
        self.events += 1
        handler = self._handlers.get(name.encode("utf-8", "replace"))
        if handler is not None:
            try:
                handler(event)
            except _BROKEN:
                self.dropped[f"{name.removeprefix('SparkListener')} without what it must tell"] += 1

    def _log_start(self, event: dict[str, Any]) -> None:
        self.versions["spark"] = str(event["Spark Version"])[:40]

    def _environment(self, event: dict[str, Any]) -> None:
        properties = event["Spark Properties"]
        pairs = properties.items() if isinstance(properties, dict) else properties
        known = {str(key): str(value) for key, value in pairs}
        for key in ("spark.task.cpus", "spark.app.name"):
            if key in known:
                self.properties[key] = known[key]

    def _profile(self, event: dict[str, Any]) -> None:
        needs = event["Task Resource Requests"]
        self.profiles[whole(event["Resource Profile Id"])] = {
            str(name): _amount(need["Amount"]) for name, need in needs.items()
        }

    def _application_start(self, event: dict[str, Any]) -> None:
        known = {
            "name": str(event.get("App Name") or "")[:200],
            "id": str(event.get("App ID") or "")[:200],
            "user": str(event.get("User") or "")[:200],
            "submitted": self._time(event["Timestamp"]),
        }
        self.application = self.application or known

    def _application_end(self, event: dict[str, Any]) -> None:
        self.ended = max(self.ended or 0, self._time(event["Timestamp"]))

    def _executor_added(self, event: dict[str, Any]) -> None:
        info = event["Executor Info"]
        self.added.append(
            ExecutorSeen(
                str(event["Executor ID"])[:100],
                str(info.get("Host") or "")[:200],
                self._time(event["Timestamp"]),
                whole(info["Total Cores"], MOST_CORES),
                whole(info.get("Resource Profile Id", 0)),
            )
        )

    def _executor_removed(self, event: dict[str, Any]) -> None:
        self.removed.append((str(event["Executor ID"])[:100], self._time(event["Timestamp"])))

    def _job_start(self, event: dict[str, Any]) -> None:
        job = self.jobs.setdefault(whole(event["Job ID"]), JobSeen())
        infos = event.get("Stage Infos") or []
        ids = [self._stage_info(info) for info in infos] or map(whole, event["Stage IDs"])
        job.stages = tuple(sorted({*job.stages, *ids}))
        if (submitted := event.get("Submission Time")) is not None:
            job.submitted = least(job.submitted, self._time(submitted))
        properties = event.get("Properties") or {}
        for key in ("spark.sql.execution.id", "spark.jobGroup.id"):
            if not job.group and properties.get(key) is not None:
                job.group = str(properties[key])[:200]
        job.queue = job.queue or str(properties.get("spark.scheduler.pool") or "")[:200]

    def _job_end(self, event: dict[str, Any]) -> None:
        job = self.jobs.setdefault(whole(event["Job ID"]), JobSeen())
        job.succeeded = event["Job Result"]["Result"] == "JobSucceeded"
        if (ended := event.get("Completion Time")) is not None:
            job.ended = least(job.ended, self._time(ended))

    def _stage(self, event: dict[str, Any]) -> None:
        self._stage_info(event["Stage Info"])

    def _stage_info(self, info: dict[str, Any]) -> int:
        """Add what is told of a stage; its number."""
        number = whole(info["Stage ID"])
        stage = self.stages.setdefault(number, StageSeen())
        stage.name = stage.name or str(info.get("Stage Name") or "")[:200]
        if (tasks := info.get("Number of Tasks")) is not None:
            stage.tasks[whole(info.get("Stage Attempt ID", 0))] = whole(tasks, MOST_TASKS)
        if (parents := info.get("Parent IDs")) is not None:
            stage.parents = tuple(sorted({*(stage.parents or ()), *map(whole, parents)}))
        if rdds := info.get("RDD Info"):
            numbers = sorted(whole(rdd["RDD ID"]) for rdd in rdds)
            stage.rdds = blake2b(repr(numbers).encode(), digest_size=16).digest()
        if (submitted := info.get("Submission Time")) is not None:
            stage.submitted = least(stage.submitted, self._time(submitted))
        return number

    def _task_start(self, event: dict[str, Any]) -> None:
        number, row = self._row(event, Outcome.UNFINISHED, None, 0)
        self.running[number] = row

    def _task_end(self, event: dict[str, Any]) -> None:
        reason = event["Task End Reason"]["Reason"]
        if reason == "Resubmitted":
            self.dropped[RESUBMITTED] += 1
            return
        info = event["Task Info"]
        finish = info["Finish Time"]
        outcome = _OUTCOMES.get(reason, Outcome.FAILED) if finish else Outcome.UNFINISHED
        number, row = self._row(event, outcome, event.get("Task Metrics"), finish)
        self.rows += row
        self.running.pop(number, None)

    def _row(
        self, event: dict[str, Any], outcome: Outcome, metrics: Any, finish: int
    ) -> tuple[int, bytes]:
        """Number of a task's attempt, and its row."""
        info = event["Task Info"]
        name, number = str(info["Executor ID"])[:100], whole(info["Task ID"])
        start = self._time(info["Launch Time"])
        end = self._time(finish) if finish else UNKNOWN
        if finish and end < start:
            raise ValueError
        row = ROW.pack(
            number,
            whole(event["Stage ID"]),
            whole(event.get("Stage Attempt ID", 0)),
            whole(info["Index"], MOST_TASKS),
            _partition(info.get("Partition ID", UNKNOWN)),
            whole(info.get("Attempt", 0)),
            executor := self.executors.setdefault(name, len(self.executors)),
            start,
            end,
            outcome,
            _LOCALITY.get(info.get("Locality"), UNKNOWN),
            *_measured(metrics),
        )
        self.hosts.setdefault(executor, str(info.get("Host") or "")[:200])
        return number, row

    def _time(self, value: Any) -> int:
        """Check a time (epoch ms)."""
        if type(value) is not int or not 0 < value < LATEST:
            raise ValueError
        self.last_time = max(self.last_time, value)
        return value


def whole(value: Any, most: int = LATEST) -> int:
    """Check that a value is a whole number >= 0 of plausible size."""
    if type(value) is not int or not 0 <= value <= most:
        raise ValueError
    return value


def _partition(value: Any) -> int:
    """Check the partition of a task, which older logs do not tell and some give as -1."""
    return UNKNOWN if value == UNKNOWN else whole(value, MOST_TASKS)


def _amount(value: Any) -> float:
    """Check what a task needs of a resource."""
    amount = float(value)
    if not 0 <= amount <= MOST_CORES:
        raise ValueError
    return amount


def least(known: int | None, other: int) -> int:
    """The smaller of two, the other one where one is unknown."""
    return other if known is None else min(known, other)


def _measured(metrics: Any) -> tuple[int, ...]:
    """The last columns of a row."""
    if not metrics:
        return (UNKNOWN,) * 7
    shuffle = metrics.get("Shuffle Read Metrics") or {}
    return (
        metrics.get("Executor Deserialize Time", UNKNOWN),
        metrics.get("Executor Run Time", UNKNOWN),
        metrics.get("Result Serialization Time", UNKNOWN),
        metrics.get("JVM GC Time", UNKNOWN),
        shuffle.get("Fetch Wait Time", UNKNOWN),
        metrics.get("Disk Bytes Spilled", UNKNOWN),
        (metrics.get("Input Metrics") or {}).get("Bytes Read", 0)
        + shuffle.get("Remote Bytes Read", 0)
        + shuffle.get("Local Bytes Read", 0),
    )
