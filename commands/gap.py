"""`slotwise gap`."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .console import (
    NO,
    Gantt,
    Json,
    Output,
    PlotFile,
    Quiet,
    Threads,
    TimeLimit,
    doing,
    draw,
    live_progress,
    show,
    tell,
)
from .file_rules import saving
from .process.interrupts import Signals, held

if TYPE_CHECKING:
    from ..solvers.compare import Comparison


def gap(
    instances: Annotated[
        list[Path], typer.Argument(metavar="INSTANCE…", help="slotwise/mapreduce/1 files.")
    ],
    time_limit: TimeLimit = 60.0,
    threads: Threads = None,
    output: Output = None,
    gantt: Gantt = None,
    plot: PlotFile = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Every heuristic against the optimum or best bound.

    The time limit holds for each instance, heuristics included. Ctrl-C keeps what is done.
    --gantt draws the best schedule of a single instance, --plot the gaps of the heuristics.
    """
    from ..instances.errors import InputError, OutputError
    from ..instances.files.json_files import write_json
    from ..instances.files.outputs import is_replaced
    from ..report.tables import comparison_table, summary_table
    from ..solvers.clock import check_time_limit

    check_time_limit(time_limit)
    if gantt is not None and len(instances) > 1:
        raise InputError("--gantt draws one instance, give only one")
    hidden = quiet or as_json
    documents: list[dict[str, Any]] = []
    done: list[Comparison] = []
    with held() as signals:
        try:
            for path in instances:
                comparison = _compared(path, signals, time_limit, threads, hidden=hidden)
                done.append(comparison)
                documents.append(comparison.document())
                if output is not None and is_replaced(output):
                    with suppress(OutputError):  # tried again at the end
                        write_json(output, {"instances": documents})
                if not as_json:
                    if comparison.best.status != "optimal":
                        tell(comparison.best.notes, quiet=quiet)
                    show(comparison_table(comparison), document=None, as_json=False, quiet=quiet)
                if signals.came:
                    break
                signals.interrupt()
        except KeyboardInterrupt:
            if not done:
                raise
        signals.hold()
        interrupted = signals.came
        if interrupted:
            tell([f"interrupted after {len(done)} of {len(instances)} instances"], quiet=quiet)
        if output is not None and done:
            with saving():
                write_json(output, {"instances": documents})
        if as_json or len(done) > 1:
            text = summary_table(done)
            show(text, document={"instances": documents}, as_json=as_json, quiet=quiet)
        _draw_gaps(done, plot)
        signals.interrupt()
        if done:
            draw(gantt, done[0].best, quiet=hidden, skip=interrupted)
    if any(comparison.best.schedule is None for comparison in done):
        raise typer.Exit(NO)


def _draw_gaps(done: list[Comparison], plot: Path | None) -> None:
    """Draw what has a schedule, if a plot is wanted."""
    found = [comparison for comparison in done if comparison.best.schedule is not None]
    if plot is not None and found:
        from ..report.overviews import write_gaps

        with saving():
            write_gaps(found, plot)


def _compared(
    path: Path, signals: Signals, time_limit: float, threads: int | None, *, hidden: bool
) -> Comparison:
    """What all heuristics, bounds and methods make of one file; signals are held from then on."""
    from ..instances.mapreduce.instance_file import read_instance
    from ..solvers.clock import Clock
    from ..solvers.compare import compared
    from ..solvers.opening import Opening

    with live_progress(hidden=hidden) as on_progress:
        doing(on_progress, f"reading {path}")
        problem = read_instance(path)
        clock = Clock(time_limit)
        signals.hold(clock.stop.set)
        return compared(Opening(problem, on_progress), clock, threads=threads)
