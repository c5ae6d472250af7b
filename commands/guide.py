"""`slotwise guide`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

import slotwise

from ..core.errors import InputError
from . import interrupts
from .frame import Answer
from .options import CertificateFile, PlotFile
from .running import NO, running
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


def guide(
    datacenter: Annotated[
        Path, typer.Argument(metavar="DATACENTER", help="A slotwise/datacenter/1 file.")
    ],
    target_rate: Annotated[
        float | None,
        typer.Option(
            metavar="R", min=0, help="Carry R jobs per time unit on the fewest machines instead."
        ),
    ] = None,
    scale: Annotated[
        float,
        typer.Option(metavar="F", help="Plan for that part of the machines, at least 1 of each."),
    ] = 1.0,
    as_printed: Annotated[
        bool, typer.Option("--as-printed", help="LoTES's own linear programs, bins and rounding.")
    ] = False,
    time_limit: Annotated[
        float, typer.Option("--time-limit", metavar="S", min=0, help="For whole machines.")
    ] = 1.0,
    spread: Annotated[
        float,
        typer.Option(
            metavar="X",
            min=0,
            help="Coefficient of variation of demands within a class, for policy bid-price.",
        ),
    ] = 0.0,
    spread_from: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Measure it on these jobs (import … --jobs) instead."),
    ] = None,
    jobs: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Compare the classes with these jobs, which they were made of."
        ),
    ] = None,
    rehearse: Rehearse = False,
    load: Load = None,
    noise: Noise = None,
    seeds: Seeds = None,
    rehearsal_time: RehearsalTime = None,
    rival: Rivals = None,
    rehearse_on: RehearseOn = None,
    certificate: CertificateFile = None,
    plot: PlotFile = None,
) -> Answer:
    """Exits with 1 if no plan carries the target rate, or some class fits no machine. --plot draws
    what each machine should run. With --rehearse policies race under the plan, and `simulate
    --policy guided` follows the winner.
    """
    from ..core.clock import Clock
    from ..core.files.json_files import JsonFile
    from ..instances.datacenter.datacenter_file import read_datacenter
    from ..instances.datacenter.guidance_file import FORMAT, guidance_document
    from ..instances.datacenter.spread import spread_of
    from ..reports.datacenter.guidance import explanation, guidance_view, work_compared
    from ..reports.plots import write_plot
    from ..solvers.certificate import SECONDS, write_certificate
    from ..solvers.datacenter.certify import certify_guidance
    from ..solvers.datacenter.knapsack import warm_up

    race = RehearsalAsked(rehearse, load, noise, seeds, rehearsal_time, rival, rehearse_on)
    race.check(without_prices=as_printed)
    if certificate is not None and scale != 1:
        raise InputError("--certificate is of a plan of the whole file: without --scale")
    file = JsonFile.read(datacenter)
    problem = read_datacenter(file).part(scale, "--scale")
    if spread_from is not None:
        if spread:
            raise InputError("--spread and --spread-from exclude one another")
        spread = spread_of(slotwise.replay(problem, spread_from))
    more = [] if jobs is None else [work_compared(slotwise.replay(problem, jobs))]
    warm_up()
    interrupts.interrupt()  # which `guide` answers with the best plan so far
    try:
        guidance = slotwise.guide(
            problem,
            target_rate=target_rate,
            as_printed=as_printed,
            time_limit=time_limit,
            spread=spread,
            gains=True,
        )
    except slotwise.NoRate as no:
        document: dict[str, Any] = {
            "format": FORMAT,
            "arrival_rate": None,
            "arrival_rate_bound": no.bound,
            "bins": [],
            "proportions": {},
            "notes": [str(no)],
        }
        running().show(f"{problem.name}: {no}", document)  # there is nothing to write
        raise typer.Exit(NO) from None
    guidance = race.done(guidance)
    interrupts.release()
    document = guidance_document(guidance)
    document["explanation"] = [*explanation(guidance), *more]
    answer = Answer(
        guidance_view(guidance, *more),
        document,
        notes=guidance.notes,
        line=f"a plan for {problem.name}, {guidance.arrival_rate:.6g} jobs per {problem.time_unit}",
    )

    def certify(path: Path) -> None:
        proof = certify_guidance(guidance, Clock(SECONDS), file.content)
        answer.text = guidance_view(guidance, *more, f"Bound proved: {proof}.")
        write_certificate(proof, path)

    answer.files = {
        plot: lambda path: write_plot(path, slotwise.plot, guidance),
        certificate: certify,
    }
    return answer
