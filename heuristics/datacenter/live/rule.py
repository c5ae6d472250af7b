"""What a policy is: where jobs start that arrive, and which start when there is room."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass

from .answers import Reason
from .cluster import Cluster
from .machine import Job, Machine
from .queues import Line


@dataclass(frozen=True)
class Options:
    """What a dispatcher was made with, apart from the plan."""

    policy: str
    sample: int | None
    seed: int
    keep_after: float | None
    reasons: bool


class Rule(ABC):
    """A policy at work on some machines and waiting jobs."""

    def __init__(self, cluster: Cluster, line: Line, options: Options) -> None:
        self.plan, self.cluster, self.line, self.options = cluster.plan, cluster, line, options

    @abstractmethod
    def score(self, job: Job, machine: Machine) -> float:
        """What a start there would cost; where it is least, the job starts."""

    @abstractmethod
    def choose(self, job: Job, draw: float) -> Machine | None:
        """The machine for a job that arrives, None if it has to wait."""

    def serve(self, machine: Machine) -> list[Job]:
        """Start waiting jobs on a machine."""
        return self.line.start_in_order(self.line.queues_for(machine), machine)

    @abstractmethod
    def why(self, job: Job, draw: float) -> Reason | None:
        """The reason for `choose`, None if the job has to wait."""

    @abstractmethod
    def turn(self, job: Job, machine: Machine) -> str:
        """Why `serve` starts this job next."""

    def scores(self, job: Job, machines: Iterable[Machine]) -> list[float]:
        """The same for several machines."""
        return [self.score(job, machine) for machine in machines]

    def ranked(self, job: Job, machines: Iterable[Machine]) -> list[Machine]:
        """Machines by score, of equals the lowest place first."""
        return sorted(machines, key=lambda machine: (self.score(job, machine), machine.place))

    def reason(
        self, job: Job, chosen: Machine, text: str, room: int, others: Iterable[Machine]
    ) -> Reason:
        """The answer that a job starts on a machine."""
        text = f"{self.plan.classes[job.job_class]} on {chosen.name}: {text}"
        return Reason(text, chosen.name, room, tuple(machine.name for machine in others))


def following(texts: Iterable[str]) -> str:
    """What a reason says of the machines that come next."""
    listed = ", ".join(texts)
    return f"; next: {listed}" if listed else ""
