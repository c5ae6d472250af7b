"""What a dispatcher answers."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Placement:
    """A job that starts now."""

    job: str
    """Name of the job."""
    configuration: str
    """Name of the machine's configuration."""
    machine: int
    """Number of the machine among those of its configuration, from 0."""
    name: str = field(default="", compare=False, repr=False)
    """The machine's name, such as `c2/17`, or the name that it joined with."""


@dataclass(frozen=True)
class Joined:
    """A machine that has joined."""

    machine: str
    """Its name: the given one, or configuration and number, such as `c2/17`."""
    started: list[Placement]
    """The waiting jobs that start there."""


@dataclass(frozen=True)
class Left:
    """A machine that has left."""

    jobs: list[str]
    """Names of the jobs that ran there, in order of arrival. They have to start again."""
    started: list[Placement]
    """Those of them that start elsewhere now. The others wait, before all jobs that waited."""


@dataclass(frozen=True)
class Reason:
    """Why a job starts on a machine, or waits."""

    text: str
    """The reason in words."""
    machine: str | None
    """Name of the machine, None if the job waits."""
    room: int = 0
    """Number of machines that have room for the job and may start it."""
    others: tuple[str, ...] = ()
    """Names of the machines that come next, the best first."""

    def __str__(self) -> str:
        return self.text
