"""Run a workload through a datacenter under a policy."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import ceil
from time import process_time
from typing import TypedDict, Unpack

import numpy as np

from ...core.calls import checked
from ...core.errors import InputError
from ...instances.datacenter.guidance import Guidance
from ...instances.datacenter.workload import Jobs, Workload, checked_jobs
from ...instances.limits import MOST_SLOTS
from . import event_loop as events
from .engine.columns import (
    ALL_STARTED,
    ALL_WAIT,
    ARRIVED,
    DEPARTED,
    FIRST_MEASURED,
    NEXT_JOB,
    RUNNING,
    SAMPLES_TAKEN,
    SPARE,
    STARTED,
    WAITING,
)
from .engine.state import System, new_system, place_in_datacenter, with_more_slots
from .policy import (
    AnyPolicy,
    PolicyKind,
    RunningPolicy,
    can_sample,
    guarded,
    policy_kind,
)
from .policy_state import Setting
from .result import Simulation

SAMPLES = 240
"""Times at which queue, utilisation and fragmentation are noted, from 0 to the last arrival."""

MOST_SAMPLES = 100_000
"""More are refused."""

ArrivalCallback = Callable[[int, int], None]


class RunOptions(TypedDict, total=False):
    """Further keywords of `simulate`, all optional.

    Attributes
    ----------
    gamma
        Weight of the remaining work in Tetris's score, in the datacenter's time unit; None if it is
        scaled.
    sample
        How many machines an arriving job looks at, for policies that can look at some; None for
        all.
    sample_interval
        Time between samples of the state, in the datacenter's time unit; None: the horizon over
        `SAMPLES`.
    on_progress
        Called after every block of jobs with the arrivals so far and in all.
    on_start
        Called when the policy is compiled, before the first job.
    """

    gamma: float | None
    sample: int | None
    sample_interval: float | None
    on_progress: ArrivalCallback | None
    on_start: Callable[[], None] | None


@checked
def simulate(
    workload: Workload,
    policy: AnyPolicy = "lotes",
    *,
    guidance: Guidance | None = None,
    seed: int = 0,
    warm_up: float = 0.0,
    log: bool = False,
    **options: Unpack[RunOptions],
) -> Simulation:
    """Run a workload under a policy until no job waits.

    Ctrl-C ends the run with what was seen so far, once it has begun.

    Parameters
    ----------
    workload
        The jobs and their datacenter.
    policy
        A name in `POLICIES`, a subclass of `Policy`, or an instance of one.
    guidance
        The plan, for policies that follow one.
    seed
        Of the policy's own draws.
    warm_up
        Part of the jobs, the first ones, that is not measured; from 0 to below 1.
    log
        Whether to keep start and machine of every job.
    **options
        See `RunOptions`.

    Returns
    -------
    Simulation
        What was seen.

    Raises
    ------
    InputError
        For unknown policies, wrong options, and jobs that the datacenter does not know.
    BrokenInvariant
        If the policy overfills a machine, starts a job twice, or loses one. This is always checked.
    """
    kind = policy_kind(policy)
    datacenter = workload.datacenter
    if not 0 <= warm_up < 1:
        raise InputError(f"warm-up: need a part from 0 to below 1, got {warm_up}")
    if datacenter.machines > MOST_SLOTS:
        raise InputError(f"{datacenter.name}: more than {MOST_SLOTS} machines")
    system = new_system(
        datacenter,
        **_sampling(workload, options.get("sample_interval")),
        measured_from=int(warm_up * workload.jobs),
        log=workload.jobs if log else 0,
    )
    blocks = (checked_jobs(block, datacenter) for block in workload.blocks())
    block = next(blocks)
    sample = _sample(kind, options)
    setting = Setting(datacenter, block.demand, guidance, seed, options.get("gamma"), sample)
    interrupted = False
    with guarded(policy):
        run = _Run(workload, system, kind.begin_run(setting, system))
        run.policy.prepare(system, block)
        try:
            if on_start := options.get("on_start"):
                on_start()
            if workload.running is not None:
                run.fill(checked_jobs(workload.running, datacenter))
            run.go_through(block, blocks, options.get("on_progress"))
        except KeyboardInterrupt:
            interrupted = True
    name = policy if isinstance(policy, str) else getattr(policy, "name", kind.name)
    if sample is not None:
        name = f"{name}, sample {sample}"
    return run.result(name, warm_up, guidance, interrupted=interrupted)


class _Sampling(TypedDict):
    interval: float
    samples: int


def _sampling(workload: Workload, interval: float | None) -> _Sampling:
    """Time between samples, and their number until the last arrival."""
    if interval is None or workload.horizon == 0:
        return {"interval": workload.horizon / SAMPLES, "samples": SAMPLES}
    if not interval > 0 or workload.horizon / interval > MOST_SAMPLES:
        most = f"at most {MOST_SAMPLES} samples"
        raise InputError(f"sample interval: need a positive time and {most}, got {interval}")
    return {"interval": interval, "samples": max(1, ceil(workload.horizon / interval))}


def _sample(kind: PolicyKind, options: RunOptions) -> int | None:
    sample = options.get("sample")
    if sample is not None:
        if not can_sample(kind):
            raise InputError("sample: this policy looks at all machines")
        if sample < 1:
            raise InputError(f"sample: need at least 1 machine, got {sample}")
    return sample


class _Run:
    """A system and a policy that are given more room when they need it."""

    def __init__(
        self,
        workload: Workload,
        system: System,
        policy: RunningPolicy,
    ) -> None:
        self.workload, self.system, self.policy = workload, system, policy
        self._seconds = 0.0
        self._measured_from = np.inf

    def fill(self, jobs: Jobs) -> None:
        """Place jobs that run at time 0. Those without room wait; samples begin after them."""
        tally = self.system.tally
        tally[[ARRIVED, STARTED, DEPARTED]] = -len(jobs.arrival)
        self._advance(jobs, False)
        tally = self.system.tally
        self.system.series[: tally[SAMPLES_TAKEN]] = 0.0
        tally[SAMPLES_TAKEN] = 0

    def go_through(
        self, block: Jobs, others: Iterator[Jobs], on_progress: ArrivalCallback | None
    ) -> None:
        """All events of the block and of the `others`."""
        while True:
            following = next(others, None)
            self.system.tally[NEXT_JOB] = 0
            first = self.system.tally[FIRST_MEASURED] - self.system.tally[ARRIVED]
            if 0 <= first < len(block.arrival):
                self._measured_from = float(block.arrival[first])
            self._advance(block, following is None)
            if on_progress is not None:
                on_progress(int(self.system.tally[ARRIVED]), self.workload.jobs)
            if following is None:
                return
            block = following

    def _advance(self, block: Jobs, last: bool) -> None:
        while True:
            began = process_time()
            try:
                why = self.policy.advance(self.system, block, last)
            finally:
                self._seconds += process_time() - began
            if why == events.NEEDS_SLOTS:
                self.system = with_more_slots(self.system)
            elif why == events.NEEDS_ROOM:
                self.policy.make_room(self.system)
            else:
                return

    def result(
        self, policy: str, warm_up: float, guidance: Guidance | None, *, interrupted: bool
    ) -> Simulation:
        """What was seen. Raises `BrokenInvariant` if jobs do not add up."""
        final = self.system
        _check_conserved(final, None if interrupted else self.workload.jobs)
        started = float(final.all_jobs[ALL_STARTED])
        return Simulation(
            workload=self.workload,
            policy=policy,
            jobs=final.measured,
            at_once=final.at_once,
            wait_sum=final.wait_sum,
            wait_max=final.wait_max,
            waits=final.waits,
            durations=final.durations,
            series=final.series[: max(1, int(final.tally[SAMPLES_TAKEN]))],
            events=int(final.tally[ARRIVED] + final.tally[DEPARTED])
            + 2 * self.workload.running_at_start,
            seconds=self._seconds,
            all_jobs=int(started),
            mean_wait_of_all=float(final.all_jobs[ALL_WAIT]) / max(1.0, started),
            interrupted=interrupted,
            warm_up=warm_up,
            measured_from=min(self._measured_from, self.workload.horizon),
            guidance=guidance,
            start=final.log_start,
            machine=place_in_datacenter(final, final.log_machine),
        )


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
