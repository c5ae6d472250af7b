"""`slotwise simulate`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..heuristics.dispatch import POLICIES
from ..instances.advice import need_choice
from ..instances.errors import InputError
from ..instances.limits import MOST_ARRIVALS, MOST_SLOTS
from .console import Json, Output, Plot, Quiet, show, tell
from .file_rules import saving
from .process.interrupts import held

if TYPE_CHECKING:
    from ..heuristics.dispatch.result import Simulation
    from ..instances.datacenter.datacenter import Datacenter
    from ..instances.datacenter.guidance import Guidance
    from ..instances.datacenter.workload import Workload

NAMES = ", ".join(entry.name for entry in POLICIES.own)
GAMMA_UNITS = ("scaled", "s", "min", "h", "d")
DEFAULT_LOAD = 0.95


def simulate(
    datacenter: Annotated[
        Path, typer.Argument(metavar="DATACENTER", help="A slotwise/datacenter/1 file.")
    ],
    policy: Annotated[str, typer.Option(metavar="NAME", help=f"One of {NAMES}.")] = "lotes",
    against: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Another policy on the same jobs; repeat."),
    ] = None,
    load: Annotated[
        float | None,
        typer.Option(
            metavar="L",
            min=0,
            help=f"Arrivals as a part of the highest rate; default {DEFAULT_LOAD}.",
        ),
    ] = None,
    rate: Annotated[
        float | None, typer.Option(metavar="R", min=0, help="Arrivals per time unit instead.")
    ] = None,
    trace: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Replay these jobs (import … --jobs) instead."),
    ] = None,
    compress: Annotated[
        float, typer.Option(metavar="C", help="Jobs of the trace arrive C times as fast.")
    ] = 1.0,
    scale: Annotated[
        float, typer.Option(metavar="F", help="Use that part of the machines, at least 1 of each.")
    ] = 1.0,
    jobs: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=1, max=MOST_ARRIVALS, help="Default: 300000, or the whole trace."
        ),
    ] = None,
    seed: Annotated[int, typer.Option(min=0)] = 0,
    noise: Annotated[
        float,
        typer.Option(metavar="X", min=0, help="Coefficient of variation of the jobs' demands."),
    ] = 0.0,
    warm_up: Annotated[
        float,
        typer.Option("--warm-up", metavar="F", help="Part of the jobs that is not measured."),
    ] = 0.2,
    guidance: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="A slotwise/guidance/1 file; default: made now."),
    ] = None,
    gamma: Annotated[
        str,
        typer.Option(
            metavar="UNIT",
            help=f"Unit of remaining work in Tetris's score: one of {', '.join(GAMMA_UNITS)}.",
        ),
    ] = "scaled",
    replan: Annotated[
        float | None,
        typer.Option(metavar="T", help="Plan anew after every T time units (LoTES)."),
    ] = None,
    bound: Annotated[
        bool, typer.Option("--bound", help="Compute a lower bound on the mean wait, too.")
    ] = False,
    plot: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Waits, queue and use over time: .png, .svg or .pdf."),
        Plot,
    ] = None,
    output: Output = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """What a dispatching policy makes of a datacenter under load."""
    from ..heuristics.dispatch.simulator import simulate as run
    from ..instances.datacenter.datacenter_file import read_datacenter
    from ..instances.files.json_files import write_json
    from ..report.simulation import simulation_view, write_plot

    names = [policy, *(against or [])]
    for name in names:
        POLICIES.lookup(name)
    if sum(given is not None for given in (load, rate, trace)) > 1:
        raise InputError("--load, --rate and --trace exclude one another")
    if trace is not None and noise:
        raise InputError("--noise is for drawn jobs: those of a trace have their own demands")
    if replan is not None and not all(name.startswith("lotes") for name in names):
        raise InputError("--replan is for lotes and lotes-unrestricted")
    problem = _scaled(read_datacenter(datacenter), scale)
    weight = _weight(gamma, problem)
    plan = None
    follows = any(name.startswith("lotes") for name in names)
    if guidance is not None or follows or bound or (rate is None and trace is None):
        plan = _plan(problem, guidance)
    workload = _workload(problem, plan, trace, compress, load, rate, jobs, seed, noise)
    hidden = quiet or as_json
    tell(workload.notes, quiet=hidden)
    results: list[Simulation] = []
    least = None
    with held() as signals:
        try:
            for name in names:
                with _progress(name, hidden=hidden) as on_progress:
                    result = run(
                        workload,
                        name,
                        guidance=plan,
                        seed=seed,
                        warm_up=warm_up,
                        gamma=weight,
                        replan=replan,
                        planner=_plan if replan is not None else None,
                        on_progress=on_progress,
                        on_start=signals.interrupt,
                    )
                results.append(result)
                if result.interrupted:
                    break
            if bound and not results[-1].interrupted:
                from ..formulations.bounds.waiting import waiting_bound

                found = waiting_bound(workload, plan)
                least = found.mean_wait
        except KeyboardInterrupt:
            if not results:
                raise
        signals.hold()
        missing = names[len(results) :]
        if bound and least is None:
            missing.append("the bound")
        if results[-1].interrupted:
            done = f"{results[-1].all_jobs} of {workload.jobs} jobs"
            tell([f"interrupted: {results[-1].policy} has started {done}"], quiet=hidden)
        if missing:
            tell([f"interrupted: not run: {', '.join(missing)}"], quiet=hidden)
        document = results[0].document()
        if len(results) > 1:
            document["against"] = [result.document() for result in results[1:]]
        if least is not None:
            document["mean_wait_bound"] = least
            document["mean_wait_bounds"] = found.all
        if output is not None:
            with saving():
                write_json(output, document)
        if plot is not None:
            with saving():
                write_plot(results, plot)
        show(simulation_view(results, least), document=document, as_json=as_json, quiet=quiet)


def _scaled(problem: Datacenter, scale: float) -> Datacenter:
    if scale == 1.0:
        return problem
    if not 0 < scale < float("inf"):
        raise InputError(f"--scale: need a positive number, got {scale}")
    if scale * problem.machines > MOST_SLOTS:
        raise InputError(f"--scale: need at most {MOST_SLOTS} machines in all, got {scale}")
    count = [max(1, round(n * scale)) if n else 0 for n in problem.count.tolist()]
    import numpy as np

    return problem.with_count(np.array(count))


def _weight(unit: str, problem: Datacenter) -> float | None:
    """Tetris's weight for remaining work in `unit`, None if it is scaled."""
    from ..instances.datacenter.workload import SECONDS

    need_choice("--gamma", unit, GAMMA_UNITS)
    if unit == "scaled":
        return None
    if problem.time_unit not in SECONDS:
        raise InputError(f"--gamma: the datacenter's time unit {problem.time_unit!r} is unknown")
    return SECONDS[problem.time_unit] / SECONDS[unit]


