"""Jobs, tasks and attempts as Hadoop's histories tell them, whatever the format.

Fields keep the names of [Rumen]; those that slotwise does not use are ignored. Times are epoch
milliseconds, sizes bytes. Rumen writes -1 for unknown (and 0 for some unknown times), which becomes
None here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

Place = tuple[str | None, str]
"""Rack (None where it is not told) and host."""


def _known_count(value: int | None) -> int | None:
    return None if value is None or value < 0 else value


def _known_word(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _known_time(value: int | None) -> int | None:
    return None if value is None or value <= 0 else value


# The bounds only keep nonsense from overflowing: an exabyte, 30 000 years.
Count = Annotated[int | None, Field(le=10**18), AfterValidator(_known_count)]
Time = Annotated[int | None, Field(le=10**15), AfterValidator(_known_time)]


Word = Annotated[str | None, BeforeValidator(_known_word)]


class _Logged(BaseModel):
    """An object of a trace; fields that are not named here are ignored."""

    model_config = ConfigDict(extra="ignore", strict=True)


class Location(_Logged):
    """A place in the cluster."""

    layers: list[str] | None = None

    def place(self) -> Place | None:
        """Rack and host, None if there is no host."""
        return place_in(self.layers or [])


class Attempt(_Logged):
    """An attempt to run a task."""

    attemptID: Word = None
    locality: Word = None
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
        return is_success(self.result)

    def place(self) -> Place | None:
        """Where the attempt ran: `hostName` is `/rack/host` or a bare host, else `location`."""
        named = place_in((self.hostName or "").split("/"))
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
    user: Word = None
    queue: Word = None
    submitTime: Time = None
    launchTime: Time = None
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
        return self.outcome is not None and not is_success(self.outcome)

    def tasks(self) -> Iterator[TaskRecord]:
        """All tasks, setup and cleanup tasks too."""
        for tasks in (self.mapTasks, self.reduceTasks, self.otherTasks):
            yield from tasks or []


def is_success(outcome: str | None) -> bool:
    """Whether an outcome is a success."""
    return outcome is not None and outcome.upper() in ("SUCCESS", "SUCCEEDED")


def place_in(layers: Sequence[str]) -> Place | None:
    """The last layer is the host; Rumen escapes the dots of names (`node1\\.example\\.com`)."""
    names = [name.replace("\\", "") for name in layers]
    names = [name for name in names if name]
    return ("/".join(names[:-1]) or None, names[-1]) if names else None
