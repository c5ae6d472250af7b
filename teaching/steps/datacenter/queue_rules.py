"""Policies without a plan: first fit, best fit and Tetris, with one queue in order of arrival."""

from __future__ import annotations

from abc import ABC, abstractmethod

from ....core.wording import number, plural
from ..record import Candidate, Fact
from .cluster import Cluster, Job, Machine, shortened
from .play import Decision


class QueueRule(ABC):
    """Machines compared by a value, smaller first; ties by number.

    `cluster`: machines and waiting jobs.
    """

    name: str
    """How the rule is called where it decides."""

    measure: str
    """What the value is called among a candidate's facts."""

    words: str
    """How a sentence says that a machine has the best value."""

    sign = 1.0
    """-1 if the largest value is best: the rule compares what is shown times this."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster

    @abstractmethod
    def value(self, job: Job, machine: Machine) -> float:
        """What is compared, as it is shown."""

    def arrive(self, job: Job) -> Decision:
        """Of the machines with room the best by value, then by number."""
        room = self.cluster.with_room(job)
        facts: dict[str, Fact] = {"machines with room": len(room)}
        if not room:
            return self._wait(job, facts)
        value = {m.number: self.value(job, m) for m in room}
        order = sorted(room, key=lambda m: (self.sign * value[m.number], m.number))
        best, first = order[0], room[0]
        rule, text = self._choice(order, value)
        if first is best:
            text += "" if self.name == "first fit" else "First fit would go there too."
        else:
            text += (
                f"First fit would take {first.name}, the first machine with room "
                f"({self.measure} {number(value[first.number])})."
            )
        full = [m for m in self.cluster.able(job) if m not in room]
        candidates, places, left_out = shortened(
            [self._machine(m, job) for m in order + full],
            [order.index(m) for m in dict.fromkeys([best, *order[1:2], first])],
        )
        loser = places[-1] if len(places) > 1 else None
        return Decision(best, rule, text, candidates, places[0], left_out, loser, facts)

    def next_for(self, machine: Machine) -> tuple[Job, Decision] | None:
        """The first of the queue that fits."""
        able = self.cluster.fitting(machine)
        return (able[0], self.first_come(able[0], machine)) if able else None

    def first_come(self, job: Job, machine: Machine) -> Decision:
        """That a job is the first of the queue that fits."""
        place = self.cluster.waiting.index(job)
        facts: dict[str, Fact] = {"place in the queue": place + 1}
        text = f"{job.label.capitalize()} is the first in line"
        if place:
            ahead = self.cluster.waiting[0]
            why = self.cluster.why_not(ahead, machine)
            text += f" that fits, in place {place + 1}: {ahead.label} came earlier but {why}"
            facts["first in line"] = ahead.number + 1
        candidate = self._waiting(job)
        return Decision(machine, "first that fits", text + ".", (candidate,), 0, 0, None, facts)

    def _choice(self, order: list[Machine], value: dict[int, float]) -> tuple[str, str]:
        best = order[0]
        if len(order) == 1:
            return "only one", f"{best.name} is the only machine with room. "
        second = order[1]
        shown = number(value[best.number])
        text = f"Of {plural(len(order), 'machine')} with room {best.name} {self.words}, {shown}. "
        if value[second.number] == value[best.number]:
            return "lowest number", f"{text}{second.name} has the same and a higher number. "
        return self.name, f"{text}{second.name} comes next with {number(value[second.number])}. "

    def _wait(self, job: Job, facts: dict[str, Fact]) -> Decision:
        able = self.cluster.able(job)
        large = [machine for machine in able if machine.could_hold(job)]
        nearest, lacks, text = self.cluster.no_room(job, large)
        ahead = len(self.cluster.waiting)
        facts |= {"lacks": lacks, "ahead of it": ahead}
        behind = f"behind {plural(ahead, 'job')}" if ahead else "as the first in line"
        text += f"The job waits {behind}."
        order = sorted(able, key=lambda m: (m is not nearest, m.number))
        candidates, _, left_out = shortened([self._machine(m, job) for m in order], [0])
        return Decision(None, "no room", text, candidates, None, left_out, 0, facts)

    def _machine(self, machine: Machine, job: Job) -> Candidate:
        room = machine.has_room(job)
        return Candidate(
            machine.number,
            machine.name,
            {
                "room": room,
                self.measure: self.value(job, machine) if room else None,
                **self.cluster.amounts(machine.free, "free "),
            },
            self.cluster.box(job, machine),
        )

    def _waiting(self, job: Job) -> Candidate:
        needs = self.cluster.amounts(job.demand, "needs ")
        return Candidate(None, job.label, {"class": self.cluster.class_of(job), **needs})


class FirstFit(QueueRule):
    """The first machine with room."""

    name, measure, words = "first fit", "number", "has the lowest number"

    def value(self, job: Job, machine: Machine) -> float:
        """The machine's number."""
        return float(machine.number)


