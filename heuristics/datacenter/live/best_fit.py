"""Jobs go to the machine that has the least left; those that wait start in order."""

from __future__ import annotations

from .answers import Reason, counted
from .cluster import Cluster
from .machine import Job, Machine
from .machine_sets import members
from .queues import Line
from .rule import Options, Rule, following


class BestFit(Rule):
    """Best fit."""

    def __init__(self, cluster: Cluster, line: Line, options: Options) -> None:
        super().__init__(cluster, line, options)
        self._shapes = cluster.shapes

    def score(self, job: Job, machine: Machine) -> float:
        """What is free in parts of the largest machine."""
        return self.plan.share_of(machine.free)

    def choose(self, job: Job, draw: float) -> Machine | None:
        """The least free."""
        room = self.cluster.candidates(job.demand, self.plan.runs[job.job_class])
        for _, machines in self._shapes.fullest(job.demand, room):
            return next(members(machines, self.cluster.at))
        return None

    def why(self, job: Job, draw: float) -> Reason | None:
        """What the machines have free."""
        room = self.cluster.with_room(job.demand, self.plan.runs[job.job_class])
        if not room:
            return None
        chosen, *others = self.ranked(job, room)[:4]
        text = (
            f"of the {counted(len(room), 'machine')} with room it has the least free, "
            f"{self.score(job, chosen):.3g} of the largest machine (summed over the resources)"
        )
        text += following(f"{other.name} with {self.score(job, other):.3g}" for other in others)
        return self.reason(job, chosen, text, len(room), others)

    def turn(self, job: Job, machine: Machine) -> str:
        """Its place in the line."""
        return "is the first in line that fits"
