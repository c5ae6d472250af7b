"""A dispatching rule that gives its reasons, and the rules without a plan.

A rule says which machines count for a job that arrives and what it compares them by, and which
waiting jobs may start on a machine after an exit and what it compares these by. How it chooses, and
the words for it, are the same for all.
"""

from __future__ import annotations

from dataclasses import dataclass

from ....core.wording import plural
from ..record import Candidate, Fact
from ..telling import FactKeeper
from .cluster import Cluster, Job, Machine


@dataclass(frozen=True)
class Decision:
    """Where a job starts, None if it waits, and why; the chosen candidate is the first."""

    job: Job
    machine: Machine | None
    rule: str
    keeper: FactKeeper
    candidates: list[Candidate]
    loser: int | None


class Rule:
    """First fit, and the frame of the other rules."""

    name = "first fit"
    """How the rule is called where it decides."""
    measure = "number"
    """What is compared, among a candidate's facts."""
    words = "has the lowest number"
    """How a sentence says that a machine has the best value."""
    sign = 1.0
    """-1 if the largest value is best."""
    tie = "lowest number", "a higher number"
    """The rule that decides between equal values, and what the loser then has."""
    rival = ""
    """The simpler rule with which the choice is compared."""
    queue = ""
    """Which jobs a job waits behind."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster

    # A job arrives

    def value(self, job: Job, machine: Machine) -> float:
        """What is compared, as it is shown."""
        return float(machine.number)

    def key(self, job: Job, machine: Machine) -> float:
        """What is made least."""
        return self.sign * self.value(job, machine)

    def counted(self, job: Job, room: list[Machine], keeper: FactKeeper) -> list[Machine]:
        """Of the machines with room those that count; of equal ones the first wins."""
        return room

    def explain(self, job: Job, best: Machine, keeper: FactKeeper) -> None:
        """Say how the best value comes about."""

    def rivals_choice(self, room: list[Machine]) -> Machine:
        return room[0]

    def barred(self, job: Job, machine: Machine) -> str:
        """Why a machine with room does not count."""
        return "does not count"

    def about(self, job: Job, machine: Machine) -> dict[str, Fact]:
        """What else is shown of a machine."""
        return {}

    def arrive(self, job: Job) -> Decision:
        """Where a job that arrives starts, or that it waits. It is not in the queue yet."""
        keeper, room = FactKeeper(), self.cluster.with_room(job)
        ranked = self.counted(job, room, keeper)
        if not ranked:
            return self._wait(job, room, keeper)
        ranked = sorted(ranked, key=lambda m: self.key(job, m))
        best, rule, value = ranked[0], self.name, self.value(job, ranked[0])
        if len(ranked) == 1:
            rule = "only one"
            keeper.say(f"{best.name} is the only one with room that counts")
        else:
            keeper.facts["machines that count"] = len(ranked)
            count = f"{plural(len(ranked), 'machine')} with room"
            if len(ranked) < len(room):
                count += " that count"
            shown = keeper.number(self.measure, value)
            keeper.say(f"Of {count} {best.name} {self.words}, {shown}")
            second = ranked[1]
            if self.key(job, second) == self.key(job, best):
                rule = self.tie[0]
                keeper.say(f"{second.name} has the same and {self.tie[1]}")
            else:
                its = keeper.number(f"{self.measure} of the next", self.value(job, second))
                keeper.say(f"{second.name} comes next with {its}")
        self.explain(job, best, keeper)
        other = self.rivals_choice(room)
        if self.rival and other is best:
            keeper.say(f"{self.rival} would go there too")
        elif self.rival:
            why = f" ({self.measure} {keeper.number('rival', self.value(job, other))})"
            if other not in ranked:
                del keeper.facts["rival"]
                why = f", which {self.barred(job, other)}"
            keeper.say(f"{self.rival} would take {other.name}{why}")
        order = list(dict.fromkeys([*ranked, *room, *self.cluster.able(job)]))
        loser = order.index(other) if other is not best else 1 if len(order) > 1 else None
        candidates = [
            self._machine(job, m, ranked=m in ranked, boxed=n == loser) for n, m in enumerate(order)
        ]
        return Decision(job, best, rule, keeper, candidates, loser)

    def _wait(self, job: Job, room: list[Machine], keeper: FactKeeper) -> Decision:
        able = self.cluster.able(job)
        if room:
            rule, nearest = "does not belong", room[0]
            keeper.say(f"{nearest.name} has room, but {self.barred(job, nearest)}")
        else:
            rule = "no room"
            nearest, resource, amount = self.cluster.nearest(job)
            lacks = f"{keeper.number('lacks', amount)} {resource}"
            keeper.say(f"No machine has room. {nearest.name} comes nearest and lacks {lacks}")
        ahead = sum(self.queue == "" or o.job_class == job.job_class for o in self.cluster.waiting)
        keeper.facts["ahead of it"] = ahead
        behind = f"behind {plural(ahead, 'job')}" if ahead else "as the first in line"
        keeper.say(f"The job waits {behind}{self.queue}")
        order = dict.fromkeys([nearest, *room, *able])
        return Decision(job, None, rule, keeper, [self._machine(job, m) for m in order], 0)

    def _machine(
        self, job: Job, machine: Machine, *, ranked: bool = False, boxed: bool = False
    ) -> Candidate:
        now = self.cluster.now
        return Candidate(
            machine.number,
            machine.name,
            {
                "room": machine.has_room(job),
                self.measure: self.value(job, machine) if ranked else None,
                **self.about(job, machine),
                **self.cluster.amounts(machine.free, "free "),
            },
            (now, now + self.cluster.duration_on(job, machine))
            if boxed and machine.has_room(job)
            else None,
        )

    # A job has left a machine

    def may_start(self, fitting: list[Job], machine: Machine, keeper: FactKeeper) -> list[Job]:
        """Of the waiting jobs that fit those that the rule looks at."""
        return fitting

    def turn(self, job: Job, machine: Machine) -> tuple[float, ...]:
        """What is made least over these; of equal ones the first that arrived starts."""
        return ()

    def score(self, job: Job, machine: Machine) -> float | None:
        """What a job is compared by, as it is shown."""
        return None

    def explain_turn(self, job: Job, machine: Machine, keeper: FactKeeper) -> str:
        """What the best job is or has."""
        return "came first"

    def next_for(self, machine: Machine) -> Decision | None:
        """The waiting job that a machine starts next after an exit, None if there is none."""
        keeper, fitting = FactKeeper(), self.cluster.fitting(machine)
        able = self.may_start(fitting, machine, keeper)
        if not able:
            return None
        ranked = sorted(able, key=lambda job: self.turn(job, machine))
        job, rule = ranked[0], "only one"
        if len(ranked) == 1:
            keeper.say(f"{job.label.capitalize()} is the only waiting job that may start here")
        else:
            second, rule = ranked[1], "first that fits"
            keeper.facts["jobs that may start"] = len(ranked)
            why = self.explain_turn(job, machine, keeper)
            keeper.say(f"Of {plural(len(ranked), 'waiting job')} that may start {job.label} {why}")
            score = self.score(second, machine)
            if self.turn(second, machine) != self.turn(job, machine) and score is not None:
                rule = "highest score"
                its = keeper.number("score of the next", score)
                keeper.say(f"Next comes {second.label} with {its}")
        first, ahead = fitting[0], self.cluster.waiting[0]
        if first is not job:
            name = f"{first.label} ({self.cluster.class_of(first)})"
            keeper.say(f"First fit would start {name}, which came earlier and fits")
        elif ahead is not job:
            runs = self.cluster.can_run[ahead.job_class, machine.configuration]
            why = "does not fit" if runs else "cannot run here"
            keeper.say(f"{ahead.label.capitalize()} came earlier but {why}")
        order = list(dict.fromkeys([*ranked, *fitting]))
        loser = order.index(first) if first is not job else 1 if len(order) > 1 else None
        keeper.facts["first in line"] = ahead.number + 1
        candidates = [self._in_line(one, machine) for one in order]
        return Decision(job, machine, rule, keeper, candidates, loser)

    def _in_line(self, job: Job, machine: Machine) -> Candidate:
        score = self.score(job, machine)
        return Candidate(
            None,
            job.label,
            {
                "class": self.cluster.class_of(job),
                **({} if score is None else {"score": score}),
                **self.cluster.amounts(job.demand, "needs "),
            },
        )

    def started(self, job: Job, machine: Machine) -> None:
        """A job is about to start."""


class BestFit(Rule):
    """The machine with the least free."""

    name, measure, rival = "best fit", "free in parts", "First fit"
    words = "has the least free, summed over the resources in parts of the largest machine"

    def value(self, job: Job, machine: Machine) -> float:
        return self.cluster.parts(machine.free)


class Tetris(Rule):
    """The machine whose free amounts are most like the demand; on exits less remaining work."""

    name, measure, sign, rival = "largest product", "ω", -1.0, "First fit"
    words = "has the largest ω = Σ demand × free"

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(cluster)
        self._fit = self._work = 0.0
        """Sums over the jobs started so far, which weigh remaining work."""

    def value(self, job: Job, machine: Machine) -> float:
        total = 0.0
        for d, f, w in zip(job.demand, machine.free, self.cluster.weight, strict=True):
            total += (d * w) * (f * w)
        return total

    def started(self, job: Job, machine: Machine) -> None:
        self._fit += self.value(job, machine)
        self._work += self._remaining(job)

    def turn(self, job: Job, machine: Machine) -> tuple[float, ...]:
        return (-self.score(job, machine),)

    def score(self, job: Job, machine: Machine) -> float:
        return self.value(job, machine) - self._weight() * self._remaining(job)

    def explain_turn(self, job: Job, machine: Machine, keeper: FactKeeper) -> str:
        return (
            f"has the highest score, {keeper.number('score', self.score(job, machine))}: "
            f"ω {keeper.number('ω', self.value(job, machine))} less "
            f"{keeper.number('weight of work', self._weight())} times its remaining work "
            f"{keeper.number('remaining work', self._remaining(job))}"
        )

    def _weight(self) -> float:
        return self._fit / self._work if self._work > 0 else 0.0

    def _remaining(self, job: Job) -> float:
        return job.duration * self.cluster.parts(job.demand)