class BestFit(QueueRule):
    """The machine with the least free."""

    name, measure = "best fit", "free in parts"
    words = "has the least free, summed over the resources in parts of the largest machine"

    def value(self, job: Job, machine: Machine) -> float:
        """What is free, summed over the resources in parts of the largest machine."""
        return self.cluster.parts(machine.free)


class Tetris(QueueRule):
    """The machine whose free amounts are most like the demand; on exits less remaining work.

    `cluster`: machines and waiting jobs.
    `gamma`: weight of the remaining work, None to scale it by the jobs started so far.
    """

    name, measure, words, sign = "largest product", "ω", "has the largest ω = Σ demand × free", -1.0

    def __init__(self, cluster: Cluster, gamma: float | None = None) -> None:
        super().__init__(cluster)
        self._gamma = gamma
        self._fit = self._work = 0.0

    def value(self, job: Job, machine: Machine) -> float:
        """The product of demand and free amounts, in parts of the largest machine."""
        total = 0.0
        for d, f, w in zip(job.demand, machine.free, self.cluster.weight, strict=True):
            total += (d * w) * (f * w)
        return total

    def arrive(self, job: Job) -> Decision:
        """The largest ω; it counts in what scales remaining work."""
        decision = super().arrive(job)
        if decision.machine is not None:
            self._count(job, decision.machine)
        return decision

    def _count(self, job: Job, machine: Machine) -> None:
        self._fit += self.value(job, machine)
        self._work += self._remaining(job)

    def next_for(self, machine: Machine) -> tuple[Job, Decision] | None:
        """The highest ω less weighted remaining work; ties: the first that arrived."""
        able = self.cluster.fitting(machine)
        if not able:
            return None
        weight = self._gamma
        if weight is None:
            weight = self._fit / self._work if self._work > 0 else 0.0
        scores = [self.value(job, machine) - weight * self._remaining(job) for job in able]
        best = scores.index(max(scores))
        order = sorted(range(len(able)), key=lambda i: (-scores[i], i))
        facts: dict[str, Fact] = {"jobs that fit": len(able), "weight of work": weight}
        job = able[best]
        text = (
            f"Of {plural(len(able), 'waiting job')} that fit {job.label} has the highest score, "
            f"{number(scores[best])}: ω {number(self.value(job, machine))} less "
            f"{number(weight)} times its remaining work {number(self._remaining(job))}. "
        )
        if len(able) == 1:
            text = f"{job.label.capitalize()} is the only waiting job that fits. "
        elif order[0] != 0:
            first = able[0]
            text += f"{first.label.capitalize()} came first and scores {number(scores[0])}. "
        else:
            second = able[order[1]]
            text += f"{second.label.capitalize()} comes next with {number(scores[order[1]])}. "
        candidates, places, left_out = shortened(
            [self._scored(able[i], machine, scores[i]) for i in order], [0, order.index(0)]
        )
        rule = "only one" if len(able) == 1 else "highest score"
        self._count(job, machine)
        loser = None if len(able) == 1 else places[1] if places[1] != places[0] else places[0] + 1
        text = text.strip()
        return job, Decision(machine, rule, text, candidates, places[0], left_out, loser, facts)

    def _remaining(self, job: Job) -> float:
        return job.duration * self.cluster.parts(job.demand)

    def _scored(self, job: Job, machine: Machine, score: float) -> Candidate:
        facts: dict[str, Fact] = {
            "number": job.number + 1,
            "class": self.cluster.class_of(job),
            "score": score,
            "ω": self.value(job, machine),
            "remaining work": self._remaining(job),
        }
        return Candidate(None, job.label, facts)
