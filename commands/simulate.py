"""`slotwise simulate`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import slotwise

from ..core.errors import InputError
from ..core.notices import step
from ..heuristics.datacenter import POLICIES, WARM_UP
from . import interrupts
from .frame import Answer
from .progress import live_progress
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
    GuidanceFile,
    PlotFile,
    PolicyName,
    Reference,
    Sample,
    Scale,
    WarmUp,
)


def simulate(
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
    sample: Sample = None,
    bound: Bound = False,
    reference: Reference = False,
    explain: Explain = None,
    plot: PlotFile = None,
) -> Answer:
    from ..heuristics.datacenter.policy import policy_kind
    from ..heuristics.datacenter.result import warnings_of
    from ..instances.datacenter.datacenter_file import read_datacenter
    from ..reports.datacenter.simulation_plots import write_plot
    from ..solvers.datacenter.jobs_asked import JobsAsked, plan_for

    names = [policy, *(against or [])]
    for name in names:
        POLICIES.lookup(name)
    asked = JobsAsked(load, rate, trace, compress, jobs, seed, noise, durations, batch, start)
    asked.check("--")
    runs = _runs(names, sample)
    whole = read_datacenter(datacenter)
    problem = whole.part(scale, "--scale")
    replayed, plan = asked.replayed(problem), None
    follow = any(policy_kind(name).follows_plan for name in names)
    if guidance is not None or follow or bound or asked.needs_plan:
        plan = plan_for(problem, guidance, asked.spread(replayed))
    workload = asked.drawn(problem, plan) if replayed is None else replayed
    if not running().hidden:
        running().tell(workload.notes)
    found = _Found(workload, runs, plan, seed, explain, bound=bound, reference=reference)
    found.run(warm_up)
    interrupts.hold()
    warnings = warnings_of(found.results)
    return Answer(
        found.view(whole.machines),
        found.document(warnings),
        notes=[*found.missing(), *warnings],
        line=", ".join(result.policy for result in found.results),
        files={plot: lambda path: write_plot(found.results, path, whole.machines)},
    )


@dataclass
class _Found:
    """The policies of a command line on the same jobs, what else is asked, and what came of it."""

    workload: slotwise.Workload
    runs: list[tuple[str, int | None]]
    plan: slotwise.Guidance | None
    seed: int
    explain: int | None
    bound: bool
    reference: bool
    results: list[slotwise.Simulation] = field(default_factory=list)
    waiting: Any = None
    pooled: float | None = None
    explained: Any = None

    def run(self, warm_up: float) -> None:
        """Run one policy after the other, then what else is asked, until Ctrl-C.

        Raises `KeyboardInterrupt` if there is no result by then.
        """
        from ..heuristics.datacenter.explanation import check_explicable, explain_arrival
        from ..heuristics.datacenter.pooled_machines import pooled_mean_wait

        first, sample = self.runs[0]
        if self.explain is not None:
            if sample is not None:
                raise InputError("--explain and --sample exclude one another")
            check_explicable(self.workload, first, self.explain)
        try:
            for name, sample in self.runs:
                with live_progress():
                    step(f"{name} (the first use compiles it)")
                    simulation = slotwise.simulate(
                        self.workload,
                        name,
                        guidance=self.plan,
                        seed=self.seed,
                        warm_up=warm_up,
                        sample=sample,
                        on_progress=lambda done, total, name=name: step(name, done / total),  # type: ignore[misc]
                        on_start=interrupts.interrupt,
                    )
                self.results.append(simulation)
                if simulation.interrupted:
                    return
            if self.explain is not None:
                self.explained = explain_arrival(
                    self.workload, first, self.explain, guidance=self.plan, seed=self.seed
                )
            if self.reference:
                self.pooled = pooled_mean_wait(self.workload, warm_up)
            if self.bound:
                self.waiting = slotwise.waiting_bound(self.workload, self.plan)
        except KeyboardInterrupt:
            if not self.results:
                raise

    def missing(self) -> list[str]:
        """What an interrupted run has to say."""
        notes = []
        last = self.results[-1]
        if last.interrupted:
            done = f"{last.all_jobs} of {self.workload.jobs} jobs"
            notes.append(f"interrupted: {last.policy} has started {done}")
        absent = [name for name, _ in self.runs[len(self.results) :]]
        if self.reference and self.pooled is None:
            absent.append("the reference")
        if self.bound and self.waiting is None:
            absent.append("the bound")
        if absent:
            notes.append(f"interrupted: not run: {', '.join(absent)}")
        return notes

    def document(self, warnings: Sequence[str]) -> dict[str, Any]:
        """What `--json` prints."""
        first, *others = (result.document() for result in self.results)
        first["warnings"] = list(warnings)
        for other in others:
            del other["warnings"]
        if others:
            first["against"] = others
        if self.pooled is not None:
            first["pooled_mean_wait"] = self.pooled
        if self.waiting is not None:
            first["mean_wait_bound"] = self.waiting.mean_wait
            first["mean_wait_bounds"] = self.waiting.all
        if self.explained is not None:
            first["explained"] = self.explained.document()
        return first

    def view(self, machines: int) -> Any:
        """What a person sees."""
        from rich.console import Group
        from rich.text import Text

        from ..reports.datacenter.simulation import simulation_view

        bound = None if self.waiting is None else self.waiting.mean_wait
        view = simulation_view(self.results, bound, machines, self.pooled)
        return view if self.explained is None else Group(view, Text(f"\n{self.explained}"))


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
