"""`slotwise gap`."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...core.errors import InputError
from ...core.registry import Entry
from ...heuristics.mapreduce import HEURISTICS
from ...reports.plots import TABLE
from ..console import (
    Gantt,
    Json,
    PlotFile,
    Quiet,
    Threads,
    TimeLimit,
    doing,
    draw,
    end,
    live_progress,
    show,
    tell,
)
from ..file_rules import Written, saving
from ..process.interrupts import Signals, held

if TYPE_CHECKING:
    from ...core.registry import Entry
    from ...solvers.mapreduce.comparison import Comparison

LEAST_SECONDS, SHARE = 1.0, 0.1
"""The proof of an instance's bound takes at most this share of its time limit, or so many seconds.
"""

ALL = "all"
"""All that run where none is named."""

NAMES = ", ".join(HEURISTICS.names)

Heuristic = Annotated[
    list[str] | None,
    typer.Option(
        "--heuristic",
        metavar="NAME",
        help=f"Only this one; repeat. One of {NAMES}, or your own, FILE.py:FUNCTION; {ALL} are "
        "those that run where none is named.",
    ),
]
Table = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help=f"Write a table ({', '.join(TABLE)}), or everything as JSON (any other ending); - is "
        "stdout, then only it.",
    ),
    Written(),
]
Latex = Annotated[
    Path | None,
    typer.Option(
        "--latex", metavar="FILE", help="Write the gaps in LaTeX, too, for the package booktabs."
    ),
    Written(),
]


def gap(
    instances: Annotated[
        list[Path], typer.Argument(metavar="INSTANCE…", help="slotwise/mapreduce/1 files.")
    ],
    heuristic: Heuristic = None,
    time_limit: TimeLimit = 60.0,
    threads: Threads = None,
    output: Table = None,
    latex: Latex = None,
    gantt: Gantt = None,
    plot: PlotFile = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """A table in CSV or Parquet has a row for each heuristic on each instance, which `slotwise
    rank` reads; one in LaTeX has the gaps, a row for each instance.

    The time limit holds for each instance, heuristics included; the proof of the bound has a tenth
    more. Ctrl-C keeps what is done.
    --gantt draws the best schedule of a single instance, --plot the gaps of the heuristics.
    """
    from ...core.clock import check_time_limit
    from ...core.errors import InputError, OutputError
    from ...core.files.outputs import is_replaced
    from ...reports.mapreduce.tables import summary_table
    from ...reports.table_files import is_table

    check_time_limit(time_limit)
    if gantt is not None and len(instances) > 1:
        raise InputError("--gantt draws one instance, give only one")
    hidden = quiet or as_json
    entries, table = heuristics_named(heuristic), is_table(output)
    done: list[Comparison] = []
    with held() as signals:
        try:
            for file in instances:
                comparison = _compared(file, entries, signals, time_limit, threads, hidden=hidden)
                done.append(comparison)
                if output is not None and is_replaced(output):
                    with suppress(OutputError):  # tried again at the end
                        _write(done, output, table=table)
                _show_one(comparison, quiet=quiet or as_json)
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
                _write(done, output, table=table)
        if latex is not None and done:
            with saving():
                _write_latex(done, latex)
        if as_json or len(done) > 1:
            text = summary_table(done)
            show(text, document=_document(done), as_json=as_json, quiet=quiet)
        _draw_gaps(done, plot)
        signals.interrupt()
        if done:
            draw(gantt, done[0].best, quiet=hidden, skip=interrupted)
    end(*(comparison.best for comparison in done))


def _show_one(comparison: Comparison, *, quiet: bool) -> None:
    """Show the table of an instance, what it lacks, and why it is open."""
    from ...reports.mapreduce.tables import comparison_table

    best = comparison.best
    tell(comparison.missing if best.status == "optimal" else best.notes, quiet=quiet)
    show(comparison_table(comparison), document=None, as_json=False, quiet=quiet)


def _document(done: list[Comparison]) -> dict[str, Any]:
    return {"instances": [comparison.document() for comparison in done]}


def _write(done: list[Comparison], output: Path, *, table: bool) -> None:
    """Write what is done, as the ending says."""
    if table:
        from ...reports.mapreduce.gap_table import write_gap_table

        write_gap_table(done, output)
    else:
        from ...core.files.json_files import write_json

        write_json(output, _document(done))


def _write_latex(done: list[Comparison], path: Path) -> None:
    from ...core.files.outputs import write_bytes
    from ...reports.mapreduce.gap_table import gap_latex

    write_bytes(path, gap_latex(done).encode())


def _draw_gaps(done: list[Comparison], plot: Path | None) -> None:
    found = [comparison for comparison in done if comparison.best.schedule is not None]
    if plot is not None and found:
        from ...reports.drawing import draw_gaps, write_plot

        with saving():
            write_plot(plot, draw_gaps, found)


def _compared(
    path: Path,
    entries: list[Entry] | None,
    signals: Signals,
    time_limit: float,
    threads: int | None,
    *,
    hidden: bool,
) -> Comparison:
    """What all heuristics, bounds and methods make of one file; signals are held from then on."""
    from ...core.clock import Clock
    from ...core.files.json_files import JsonFile
    from ...instances.mapreduce.instance_file import read_instance
    from ...solvers.mapreduce.certificate.certify import certify_result
    from ...solvers.mapreduce.compare import compared
    from ...solvers.mapreduce.first_results import Opening

    with live_progress(hidden=hidden) as on_progress:
        doing(on_progress, f"reading {path}")
        clock = Clock(time_limit)
        file = JsonFile.read(path)
        problem = read_instance(file)
        signals.hold(clock.stop.set)
        comparison = compared(Opening(problem, on_progress, entries), clock, threads=threads)
        doing(on_progress, "proving the bound")
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
        found = HEURISTICS.usual if name == ALL else [_entry(name)]
        for entry in found:
            if entries.get(entry.name, entry) != entry:
                raise InputError(f"--heuristic: two of the same name: {entry.name!r}")
            entries[entry.name] = entry
    return list(entries.values())


def _entry(name: str) -> Entry:
    if ":" not in name:
        return HEURISTICS.lookup(name)
    from ...experiments.study.user_functions import find_function

    try:
        found = find_function(name, Path())
    except InputError as error:
        raise InputError(str(error).replace("function:", f"--heuristic {name}:", 1)) from None
    return replace(HEURISTICS.resolve(found.function), plugin=name.rpartition(":")[0])
