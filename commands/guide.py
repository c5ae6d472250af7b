"""`slotwise guide`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..core.errors import InputError
from .console import (
    NO,
    CertificateFile,
    Json,
    Output,
    PlotFile,
    Quiet,
    keep,
    show,
    tell,
)
from .file_rules import saving
from .process.interrupts import held
from .simulation.rehearsal import (
    Load,
    Noise,
    RehearsalAsked,
    RehearsalTime,
    Rehearse,
    RehearseOn,
    Rivals,
    Seeds,
)

if TYPE_CHECKING:
    from ..core.files.json_files import JsonFile
    from ..instances.datacenter.datacenter import Datacenter
    from ..instances.datacenter.guidance import Guidance
    from ..solvers.datacenter.guide import NoRate

DatacenterFile = Annotated[
    Path, typer.Argument(metavar="DATACENTER", help="A slotwise/datacenter/1 file.")
]
Scale = Annotated[
    float, typer.Option(metavar="F", help="Plan for that part of the machines, at least 1 of each.")
]
TargetRate = Annotated[
    float | None,
    typer.Option(
        metavar="R", min=0, help="Carry R jobs per time unit on the fewest machines instead."
    ),
]
AsPrinted = Annotated[
    bool, typer.Option("--as-printed", help="LoTES's own linear programs, bins and rounding.")
]
TimeLimit = Annotated[
    float, typer.Option("--time-limit", metavar="S", min=0, help="For whole machines.")
]
Spread = Annotated[
    float,
    typer.Option(
        metavar="X",
        min=0,
        help="Coefficient of variation of demands within a class, for policy bid-price.",
    ),
]
SpreadFrom = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Measure it on these jobs (import … --jobs) instead."),
]

JobsFile = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE", help="Compare the classes with these jobs, which they were made of."
    ),
]


def guide(
    datacenter: DatacenterFile,
    target_rate: TargetRate = None,
    scale: Scale = 1.0,
    as_printed: AsPrinted = False,
    time_limit: TimeLimit = 1.0,
    spread: Spread = 0.0,
    spread_from: SpreadFrom = None,
    jobs: JobsFile = None,
    rehearse: Rehearse = False,
    load: Load = None,
    noise: Noise = None,
    seeds: Seeds = None,
    rehearsal_time: RehearsalTime = None,
    rival: Rivals = None,
    rehearse_on: RehearseOn = None,
    output: Output = None,
    certificate: CertificateFile = None,
    plot: PlotFile = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Exits with 1 if no plan carries the target rate, or some class fits no machine. --plot draws
    what each machine should run. With --rehearse policies race under the plan, and `simulate
    --policy guided` follows the winner.
    """
    from ..core.files.json_files import JsonFile
    from ..instances.datacenter.datacenter_file import read_datacenter
    from ..solvers.datacenter.column_generation import NoRate
    from ..solvers.datacenter.guide import guide as make
    from ..solvers.datacenter.knapsack import warm_up

    race = RehearsalAsked(rehearse, load, noise, seeds, rehearsal_time, rival, rehearse_on)
    race.check(without_prices=as_printed)
    if certificate is not None and scale != 1:
        raise InputError("--certificate is of a plan of the whole file: without --scale")
    file = JsonFile.read(datacenter)
    problem = read_datacenter(file).part(scale, "--scale")
    spread, more = _measured(spread_from, problem, spread), _compared(jobs, problem)
    warm_up()
    with held() as signals:
        signals.interrupt()  # which `make` answers with the best plan so far
        try:
            guidance = make(
                problem,
                target_rate=target_rate,
                as_printed=as_printed,
                time_limit=time_limit,
                spread=spread,
                gains=True,
            )
        except NoRate as no:
            show(f"{problem.name}: {no}", document=_no_plan(no), as_json=as_json, quiet=quiet)
            raise typer.Exit(NO) from None
        guidance = race.done(guidance, signals, hidden=quiet or as_json)
        signals.hold_if_came()
        _draw(guidance, plot)
        document = _kept(guidance, more, output)
        more += _certified(guidance, file, certificate)
        from ..reports.datacenter.guidance import guidance_view

        tell(guidance.notes, quiet=quiet or as_json)
        show(guidance_view(guidance, *more), document=document, as_json=as_json, quiet=quiet)


def _kept(guidance: Guidance, more: list[str], output: Path | None) -> dict[str, Any]:
    """The document with all that is said of it; written if there is a file to write."""
    from ..instances.datacenter.guidance_file import guidance_document
    from ..reports.datacenter.guidance import explanation

    document = guidance_document(guidance)
    document["explanation"] = [*explanation(guidance), *more]
    keep(output, document)
    return document


def _certified(guidance: Guidance, file: JsonFile, output: Path | None) -> list[str]:
    """Write the certificate of guidance, if one is wanted; say in a line what it proves."""
    if output is None:
        return []
    from ..core.clock import Clock
    from ..solvers.certificate import SECONDS, write_certificate
    from ..solvers.datacenter.certify import certify_guidance

    made = certify_guidance(guidance, Clock(SECONDS), file.content)
    with saving():
        write_certificate(made, output)
    return [f"Bound proved: {made}."]


def _measured(jobs: Path | None, problem: Datacenter, spread: float) -> float:
    """The given spread, or that of the demands of these jobs; not both may be given."""
    if jobs is None:
        return spread
    from ..instances.datacenter.spread import spread_of
    from ..instances.datacenter.workload import replay

    if spread:
        raise InputError("--spread and --spread-from exclude one another")
    return spread_of(replay(problem, jobs))


def _compared(jobs: Path | None, problem: Datacenter) -> list[str]:
    """How the work of these jobs compares with that of the classes, if there are any."""
    from ..instances.datacenter.workload import replay
    from ..reports.datacenter.guidance import work_compared

    return [] if jobs is None else [work_compared(replay(problem, jobs))]


def _draw(guidance: Guidance, plot: Path | None) -> None:
    if plot is not None:
        from ..reports.drawing import plot as drawn
        from ..reports.drawing import write_plot

        with saving():
            write_plot(plot, drawn, guidance)


def _no_plan(no: NoRate) -> dict[str, Any]:
    """The document that says that no plan does it."""
    from ..instances.datacenter.guidance_file import FORMAT

    return {
        "format": FORMAT,
        "arrival_rate": None,
        "arrival_rate_bound": no.bound,
        "bins": [],
        "proportions": {},
        "notes": [str(no)],
    }
