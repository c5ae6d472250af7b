"""Jobs go to the machine that has the least left; those that wait start in order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from .answers import counted
from .machine import Job, Machine
from .rule import Rule


class BestFit(Rule):
    def score(self, job: Job, machine: Machine) -> float:
        return self.plan.share_of(machine.free)

    def offers(self, job: Job, draw: float) -> Iterator[Machine]:
        cluster = self.cluster
        places = cluster.places(job.demand, self.plan.runs[job.job_class])
        for place in places[np.argsort(cluster.share[places], kind="stable")].tolist():
            yield cluster.at[place]

    def words(self, job: Job, offers: Sequence[Machine], draw: float) -> tuple[int, str, str]:
        room = len(self.cluster.places(job.demand, self.plan.runs[job.job_class]))
        free = self.score(job, offers[0])
        begin = f"of the {counted(room, 'machine')} with room it has the least free, {free:.3g} of "
        return room, begin + "the largest machine (summed over the resources)", ""

    def note(self, job: Job, machine: Machine) -> str:
        return f"with {self.score(job, machine):.3g}"

    def turn(self, job: Job, machine: Machine) -> str:
        return "is the first in line that fits"
