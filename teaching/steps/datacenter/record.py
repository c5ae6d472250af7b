"""Recorders of dispatching policies: arrivals and exits one after the other, a step for each."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ....core.arrays import FloatArray, IntArray
from ....core.errors import InputError
from ....core.wording import listed, number, plural
from ....instances.datacenter.datacenter import Datacenter
from ....instances.datacenter.guidance import Guidance
from ....instances.datacenter.workload import Workload
from ....solvers.datacenter.jobs_asked import JobsAsked, plan_for
from ..record import Fact, Kind, Row, Step, Steps
from ..telling import few
from . import JOBS, LOAD
from .cluster import Cluster, Job, Machine
from .planned_rules import BidPrice, Lotes
from .rules import BestFit, Decision, Rule, Tetris

MOST_MACHINES, MOST_JOBS = 60, 400
"""More cannot be read on a page."""

MOST_SHOWN = 5
"""Candidates of a step that are shown."""


@dataclass(frozen=True, eq=False)
class Dispatched:
    """When (`time_unit`) and on which machine every job of a workload started, shape (jobs,)."""

    workload: Workload
    policy: str
    start: FloatArray
    machine: IntArray


class _Player:
    """A workload under a rule: events in the simulator's order, a step for every decision."""

    def __init__(self, workload: Workload, rule: Rule) -> None:
        self.workload, self.rule, self.cluster = workload, rule, rule.cluster
        jobs = len(self.cluster.jobs)
        self.start: FloatArray = np.full(jobs, np.nan)
        self.machine: IntArray = np.full(jobs, -1, dtype=np.int64)
        self.steps: list[Step] = []
        self._ends: list[tuple[float, int]] = []

    def run(self) -> None:
        """Go through all events. At one time jobs leave first, in order of arrival."""
        coming = list(self.cluster.jobs)[::-1]
        while coming or self.cluster.waiting:
            if self._ends and (not coming or self._ends[0][0] <= coming[-1].arrival):
                self.cluster.now, gone = heapq.heappop(self._ends)
                self._leave(self.cluster.jobs[gone])
            else:
                self.cluster.now = coming[-1].arrival
                self._arrive(coming.pop())

    def _arrive(self, job: Job) -> None:
        cluster, decision = self.cluster, self.rule.arrive(job)
        amounts = cluster.amounts(job.demand)
        needs = listed([f"{number(float(a or 0))} {r}" for r, a in amounts.items() if a], None)
        before = f"{job.label.capitalize()} ({cluster.class_of(job)}) needs {needs}. "
        if decision.machine is None:
            cluster.waiting.append(job)
            self._add(decision, f"{job.label} arrives and waits", before)
        else:
            title = f"{job.label} arrives and starts on {decision.machine.name}"
            self._add(decision, title, before)

    def _leave(self, gone: Job) -> None:
        machine, cluster = self.cluster.machines[self.machine[gone.number]], self.cluster
        machine.free = [f + d for f, d in zip(machine.free, gone.demand, strict=True)]
        machine.running[gone.job_class] -= 1
        waiting = len(cluster.waiting)
        before = (
            f"{gone.label.capitalize()} ({cluster.class_of(gone)}) has ended on {machine.name}, "
            f"and {plural(waiting, 'job')} {'waits' if waiting == 1 else 'wait'}. "
        )
        while cluster.waiting and (decision := self.rule.next_for(machine)) is not None:
            job = decision.job
            waited = cluster.now - job.arrival
            keeper = decision.keeper
            keeper.facts |= {"job that ended": gone.number + 1, "jobs waiting": waiting}
            unit = self.workload.datacenter.time_unit
            its = f"{keeper.number('has waited', waited)} {unit}"
            keeper.say(f"{job.label.capitalize()} has waited {its}")
            self._add(decision, f"{gone.label} leaves {machine.name}: {job.label} starts", before)
            cluster.waiting.remove(job)
            before = f"{machine.name} looks again. "

    def _begin(self, job: Job, machine: Machine) -> Row:
        assert machine.has_room(job)
        self.rule.started(job, machine)
        machine.free = [f - d for f, d in zip(machine.free, job.demand, strict=True)]
        machine.running[job.job_class] += 1
        now = self.cluster.now
        self.start[job.number], self.machine[job.number] = now, machine.number
        end = now + self.cluster.duration_on(job, machine)
        heapq.heappush(self._ends, (end, job.number))
        label = f"#{job.number + 1}"
        return Row(machine.number, now, end, label, job.job_class, job=job.label)

    def _add(self, decision: Decision, title: str, before: str) -> None:
        cluster, job, machine = self.cluster, decision.job, decision.machine
        facts: dict[str, Fact] = {
            "time": cluster.now,
            "job": job.number + 1,
            "class": cluster.class_of(job),
            **cluster.amounts(job.demand, "needs "),
        }
        kind: Kind = "wait" if machine is None else "start" if job in cluster.waiting else "place"
        chosen = None if machine is None else 0
        self.steps.append(
            Step(
                kind,
                f"{number(cluster.now)} {cluster.data.time_unit}: {title}",
                decision.rule,
                before + decision.keeper.text,
                **few(decision.candidates, chosen, decision.loser, MOST_SHOWN),
                facts=facts | decision.keeper.facts,
                rows=() if machine is None else (self._begin(job, machine),),
                job=job.label,
            )
        )


