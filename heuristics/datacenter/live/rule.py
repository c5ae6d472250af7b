"""What a policy is: where jobs start that arrive, and which start when there is room."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

from ..worth.recipe import LOOKED_AT
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
    reasons: bool


class Rule(ABC):
    """A policy at work on some machines and waiting jobs.

    What it is, is `score`, and which machines are looked at: `offers`. Where a job that arrives
    starts, and why, follow from them.
    """

    unit = 1.0
    """What callers are told is a score times this."""

    def __init__(self, cluster: Cluster, line: Line, options: Options) -> None:
        self.plan, self.cluster, self.line, self.options = cluster.plan, cluster, line, options

    @abstractmethod
    def score(self, job: Job, machine: Machine) -> float:
        """What a start there would cost."""

    @abstractmethod
    def offers(self, job: Job, draw: float) -> Iterable[Machine]:
        """The machines with room that a job looks at when it arrives, the least score first."""

    def choose(self, job: Job, draw: float) -> Machine | None:
        return next(iter(self.offers(job, draw)), None)

    def serve(self, machine: Machine) -> list[Job]:
        """Start waiting jobs on a machine."""
        return self.line.start_in_order(self.line.queues_for(machine), machine)

    def why(self, job: Job, draw: float) -> Reason | None:
        """The reason for `choose`, None if the job has to wait."""
        offers = list(islice(self.offers(job, draw), LOOKED_AT))
        if not offers:
            return None
        room, begin, end = self.words(job, offers, draw)
        chosen, *others = offers[:4]
        listed = ", ".join(f"{machine.name} {self.note(job, machine)}" for machine in others)
        text = f"{begin}; next: {listed}{end}" if listed else f"{begin}{end}"
        return self.reason(job, chosen, text, room, others)

    @abstractmethod
    def words(self, job: Job, offers: Sequence[Machine], draw: float) -> tuple[int, str, str]:
        """How many machines have room; why the first offer is chosen, before and after the next."""

    @abstractmethod
    def note(self, job: Job, machine: Machine) -> str:
        """What a reason says of a machine that comes next."""

    @abstractmethod
    def turn(self, job: Job, machine: Machine) -> str:
        """Why `serve` starts this job next."""

    def reason(
        self, job: Job, chosen: Machine, text: str, room: int, others: Iterable[Machine]
    ) -> Reason:
        text = f"{self.plan.classes[job.job_class]} on {chosen.name}: {text}"
        return Reason(text, chosen.name, room, tuple(machine.name for machine in others))
