"""What the commands that run studies share: options, signals, progress, and how a session ended."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ...core.errors import InputError
from ..console import NO, tell
from ..process.interrupts import INTERRUPTED, held

if TYPE_CHECKING:
    from ...experiments.engine.campaign import Ended, Options
    from ...experiments.study.study import Study

ENDING = ".runs"
"""Of the folders that are made if the user names none."""

Workers = Annotated[
    int | None,
    typer.Option(metavar="N", min=1, help="Processes side by side; default: one a core."),
]
Dask = Annotated[
    str | None,
    typer.Option(metavar="ADDRESS", help="Use the workers of this Dask scheduler instead."),
]
Retry = Annotated[bool, typer.Option("--retry", help="Run failed runs again.")]
Anyway = Annotated[
    bool, typer.Option("--anyway", help="Go on in a folder of another build of slotwise.")
]


def carried_out(study: Study, folder: Path, options: Options, *, hidden: bool) -> Ended:
    """Run what a folder lacks; a signal ends it with what there is."""
    from dataclasses import replace

    from ...experiments.engine.backends.local import workers_for
    from ...experiments.engine.campaign import run_study
    from ...experiments.engine.export import check_libraries
    from ...experiments.engine.progress import shown

    # What is missing is said before a folder is made.
    if options.dask is not None and options.workers is not None:
        raise InputError("--workers is for this machine: a Dask cluster has its own")
    check_libraries()
    if options.dask is None:
        workers_for(max(run.method.threads for run in study.runs), options.workers)
    with held() as signals, shown(hidden=hidden) as progress:
        signals.interrupt()
        options = replace(options, on_progress=progress, on_note=_note)
        ended = run_study(study, folder, options)
        signals.hold_if_came()
    return ended


def tell_end(ended: Ended, *, quiet: bool) -> None:
    """Tell what is left of a study, and leave if that is anything.

    Raises `typer.Exit` after an interruption, with a lost scheduler or a full disk.
    """
    if ended.interrupted:
        left = ended.state.runs - ended.state.ended
        tell([f"interrupted: {ended.folder} keeps what is done; {left} runs are left"], quiet=quiet)
        raise typer.Exit(INTERRUPTED)
    if ended.reason:
        tell([ended.reason], quiet=False)
        raise typer.Exit(NO)


def _note(text: str) -> None:
    tell([text], quiet=False)
