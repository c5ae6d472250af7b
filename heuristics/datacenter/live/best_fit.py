"""Jobs go to the machine that has the least left; those that wait start in order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .answers import counted
from .cluster import Cluster
from .machine import Job, Machine
from .machine_sets import members
from .queues import Line
from .rule import Options, Rule


class BestFit(Rule):
    def __init__(self, cluster: Cluster, line: Line, options: Options) -> None:
        super().__init__(cluster, line, options)
        self._shapes = cluster.shapes

    def score(self, job: Job, machine: Machine) -> float:
        return self.plan.share_of(machine.free)

    def offers(self, job: Job, draw: float) -> Iterator[Machine]:
        room = self.cluster.candidates(job.demand, self.plan.runs[job.job_class])
        for _, machines in self._shapes.fullest(job.demand, room):
            yield from members(machines, self.cluster.at)

    def words(self, job: Job, offers: Sequence[Machine], draw: float) -> tuple[int, str, str]:
        room = self.cluster.count_with_room(job.demand, self.plan.runs[job.job_class])
        free = self.score(job, offers[0])
        begin = f"of the {counted(room, 'machine')} with room it has the least free, {free:.3g} of "
        return room, begin + "the largest machine (summed over the resources)", ""

    def note(self, job: Job, machine: Machine) -> str:
        return f"with {self.score(job, machine):.3g}"

    def turn(self, job: Job, machine: Machine) -> str:
        return "is the first in line that fits"
