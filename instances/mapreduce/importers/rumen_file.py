"""Hadoop [Rumen] files: logged jobs and cluster topologies, as Hadoop wrote them.

Fields keep the names of [Rumen]; those that slotwise does not use are ignored. Times are epoch
milliseconds, sizes bytes. Rumen writes -1 for unknown (and 0 for some unknown times), which becomes
None here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from math import inf
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from ....core.advice import format_hint, kind_hint
from ....core.errors import InputError
from ....core.files.inputs import decoded, read_bytes
from ....core.files.json_files import JsonFile, check_parsable, json_problem, validated
from ....core.notices import step
from ....core.wording import listed, plural
from ...importer_options import ImportNotes

Place = tuple[str | None, str]
"""Rack (None where it is not told) and host."""


def _known_count(value: int | None) -> int | None:
    return None if value is None or value < 0 else value


def _known_time(value: int | None) -> int | None:
    return None if value is None or value <= 0 else value


# The bounds only keep nonsense from overflowing: an exabyte, 30 000 years.
Count = Annotated[int | None, Field(le=10**18), AfterValidator(_known_count)]
Time = Annotated[int | None, Field(le=10**15), AfterValidator(_known_time)]


class _Logged(BaseModel):
    """An object of a trace; fields that are not named here are ignored."""

    model_config = ConfigDict(extra="ignore", strict=True)


class Location(_Logged):
    """A place in the cluster."""

    layers: list[str] | None = None

    def place(self) -> Place | None:
        """Rack and host, None if there is no host."""
        return _place_in(self.layers or [])


class Attempt(_Logged):
    """An attempt to run a task."""

    result: str | None = None
    hostName: str | None = None
    location: Location | None = None
    startTime: Time = None
    finishTime: Time = None
    shuffleFinished: Time = None
    hdfsBytesRead: Count = None
    mapOutputBytes: Count = None
    reduceShuffleBytes: Count = None

    @property
    def succeeded(self) -> bool:
        """Whether the attempt succeeded."""
        return _is_success(self.result)

    def place(self) -> Place | None:
        """Where the attempt ran: `hostName` is `/rack/host` or a bare host, else `location`."""
        named = _place_in((self.hostName or "").split("/"))
        located = self.location.place() if self.location else None
        if named and named[0] is None and located and located[1] == named[1]:
            return located
        return named or located


class TaskRecord(_Logged):
    """A task."""

    taskID: str | None = None
    taskType: str | None = None
    inputBytes: Count = None
    preferredLocations: list[Location] | None = None
    attempts: list[Attempt] | None = None

    def replicas(self) -> list[Place]:
        """Distinct places that hold the task's input."""
        places = (location.place() for location in self.preferredLocations or [])
        return list({place[1]: place for place in places if place}.values())

    def best(self) -> Attempt | None:
        """The successful attempt; of several the first to end, whose output what follows used."""
        usable = [
            attempt
            for attempt in self.attempts or []
            if attempt.succeeded
            and attempt.startTime is not None
            and attempt.finishTime is not None
        ]
        return min(usable, key=lambda attempt: attempt.finishTime or 0, default=None)


class JobRecord(_Logged):
    """A job."""

    jobID: Annotated[str, Field(min_length=1)]
    submitTime: Time = None
    finishTime: Time = None
    outcome: str | None = None
    totalMaps: Count = None
    totalReduces: Count = None
    mapTasks: list[TaskRecord] | None = None
    reduceTasks: list[TaskRecord] | None = None
    otherTasks: list[TaskRecord] | None = None

    @property
    def failed(self) -> bool:
        """Whether the job failed or was killed."""
        return self.outcome is not None and not _is_success(self.outcome)

    def tasks(self) -> Iterator[TaskRecord]:
        """All tasks, setup and cleanup tasks too."""
        for tasks in (self.mapTasks, self.reduceTasks, self.otherTasks):
            yield from tasks or []


def read_jobs(path: str | Path) -> list[JobRecord]:
    """Jobs of a Rumen trace in file order.

    The file holds JSON objects one after another (as Rumen writes them, pretty-printed or one per
    line) or one JSON array of them; plain or gzip.

    Raises `InputError` names file, job, task and field.
    """
    jobs = []
    for number, raw in enumerate(_documents(path)):
        if "jobID" not in raw and (other := format_hint(raw)):
            raise InputError(f"{path}: job {number}, jobID: is missing{other}")
        step(f"checking job {number + 1} of the trace")
        jobs.append(
            validated(JobRecord, json.dumps(raw).encode(), path, partial(_where, raw, number))
        )
    if not jobs:
        raise InputError(f"{path}: no job in the file")
    return jobs


