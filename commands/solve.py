"""`slotwise solve`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import slotwise

from ..solvers.mapreduce import METHODS
from . import interrupts
from .frame import Answer
from .options import CertificateFile, Gantt, InstanceFile, Threads, TimeLimit, names_of
from .progress import live_progress
from .results import answer_of, standing
from .running import NO
from .streams import put_aside

LEAST_SECONDS, SHARE = 5.0, 0.1
"""A certificate takes at most this share of the time limit, or so many seconds."""

LEAST_CHECK, CHECK_SHARE = 5.0, 1 / 4
"""Each method of a cross-check has this share of the time that was needed, or so many seconds."""


def solve(
    instance: InstanceFile,
    method: Annotated[
        str | None,
        typer.Option(
            "--method",
            "--model",
            metavar="NAME",
            help=f"One of {', '.join(METHODS.names)}; default: chosen.",
            autocompletion=names_of(METHODS),
        ),
    ] = None,
    time_limit: TimeLimit = 60.0,
    threads: Threads = None,
    relative_gap: Annotated[
        float, typer.Option(metavar="G", min=0, help="Stop at this relative gap.")
    ] = 1e-7,
    absolute_gap: Annotated[
        float, typer.Option(metavar="S", min=0, help="Stop at this gap in seconds.")
    ] = 0.0,
    cross_check: Annotated[
        bool, typer.Option("--cross-check", help="Solve again by independent methods and compare.")
    ] = False,
    certificate: CertificateFile = None,
    certificate_time: Annotated[
        float | None,
        typer.Option(
            "--certificate-time",
            metavar="S",
            min=0,
            help="Seconds for the proofs; default: a tenth of the time limit, at least 5.",
        ),
    ] = None,
    gantt: Gantt = None,
) -> Answer:
    """The heuristics and closed-form bounds run first and settle the matter if they meet."""
    from ..core.clock import Clock, check_time_limit
    from ..core.files.json_files import JsonFile
    from ..instances.mapreduce.instance_file import read_instance
    from ..solvers.mapreduce.proofs.certify import certify_result

    check_time_limit(time_limit)
    entry = None if method is None else METHODS.lookup(method)
    with live_progress() as on_progress:
        clock = Clock(time_limit)
        file = JsonFile.read(instance)
        problem = read_instance(file)
        interrupts.hold(clock.stop.set)
        result = standing(
            slotwise.solve,
            problem,
            methods=entry,
            time_limit=clock.left,
            threads=threads,
            relative_gap=relative_gap,
            absolute_gap=absolute_gap,
            on_progress=on_progress,
            stop=clock.stop,
        )
    answer = answer_of(result, gantt, () if result.status == "optimal" else result.notes)
    if cross_check and not interrupts.came() and result.fault is None:
        limit = min(time_limit, max(LEAST_CHECK, CHECK_SHARE * result.seconds))
        try:
            interrupts.interrupt()
            opinions = slotwise.cross_check(result, time_limit=limit, threads=threads or 1)
            interrupts.hold()
            answer.document["cross_check"] = [opinion.document() for opinion in opinions]
            answer.text = "\n  ".join([answer.text, *map(str, opinions)])
            if any(opinion.agrees is False for opinion in opinions):
                answer.code = NO
                put_aside("slotwise: CROSS-CHECK DISAGREES: do not trust this result")
        except KeyboardInterrupt:
            interrupts.hold()
            answer.notes = [*answer.notes, "interrupted: no cross-check"]

    def certify(path: Path) -> None:
        clock = Clock(certificate_time or max(LEAST_SECONDS, SHARE * time_limit))
        interrupts.hold(clock.stop.set)
        made = certify_result(result, clock, file.content)
        answer.text += f"\n  proved: {made}"
        answer.line = "; ".join(map(str.strip, answer.text.splitlines()))
        slotwise.write(made, path)

    answer.files = {certificate: certify}
    return answer
