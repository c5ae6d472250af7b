"""`slotwise gap`."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any

import typer

from .console import (
    NO,
    Gantt,
    Json,
    Output,
    Quiet,
    Threads,
    TimeLimit,
    draw,
    get_ready,
    live_progress,
    show,
    tell,
)
from .file_rules import saving


def gap(
    instances: Annotated[
        list[Path], typer.Argument(metavar="INSTANCE…", help="slotwise/mapreduce/1 files.")
    ],
    time_limit: TimeLimit = 60.0,
    threads: Threads = None,
    output: Output = None,
    gantt: Gantt = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Every heuristic against the optimum or best bound.

    The time limit holds for each instance. Ctrl-C keeps what is done. --gantt draws the best
    schedule of a single instance.
    """
    from ..instances.errors import InputError, OutputError
    from ..instances.files import write_json
    from ..instances.mapreduce_file import read_instance
    from ..instances.outputs import is_replaced
    from ..report.tables import comparison_table, summary_table
    from ..solvers.compare import compare

    if gantt is not None and len(instances) > 1:
        raise InputError("--gantt draws one instance, give only one")
    documents: list[dict[str, Any]] = []
    done = []
    try:
        for path in instances:
            problem = read_instance(path)
            get_ready(problem, quiet=quiet or as_json, exact=True)
            with live_progress(hidden=quiet or as_json) as on_progress:
                comparison = compare(
                    problem, time_limit=time_limit, threads=threads, on_progress=on_progress
                )
            done.append(comparison)
            documents.append(comparison.document())
            if output is not None and is_replaced(output):
                with suppress(OutputError):  # tried again at the end
                    write_json(output, {"instances": documents})
            if not as_json:
                if comparison.best.status != "optimal":
                    tell(comparison.best.notes, quiet=quiet)
                show(comparison_table(comparison), document=None, as_json=False, quiet=quiet)
            if comparison.best.interrupted:
                raise KeyboardInterrupt
    except KeyboardInterrupt:
        tell([f"interrupted after {len(done)} of {len(instances)} instances"], quiet=quiet)
    if output is not None and done:
        with saving():
            write_json(output, {"instances": documents})
    if done:
        draw(gantt, done[0].best)
    if as_json or len(done) > 1:
        text = summary_table(done)
        show(text, document={"instances": documents}, as_json=as_json, quiet=quiet)
    if any(comparison.best.schedule is None for comparison in done):
        raise typer.Exit(NO)
