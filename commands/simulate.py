"""`slotwise simulate`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..core.errors import InputError
from ..heuristics.datacenter import POLICIES, WARM_UP
from .frame import Answer
from .process.interrupts import Signals
from .running import running
from .simulation.jobs import (
    Batch,
    Compress,
    Durations,
    JobCount,
    Load,
    Noise,
    Rate,
    Seed,
    Start,
    Trace,
)
from .simulation.policies import (
    Against,
    Bound,
    DatacenterFile,
    Explain,
    Gamma,
    GuidanceFile,
    PlotFile,
    PolicyName,
    Reference,
    Sample,
    Scale,
    WarmUp,
)

if TYPE_CHECKING:
    from rich.console import Group

    from ..formulations.datacenter.waiting_bound import WaitingBound
    from ..heuristics.datacenter.explanation import ExplainedArrival
    from ..heuristics.datacenter.result import Simulation
    from ..instances.datacenter.datacenter import Datacenter
    from ..instances.datacenter.guidance import Guidance
    from ..instances.datacenter.workload import Workload
    from ..solvers.datacenter.jobs_asked import JobsAsked


def simulate(
    signals: Signals,
    datacenter: DatacenterFile,
    policy: PolicyName = "lotes",
    against: Against = None,
    load: Load = None,
    rate: Rate = None,
    trace: Trace = None,
    compress: Compress = 1.0,
    scale: Scale = 1.0,
    jobs: JobCount = None,
    seed: Seed = 0,
    noise: Noise = 0.0,
    durations: Durations = "exponential",
    batch: Batch = 0,
    start: Start = "empty",
    warm_up: WarmUp = WARM_UP,
    guidance: GuidanceFile = None,
    gamma: Gamma = "scaled",
    sample: Sample = None,
    bound: Bound = False,
    reference: Reference = False,
    explain: Explain = None,
    plot: PlotFile = None,
) -> Answer:
    from ..heuristics.datacenter.policy import weight_of_work
    from ..instances.datacenter.datacenter_file import read_datacenter
    from ..reports.datacenter.simulation_plots import write_plot
    from ..solvers.datacenter.jobs_asked import JobsAsked

    names = [policy, *(against or [])]
    asked = JobsAsked(load, rate, trace, compress, jobs, seed, noise, durations, batch, start)
    follow = _check(names, asked)
    runs = _runs(names, sample)
    whole = read_datacenter(datacenter)
    problem = whole.part(scale, "--scale")
    weight = weight_of_work(gamma, problem, "--gamma")
    workload, plan = _jobs_and_plan(problem, asked, guidance, needed=follow or bound)
    if not running().hidden:
        running().tell(workload.notes)
    campaign = _Campaign(workload, runs, plan, seed, warm_up, weight, whole.machines)
    campaign.check_explanation(explain)
    campaign.run(signals.interrupt, bound=bound, reference=reference)
    signals.hold()
    return Answer(
        campaign.view(),
        campaign.document(),
        notes=[*campaign.missing(bound=bound, reference=reference), *campaign.warnings()],
        line=", ".join(result.policy for result in campaign.results),
        files={plot: lambda path: write_plot(campaign.results, path, whole.machines)},
    )


@dataclass
class _Campaign:
    """The policies of a command line on the same jobs, and what came of them."""

    workload: Workload
    runs: list[tuple[str, int | None]]
    plan: Guidance | None
    seed: int
    warm_up: float
    gamma: float | None
    whole: int
    results: list[Simulation] = field(default_factory=list)
    bound: WaitingBound | None = None
    pooled: float | None = None
    to_explain: int | None = None
    explained: ExplainedArrival | None = None

    def check_explanation(self, number: int | None) -> None:
        """Note the arrival to be explained. Raises `InputError` if it cannot be."""
        if number is None:
            return
        from ..heuristics.datacenter.explanation import check_explicable

        policy, sample = self.runs[0]
        if sample is not None:
            raise InputError("--explain and --sample exclude one another")
        check_explicable(self.workload, policy, number)
        self.to_explain = number

    def _explain(self, number: int) -> ExplainedArrival:
        from ..heuristics.datacenter.explanation import explain_arrival

        name, _ = self.runs[0]
        return explain_arrival(self.workload, name, number, guidance=self.plan, seed=self.seed)

    def run(self, on_start: Callable[[], None], *, bound: bool, reference: bool) -> None:
        """Run one policy after the other, then the reference and the bound, until Ctrl-C.

        Raises `KeyboardInterrupt` if there is no result by then.
        """
        try:
            for name, sample in self.runs:
                self.results.append(self._simulated(name, sample, on_start))
                if self.results[-1].interrupted:
                    return
            if self.to_explain is not None:
                self.explained = self._explain(self.to_explain)
            if reference:
                from ..heuristics.datacenter.pooled_machines import pooled_mean_wait

                self.pooled = pooled_mean_wait(self.workload, self.warm_up)
            if bound:
                from ..formulations.datacenter.waiting_bound import waiting_bound

                self.bound = waiting_bound(self.workload, self.plan)
        except KeyboardInterrupt:
            if not self.results:
                raise

    def _simulated(self, name: str, sample: int | None, on_start: Callable[[], None]) -> Simulation:
        from ..heuristics.datacenter.simulator import simulate as simulated

        with _progress(name) as on_progress:
            return simulated(
                self.workload,
                name,
                guidance=self.plan,
                seed=self.seed,
                warm_up=self.warm_up,
                gamma=self.gamma,
                sample=sample,
                on_progress=on_progress,
                on_start=on_start,
            )

    def missing(self, *, bound: bool, reference: bool) -> list[str]:
        """What an interrupted run has to say."""
        notes = []
        last = self.results[-1]
        if last.interrupted:
            done = f"{last.all_jobs} of {self.workload.jobs} jobs"
            notes.append(f"interrupted: {last.policy} has started {done}")
        absent = [name for name, _ in self.runs[len(self.results) :]]
        if reference and self.pooled is None:
            absent.append("the reference")
        if bound and self.bound is None:
            absent.append("the bound")
        if absent:
            notes.append(f"interrupted: not run: {', '.join(absent)}")
        return notes

    def warnings(self) -> tuple[str, ...]:
        """What to know before the figures are trusted; told last, not to be scrolled away."""
        from ..heuristics.datacenter.result import warnings_of

        return warnings_of(self.results)

    def document(self) -> dict[str, Any]:
        """What `--json` prints."""
        first, *others = (result.document() for result in self.results)
        first["warnings"] = list(self.warnings())
        for other in others:
            del other["warnings"]
        if others:
            first["against"] = others
        if self.pooled is not None:
            first["pooled_mean_wait"] = self.pooled
        if self.bound is not None:
            first["mean_wait_bound"] = self.bound.mean_wait
            first["mean_wait_bounds"] = self.bound.all
        if self.explained is not None:
            first["explained"] = self.explained.document()
        return first

    def view(self) -> Group:
        """What a person sees."""
        from ..reports.datacenter.simulation import simulation_view

        bound = None if self.bound is None else self.bound.mean_wait
        view = simulation_view(self.results, bound, self.whole, self.pooled)
        if self.explained is None:
            return view
        from rich.console import Group
        from rich.text import Text

        return Group(view, Text(f"\n{self.explained}"))


def _check(names: list[str], asked: JobsAsked) -> bool:
    """Raise `InputError` if options do not go together; return whether a policy follows a plan."""
    from ..heuristics.datacenter.policy import policy_kind

    for name in names:
        POLICIES.lookup(name)
    asked.check("--")
    return any(policy_kind(name).follows_plan for name in names)


def _jobs_and_plan(
    problem: Datacenter, asked: JobsAsked, path: Path | None, *, needed: bool
) -> tuple[Workload, Guidance | None]:
    """The jobs, and the plan if a file has one or one is needed."""
    from ..solvers.datacenter.jobs_asked import plan_for

    replayed = asked.replayed(problem)
    plan = None
    if path is not None or needed or asked.needs_plan:
        plan = plan_for(problem, path, asked.spread(replayed))
    return asked.drawn(problem, plan) if replayed is None else replayed, plan


def _runs(names: list[str], samples: list[int] | None) -> list[tuple[str, int | None]]:
    """The policies to run, the first of them with each sample, and on how many machines."""
    first, *others = names
    if not samples:
        return [(name, None) for name in names]
    from ..heuristics.datacenter.policy import can_sample, policy_kind

    if not can_sample(policy_kind(first)):
        able = [name for name in POLICIES.names if can_sample(policy_kind(name))]
        raise InputError(f"--sample is for {', '.join(able)}: {first} looks at all machines")
    return [*((first, sample) for sample in samples), *((name, None) for name in others)]


@contextmanager
def _progress(name: str) -> Iterator[Callable[[int, int], None] | None]:
    """A bar on a terminal's stderr."""
    if running().hidden or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task: Any = bar.add_task(f"{name} (the first use compiles it)", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total, description=name)
