"""The dispatching rules that follow a plan: LoTES's bins, and prices."""

from __future__ import annotations

import numpy as np

from ....core.wording import listed
from ....heuristics.datacenter.splitmix import uniform_of_job
from ....heuristics.datacenter.worth.recipe import LOOKED_AT
from ....heuristics.datacenter.worth.tables import (
    check_prices,
    tables_at_prices,
    worths_of_machines,
)
from ....instances.datacenter.guidance import Guidance
from ..record import Fact
from ..telling import FactKeeper
from .cluster import Cluster, Job, Machine, fits
from .rules import Rule


class _Planned(Rule):
    """A rule in which a class has machines of its own; `serves` (K, M) says which."""

    def __init__(
        self, cluster: Cluster, serves: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]
    ) -> None:
        super().__init__(cluster)
        self._serves = serves & cluster.can_run & (cluster.data.count > 0)

    def at_home(self, job: Job, machine: Machine) -> bool:
        """Whether a machine is for the job, as all are for one too large for those of its class."""
        k, j = job.job_class, machine.configuration
        return bool(self.cluster.can_run[k, j] and (self._serves[k, j] or self.is_stray(job)))

    def is_stray(self, job: Job) -> bool:
        return not any(
            self._serves[job.job_class, m.configuration] and fits(job.demand, m.capacity)
            for m in self.cluster.machines
        )

    def about(self, job: Job, machine: Machine) -> dict[str, Fact]:
        k = job.job_class
        return {"in its bin": machine.bin[k], "running": machine.running[k]}

    def score(self, job: Job, machine: Machine) -> float:
        return machine.score(job.job_class)

    def bin_words(self, job: Job, machine: Machine, keeper: FactKeeper) -> str:
        k = job.job_class
        return (
            f"{keeper.number('in its bin', machine.bin[k])} of the class in its bin, "
            f"{keeper.number('running', machine.running[k])} running"
        )


class Lotes(_Planned):
    """LoTES's dispatcher, section 4.3 of the paper.

    An arriving job goes to the configuration that its draw says, there to the machine whose bin
    lacks its class most. After an exit the machine starts jobs of the class that its bin lacks
    most, of those that the plan gives it if `restricted`.
    """

    name, measure, words, sign = "highest score", "score", "has the highest score", -1.0
    rival, queue = "First fit", " of its class"

    def __init__(
        self, cluster: Cluster, guidance: Guidance, seed: int, *, restricted: bool
    ) -> None:
        super().__init__(cluster, guidance.running > 0 if restricted else cluster.can_run)
        self._shares, self._seed = guidance.proportions, seed

    def value(self, job: Job, machine: Machine) -> float:
        return machine.score(job.job_class)

    def counted(self, job: Job, room: list[Machine], keeper: FactKeeper) -> list[Machine]:
        """Those of the configuration drawn, or else all with room."""
        name, shares = self.cluster.class_of(job), self._shares[job.job_class]
        own, some = self.cluster.configurations, np.flatnonzero(shares).tolist()
        if not some:
            keeper.say(f"The plan gives {name} no configuration, so all machines count")
            return room
        # The last with a share takes rounding's rest.
        drawn, u, total = some[-1], uniform_of_job(self._seed, job.number), 0.0
        for j in some:
            total += shares[j]
            if u < total:
                drawn = j
                break
        if len(some) == 1:
            keeper.say(f"The plan runs {name} on {own[drawn]} alone")
        else:
            draw = keeper.number("draw", u)
            given = [f"{own[j]} {keeper.number(f'share of {own[j]}', shares[j])}" for j in some]
            keeper.say(f"The plan gives {name} to {listed(given, None)}; the draw {draw} says "
                       f"{own[drawn]}")  # fmt: skip
        near = [m for m in room if m.configuration == drawn]
        if room and not near:
            keeper.say(f"No machine of {own[drawn]} has room, so all others count")
        return near or room

    def explain(self, job: Job, best: Machine, keeper: FactKeeper) -> None:
        keeper.say(f"{best.name} has {self.bin_words(job, best, keeper)}")

    def barred(self, job: Job, machine: Machine) -> str:
        return f"is of {self.cluster.configurations[machine.configuration]}"

    def may_start(self, fitting: list[Job], machine: Machine, keeper: FactKeeper) -> list[Job]:
        """Jobs of the plan's classes; without any those too large for all machines of the plan."""
        planned = [j for j in fitting if self._serves[j.job_class, machine.configuration]
                   and not self.is_stray(j)]  # fmt: skip
        strays = [job for job in fitting if self.is_stray(job)]
        if strays and not planned:
            keeper.say("No job of the plan's classes fits here, so that one may start that fits no "
                       "machine to which the plan gives its class")  # fmt: skip
        return planned or strays[:1]

    def turn(self, job: Job, machine: Machine) -> tuple[float, ...]:
        return (-machine.score(job.job_class), job.job_class)

    def explain_turn(self, job: Job, machine: Machine, keeper: FactKeeper) -> str:
        score = keeper.number("score", machine.score(job.job_class))
        name = self.cluster.class_of(job)
        return (
            f"is the first of {name}, the class with the highest score here, {score}: "
            f"{self.bin_words(job, machine, keeper)}"
        )


