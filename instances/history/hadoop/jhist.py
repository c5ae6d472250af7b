"""A `.jhist` file of Hadoop as the record of one job, as Rumen would make it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ....core.errors import InputError
from ...hadoop.records import Attempt, JobRecord, Location, TaskRecord
from .jhist_events import jhist_events

REPEATED = "event that was logged twice"
CONTRADICTED = "second, different event of its kind"
NO_START = "end of an attempt whose start is not logged"
OUTPUT_LOST = "kill of an attempt after its success; the success counts"

LATEST = 10**15
"""Latest time (ms) that is believed."""

Told = dict[str, Any]
"""What an event tells, by the names of `records`."""

Seen = Mapping[str, Mapping[str, Told]]
"""What was told, by kind of event and by what it is about."""

_RESULTS = {"FINISHED": "SUCCESS", "FAILED": "FAILED", "KILLED": "KILLED"}
_COUNTERS = {
    "HDFS_BYTES_READ": "hdfsBytesRead",
    "MAP_OUTPUT_BYTES": "mapOutputBytes",
    "REDUCE_SHUFFLE_BYTES": "reduceShuffleBytes",
}
_BROKEN = (AttributeError, KeyError, TypeError, ValueError)


def read_jhist_job(path: str | Path, dropped: Counter[str]) -> tuple[JobRecord, bool]:
    """The job of a file, and whether the file tells its end.

    `dropped`: events that are left out are counted here by reason.
    Raises `InputError` if it is no `.jhist`, or not one of a job.
    """
    seen: dict[str, dict[str, Told]] = defaultdict(dict)
    for kind, event in jhist_events(path, dropped):
        try:
            about, told = _told(kind, event)
        except _BROKEN:
            dropped[f"{kind[:40]} without what it must tell"] += 1
            continue
        known = seen[kind].setdefault(about, told) if about else told
        if known is not told:
            dropped[REPEATED if known == told else CONTRADICTED] += 1
    names = {name for kind, known in seen.items() if kind.startswith("JOB_") for name in known}
    if len(names) != 1:
        what = "no event of a job" if not names else f"events of {len(names)} jobs"
        raise InputError(f"{path}: {what}: a .jhist holds those of one")
    record = _job_record(names.pop(), seen, dropped)
    return record, record.outcome is not None


def _told(kind: str, event: Mapping[str, Any]) -> tuple[str, Told]:
    """What an event is about and what it tells; "" if nothing of it is needed."""
    if kind in _JOB_EVENTS:
        return _word(event["jobid"]), _JOB_EVENTS[kind](event)
    if kind == "AM_STARTED":
        return _word(event["applicationAttemptId"]), {
            "startTime": _time(event["startTime"]),
            "hostName": _word(event["nodeManagerHost"]),
        }
    if kind == "TASK_STARTED":
        return _word(event["taskid"]), {
            "taskType": _word(event["taskType"]),
            "replicas": _word(event.get("splitLocations") or ""),
        }
    _, is_attempt, what = kind.partition("_ATTEMPT_")
    if is_attempt and what == "STARTED":
        return _word(event["attemptId"]), {
            "taskID": _word(event["taskid"]),
            "taskType": _word(event["taskType"]),
            "startTime": _time(event["startTime"]),
            "hostName": _word(event.get("trackerName") or ""),
            "locality": event.get("locality") or None,
        }
    if is_attempt and what in _RESULTS:
        return _word(event["attemptId"]), _end(event) | {"result": _RESULTS[what]}
    return "", {}


def _unsuccessful(event: Mapping[str, Any]) -> Told:
    return {"finishTime": _time(event["finishTime"]), "outcome": _word(event["jobStatus"])}


_JOB_EVENTS: dict[str, Any] = {
    "JOB_SUBMITTED": lambda event: {
        "submitTime": _time(event["submitTime"]),
        "user": event.get("userName"),
        "queue": event.get("jobQueueName"),
    },
    "JOB_INITED": lambda event: {
        "launchTime": _time(event["launchTime"]),
        "totalMaps": _count(event["totalMaps"]),
        "totalReduces": _count(event["totalReduces"]),
    },
    "JOB_QUEUE_CHANGED": lambda event: {"queue": event["jobQueueName"]},
    "JOB_FINISHED": lambda event: {"finishTime": _time(event["finishTime"]), "outcome": "SUCCESS"},
    "JOB_FAILED": _unsuccessful,
    "JOB_KILLED": _unsuccessful,
    "JOB_ERROR": _unsuccessful,
}
"""What is needed of the events of jobs; later ones of the list prevail."""


def _end(event: Mapping[str, Any]) -> Told:
    """What the end of an attempt tells."""
    host, rack = event.get("hostname") or "", event.get("rackname") or ""
    told: Told = {"finishTime": _time(event["finishTime"])}
    if host:
        told["hostName"] = f"{_word(rack)}/{_word(host)}" if rack else _word(host)
    shuffled = event.get("shuffleFinishTime")
    if shuffled is not None and shuffled > 0:
        told["shuffleFinished"] = _time(shuffled)
    for group in (event.get("counters") or {}).get("groups") or []:
        for counter in group["counts"]:
            if counter["name"] in _COUNTERS:
                told[_COUNTERS[counter["name"]]] = _count(counter["value"])
    return told


def _job_record(name: str, seen: Seen, dropped: Counter[str]) -> JobRecord:
    job: Told = {}
    for kind in _JOB_EVENTS:
        job |= seen.get(kind, {}).get(name, {})
    tasks: dict[str, TaskRecord] = {}
    for task_id, told in sorted(seen.get("TASK_STARTED", {}).items()):
        replicas = [Location(layers=[host]) for host in told["replicas"].split(",") if host]
        tasks[task_id] = TaskRecord(
            taskID=task_id, taskType=told["taskType"], preferredLocations=replicas, attempts=[]
        )
    for task_id, kind, attempt in _attempts(seen, dropped):
        task = tasks.setdefault(task_id, TaskRecord(taskID=task_id, taskType=kind, attempts=[]))
        assert task.attempts is not None
        task.attempts.append(attempt)
    masters = sorted(seen.get("AM_STARTED", {}).items())
    for k, (attempt_id, told) in enumerate(masters):
        ended: Told = {"finishTime": job.get("finishTime"), "result": "SUCCESS"}
        is_last = k == len(masters) - 1 and ended["finishTime"] is not None
        attempt = Attempt(attemptID=attempt_id, **told, **(ended if is_last else {}))
        tasks[attempt_id] = TaskRecord(taskID=attempt_id, taskType="MASTER", attempts=[attempt])
    phases = {"MAP": "mapTasks", "REDUCE": "reduceTasks"}
    lists: Told = {"mapTasks": [], "reduceTasks": [], "otherTasks": []}
    for task_id in sorted(tasks):
        lists[phases.get(tasks[task_id].taskType or "", "otherTasks")].append(tasks[task_id])
    return JobRecord(jobID=name, **job, **lists)


def _attempts(seen: Seen, dropped: Counter[str]) -> Iterator[tuple[str, str, Attempt]]:
    """Task, its type, and attempt, for all that were started."""
    starts = _of_attempts(seen, "STARTED")
    ends: dict[str, Told] = {}
    for result in _RESULTS:  # a success comes first
        for attempt_id, told in _of_attempts(seen, result).items():
            if ends.setdefault(attempt_id, told) is not told:
                dropped[OUTPUT_LOST if result == "KILLED" else CONTRADICTED] += 1
    for attempt_id, told in sorted(starts.items()):
        fields = {**told, **ends.pop(attempt_id, {})}
        task_id, kind = fields.pop("taskID"), fields.pop("taskType")
        yield task_id, kind, Attempt(attemptID=attempt_id, **fields)
    dropped[NO_START] += len(ends)


def _of_attempts(seen: Seen, what: str) -> dict[str, Told]:
    """Events of attempts of all kinds of tasks."""
    found: dict[str, Told] = {}
    for kind, known in sorted(seen.items()):
        if kind.partition("_ATTEMPT_")[2] == what:
            found |= known
    return found


def _word(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value[:300]


def _time(value: Any) -> int:
    if type(value) is not int or not 0 < value < LATEST:
        raise ValueError
    return value


def _count(value: Any) -> int:
    if type(value) is not int or not -1 <= value < 2**53:
        raise ValueError
    return value
