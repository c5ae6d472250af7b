"""Jobs go where they bring a machine nearest to its bin ([LoTES], section 4.3)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ..splitmix import draw
from .answers import counted
from .machine import Job, Machine
from .plan import fits
from .queues import first_fitting
from .rule import Rule


class Lotes(Rule):
    """LoTES; the homes of the line are the configurations whose bins have a class, or all."""

    def score(self, job: Job, machine: Machine) -> float:
        """Jobs of the class that run less those in the bin: LoTES's score turned round."""
        return -machine.more(job.job_class)

    def offers(self, job: Job, draw: float) -> Iterator[Machine]:
        """Those of the configuration drawn, then all others."""
        k, cluster = job.job_class, self.cluster
        drawn = self.plan.drawn(k, draw)
        if self.options.sample is not None:
            yield from self._of_sample(job, drawn, self.options.sample)
            return
        places = cluster.places(job.demand, self.plan.runs[k])
        elsewhere = cluster.kind[places] != drawn
        for place in places[np.lexsort((-cluster.more[places, k], elsewhere))].tolist():
            yield cluster.at[place]

    def _of_sample(self, job: Job, drawn: int | None, size: int) -> list[Machine]:
        """[LoTES], section 5.3; drawn from all homes if the job fits nothing of the drawn one."""

        def holding(places: Sequence[bool]) -> list[Machine]:
            at = self.cluster.places_if_empty(job.demand, places).tolist()
            return [self.cluster.at[place] for place in at]

        homes = self.line.places_for(job)
        machines = holding([home and j == drawn for j, home in enumerate(homes)]) or holding(homes)
        size = min(size, len(machines))
        for i in range(size):  # the first steps of a shuffle
            at = i + int(draw(self.options.seed, job.number, i) * (len(machines) - i))
            machines[i], machines[at] = machines[at], machines[i]
        room = [machine for machine in machines[:size] if fits(job.demand, machine.free)]
        return sorted(room, key=lambda machine: (self.score(job, machine), machine.place))

    def serve(self, machine: Machine) -> list[Job]:
        """The class with the highest score first, then stray jobs in order."""
        line, j, started = self.line, machine.configuration, []
        left = [k for k, queue in enumerate(line.home) if queue and line.homes[k][j]]
        while left:
            k = max(left, key=machine.more)  # of equals the first
            job = first_fitting(line.home[k], machine.free)
            if job is None:
                left.remove(k)
                continue
            line.start(job, machine)
            started.append(job)
        return started + line.start_in_order(line.stray_for(machine), machine)

    def words(self, job: Job, offers: Sequence[Machine], draw: float) -> tuple[int, str, str]:
        plan, k, chosen = self.plan, job.job_class, offers[0]
        drawn = plan.drawn(k, draw)
        is_there = drawn == chosen.configuration
        places = [able and not (is_there and j != drawn) for j, able in enumerate(plan.runs[k])]
        room = len(self.cluster.places(job.demand, places))
        if drawn is None:
            draw_text = f"no bin has {plan.classes[k]}; "
        else:
            part = f"{100 * plan.share[k][drawn]:.3g} % of {plan.classes[k]} go there"
            nothing = "" if is_there else "it has no room; "
            draw_text = f"{plan.configurations[drawn]} was drawn ({part}); {nothing}"
        if self.options.sample is not None:
            where = f"of {self.options.sample} machines looked at, those with room:"
        elif is_there:
            where = f"of its {counted(room, 'machine')} with room"
        else:
            where = f"of the {counted(room, 'machine')} with room elsewhere"
        text = (
            f"{draw_text}{where} it has the highest score, {chosen.more(k)}: "
            f"{counted(chosen.bin[k], 'job')} of the class in its bin, {chosen.runs[k]} running"
        )
        return room, text, ""

    def note(self, job: Job, machine: Machine) -> str:
        return f"with {machine.more(job.job_class)}"

    def turn(self, job: Job, machine: Machine) -> str:
        k = job.job_class
        if job.stray:
            return "fits no machine of its plan, and is the first such job that fits here"
        return (
            f"is the first of its class, which has the highest score here of those that wait and "
            f"fit, {machine.more(k)}: {counted(machine.bin[k], 'job')} in the bin, "
            f"{machine.runs[k]} running"
        )
