"""LoTES's dispatcher, section 4.3 of the paper, step by step.

An arriving job goes to the configuration that its draw says, there to the machine whose bin lacks
its class most. After an exit the machine starts jobs of the class that its bin lacks most.
"""

from __future__ import annotations

import numpy as np

from ....core.wording import listed, number, plural
from ....heuristics.datacenter.splitmix import uniform_of_job
from ....instances.datacenter.guidance import Guidance
from ..record import Candidate, Fact
from .cluster import Cluster, Job, Machine, shortened
from .play import Decision


class Lotes:
    """The rule of LoTES.

    `cluster`: machines with the plan's bins, and waiting jobs.
    `guidance`: the plan.
    `seed`: of the draws.
    `restricted`: whether a machine, on exits, starts only classes that the plan gives its
    configuration.
    """

    def __init__(
        self, cluster: Cluster, guidance: Guidance, seed: int, *, restricted: bool
    ) -> None:
        self.cluster, self._seed = cluster, seed
        self._shares = guidance.proportions
        planned = (guidance.running > 0) & cluster.can_run
        self._serves = planned if restricted else cluster.can_run
        self._restricted = restricted

    def arrive(self, job: Job) -> Decision:
        """The highest score on the configuration drawn, else on any other; lowest number."""
        k = job.job_class
        drawn, facts, text = self._draw(job)
        room = self.cluster.with_room(job)
        facts["machines with room"] = len(room)
        if not room:
            return self._wait(job, drawn, facts, text)
        near = [m for m in room if m.configuration == drawn]
        among = near or room
        order = sorted(among, key=lambda m: (-m.score(k), m.number))
        best, first = order[0], room[0]
        if drawn is not None and not near:
            text += (
                f"No machine of {self.cluster.configurations[drawn]} has room, so all others count."
            )
            text += " "
        facts["machines that count"] = len(among)
        rule, reason = self._choice(order, k, drawn if near else None)
        text += reason + self._first_fit(best, first, drawn, k)
        rest = [m for m in room if m not in among]
        rest += [m for m in self.cluster.able(job) if m not in room]
        candidates, places, left_out = shortened(
            [self._machine(m, job, best.score(k)) for m in order + rest],
            [(order + rest).index(m) for m in dict.fromkeys([best, *order[1:2], first])],
        )
        loser = places[-1] if len(places) > 1 else None
        return Decision(best, rule, text, candidates, places[0], left_out, loser, facts)

    def next_for(self, machine: Machine) -> tuple[Job, Decision] | None:
        """The first fitting job of the class with the highest score, ties in order of classes."""
        able = self.cluster.fitting(machine)
        planned = [job for job in able if self._is_planned(job, machine.configuration)]
        if planned:
            job = min(planned, key=lambda job: (-machine.score(job.job_class), job.job_class))
            return job, self._from_queue(job, planned, able, machine)
        strays = [job for job in able if not self._has_home(job)]
        if not strays:
            return None
        return strays[0], self._stray(strays[0], able, machine)

    # Arrivals

    def _draw(self, job: Job) -> tuple[int | None, dict[str, Fact], str]:
        """The configuration that the draw says; the last with a share takes rounding's rest."""
        name, shares = self.cluster.class_of(job), self._shares[job.job_class]
        some = np.flatnonzero(shares).tolist()
        if not some:
            return None, {}, f"The plan gives {name} no configuration, so all machines count. "
        drawn, u, total = some[-1], uniform_of_job(self._seed, job.number), 0.0
        for j in some:
            total += shares[j]
            if u < total:
                drawn = j
                break
        own = self.cluster.configurations
        if len(some) == 1:
            return drawn, {}, f"The plan runs {name} on {own[drawn]} alone. "
        facts: dict[str, Fact] = {"draw": u}
        facts |= {f"share of {own[j]}": float(shares[j]) for j in some}
        given = listed([f"{own[j]} {number(shares[j])}" for j in some])
        text = f"The plan gives {name} to {given}; the draw {number(u)} says {own[drawn]}. "
        return drawn, facts, text

    def _choice(self, order: list[Machine], k: int, drawn: int | None) -> tuple[str, str]:
        """Rule and words for the machine with the highest score."""
        best = order[0]
        of = "" if drawn is None else f" of {self.cluster.configurations[drawn]}"
        what = f"{best.bin[k]} of the class in its bin, {best.running[k]} running"
        if len(order) == 1:
            return (
                "only one",
                f"{best.name} is the only one{of} with room (score {best.score(k)}). ",
            )
        score = (
            f"Of {plural(len(order), 'machine')}{of} with room {best.name} has the highest score, "
        )
        score += f"{best.score(k)}: {what}"
        second = order[1]
        if second.score(k) == best.score(k):
            return (
                "lowest number",
                f"{score}. {second.name} has the same score and a higher number. ",
            )
        by = best.score(k) - second.score(k)
        return "highest score", f"{score}. {second.name} comes next, lower by {by}. "

    def _first_fit(self, best: Machine, first: Machine, drawn: int | None, k: int) -> str:
        if first is best:
            return "First fit would go there too."
        text = f"First fit would take {first.name}, the first machine with room"
        lower = best.score(k) - first.score(k)
        if best.configuration == drawn != first.configuration:
            return f"{text}, which is not of {self.cluster.configuration_of(best)}."
        if lower > 0:
            return f"{text}; its score {first.score(k)} is lower by {lower}."
        return f"{text}."

    def _wait(self, job: Job, drawn: int | None, facts: dict[str, Fact], text: str) -> Decision:
        """No machine has room."""
        able = self.cluster.able(job)
        near = [m for m in able if m.configuration == drawn and m.could_hold(job)]
        among = near or [m for m in able if m.could_hold(job)]
        nearest, facts["lacks"], lacking = self.cluster.no_room(job, among)
        ahead = sum(other.job_class == job.job_class for other in self.cluster.waiting)
        facts["ahead of it"] = ahead
        queue = "the queue of its class" if self._has_home(job) else "a queue of its own"
        behind = f"behind {ahead} of its class" if ahead else "as the first of its class"
        text += f"{lacking}The job waits in {queue}, {behind}."
        order = sorted(able, key=lambda m: (m is not nearest, m.configuration != drawn, m.number))
        candidates, _, left_out = shortened([self._machine(m, job) for m in order], [0])
        return Decision(None, "no room", text, candidates, None, left_out, 0, facts)

    def _machine(self, machine: Machine, job: Job, best: int | None = None) -> Candidate:
        k = job.job_class
        lower = None if best is None else best - machine.score(k)
        return Candidate(
            machine.number,
            machine.name,
            {
                "room": machine.has_room(job),
                "score": machine.score(k),
                "lower by": lower,
                "in its bin": machine.bin[k],
                "running": machine.running[k],
                **self.cluster.amounts(machine.free, "free "),
            },
            self.cluster.box(job, machine),
        )

    # Exits

    def _has_home(self, job: Job) -> bool:
        """Whether some machine looks at the queue of the job's class that could hold the job."""
        return any(
            self._serves[job.job_class, m.configuration] and m.could_hold(job)
            for m in self.cluster.machines
        )

    def _is_planned(self, job: Job, configuration: int) -> bool:
        if not self._restricted:
            return bool(self.cluster.can_run[job.job_class, configuration])
        return self._has_home(job) and bool(self._serves[job.job_class, configuration])

    def _queues(self, machine: Machine, planned: list[Job]) -> list[tuple[int, list[Job], bool]]:
        """Classes that wait and that the machine looks at, best score first; whether a job fits."""
        queues = []
        for k in range(len(self.cluster.classes)):
            jobs = [
                job
                for job in self.cluster.waiting
                if job.job_class == k and self._is_planned(job, machine.configuration)
            ]
            if jobs:
                queues.append((k, jobs, any(job.job_class == k for job in planned)))
        return sorted(queues, key=lambda queue: (-machine.score(queue[0]), queue[0]))

    def _from_queue(
        self, job: Job, planned: list[Job], able: list[Job], machine: Machine
    ) -> Decision:
        k, names = job.job_class, self.cluster.classes
        queues = self._queues(machine, planned)
        at = next(i for i, (other, _, _) in enumerate(queues) if other == k)
        facts: dict[str, Fact] = {"classes that wait": len(queues), "place in its queue": 0}
        whose = (
            f"Of the classes that the plan gives {self.cluster.configuration_of(machine)}"
            if self._restricted
            else "Of all classes"
        )
        text = (
            f"{whose}, {names[k]} has the highest score here of those with a job that fits, "
            f"{machine.score(k)}: {machine.bin[k]} in the bin, {machine.running[k]} running. "
        )
        rule = "highest score"
        if len(queues) == 1:
            rule = "only one"
            text = f"{whose} only {names[k]} waits; its score here is {machine.score(k)}. "
        for other, jobs, _ in queues[:at]:
            many = len(jobs) > 1
            text += (
                f"{names[other]} scores {machine.score(other)}, but "
                f"{f'none of its {len(jobs)} jobs fits' if many else 'its job does not fit'}. "
            )
        following = next(((o, j) for o, j, fitting in queues[at + 1 :] if fitting), None)
        if following is not None:
            by = machine.score(k) - machine.score(following[0])
            rule = "highest score" if by else "first class"
            text += f"{names[following[0]]} comes next, " + (
                f"lower by {by}. " if by else "with the same score but later in the file. "
            )
        place = queues[at][1].index(job)
        facts["place in its queue"] = place + 1
        text += f"{job.label.capitalize()} is the first of its queue"
        text += f" that fits, in place {place + 1}" if place else ""
        text += f". {self._first_come(job, able, machine, facts)}"
        candidates = tuple(self._queue(*queue, machine, k) for queue in queues)
        loser = next((i for i, queue in enumerate(queues) if queue[2] and i != at), None)
        return Decision(machine, rule, text, candidates, at, 0, loser, facts)

    def _first_come(
        self, job: Job, able: list[Job], machine: Machine, facts: dict[str, Fact]
    ) -> str:
        first = able[0]
        if first is job:
            ahead = self.cluster.waiting[0]
            if ahead is job:
                return "First fit would start it too."
            facts["first that waits"] = ahead.number + 1
            name = self.cluster.class_of(ahead)
            return (
                f"{ahead.label.capitalize()} ({name}) came earlier but "
                f"{self.cluster.why_not(ahead, machine)}; first fit would start {job.label} too."
            )
        facts["first that fits"] = first.number + 1
        name = self.cluster.class_of(first)
        return f"First fit would start {first.label} ({name}), which came earlier and fits."

    def _stray(self, job: Job, able: list[Job], machine: Machine) -> Decision:
        facts: dict[str, Fact] = {}
        where = f"fits no machine to which the plan gives {self.cluster.class_of(job)}"
        text = (
            f"No job of the plan's classes fits here. {job.label.capitalize()} {where}, so that "
            "every machine that can run it may start it, last of all. "
            + self._first_come(job, able, machine, facts)
        )
        candidate = Candidate(
            None, "jobs without a place in the plan", {"first that fits": job.label}
        )
        return Decision(machine, "no place in the plan", text, (candidate,), 0, 0, None, facts)

    def _queue(
        self, k: int, jobs: list[Job], fitting: bool, machine: Machine, best: int
    ) -> Candidate:
        return Candidate(
            None,
            f"queue of {self.cluster.classes[k]}",
            {
                "score": machine.score(k),
                "lower by": machine.score(best) - machine.score(k),
                "in its bin": machine.bin[k],
                "running": machine.running[k],
                "waiting": len(jobs),
                "a job fits": fitting,
            },
        )
