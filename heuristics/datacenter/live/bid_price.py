"""Jobs go where they take the least worth of room, at the plan's prices."""

from __future__ import annotations

from collections.abc import Sequence
from operator import sub

import numpy as np

from ..worth.recipe import LOOKED_AT
from .answers import counted
from .cluster import Cluster
from .machine import Job, Machine
from .plan import Units, fits
from .queues import Line
from .rule import Options, Rule


class BidPrice(Rule):
    """A start costs the worth of the room that the job takes while it runs.

    It costs less by a bonus where the machine's bin has more of its class than it runs. Of the
    machines with room where the class belongs, the first shapes in best fit's order are priced.
    """

    def __init__(self, cluster: Cluster, line: Line, options: Options) -> None:
        super().__init__(cluster, line, options)
        self._worth = self.plan.worth
        self.unit = self._worth.unit

    def score(self, job: Job, machine: Machine) -> float:
        cost = self._cost(job, machine)
        return cost - self._worth.bonus if machine.more(job.job_class) > 0 else cost

    def _cost(self, job: Job, machine: Machine) -> float:
        j, free = machine.configuration, machine.free
        room = self._worth.of(j, free) - self._worth.of(j, tuple(map(sub, free, job.demand)))
        return self.plan.mean_time[job.job_class][j] * float(room)

    def _places_for(self, job: Job) -> Sequence[bool]:
        return self.line.places_for(job) if self.line.length else self.plan.runs[job.job_class]

    def offers(self, job: Job, draw: float) -> list[Machine]:
        """Of each of the first shapes the lowest machine, of those with the bonus if there are."""
        cluster, k, bonus = self.cluster, job.job_class, self._worth.bonus > 0
        places = cluster.places(job.demand, self._places_for(job))
        shares = cluster.share[places]
        firsts: dict[tuple[int, Units], Machine] = {}
        last = -1.0
        for i in np.argsort(shares, kind="stable").tolist():
            machine = cluster.at[places[i]]
            shape = machine.configuration, machine.free
            if len(firsts) == LOOKED_AT and shares[i] > last:
                break
            if shape not in firsts and len(firsts) < LOOKED_AT:
                firsts[shape], last = machine, shares[i]
            elif bonus and shape in firsts and firsts[shape].more(k) <= 0 < machine.more(k):
                firsts[shape] = machine
        return sorted(firsts.values(), key=lambda machine: self.score(job, machine))

    def serve(self, machine: Machine) -> list[Job]:
        """Classes that the bin lacks first."""
        queues = [queue for queue in self.line.queues_for(machine) if queue]
        started = self.line.start_in_order(queues, machine, only_missing=True)
        return started + self.line.start_in_order(queues, machine)

    def words(self, job: Job, offers: Sequence[Machine], draw: float) -> tuple[int, str, str]:
        plan, k, chosen = self.plan, job.job_class, offers[0]
        room = len(self.cluster.places(job.demand, self._places_for(job)))
        begin = (
            f"takes room worth {self._cost(job, chosen) * self.unit:.4g} of "
            f"{plan.value[k]:.4g} that it "
            f"brings ({self.note(job, chosen)})"
        )
        if self._worth.bonus > 0 and chosen.more(k) > 0:
            begin += f", and its bin has {chosen.more(k)} more of {plan.classes[k]} than it runs"
        end = (
            f"; {counted(room, 'machine')} had room, {counted(len(offers), 'shape')} of them priced"
        )
        return room, begin, end + self._not_there(job)

    def note(self, job: Job, machine: Machine) -> str:
        brings, cost = self.plan.value[job.job_class], self._cost(job, machine) * self.unit
        return f"spoils {_percent(cost - brings, brings)}"

    def _not_there(self, job: Job) -> str:
        """Why the job does not go where others with room are."""
        plan, k, where = self.plan, job.job_class, self._places_for(job)
        texts = []
        for j, whole in enumerate(plan.capacity):
            request = plan.request[k]
            if where[j] or not (plan.runs[k][j] and fits(request, whole)):
                continue
            only = [other == j for other in range(len(where))]
            if not len(self.cluster.places(job.demand, only)):
                continue
            after = tuple(map(sub, whole, request))
            room = self._worth.of(j, whole) - self._worth.of(j, after)
            cost = plan.mean_time[k][j] * room * self.unit
            price = f"{cost / plan.value[k]:.2g} times what" if plan.value[k] else "more than"
            texts.append(f"not on {plan.configurations[j]}: its room there costs {price} it brings")
        if not texts:
            return ""
        number = self.line.length
        waiting = f"{counted(number, 'job')} {'waits' if number == 1 else 'wait'}"
        return "".join(f"; {text}" for text in texts) + f", and {waiting}"

    def turn(self, job: Job, machine: Machine) -> str:
        if machine.more(job.job_class) > 0:
            return "is the first in line that fits and of whose class its bin has more than it runs"
        return "is the first in line that fits and belongs there"


def _percent(part: float, whole: float) -> str:
    if part <= 0.0005 * whole:
        return "nothing"
    return f"{100 * part / whole:.2g} %" if whole > 0 else "all of it"
