"""The jobs that somebody asks for, drawn at a load or replayed, and the plan that they need."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ...core.advice import check_choice
from ...core.errors import InputError
from ...heuristics.datacenter import DEFAULT_LOAD
from ...instances.datacenter.datacenter import Datacenter
from ...instances.datacenter.durations import Exponential, durations_of
from ...instances.datacenter.guidance import Guidance
from ...instances.datacenter.guidance_file import read_guidance
from ...instances.datacenter.steady_state import enough_jobs
from ...instances.datacenter.work import spread_of
from ...instances.datacenter.workload import Workload, poisson, replay

STARTS = ("empty", "full")


@dataclass(frozen=True)
class JobsAsked:
    """The jobs that somebody asks for."""

    load: float | None = None
    """Arrivals as a part of the highest rate of the mix; None: `DEFAULT_LOAD`, if there is neither
    a rate nor a trace."""
    rate: float | None = None
    """Arrivals per time unit instead."""
    trace: str | Path | None = None
    """File of jobs to be replayed instead."""
    compress: float = 1.0
    """Jobs of the trace arrive so many times as fast."""
    jobs: int | None = None
    """Number of jobs; None: as many as fill the datacenter and measure it, or the whole trace."""
    seed: int = 0
    noise: float = 0.0
    durations: str = "exponential"
    """Name of a law."""
    batch: int = 0
    """`seed`, `noise`, `batch`: as in `slotwise.poisson`."""
    start: str = "empty"
    """One of `STARTS`."""

    def check(self, before: str = "") -> None:
        """Raise `InputError` for options that exclude one another; `before` stands before names."""
        if sum(given is not None for given in (self.load, self.rate, self.trace)) > 1:
            names = f"{before}load, {before}rate and {before}trace"
            raise InputError(f"{names} exclude one another")
        check_choice(f"{before}start", self.start, STARTS)
        if self.trace is None:
            if self.compress != 1.0:
                raise InputError(f"{before}compress is for {before}trace")
            return
        for option, given in (
            ("noise", self.noise),
            ("durations", self.durations != "exponential"),
            ("batch", self.batch),
            ("start full", self.full),
        ):
            if given:
                why = "those of a trace come as they are"
                raise InputError(f"{before}{option} is for drawn jobs: {why}")

    @property
    def full(self) -> bool:
        """Whether jobs run at time 0."""
        return self.start == "full"

    @property
    def needs_plan(self) -> bool:
        """Whether drawing them needs a plan."""
        return self.trace is None and (self.rate is None or self.full)

    def replayed(self, problem: Datacenter) -> Workload | None:
        """The jobs of the trace, None if they are to be drawn."""
        if self.trace is None:
            return None
        return replay(problem, self.trace, compress=self.compress, jobs=self.jobs)

    def spread(self, replayed: Workload | None) -> float:
        """How much demands vary within their class."""
        return self.noise if replayed is None else spread_of(replayed)

    def drawn(self, problem: Datacenter, plan: Guidance | None) -> Workload:
        """The jobs, drawn, with the plan if one is needed."""
        law, rate, jobs = durations_of(self.durations, problem), self.rate, self.jobs
        if rate is None:
            assert plan is not None
            rate = (DEFAULT_LOAD if self.load is None else self.load) * plan.arrival_rate_bound
        if jobs is None:
            missing = Exponential().missing if self.full or self.batch else law.missing
            jobs = 0 if self.batch and rate == 0 else enough_jobs(problem, rate, plan, missing)
        return poisson(
            problem, rate, jobs, seed=self.seed, noise=self.noise, durations=law, batch=self.batch,
            full=self.full, plan=plan,
        )  # fmt: skip


def plan_for(
    problem: Datacenter,
    path: str | Path | None = None,
    spread: float = 0.0,
    time_limit: float = 1.0,
) -> Guidance:
    """A plan from a guidance file or made now, for demands that vary within their class.

    `time_limit`: seconds for whole machines, see `guide`.
    Raises `InputError` if something is wrong with the file, or the datacenter carries no jobs.
    """
    if path is not None:
        from .prices import with_spread

        return with_spread(read_guidance(path, problem), spread)
    from .guide import NoRate, guide

    try:
        return guide(problem, spread=spread, time_limit=time_limit)
    except NoRate as no:
        raise InputError(f"{problem.name}: {no}") from None