class BidPrice(_Planned):
    """A job goes where it takes the least worth of room, less a bonus where the bin lacks it.

    The worth of room is looked up in the tables that the policy itself has; everything else is
    decided here again. While jobs wait, a job goes only where its class belongs.
    """

    name, measure, words = "least worth of room", "cost", "costs least"
    tie, rival = ("fullest", "more free"), "Best fit"

    def __init__(self, cluster: Cluster, guidance: Guidance) -> None:
        prices = check_prices(guidance)
        super().__init__(cluster, prices.belongs)
        self._brings = prices.value
        self._tables, self._bonus = tables_at_prices(guidance)

    def value(self, job: Job, machine: Machine) -> float:
        return self.key(job, machine) * self._tables.unit

    def key(self, job: Job, machine: Machine) -> float:
        """Time times what the worth of room falls by, less the bonus, in the tables' unit."""
        cost = self._time(job, machine) * float(self._worth(machine) - self._worth(machine, job))
        return cost - self._bonus if machine.score(job.job_class) > 0 else cost

    def _time(self, job: Job, machine: Machine) -> float:
        return float(self.cluster.data.mean_time[job.job_class, machine.configuration])

    def _worth(self, machine: Machine, job: Job | None = None) -> int:
        """Worth of the room now, or beside a job."""
        demand = [0] * len(machine.free) if job is None else job.demand
        free = [[f - d for f, d in zip(machine.free, demand, strict=True)]]
        found = np.zeros(1, dtype=np.int64)
        worths_of_machines(self._tables, np.array(free), np.array([machine.configuration]), found)
        return int(found[0])

    def counted(self, job: Job, room: list[Machine], keeper: FactKeeper) -> list[Machine]:
        """Of the machines alike one, and one whose bin lacks the class, the fullest first."""
        if self.cluster.waiting:
            name, belongs = self.cluster.class_of(job), self._serves[job.job_class]
            own = [self.cluster.configurations[j] for j in np.flatnonzero(belongs)]
            keeper.say(
                f"It is too large for all machines where {name} belongs, so it may go anywhere"
                if self.is_stray(job)
                else f"Jobs wait, so it may go only where {name} belongs: {listed(own)}"
            )
            room = [m for m in room if self.at_home(job, m)]
        alike: dict[tuple[int, ...], list[Machine]] = {}
        for m in room:
            alike.setdefault((m.configuration, *m.free), []).append(m)
        kinds = sorted(alike.values(), key=lambda some: self._fullness(some[0]))[:LOOKED_AT]
        keeper.facts["kinds of room"] = len(kinds)
        counted: list[Machine] = []
        for some in kinds:
            lacking = [m for m in some if self._bonus > 0 and m.score(job.job_class) > 0]
            counted += [*lacking[:1], *[m for m in some if m not in lacking][:1]]
        return counted

    def _fullness(self, machine: Machine) -> tuple[float, int]:
        return self.cluster.parts(machine.free), machine.number

    def explain(self, job: Job, best: Machine, keeper: FactKeeper) -> None:
        unit, time = self._tables.unit, self._time(job, best)
        now, after = self._worth(best) * unit, self._worth(best, job) * unit
        data = self.cluster.data
        taken = keeper.number("takes", self._takes(job, best))
        text = (
            f"The room there is worth {keeper.number('worth', now)} per {data.time_unit}, beside "
            f"the job {keeper.number('worth beside the job', after)}: in "
            f"{keeper.number('mean time', time)} {data.time_unit} the job takes room worth {taken} "
            f"of the {keeper.number('brings', self._brings[job.job_class])} that it brings"
        )
        if self._bonus > 0 and best.score(job.job_class) > 0:
            bonus = keeper.number("bonus", self._bonus * unit)
            text += f", less {bonus} because the bin lacks the class"
        keeper.say(text)

    def _takes(self, job: Job, machine: Machine) -> float:
        worth = float(self._worth(machine) - self._worth(machine, job))
        return self._time(job, machine) * worth * self._tables.unit

    def about(self, job: Job, machine: Machine) -> dict[str, Fact]:
        return {
            "belongs": self.at_home(job, machine),
            "takes": self._takes(job, machine) if machine.has_room(job) else None,
            "free in parts": self.cluster.parts(machine.free),
            **super().about(job, machine),
        }

    def rivals_choice(self, room: list[Machine]) -> Machine:
        return min(room, key=self._fullness)

    def barred(self, job: Job, machine: Machine) -> str:
        if self.at_home(job, machine):
            return "is not among the fullest that are looked at"
        return f"is no machine where {self.cluster.class_of(job)} belongs"

    def may_start(self, fitting: list[Job], machine: Machine, keeper: FactKeeper) -> list[Job]:
        return [job for job in fitting if self.at_home(job, machine)]

    def turn(self, job: Job, machine: Machine) -> tuple[float, ...]:
        return (machine.score(job.job_class) <= 0,)

    def explain_turn(self, job: Job, machine: Machine, keeper: FactKeeper) -> str:
        if machine.score(job.job_class) <= 0:
            return "came first; the bin lacks no class of theirs"
        words = self.bin_words(job, machine, keeper)
        return f"is the first that the bin of {machine.name} lacks: {words}"
