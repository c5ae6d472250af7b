"""Jobs go where they take the least worth of room, at the plan's prices."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from operator import sub

from ..worth.recipe import LOOKED_AT
from .answers import Reason, counted
from .cluster import Cluster
from .machine import Job, Machine
from .machine_sets import members
from .plan import Units, fits
from .queues import Line
from .rule import Options, Rule, following


class BidPrice(Rule):
    """A start costs the worth of the room that the job takes while it runs.

    It costs less by a bonus where the machine's bin has more of its class than it runs. Of the
    machines with room where the class belongs, the first shapes in best fit's order are priced.
    """

    def __init__(self, cluster: Cluster, line: Line, options: Options) -> None:
        super().__init__(cluster, line, options)
        self._scores, self._shapes, self._worth = cluster.scores, cluster.shapes, self.plan.worth

    def score(self, job: Job, machine: Machine) -> float:
        """The worth of the room, less the bonus."""
        cost = self._cost(job.job_class, machine.configuration, machine.free, job.demand)
        return cost - self._worth.bonus if machine.more(job.job_class) > 0 else cost

    def scores(self, job: Job, machines: Iterable[Machine]) -> list[float]:
        """The same; what a machine's room is worth is worked out once."""
        k, demand, of, bonus = job.job_class, job.demand, self._worth.of, self._worth.bonus
        times, costs = self.plan.mean_time[k], []
        for machine in machines:
            j, free, worth = machine.configuration, machine.free, machine.worth
            if worth is None:
                worth = machine.worth = of(j, free)
            cost = times[j] * float(worth - of(j, tuple(map(sub, free, demand))))
            costs.append(cost - bonus if machine.bin[k] > machine.runs[k] else cost)
        return costs

    def _cost(self, k: int, j: int, free: Units, demand: Units) -> float:
        """Worth of the room that a job of class k takes while it runs."""
        after = self._worth.of(j, tuple(map(sub, free, demand)))
        return self.plan.mean_time[k][j] * float(self._worth.of(j, free) - after)

    def _places_for(self, job: Job) -> Sequence[bool]:
        """The configurations where the job may start."""
        return self.line.places_for(job) if self.line.length else self.plan.runs[job.job_class]

    def choose(self, job: Job, draw: float) -> Machine | None:
        """The cheapest."""
        best = min(self._offers(job), key=lambda offer: offer[0], default=None)
        return None if best is None else best[1]

    def _offers(self, job: Job) -> Iterator[tuple[float, Machine]]:
        """Scores of the first machines of the shapes looked at, in order."""
        room = self.cluster.candidates(job.demand, self._places_for(job))
        lacking = self._scores.lacking(job.job_class)
        times, of, bonus = self.plan.mean_time[job.job_class], self._worth.of, self._worth.bonus
        for shape, machines in islice(self._shapes.fullest(job.demand, room), LOOKED_AT):
            j = shape.configuration
            if shape.worth is None:
                shape.worth = of(j, shape.free)
            after = of(j, tuple(map(sub, shape.free, job.demand)))
            cost = times[j] * float(shape.worth - after)
            first = machines
            if machines & lacking:
                cost -= bonus
                if bonus > 0:
                    first = machines & lacking
            yield cost, next(members(first, self.cluster.at))

    def serve(self, machine: Machine) -> list[Job]:
        """Classes that the bin lacks first."""
        queues = [queue for queue in self.line.queues_for(machine) if queue.waiting]
        started = self.line.start_in_order(queues, machine, only_missing=True)
        return started + self.line.start_in_order(queues, machine)

    def why(self, job: Job, draw: float) -> Reason | None:
        """What the room is worth, and what the job brings."""
        plan, k, unit = self.plan, job.job_class, self._worth.unit
        offers = sorted(self._offers(job), key=lambda offer: offer[0])
        if not offers:
            return None
        room = self.cluster.count_with_room(job.demand, self._places_for(job))
        brings = plan.value[k]
        chosen, *others = [machine for _, machine in offers[:4]]

        def cost(machine: Machine) -> float:
            return self._cost(k, machine.configuration, machine.free, job.demand) * unit

        def spoils(machine: Machine) -> str:
            return f"spoils {_percent(cost(machine) - brings, brings)}"

        text = f"takes room worth {cost(chosen):.4g} of {brings:.4g} that it brings"
        text += f" ({spoils(chosen)})"
        if self._worth.bonus > 0 and chosen.more(k) > 0:
            text += f", and its bin has {chosen.more(k)} more of {plan.classes[k]} than it runs"
        text += following(f"{machine.name} {spoils(machine)}" for machine in others)
        text += f"; {counted(room, 'machine')} had room, "
        text += f"{counted(len(offers), 'shape')} of them priced"
        text += self._not_there(job)
        return self.reason(job, chosen, text, room, others)

    def _not_there(self, job: Job) -> str:
        """Why the job does not go where others with room are."""
        plan, k, where = self.plan, job.job_class, self._places_for(job)
        texts = []
        for j, whole in enumerate(plan.capacity):
            request = plan.request[k]
            if where[j] or not (plan.runs[k][j] and fits(request, whole)):
                continue
            only = [other == j for other in range(len(where))]
            if not self.cluster.count_with_room(job.demand, only):
                continue
            cost = self._cost(k, j, whole, request) * self._worth.unit
            price = f"{cost / plan.value[k]:.2g} times what" if plan.value[k] else "more than"
            texts.append(f"not on {plan.configurations[j]}: its room there costs {price} it brings")
        if not texts:
            return ""
        number = self.line.length
        waiting = f"{counted(number, 'job')} {'waits' if number == 1 else 'wait'}"
        return "".join(f"; {text}" for text in texts) + f", and {waiting}"

    def turn(self, job: Job, machine: Machine) -> str:
        """Its place in the line, and in the bin."""
        if machine.more(job.job_class) > 0:
            return "is the first in line that fits and of whose class its bin has more than it runs"
        return "is the first in line that fits and belongs there"


def _percent(part: float, whole: float) -> str:
    if part <= 0.0005 * whole:
        return "nothing"
    return f"{100 * part / whole:.2g} %" if whole > 0 else "all of it"
