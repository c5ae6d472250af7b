"""Jobs go where they bring a machine nearest to its bin ([LoTES], section 4.3)."""

from __future__ import annotations

import random

from .answers import Reason, counted
from .cluster import Cluster
from .machine import Job, Machine
from .machine_sets import members
from .plan import fits
from .queues import Line
from .rule import Options, Rule, following


class Lotes(Rule):
    """LoTES; the homes of the line are the configurations whose bins have a class, or all."""

    def __init__(self, cluster: Cluster, line: Line, options: Options) -> None:
        super().__init__(cluster, line, options)
        self._scores = cluster.scores

    def score(self, job: Job, machine: Machine) -> float:
        """Jobs of the class that run less those in the bin: LoTES's score turned round."""
        return -machine.more(job.job_class)

    def choose(self, job: Job, draw: float) -> Machine | None:
        """The highest score on the configuration drawn, or else anywhere."""
        drawn = self.plan.drawn(job.job_class, draw)
        if self.options.sample is not None:
            return self._of_sample(job, drawn, self.options.sample)
        room = self.cluster.candidates(job.demand, self.plan.runs[job.job_class])
        if drawn is not None:
            machine = self._highest(job, room & self.cluster.open_of[drawn])
            if machine is not None:
                return machine
        return self._highest(job, room)

    def _highest(self, job: Job, among: int) -> Machine | None:
        if not among:
            return None
        for _, machines in self._scores.highest(job.job_class, among):
            for machine in members(machines, self.cluster.at):
                if fits(job.demand, machine.free):
                    return machine
        return None

    def _of_sample(self, job: Job, drawn: int | None, size: int) -> Machine | None:
        """[LoTES], section 5.3."""
        if drawn is None:
            runs = self.plan.runs[job.job_class]
            machines = [
                machine
                for j, able in enumerate(runs)
                if able
                for machine in self.cluster.open_list(j)
            ]
        else:
            machines = self.cluster.open_list(drawn)
        draws = random.Random(self.options.seed << 64 | job.number)
        chosen = draws.sample(machines, min(size, len(machines)))
        room = [machine for machine in chosen if fits(job.demand, machine.free)]
        return next(iter(self.ranked(job, room)), None)

    def serve(self, machine: Machine) -> list[Job]:
        """The class with the highest score first, then stray jobs in order."""
        line, j, started = self.line, machine.configuration, []
        left = [k for k, queue in enumerate(line.home) if queue.waiting and line.homes[k][j]]
        while left:
            k = max(left, key=machine.more)  # of equals the first
            job = line.home[k].first(machine.free) if line.home[k].waiting else None
            if job is None:
                left.remove(k)
                continue
            line.start(job, machine)
            started.append(job)
        return started + line.start_in_order(line.stray_for(machine), machine)

    def why(self, job: Job, draw: float) -> Reason | None:
        """What was drawn, and the scores."""
        plan, k = self.plan, job.job_class
        chosen = self.choose(job, draw)
        if chosen is None:
            return None
        drawn = plan.drawn(k, draw)
        room = self.cluster.with_room(job.demand, plan.runs[k])
        if drawn is None:
            draw_text = f"no bin has {plan.classes[k]}; "
        else:
            part = f"{100 * plan.share[k][drawn]:.3g} % of {plan.classes[k]} go there"
            draw_text = f"{plan.configurations[drawn]} was drawn ({part}); "
        if drawn == chosen.configuration:
            room = [machine for machine in room if machine.configuration == drawn]
            where = f"of its {counted(len(room), 'machine')} with room"
        else:
            nothing = "" if drawn is None else "it has no room; "
            where = f"{nothing}of the {counted(len(room), 'machine')} with room elsewhere"
        if self.options.sample is not None:
            where = f"of {self.options.sample} machines looked at, those with room:"
        others = [machine for machine in self.ranked(job, room) if machine is not chosen][:3]
        text = (
            f"{draw_text}{where} it has the highest score, {chosen.more(k)}: "
            f"{counted(chosen.bin[k], 'job')} of the class in its bin, {chosen.runs[k]} running"
        )
        text += following(f"{machine.name} with {machine.more(k)}" for machine in others)
        return self.reason(job, chosen, text, len(room), others)

    def turn(self, job: Job, machine: Machine) -> str:
        """The score of its class."""
        k = job.job_class
        if job.stray:
            return "fits no machine of its plan, and is the first such job that fits here"
        return (
            f"is the first of its class, which has the highest score here of those that wait and "
            f"fit, {machine.more(k)}: {counted(machine.bin[k], 'job')} in the bin, "
            f"{machine.runs[k]} running"
        )
