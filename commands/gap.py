"""`slotwise gap`."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

import slotwise

from ..core.errors import InputError, OutputError
from ..core.files.outputs import is_replaced, write_bytes
from ..core.registry import Entry
from ..core.wording import plural
from ..heuristics.mapreduce import HEURISTICS
from ..reports.plots import write_plot
from . import interrupts
from .file_rules import Written
from .frame import Answer, Writer
from .options import Gantt, PlotFile, TableFile, Threads, TimeLimit, names_of
from .progress import live_progress
from .results import drawings_of, standing
from .running import NO, running

LEAST_SECONDS, SHARE = 1.0, 0.1
"""The proof of an instance's bound takes at most this share of its time limit, or so many seconds.
"""

ALL = "all"
"""All that run where none is named."""


def gap(
    instances: Annotated[
        list[Path], typer.Argument(metavar="INSTANCE…", help="slotwise/mapreduce/1 files.")
    ],
    heuristic: Annotated[
        list[str] | None,
        typer.Option(
            "--heuristic",
            metavar="NAME",
            help=f"Only this one; repeat. One of {', '.join(HEURISTICS.names)}, or your own, "
            f"FILE.py:FUNCTION; {ALL} are those that run where none is named.",
            autocompletion=names_of(HEURISTICS),
        ),
    ] = None,
    time_limit: TimeLimit = 60.0,
    threads: Threads = None,
    output: TableFile = None,
    latex: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the gaps in LaTeX, too, with booktabs."),
        Written(),
    ] = None,
    gantt: Gantt = None,
    plot: PlotFile = None,
) -> Answer:
    """A table in CSV or Parquet has a row for each heuristic on each instance, which `slotwise
    rank` reads; one in LaTeX has the gaps, a row for each instance.

    The time limit holds for each instance, heuristics included; the proof of the bound has a tenth
    more. Ctrl-C keeps what is done.
    --gantt draws the best schedule of a single instance, --plot the gaps of the heuristics.
    """
    from rich.console import Group

    from ..core.clock import Clock, check_time_limit
    from ..core.files.json_files import JsonFile, write_json
    from ..core.notices import step
    from ..instances.mapreduce.instance_file import read_instance
    from ..reports.mapreduce.gap_table import gap_latex, write_gap_table
    from ..reports.mapreduce.plots import draw_gaps
    from ..reports.mapreduce.tables import comparison_table, summary_table
    from ..reports.table_files import is_table
    from ..solvers.mapreduce.proofs.certify import certify_result

    check_time_limit(time_limit)
    if gantt is not None and len(instances) > 1:
        raise InputError("--gantt draws one instance, give only one")
    entries, as_table = heuristics_named(heuristic), is_table(output)
    done: list[slotwise.Comparison] = []

    def document() -> dict[str, Any]:
        return {"instances": [comparison.document() for comparison in done]}

    def write(path: Path) -> None:
        if as_table:
            write_gap_table(done, path)
        else:
            write_json(path, document())

    def of_file(path: Path) -> slotwise.Comparison:
        """What all heuristics, bounds and methods make of one file."""
        with live_progress() as on_progress:
            clock = Clock(time_limit)
            file = JsonFile.read(path)
            problem = read_instance(file)
            interrupts.hold(clock.stop.set)
            found = standing(
                slotwise.gap,
                problem,
                heuristics=entries,
                time_limit=clock.left,
                threads=threads,
                on_progress=on_progress,
                stop=clock.stop,
            )
            step("proving the bound")
            left = Clock(max(LEAST_SECONDS, SHARE * time_limit), clock.stop)
            return replace(found, certificate=certify_result(found.best, left, file.content))

    try:
        for file in instances:
            done.append(comparison := of_file(file))
            if output is not None and is_replaced(output):
                with suppress(OutputError):  # tried again at the end
                    write(output)
            best = comparison.best
            running().tell(comparison.missing if best.status == "optimal" else best.notes)
            if output is None:
                running().show(comparison_table(comparison))
            if interrupts.came():
                break
            interrupts.interrupt()
    except KeyboardInterrupt:
        if not done:
            raise
    interrupts.hold()
    if interrupts.came():
        running().tell([f"interrupted after {len(done)} of {len(instances)} instances"])
    bests = [comparison.best for comparison in done]
    drawn = [comparison for comparison in done if comparison.best.schedule is not None]
    files: dict[Path | None, Writer] = {latex: lambda to: write_bytes(to, gap_latex(done).encode())}
    if drawn:
        files[plot] = lambda to: write_plot(to, draw_gaps, drawn)
    # With -o the tables are shown only if the file could not be written.
    shown = [] if output is None else [comparison_table(comparison) for comparison in done]
    if len(done) > 1:
        shown.append(summary_table(done))
    return Answer(
        Group(*shown) if shown else None,
        document(),
        code=NO if any(best.schedule is None for best in bests) else 0,
        line=plural(len(done), "instance"),
        content=write,
        files=files,
        drawings=drawings_of(bests[0], gantt),
        error=next((best.fault for best in bests if best.fault is not None), None),
    )


def heuristics_named(names: list[str] | None) -> list[Entry] | None:
    """The entries of names, of `FILE.py:FUNCTION`, and of `all`; None if none is named.

    What fails in a file of the user's own is left out with a note, like what fails in a plug-in.
    Raises `InputError`.
    """
    found: list[Entry] = []
    for name in names or ():
        if name == ALL:
            found += HEURISTICS.usual
        elif ":" in name:
            from ..experiments.study.user_functions import find_function

            function = find_function(name, Path()).function
            found.append(replace(HEURISTICS.resolve(function), plugin=name.rpartition(":")[0]))
        else:
            found.append(HEURISTICS.lookup(name))
    return HEURISTICS.resolve_all(list(dict.fromkeys(found))) if found else None
