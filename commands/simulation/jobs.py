"""The jobs that a command line of `slotwise simulate` asks for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ...instances.advice import need_choice
from ...instances.errors import InputError
from ...instances.limits import MOST_ARRIVALS, MOST_AT_ONCE

if TYPE_CHECKING:
    from ...instances.datacenter.datacenter import Datacenter
    from ...instances.datacenter.guidance import Guidance
    from ...instances.datacenter.mixes import Mix
    from ...instances.datacenter.workload import DrawOptions, Workload

DEFAULT_LOAD = 0.95
STARTS = ("empty", "full")

Load = Annotated[
    float | None,
    typer.Option(
        metavar="L",
        min=0,
        help=f"Arrivals as a part of the highest rate of the mix; default {DEFAULT_LOAD}.",
    ),
]
Rate = Annotated[
    float | None, typer.Option(metavar="R", min=0, help="Arrivals per time unit instead.")
]
Trace = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Replay these jobs (import … --jobs) instead."),
]
Compress = Annotated[
    float, typer.Option(metavar="C", help="Jobs of the trace arrive C times as fast.")
]
JobCount = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        min=1,
        max=MOST_ARRIVALS,
        help="Default: 37 mean durations of arrivals, at least 300000; or the whole trace.",
    ),
]
Noise = Annotated[
    float, typer.Option(metavar="X", min=0, help="Coefficient of variation of the jobs' demands.")
]
Durations = Annotated[
    str,
    typer.Option(
        metavar="LAW",
        help="exponential, constant, lognormal:CV, or trace:FILE, those of a trace's classes.",
    ),
]
Batch = Annotated[
    int,
    typer.Option(metavar="N", min=0, max=MOST_AT_ONCE, help="N jobs more arrive at time 0."),
]
Start = Annotated[
    str,
    typer.Option(
        metavar="HOW", help="empty, or full: as many jobs run at time 0 as in the steady state."
    ),
]
Mixes = Annotated[
    list[str] | None,
    typer.Option(
        "--mix",
        metavar="T:CLASS=SHARE,…",
        help="From time T on these shares of all arrivals; repeat.",
    ),
]


@dataclass(frozen=True)
class JobsAsked:
    """The jobs that a command line asks for."""

    load: float | None
    rate: float | None
    trace: Path | None
    compress: float
    jobs: int | None
    seed: int
    noise: float
    durations: str
    batch: int
    start: str
    mixes: tuple[str, ...]

    def check(self) -> None:
        """Raise `InputError` for options that exclude one another."""
        if sum(given is not None for given in (self.load, self.rate, self.trace)) > 1:
            raise InputError("--load, --rate and --trace exclude one another")
        need_choice("--start", self.start, STARTS)
        if self.trace is None:
            if self.compress != 1.0:
                raise InputError("--compress is for --trace")
            return
        for option, given in (
            ("--noise", self.noise),
            ("--durations", self.durations != "exponential"),
            ("--batch", self.batch),
            ("--start full", self.full),
            ("--mix", self.mixes),
        ):
            if given:
                raise InputError(f"{option} is for drawn jobs: those of a trace come as they are")

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
        from ...instances.datacenter.workload import replay

        return replay(self.trace, problem, compress=self.compress, jobs=self.jobs)

    def drawn(self, problem: Datacenter, plan: Guidance | None) -> Workload:
        """The jobs, drawn. The plan is that of the datacenter's own mix."""
        from ...instances.datacenter.durations import durations_of
        from ...instances.datacenter.mixes import mix_of
        from ...instances.datacenter.steady_state import enough_jobs
        from ...instances.datacenter.workload import poisson

        mixes = [self._at_load(mix_of(text, problem), problem) for text in self.mixes]
        law = durations_of(self.durations, problem)
        options: DrawOptions = {
            "durations": law,
            "batch": self.batch,
            "full": self.full,
            "plan": plan,
            "mixes": mixes,
        }
        rate = self.rate
        if rate is None:
            assert plan is not None
            rate = self._load * plan.arrival_rate_bound
        jobs = self.jobs
        if jobs is None:
            jobs = 0 if self.batch and rate == 0 else None
        if jobs is None and (self.full or self.batch):
            jobs = enough_jobs(problem, rate, plan)
        elif jobs is None:
            jobs = enough_jobs(problem, rate, plan, law.missing)
        return poisson(problem, rate, jobs, seed=self.seed, noise=self.noise, **options)

    @property
    def _load(self) -> float:
        return DEFAULT_LOAD if self.load is None else self.load

    def _at_load(self, mix: Mix, problem: Datacenter) -> Mix:
        """The mix at the rate that is the load's part of its own highest rate."""
        if self.rate is not None or self._load == 0:
            return mix
        from ...solvers.guidance.column_generation import NoRate, generate_columns

        try:
            most = generate_columns(replace(problem, share=mix.share)).bound
        except NoRate as no:
            raise InputError(f"mix from {mix.time:g}: {no}") from None
        return replace(mix, rate=self._load * most)
