"""`slotwise guide`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

import slotwise

from ..core.errors import InputError
from ..core.notices import step
from ..heuristics.datacenter import DEFAULT_LOAD, REHEARSAL_TIME
from . import interrupts
from .frame import Answer
from .options import CertificateFile, PlotFile
from .progress import live_progress
from .running import NO, running

REHEARSAL = "Which policy to follow"


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
    jobs: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Compare the classes with these jobs, which they were made of."
        ),
    ] = None,
    rehearse: Annotated[
        bool,
        typer.Option(
            "--rehearse",
            rich_help_panel=REHEARSAL,
            help="Let policies run drawn jobs; the plan says which waited least.",
        ),
    ] = False,
    load: Annotated[
        float | None,
        typer.Option(
            metavar="L",
            rich_help_panel=REHEARSAL,
            help=f"Arrivals as a part of the highest rate; default {DEFAULT_LOAD}.",
        ),
    ] = None,
    noise: Annotated[
        float | None,
        typer.Option(
            metavar="X",
            min=0,
            rich_help_panel=REHEARSAL,
            help="Coefficient of variation of the jobs' demands; default: --spread.",
        ),
    ] = None,
    rehearsal_time: Annotated[
        float | None,
        typer.Option(
            metavar="S",
            min=0,
            rich_help_panel=REHEARSAL,
            help=f"Seconds after which what is known decides; default {REHEARSAL_TIME:g}.",
        ),
    ] = None,
    certificate: CertificateFile = None,
    plot: PlotFile = None,
) -> Answer:
    """Exits with 1 if no plan carries the target rate, or some class fits no machine. --plot draws
    what each machine should run. With --rehearse policies run under the plan, and `simulate
    --policy guided` follows the winner.
    """
    from ..core.clock import Clock
    from ..core.files.json_files import JsonFile
    from ..instances.datacenter.datacenter_file import read_datacenter
    from ..instances.datacenter.guidance_file import FORMAT, guidance_document
    from ..reports.datacenter.guidance import explanation, guidance_view, work_compared
    from ..reports.plots import write_plot
    from ..solvers.certificate import SECONDS, write_certificate
    from ..solvers.datacenter.certify import certify_guidance
    from ..solvers.datacenter.knapsack import warm_up

    asked = {"--load": load, "--noise": noise, "--rehearsal-time": rehearsal_time}
    for name, given in asked.items():
        if given is not None and not rehearse:
            raise InputError(f"{name} is for --rehearse")
    if rehearse and as_printed:
        raise InputError("--rehearse writes into a plan with prices: not with --as-printed")
    if certificate is not None and scale != 1:
        raise InputError("--certificate is of a plan of the whole file: without --scale")
    file = JsonFile.read(datacenter)
    problem = read_datacenter(file).part(scale, "--scale")
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
        document: dict[str, Any] = {"format": FORMAT, "arrival_rate": None}
        document |= {"arrival_rate_bound": no.bound, "bins": [], "proportions": {}}
        document["notes"] = [str(no)]
        running().show(f"{problem.name}: {no}", document)  # there is nothing to write
        raise typer.Exit(NO) from None
    if rehearse:
        from ..solvers.datacenter.rehearse import unrehearsed

        if interrupts.came():
            guidance = unrehearsed(guidance, "interrupted")
        else:
            with live_progress():
                guidance = slotwise.rehearse(
                    guidance,
                    load=DEFAULT_LOAD if load is None else load,
                    noise=noise,
                    time_limit=REHEARSAL_TIME if rehearsal_time is None else rehearsal_time,
                    on_progress=lambda done, of, name: step(f"rehearsal: {name}", done / of),
                )
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
