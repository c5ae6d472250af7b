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
from ..reports.plots import TABLE, write_plot
from .file_rules import Written
from .frame import Answer
from .options import Gantt, PlotFile, Threads, TimeLimit, names_of
from .process.interrupts import Signals
from .progress import live_progress
from .results import drawings_of
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
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help=f"Write a table ({', '.join(TABLE)}), or everything as JSON (any other ending); "
            "- is stdout, then only it.",
        ),
        Written(),
    ] = None,
    latex: Annotated[
        Path | None,
        typer.Option(
            "--latex",
            metavar="FILE",
            help="Write the gaps in LaTeX, too, for the package booktabs.",
        ),
        Written(),
    ] = None,
    gantt: Gantt = None,
    plot: PlotFile = None,
    *,
    signals: Signals,
) -> Answer:
    """A table in CSV or Parquet has a row for each heuristic on each instance, which `slotwise
    rank` reads; one in LaTeX has the gaps, a row for each instance.

    The time limit holds for each instance, heuristics included; the proof of the bound has a tenth
    more. Ctrl-C keeps what is done.
    --gantt draws the best schedule of a single instance, --plot the gaps of the heuristics.
    """
    from rich.console import Group

    from ..core.clock import check_time_limit
    from ..core.files.json_files import write_json
    from ..reports.mapreduce.gap_table import gap_latex, write_gap_table
    from ..reports.mapreduce.plots import draw_gaps
    from ..reports.mapreduce.tables import comparison_table, summary_table
    from ..reports.table_files import is_table

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

    try:
        for file in instances:
            comparison = _of_file(file, entries, signals, time_limit, threads)
            done.append(comparison)
            if output is not None and is_replaced(output):
                with suppress(OutputError):  # tried again at the end
                    write(output)
            best = comparison.best
            running().tell(comparison.missing if best.status == "optimal" else best.notes)
            if output is None:
                running().show(comparison_table(comparison))
            if signals.came:
                break
            signals.interrupt()
    except KeyboardInterrupt:
        if not done:
            raise
    signals.hold()
    if signals.came:
        running().tell([f"interrupted after {len(done)} of {len(instances)} instances"])
    drawn = [comparison for comparison in done if comparison.best.schedule is not None]
    files = {latex: lambda path: write_bytes(path, gap_latex(done).encode())}
    if drawn:
        files[plot] = lambda path: write_plot(path, draw_gaps, drawn)
    # With -o the tables are shown only if the file could not be written.
    shown = [] if output is None else [comparison_table(comparison) for comparison in done]
    if len(done) > 1:
        shown.append(summary_table(done))
    bests = [comparison.best for comparison in done]
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


def _of_file(
    path: Path,
    entries: list[Entry] | None,
    signals: Signals,
    time_limit: float,
    threads: int | None,
) -> slotwise.Comparison:
    """What all heuristics, bounds and methods make of one file; signals are held from then on."""
    from ..core.clock import Clock
    from ..core.files.json_files import JsonFile
    from ..core.notices import step
    from ..instances.mapreduce.instance_file import read_instance
    from ..solvers.mapreduce.certificate.certify import certify_result
    from ..solvers.mapreduce.compare import compared
    from ..solvers.mapreduce.first_results import Opening

    with live_progress() as on_progress:
        clock = Clock(time_limit)
        file = JsonFile.read(path)
        problem = read_instance(file)
        signals.hold(clock.stop.set)
        comparison = compared(Opening(problem, on_progress, entries), clock, threads=threads)
        step("proving the bound")
        left = Clock(max(LEAST_SECONDS, SHARE * time_limit), clock.stop)
        certificate = certify_result(comparison.best, left, file.content)
        return replace(comparison, certificate=certificate)


def heuristics_named(names: list[str] | None) -> list[Entry] | None:
    """The entries of names, of `FILE.py:FUNCTION`, and of `all`; None if none is named.

    What fails in a file of the user's own is left out with a note, like what fails in a plug-in.
    Raises `InputError`.
    """
    if not names:
        return None
    entries: dict[str, Entry] = {}
    for name in names:
        for entry in HEURISTICS.usual if name == ALL else [_entry(name)]:
            if entries.get(entry.name, entry) != entry:
                raise InputError(f"--heuristic: two of the same name: {entry.name!r}")
            entries[entry.name] = entry
    return list(entries.values())


def _entry(name: str) -> Entry:
    if ":" not in name:
        return HEURISTICS.lookup(name)
    from ..experiments.study.user_functions import find_function

    try:
        found = find_function(name, Path())
    except InputError as error:
        raise InputError(str(error).replace("function:", f"--heuristic {name}:", 1)) from None
    return replace(HEURISTICS.resolve(found.function), plugin=name.rpartition(":")[0])
