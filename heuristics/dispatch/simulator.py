"""Run a workload through a datacenter under a policy."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import count
from time import process_time
from typing import Any

import numpy as np

from ...instances.arrays import IntArray
from ...instances.datacenter.datacenter import Datacenter
from ...instances.datacenter.guidance import Guidance
from ...instances.datacenter.workload import Jobs, Workload
from ...instances.errors import InputError
from ...instances.limits import MOST_SLOTS
from ..background import interruptible
from . import POLICIES
from .engine import event_loop as events
from .engine.state import (
    ARRIVED,
    DEPARTED,
    FULL,
    NEXT,
    RUNNING,
    SAMPLED,
    SPARE,
    STARTED,
    STOP,
    WAITING,
    System,
    new_system,
    with_more_slots,
)
from .policies import best_fit, lotes, tetris
from .policies.best_fit import BestFit
from .policies.greedy import Greedy
from .policies.greedy import with_room as with_longer_queues
from .policies.tetris import Tetris
from .policy import Setting
from .result import Simulation
from .waiting.class_queues import grown

SAMPLES = 240
"""Times at which queue, utilisation and fragmentation are noted, from 0 to the last arrival."""

OFTEN = 8
"""After so many blocks of jobs, and from then on after twice as many, grids are made anew."""

Planner = Callable[[Datacenter], Guidance]
ArrivalCallback = Callable[[int, int], None]


def simulate(
    workload: Workload,
    policy: str = "lotes",
    *,
    guidance: Guidance | None = None,
    seed: int = 0,
    warm_up: float = 0.0,
    gamma: float | None = None,
    replan: float | None = None,
    planner: Planner | None = None,
    log: bool = False,
    on_progress: ArrivalCallback | None = None,
    on_start: Callable[[], None] | None = None,
) -> Simulation:
    """Run `workload` under `policy`, one of `POLICIES`, until no job waits.

    The first part `warm_up` of the jobs is not measured. `seed` is that of the policy's draws. With
    `replan`, every so many time units the `planner` is given the datacenter with the shares that
    arrived since, and LoTES follows its plan from then on. `log` keeps start and machine of every
    job. `on_progress` is told arrivals so far and in all. Ctrl-C ends the run with what was seen,
    once it has begun, of which `on_start` is told: compiling comes before.

    Raises `InputError` for unknown policies and wrong options, `BrokenInvariant` if a policy
    overfills a machine, starts a job twice, or loses one: this is always checked.
    """
    entry = POLICIES.lookup(policy)
    if not 0 <= warm_up < 1:
        raise InputError(f"warm-up: need a part from 0 to below 1, got {warm_up}")
    if replan is not None and not (policy.startswith("lotes") and planner and replan > 0):
        raise InputError("replan: need a positive time, a planner, and a policy that follows it")
    datacenter = workload.datacenter
    if datacenter.machines > MOST_SLOTS:
        raise InputError(f"{datacenter.name}: more than {MOST_SLOTS} machines")
    system = new_system(
        datacenter,
        arrivals_per_time=workload.jobs / max(workload.horizon, 1e-300),
        interval=workload.horizon / SAMPLES,
        samples=SAMPLES,
        measured_from=int(warm_up * workload.jobs),
        log=workload.jobs if log else 0,
    )
    blocks = workload.blocks()
    block = next(blocks)
    setting = Setting(datacenter, block.demand, guidance, seed, gamma)
    run = _Run(system, entry.load()(setting, system), setting, workload.jobs)
    # Nothing happens before that time: the policy is compiled, or read from the cache.
    events.run(run.policy, system, block, -np.inf, False)
    interrupted = False
    try:
        if on_start is not None:
            on_start()
        run.go_through(block, blocks, replan, planner, on_progress)
    except KeyboardInterrupt:
        interrupted = True
    _check_conserved(run.system, None if interrupted else workload.jobs)
    final = run.system
    return Simulation(
        workload=workload,
        policy=policy,
        jobs=final.jobs,
        at_once=final.at_once,
        wait_sum=final.wait_sum,
        wait_max=final.wait_max,
        waits=final.waits,
        series=final.series[: max(1, int(final.tally[SAMPLED]))],
        events=int(final.tally[ARRIVED] + final.tally[DEPARTED]),
        seconds=run.seconds,
        all_jobs=int(final.all_jobs[0]),
        mean_wait_of_all=float(final.all_jobs[1]) / max(1.0, float(final.all_jobs[0])),
        replanned=run.plans,
        interrupted=interrupted,
        warm_up=warm_up,
        start=final.log_start,
        machine=_in_order(final, datacenter),
    )


class _Run:
    """A system and a policy that are given more room, and new plans, when they need it."""

    def __init__(self, system: System, policy: Any, setting: Setting, jobs: int) -> None:
        self.system, self.policy, self.setting, self.jobs = system, policy, setting, jobs
        self.seconds, self.plans, self.plan = 0.0, 0, setting.guidance

    def go_through(
        self,
        block: Jobs,
        others: Iterator[Jobs],
        replan: float | None,
        planner: Planner | None,
        on_progress: ArrivalCallback | None,
    ) -> None:
        """All events of the block and of the `others`."""
        datacenter = self.setting.datacenter
        arrived = np.zeros(len(datacenter.classes), dtype=np.int64)
        next_plan = np.inf if replan is None else replan
        for number in count(1):
            following = next(others, None)
            self.system.tally[NEXT] = 0
            begun = 0
            while self._go_on(block, next_plan, following is None) == events.TIME_IS_UP:
                done = int(self.system.tally[NEXT])
                arrived += np.bincount(block.job_class[begun:done], minlength=len(arrived))
                begun = done
                assert planner is not None
                assert replan is not None
                next_plan += replan
                if arrived.any():
                    self._follow(planner(replace(datacenter, share=arrived / arrived.sum())))
                    arrived[:] = 0
            arrived += np.bincount(block.job_class[begun:], minlength=len(arrived))
            if on_progress is not None:
                on_progress(int(self.system.tally[ARRIVED]), self.jobs)
            if following is None:
                return
            if number < OFTEN or number & (number - 1) == 0:
                self._new_grid()
            block = following

    def _follow(self, plan: Guidance) -> None:
        assert self.plan is not None
        self.policy = lotes.replanned(self.policy, self.system, plan, self.plan)
        lotes.offer(self.policy, self.system)
        self.plan = plan
        self.plans += 1

    def _go_on(self, block: Jobs, until: float, last: bool) -> int:
        while True:
            began = process_time()
            why = self._run_kernel(block, until, last)
            self.seconds += process_time() - began
            if why == events.NEEDS_SLOTS:
                self.system = with_more_slots(self.system)
            elif why == events.NEEDS_ROOM:
                self._more_room()
            else:
                return why

    def _run_kernel(self, block: Jobs, until: float, last: bool) -> int:
        """Why the kernel came back; raises `KeyboardInterrupt` if Ctrl-C stopped it."""
        why: list[int] = []
        stop = self.system.tally[STOP : STOP + 1]

        def work() -> None:
            why.append(int(events.run(self.policy, self.system, block, until, last)))

        try:
            if not interruptible(work, stop):
                raise KeyboardInterrupt
        finally:
            stop[0] = 0
        return why[0]

    def _new_grid(self) -> None:
        """Fit the cells of the grid, if there is one, to what machines have free by now."""
        began = process_time()
        if isinstance(self.policy, Tetris):
            made = tetris.policy(self.setting, self.system)
            self.policy = made._replace(queues=self.policy.queues)
        elif isinstance(self.policy, BestFit):
            fresh = best_fit.policy(self.setting, self.system)
            self.policy = fresh._replace(queues=self.policy.queues)
        self.seconds += process_time() - began

    def _more_room(self) -> None:
        if isinstance(self.policy, Greedy):
            self.policy = with_longer_queues(self.policy)
        else:
            queues = grown(self.policy.queues, self.system.info, tetris.works(self.system))
            self.policy = self.policy._replace(queues=queues)
        self.system.tally[FULL] = 0


def _check_conserved(system: System, jobs: int | None) -> None:
    """None: the run was cut short, jobs may wait."""
    tally = system.tally
    running, waiting = tally[RUNNING], tally[WAITING]
    slots = len(system.info) - tally[SPARE]
    if not (
        tally[ARRIVED] - tally[STARTED] == waiting
        and tally[STARTED] - tally[DEPARTED] == running
        and running + waiting == slots
        and (jobs is None or (tally[STARTED] == jobs and waiting == 0))
    ):
        raise events.BrokenInvariant("jobs that arrived, started, departed and run do not add up")


def _in_order(system: System, datacenter: Datacenter) -> IntArray:
    """Logged machines as numbers of the datacenter."""
    first = np.cumsum([0, *datacenter.count])[:-1]
    known = np.where(system.log_machine >= 0, system.log_machine, 0)
    j = system.configuration[known]
    numbers: IntArray = known - 64 * system.words[j, 0] + first[j]
    return numbers
