"""Dispatching by prices, step by step: a job goes where it takes the least worth of room.

The worth of room is looked up in the tables that the policy itself has; everything else is decided
here again, machine by machine.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ....core.wording import listed, number, plural
from ....heuristics.datacenter.worth.recipe import LOOKED_AT, with_bonus
from ....heuristics.datacenter.worth.tables import check_prices, tables_of, worths_of_machines
from ....instances.datacenter.guidance import Guidance
from ..record import Candidate, Fact
from .cluster import Cluster, Job, Machine, shortened
from .play import Decision


@dataclass
class Offer:
    """Room of one kind: machines alike in configuration and free amounts."""

    machines: list[Machine]
    """They, by number."""
    worth: int
    after: int
    """`worth`, `after`: worth of the room now and beside the job, in the tables' unit."""
    cost: float
    """What is compared: time times the difference, less the bonus."""
    bonus: bool
    """Whether one of the machines has more of the class in its bin than it runs."""


class BidPrice:
    """The rule of bid prices.

    `cluster`: machines with the plan's bins, and waiting jobs.
    `guidance`: the plan, with prices.
    """

    def __init__(self, cluster: Cluster, guidance: Guidance) -> None:
        prices = check_prices(guidance)
        self.cluster, self._value = cluster, prices.value
        self._tables, recipe = tables_of(
            guidance.datacenter,
            prices.value,
            spread=prices.spread,
            draws=prices.draws,
            seed=prices.seed,
        )
        recipe = with_bonus(recipe, prices.value.tolist(), prices.bonus)
        self._unit = recipe.unit
        self._bonus = recipe.bonus / recipe.unit
        there = cluster.data.count > 0
        self._belongs = prices.belongs & cluster.can_run & there

    def arrive(self, job: Job) -> Decision:
        """The least worth of room where the job may go; ties: the fullest, then lowest number."""
        with_room = self.cluster.with_room(job)
        alike: dict[tuple[int, ...], list[Machine]] = {}
        anywhere = not self.cluster.waiting
        for m in with_room:
            if anywhere or self._belongs_on(job, m):
                alike.setdefault((m.configuration, *m.free), []).append(m)
        kinds = sorted(
            alike.values(), key=lambda machines: (self._share(machines[0]), machines[0].number)
        )
        offers = [self._offer(job, machines) for machines in kinds[:LOOKED_AT]]
        facts: dict[str, Fact] = {
            "brings": float(self._value[job.job_class]),
            "machines with room": len(with_room),
            "jobs that wait": len(self.cluster.waiting),
        }
        if not offers:
            return self._wait(job, with_room, facts)
        best = min(offers, key=lambda offer: offer.cost)
        machine = self._first_of(best, job)
        facts |= self._room_facts(job, best)
        facts["kinds of room"] = len(offers)
        text = self._where(job) + self._price_text(job, best, machine)
        rule, reason = self._choice(job, offers, best)
        text += self._best_fit(job, with_room, offers, best, reason)
        order = sorted(offers, key=lambda offer: offer.cost)
        barred = [m for m in with_room if not self._may_go(job, m)]
        barred.sort(key=lambda m: (self._share(m), m.number))
        fullest = self._fullest(with_room)
        # Best fit's machine, or else the runner-up.
        temptation = next((i for i, offer in enumerate(order) if fullest in offer.machines), None)
        if temptation is None:
            temptation = len(order)
        elif order[temptation] is best:
            temptation = min(len(order) - 1, order.index(best) + 1)
        candidates, places, left_out = shortened(
            [self._candidate(job, offer, best) for offer in order]
            + [self._barred(job, m) for m in barred],
            list(dict.fromkeys([order.index(best), min(1, len(order) - 1), temptation])),
        )
        loser = places[-1] if len(places) > 1 else None
        return Decision(machine, rule, text, candidates, places[0], left_out, loser, facts)

    def next_for(self, machine: Machine) -> tuple[Job, Decision] | None:
        """In order of arrival: first of the classes that the bin lacks, then all that belong."""
        able = [job for job in self.cluster.fitting(machine) if self._belongs_on(job, machine)]
        if not able:
            return None
        lacking = [job for job in able if machine.score(job.job_class) > 0]
        job = (lacking or able)[0]
        return job, self._from_queue(job, able, bool(lacking), machine)

    # Worth

    def _worth(self, configuration: int, free: list[int]) -> int:
        value = np.zeros(1, dtype=np.int64)
        worths_of_machines(
            self._tables,
            np.array([free], dtype=np.int64),
            np.array([configuration], dtype=np.int64),
            value,
        )
        return int(value[0])

    def _offer(self, job: Job, machines: list[Machine]) -> Offer:
        first, k = machines[0], job.job_class
        left = [f - d for f, d in zip(first.free, job.demand, strict=True)]
        worth = self._worth(first.configuration, first.free)
        after = self._worth(first.configuration, left)
        time = float(self.cluster.data.mean_time[k, first.configuration])
        bonus = any(m.score(k) > 0 for m in machines)
        cost = time * float(worth - after)
        return Offer(machines, worth, after, cost - self._bonus if bonus else cost, bonus)

    def _share(self, machine: Machine) -> float:
        return self.cluster.parts(machine.free)

    def _fullest(self, machines: list[Machine]) -> Machine:
        """The one that best fit would take."""
        return min(machines, key=lambda m: (self._share(m), m.number))

    def _first_of(self, offer: Offer, job: Job) -> Machine:
        lacking = [m for m in offer.machines if m.score(job.job_class) > 0]
        return (lacking if self._bonus > 0 and lacking else offer.machines)[0]

    def _is_stray(self, job: Job) -> bool:
        return not any(
            self._belongs[job.job_class, m.configuration] and m.could_hold(job)
            for m in self.cluster.machines
        )

    def _belongs_on(self, job: Job, machine: Machine) -> bool:
        k, j = job.job_class, machine.configuration
        return bool(self.cluster.can_run[k, j] and (self._belongs[k, j] or self._is_stray(job)))

    def _may_go(self, job: Job, machine: Machine) -> bool:
        return not self.cluster.waiting or self._belongs_on(job, machine)

    def _taken(self, job: Job, offer: Offer) -> float:
        """Worth of the room that the job takes, in the unit of prices."""
        time = self.cluster.data.mean_time[job.job_class, offer.machines[0].configuration]
        return float(time) * float(offer.worth - offer.after) * self._unit

    # Words

    def _where(self, job: Job) -> str:
        name, own = self.cluster.class_of(job), self.cluster.configurations
        if not self.cluster.waiting:
            return ""
        if self._is_stray(job):
            return f"It is too large for all machines where {name} belongs, so it may go anywhere. "
        belongs = [own[j] for j in np.flatnonzero(self._belongs[job.job_class])]
        return f"Jobs wait, so it may go only where {name} belongs: {listed(belongs)}. "

    def _price_text(self, job: Job, offer: Offer, machine: Machine) -> str:
        brings = float(self._value[job.job_class])
        taken = self._taken(job, offer)
        unit = self.cluster.data.time_unit
        time = float(self.cluster.data.mean_time[job.job_class, machine.configuration])
        text = (
            f"The room on {machine.name} is worth {number(offer.worth * self._unit)} per {unit}, "
            f"beside the job {number(offer.after * self._unit)}: in {number(time)} {unit} the job "
            f"takes room worth {number(taken)} "
        )
        spoilt = taken - brings
        if spoilt > 1e-9 * max(1.0, brings):
            text += f"and brings {number(brings)}, so {number(spoilt)} is spoilt. "
        else:
            text += f"of the {number(brings)} that it brings. "
        if offer.bonus and self._bonus > 0:
            text += (
                f"The bin there has {machine.score(job.job_class)} more of the class than it runs: "
                f"less {number(self._bonus * self._unit)}, the cost is "
                f"{number(self._cost(job, offer))}. "
            )
        return text

    def _cost(self, job: Job, offer: Offer) -> float:
        """What is compared, in the unit of prices."""
        bonus = self._bonus * self._unit if offer.bonus else 0.0
        return self._taken(job, offer) - bonus

    def _room_facts(self, job: Job, offer: Offer) -> dict[str, Fact]:
        machine = self._first_of(offer, job)
        j, k = machine.configuration, job.job_class
        return {
            "mean time": float(self.cluster.data.mean_time[k, j]),
            "bonus": self._bonus * self._unit,
            "kinds looked at": LOOKED_AT,
            "more in its bin": machine.score(k),
        }

    def _choice(self, job: Job, offers: list[Offer], best: Offer) -> tuple[str, str]:
        """Rule, and the runner-up."""
        others = sorted((o for o in offers if o is not best), key=lambda offer: offer.cost)
        if not others:
            return "only one", "No other room is different. "
        second = others[0]
        name = self._first_of(second, job).name
        if second.cost == best.cost:
            return "fullest", f"{name} would cost the same and has more free. "
        rule = "least worth of room"
        if self._taken(job, second) <= self._taken(job, best):
            rule = "bin"
        cost = number(self._cost(job, second))
        return rule, f"{name} comes next at {cost}{self._why_cost(job, second, best)}. "

    def _why_cost(self, job: Job, offer: Offer, best: Offer) -> str:
        """How a cost comes about, where that is not plain."""
        if not self._bonus > 0 or not (offer.bonus or best.bonus):
            return ""
        if not offer.bonus:
            return " (its bin lacks none)"
        taken = number(self._taken(job, offer))
        less = "the same" if best.bonus else number(self._bonus * self._unit)
        return f" ({taken} less {less})"

    def _best_fit(
        self, job: Job, with_room: list[Machine], offers: list[Offer], best: Offer, reason: str
    ) -> str:
        """The runner-up, and what best fit would do and what that costs."""
        fullest = self._fullest(with_room)
        if fullest in best.machines:
            return f"{reason}Best fit would go there too."
        text = f"Best fit would take {fullest.name}, which has the least free"
        if not self._may_go(job, fullest):
            return f"{reason}{text}; {self.cluster.class_of(job)} does not belong there."
        offer = next((each for each in offers if fullest in each.machines), None)
        if offer is None:
            where = f"not among the {LOOKED_AT} fullest where the job may go"
            return f"{reason}{text}, but is {where}."
        more = number((offer.cost - best.cost) * self._unit)
        cost = f"{number(self._cost(job, offer))}{self._why_cost(job, offer, best)}"
        if all(other.cost >= offer.cost for other in offers if other is not best):
            return f"{text}: that comes next, at {cost}, more by {more}."
        return f"{reason}{text}, at {cost}, more by {more}."

    def _wait(self, job: Job, with_room: list[Machine], facts: dict[str, Fact]) -> Decision:
        name = self.cluster.class_of(job)
        able = [m for m in self.cluster.able(job) if m.could_hold(job)]
        ahead = len(self.cluster.waiting)
        facts["ahead of it"] = ahead
        if with_room:
            j = with_room[0].configuration
            whole = self.cluster.data.capacity_units[j].tolist()
            request = self.cluster.data.request_units[job.job_class].tolist()
            left = [max(0, c - d) for c, d in zip(whole, request, strict=True)]
            time = float(self.cluster.data.mean_time[job.job_class, j])
            costs = time * float(self._worth(j, whole) - self._worth(j, left)) * self._unit
            facts["takes there"] = costs
            text = (
                f"No machine where {name} belongs has room. {with_room[0].name} has, but {name} "
                f"does not belong on {self.cluster.configurations[j]}: on an empty machine there "
                f"it takes room worth {number(costs)} and brings "
                f"{number(float(self._value[job.job_class]))}, and others wait. "
            )
            rule = "does not belong"
            order = with_room + [m for m in able if m not in with_room]
        else:
            nearest, facts["lacks"], text = self.cluster.no_room(job, able)
            rule = "no room"
            order = sorted(able, key=lambda m: (m is not nearest, m.number))
        behind = f"behind {plural(ahead, 'job')}" if ahead else "as the first in line"
        text += f"The job waits {behind}."
        candidates, _, left_out = shortened([self._barred(job, m) for m in order], [0])
        return Decision(None, rule, text, candidates, None, left_out, 0, facts)

    def _candidate(self, job: Job, offer: Offer, best: Offer) -> Candidate:
        machine = self._first_of(offer, job)
        brings = float(self._value[job.job_class])
        taken = self._taken(job, offer)
        return Candidate(
            machine.number,
            machine.name,
            {
                "room": True,
                "belongs": self._belongs_on(job, machine),
                "worth": offer.worth * self._unit,
                "worth beside the job": offer.after * self._unit,
                "takes": taken,
                "spoils": taken - brings,
                "cost": self._cost(job, offer),
                "more by": (offer.cost - best.cost) * self._unit,
                "machines alike": len(offer.machines),
                "free in parts": self._share(machine),
                **self.cluster.amounts(machine.free, "free "),
            },
            self.cluster.box(job, machine),
        )

    def _barred(self, job: Job, machine: Machine) -> Candidate:
        return Candidate(
            machine.number,
            machine.name,
            {
                "room": machine.has_room(job),
                "belongs": self._belongs_on(job, machine),
                "free in parts": self._share(machine),
                **self.cluster.amounts(machine.free, "free "),
            },
            self.cluster.box(job, machine),
        )

    def _from_queue(self, job: Job, able: list[Job], lacking: bool, machine: Machine) -> Decision:
        k, name = job.job_class, self.cluster.class_of(job)
        facts: dict[str, Fact] = {"jobs that fit": len(able)}
        if lacking:
            text = (
                f"{job.label.capitalize()} is the first in line that fits and of whose class the "
                f"bin of {machine.name} has more than it runs: {machine.bin[k]} of {name}, "
                f"{machine.running[k]} running. "
            )
            rule = "bin"
        else:
            text = (
                f"The bin of {machine.name} lacks no class that waits and fits. "
                f"{job.label.capitalize()} is the first in line that fits and belongs here. "
            )
            rule = "first that belongs"
        first = self.cluster.fitting(machine)[0]
        if first is job:
            text += "Best fit would start it too."
        else:
            facts["first that fits"] = first.number + 1
            other = self.cluster.class_of(first)
            why = (
                f"the bin has {machine.bin[first.job_class]} of {other} and "
                f"{machine.running[first.job_class]} run"
                if self._belongs_on(first, machine)
                else f"{other} does not belong here"
            )
            text += f"Best fit would start {first.label}, which came earlier and fits; {why}."
        order = list(dict.fromkeys([job, first, *able]))
        candidates, places, left_out = shortened(
            [self._in_line(queued, machine) for queued in order], [0, order.index(first)]
        )
        loser = places[1] if first is not job else 1 if len(order) > 1 else None
        return Decision(machine, rule, text, candidates, places[0], left_out, loser, facts)

    def _in_line(self, job: Job, machine: Machine) -> Candidate:
        k = job.job_class
        return Candidate(
            None,
            job.label,
            {
                "class": self.cluster.class_of(job),
                "belongs": self._belongs_on(job, machine),
                "in the bin": machine.bin[k],
                "running": machine.running[k],
                **self.cluster.amounts(job.demand, "needs "),
            },
        )
