"""`slotwise solve`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..solvers.mapreduce import METHODS
from .console import (
    CertificateFile,
    Gantt,
    InstanceFile,
    Json,
    Output,
    Quiet,
    Threads,
    TimeLimit,
    doing,
    draw,
    end,
    keep,
    live_progress,
    show,
    tell,
)
from .file_rules import saving
from .process.interrupts import Signals, held
from .process.streams import put_aside

if TYPE_CHECKING:
    from ..core.clock import Clock
    from ..core.files.json_files import JsonFile
    from ..solvers.certificate import Certificate
    from ..solvers.mapreduce.cross_check import Opinion
    from ..solvers.mapreduce.result import Result
    from ..solvers.mapreduce.solve import SolveParams

LEAST_SECONDS, SHARE = 5.0, 0.1
"""A certificate takes at most this share of the time limit, or so many seconds."""

LEAST_CHECK, CHECK_SHARE = 5.0, 1 / 4
"""Each method of a cross-check has this share of the time that was needed, or so many seconds."""

NAMES = ", ".join(METHODS.names)

CertificateTime = Annotated[
    float | None,
    typer.Option(
        "--certificate-time",
        metavar="S",
        min=0,
        help="Seconds for the proofs; default: a tenth of the time limit, at least 5.",
    ),
]


RelativeGap = Annotated[float, typer.Option(metavar="G", min=0, help="Stop at this relative gap.")]
AbsoluteGap = Annotated[
    float, typer.Option(metavar="S", min=0, help="Stop at this gap in seconds.")
]


def solve(
    instance: InstanceFile,
    method: Annotated[
        str | None,
        typer.Option(
            "--method", "--model", metavar="NAME", help=f"One of {NAMES}; default: chosen."
        ),
    ] = None,
    time_limit: TimeLimit = 60.0,
    threads: Threads = None,
    relative_gap: RelativeGap = 1e-7,
    absolute_gap: AbsoluteGap = 0.0,
    cross_check: Annotated[
        bool, typer.Option("--cross-check", help="Solve again by independent methods and compare.")
    ] = False,
    output: Output = None,
    certificate: CertificateFile = None,
    certificate_time: CertificateTime = None,
    gantt: Gantt = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """The heuristics and closed-form bounds run first and settle the matter if they meet."""
    from ..core.clock import Clock
    from ..solvers.mapreduce.solve import SolveParams

    params = SolveParams(
        methods=None if method is None else METHODS.lookup(method),
        time_limit=time_limit,
        threads=threads,
        relative_gap=relative_gap,
        absolute_gap=absolute_gap,
    )
    hidden, agree = quiet or as_json, True
    with held() as signals:
        file, result = _searched(instance, params, signals, hidden=hidden)
        document, text = result.document(), str(result)
        if cross_check and not signals.came and result.fault is None:
            opinions = _opinions(result, signals, time_limit, threads or 1, quiet=hidden)
            if opinions is not None:
                document["cross_check"] = [opinion.document() for opinion in opinions]
                agree = all(opinion.agrees is not False for opinion in opinions)
                text = "\n".join([text, *(f"  {opinion}" for opinion in opinions)])
        keep(output, document)
        if certificate is not None:
            clock = Clock(certificate_time or max(LEAST_SECONDS, SHARE * time_limit))
            text += f"\n  proved: {_certified(result, file, certificate, clock, signals)}"
        if result.status != "optimal":
            tell(result.notes, quiet=hidden)
        show(text, document=document, as_json=as_json, quiet=quiet)
        if not agree:
            put_aside("slotwise: CROSS-CHECK DISAGREES: do not trust this result")
        signals.interrupt()
        draw(gantt, result, quiet=hidden, skip=signals.came)
    end(result, agree=agree)


def _searched(
    path: Path, params: SolveParams, signals: Signals, *, hidden: bool
) -> tuple[JsonFile, Result]:
    """An instance file and its result; signals are held from when it is read."""
    from ..core.clock import Clock
    from ..core.files.json_files import JsonFile
    from ..instances.mapreduce.instance_file import read_instance
    from ..solvers.mapreduce.first_results import Opening
    from ..solvers.mapreduce.solve import search

    with live_progress(hidden=hidden) as on_progress:
        doing(on_progress, f"reading {path}")
        clock = Clock(params.time_limit)
        file = JsonFile.read(path)
        problem = read_instance(file)
        signals.hold(clock.stop.set)
        return file, search(Opening(problem, on_progress), clock, params)


def _certified(
    result: Result, file: JsonFile, output: Path, clock: Clock, signals: Signals
) -> Certificate:
    from ..solvers.certificate import write_certificate
    from ..solvers.mapreduce.certificate.certify import certify_result

    signals.hold(clock.stop.set)
    made = certify_result(result, clock, file.content)
    with saving():
        write_certificate(made, output)
    return made


def _opinions(
    result: Result, signals: Signals, time_limit: float, threads: int, *, quiet: bool
) -> list[Opinion] | None:
    """What independent methods say of the result; None if Ctrl-C ends them."""
    try:
        signals.interrupt()
        from ..solvers.mapreduce.cross_check import cross_check

        limit = min(time_limit, max(LEAST_CHECK, CHECK_SHARE * result.seconds))
        opinions = cross_check(result, time_limit=limit, threads=threads)
        signals.hold()
        return opinions
    except KeyboardInterrupt:
        signals.hold()
        tell(["interrupted: no cross-check"], quiet=quiet)
        return None