def _plan(problem: Datacenter, path: Path | None = None) -> Guidance:
    if path is not None:
        from ..instances.datacenter.guidance_file import read_guidance

        return read_guidance(path, problem)
    from ..solvers.guidance.guide import NoRate
    from ..solvers.guidance.guide import guide as make

    try:
        return make(problem)
    except NoRate as no:
        raise InputError(f"{problem.name}: {no}") from None


def _workload(
    problem: Datacenter,
    plan: Guidance | None,
    trace: Path | None,
    compress: float,
    load: float | None,
    rate: float | None,
    jobs: int | None,
    seed: int,
    noise: float,
) -> Workload:
    from ..instances.datacenter.workload import poisson, replay

    if trace is not None:
        return replay(trace, problem, compress=compress, jobs=jobs)
    if compress != 1.0:
        raise InputError("--compress is for --trace")
    if rate is None:
        assert plan is not None
        rate = (DEFAULT_LOAD if load is None else load) * plan.arrival_rate_bound
    return poisson(problem, rate, jobs or 300_000, seed=seed, noise=noise)


@contextmanager
def _progress(name: str, *, hidden: bool) -> Iterator[Callable[[int, int], None] | None]:
    """A bar on a terminal's stderr."""
    if hidden or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task: Any = bar.add_task(f"{name} (the first use compiles it)", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total, description=name)