def distinct_jobs(jobs: Iterable[JobRecord], notes: ImportNotes) -> list[JobRecord]:
    """Jobs of different names, the first of each, in order of submission (unknown times last)."""
    distinct: dict[str, JobRecord] = {}
    repeated = []
    for job in jobs:
        if job.jobID in distinct:
            repeated.append(job.jobID)
        else:
            distinct[job.jobID] = job
    if repeated:
        notes.add(
            f"{plural(len(repeated), 'job')} with the jobID of an earlier one left out "
            f"({listed(repeated)})"
        )
    return sorted(
        distinct.values(), key=lambda job: inf if job.submitTime is None else job.submitTime
    )


def read_topology(path: str | Path) -> list[Place]:
    """(rack, host) of each host of a Rumen topology file, in file order.

    The leaves of the tree are hosts, what is between them and the root names the rack.

    Raises `InputError` names file and place, or there is no host.
    """
    root = JsonFile.read(path).document
    places: list[Place] = []
    pending: list[tuple[list[str], Any]] = [([], root)]
    while pending:
        above, node = pending.pop()
        name = node.get("name") if isinstance(node, dict) else None
        if not isinstance(name, str):
            other = format_hint(root)
            raise InputError(f"{path}: below {'/'.join(above) or 'the root'!r}: need a name{other}")
        children = node.get("children") or []
        if not isinstance(children, list):
            raise InputError(f"{path}: {name!r}, children: need a list")
        layers = above if node is root else [*above, name]
        pending += [(layers, child) for child in reversed(children)]
        if not children and (place := _place_in(layers)):
            places.append(place)
    if not places:
        raise InputError(f"{path}: no host in the topology")
    return places


def _documents(path: str | Path) -> Iterator[dict[str, Any]]:
    content = read_bytes(path)
    check_parsable(content, path)
    text = decoded(content, path)
    decoder = json.JSONDecoder()
    position, number = _text_from(text, 0), 0
    while position < len(text):
        try:
            value, end = decoder.raw_decode(text, position)
        except (RecursionError, ValueError) as error:
            raise InputError(
                f"{path}: job {number}: {json_problem(error)}{kind_hint(text, 'rumen')}"
            ) from None
        for job in value if isinstance(value, list) else [value]:
            if not isinstance(job, dict):
                what = f"need a JSON object for each job{kind_hint(text, 'rumen')}"
                raise InputError(f"{path}: not a Rumen trace: {what}")
            yield job
        position, number = _text_from(text, end), number + 1


def _text_from(text: str, position: int) -> int:
    """Where the next text after white space begins."""
    match = re.compile(r"\S").search(text, position)
    return match.start() if match else len(text)


def _where(raw: dict[str, Any], number: int, location: Sequence[str | int]) -> str:
    """`job 'job_1', task 'task_1_m_0', startTime` for ('mapTasks', 0, 'startTime')."""
    job = raw.get("jobID")
    words = [f"job {job!r}" if isinstance(job, str) else f"job {number}"]
    part: Any = raw
    for key in location:
        try:
            part = part[key]
        except (KeyError, IndexError, TypeError):
            part = None
        if isinstance(key, int) and words[-1] in ("mapTasks", "reduceTasks", "otherTasks"):
            task = part.get("taskID") if isinstance(part, dict) else None
            words[-1] = f"task {task!r}" if isinstance(task, str) else f"{words[-1]} {key}"
        elif isinstance(key, int):
            words[-1] += f" {key}"
        else:
            words.append(key)
    return ", ".join(words)


def _is_success(outcome: str | None) -> bool:
    """Whether an outcome is a success."""
    return outcome is not None and outcome.upper() in ("SUCCESS", "SUCCEEDED")


def _place_in(layers: Sequence[str]) -> Place | None:
    """The last layer is the host; Rumen escapes the dots of names (`node1\\.example\\.com`)."""
    names = [name.replace("\\", "") for name in layers]
    names = [name for name in names if name]
    return ("/".join(names[:-1]) or None, names[-1]) if names else None