def _check_size(datacenter: Datacenter, jobs: int) -> None:
    if datacenter.machines > MOST_MACHINES:
        part = MOST_MACHINES / 4 / datacenter.machines
        raise InputError(
            f"{datacenter.name}: a page follows at most {MOST_MACHINES} machines, here are "
            f"{datacenter.machines}: --scale {part:.1g} takes fewer"
        )
    if jobs > MOST_JOBS:
        raise InputError(
            f"a page follows at most {MOST_JOBS} jobs, here are {jobs}: --jobs takes fewer"
        )


def _recorder(
    method: str, rule: Callable[[Cluster, Any, int], Rule], *, follows_plan: bool = True
) -> Callable[..., Steps]:
    """The recorder of a policy; its rule is made of machines, plan and the seed of its draws."""

    def record(
        datacenter: Datacenter,
        *,
        trace: Workload | str | Path | None = None,
        guidance: Guidance | str | Path | None = None,
        jobs: int | None = None,
        load: float | None = None,
        noise: float = 0.0,
        seed: int = 0,
    ) -> Steps:
        """One step for every arrival, and for every job that starts after an exit.

        `trace` and `guidance` are jobs and plan, or their files; without them both are made.
        """
        for name, given, kind in (("trace", trace, Workload), ("guidance", guidance, Guidance)):
            if not (given is None or isinstance(given, str | Path | kind)):
                raise InputError(f"{name}: need the name of a file, got {given!r}")
        _check_size(datacenter, jobs or 0)
        spread, plan = 0.0, guidance if isinstance(guidance, Guidance) else None
        workload = trace if isinstance(trace, Workload) else None
        asked = JobsAsked(
            load=LOAD if load is None and trace is None else load,
            trace=None if isinstance(trace, Workload) else trace,
            jobs=JOBS if jobs is None and trace is None else jobs,
            seed=seed,
            noise=noise,
        )
        if workload is None:
            asked.check()
            workload = asked.replayed(datacenter)
            spread = asked.spread(workload)
        if workload is not None:
            _check_size(datacenter, workload.jobs)
        if plan is None and (follows_plan or workload is None):
            plan = plan_for(
                datacenter, guidance if isinstance(guidance, str | Path) else None, spread
            )
        if workload is None:
            assert plan is not None
            workload = asked.drawn(datacenter, plan)
        cluster = Cluster(workload, plan if follows_plan else None)
        player = _Player(workload, rule(cluster, plan, seed))
        player.run()
        knows = "" if method == "tetris" else ", which the policy does not know"
        return Steps(
            method=method,
            instance=workload.datacenter.name,
            lanes=tuple(machine.name for machine in cluster.machines),
            steps=tuple(player.steps),
            outcome=Dispatched(workload, method, player.start, player.machine),
            unit=workload.datacenter.time_unit,
            groups=workload.datacenter.classes,
            notes=(f"jobs: {workload.source}", f"a bar is as long as its job will run{knows}"),
        )

    return record


lotes = _recorder("lotes", lambda cluster, plan, seed: Lotes(cluster, plan, seed, restricted=True))
"""LoTES's dispatcher ([LoTES], section 4.3)."""

lotes_unrestricted = _recorder(
    "lotes-unrestricted",
    lambda cluster, plan, seed: Lotes(cluster, plan, seed, restricted=False),
)
"""LoTES's dispatcher that on exits starts any class."""

bid_price = _recorder("bid-price", lambda cluster, plan, _: BidPrice(cluster, plan))
"""Dispatching by prices (docs/heuristics/dispatch.md)."""

first_fit = _recorder("first-fit", lambda cluster, *_: Rule(cluster), follows_plan=False)
"""First fit."""

best_fit = _recorder("best-fit", lambda cluster, *_: BestFit(cluster), follows_plan=False)
"""Best fit."""

tetris = _recorder("tetris", lambda cluster, *_: Tetris(cluster), follows_plan=False)
"""Tetris ([Tetris], as in [LoTES], section 5.2)."""
