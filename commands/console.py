"""What the commands share: options, what goes to stdout and what to stderr."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..core.errors import InputError, OutputError, one_line
from ..core.registry import Entry, Registry
from ..core.wording import percent
from ..reports.plots import GANTT, PLOT
from .file_rules import Written, saving
from .process.streams import put_aside
from .running import NO, running

if TYPE_CHECKING:
    from ..solvers.mapreduce.result import Result
    from ..solvers.progress import Progress, ProgressCallback

Json = Annotated[
    bool,
    typer.Option("--json", help="Print one JSON document on stdout and nothing else there."),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print errors only.")]
InstanceFile = Annotated[
    Path,
    typer.Argument(
        metavar="INSTANCE", help="A slotwise/mapreduce/1 file, plain or gzip; - is stdin."
    ),
]
Output = Annotated[
    Path | None,
    typer.Option(
        "--output", "-o", metavar="FILE", help="Write the result here; - is stdout, then only it."
    ),
    Written(),
]
OutputFolder = Annotated[
    Path | None,
    typer.Option("--output", "-o", metavar="FOLDER", help="Keep everything in this folder."),
    Written(folder=True),
]
Gantt = Annotated[
    Path | None,
    typer.Option("--gantt", metavar="FILE", help=f"Draw the schedule: {', '.join(GANTT)}."),
    Written(GANTT, "a Gantt chart"),
]
Plot = Written(PLOT, "a plot")
PlotFile = Annotated[
    Path | None,
    typer.Option("--plot", metavar="FILE", help=f"Draw it at one glance: {', '.join(PLOT)}."),
    Plot,
]
CertificateFile = Annotated[
    Path | None,
    typer.Option(
        "--certificate", metavar="FILE", help="Write proofs that slotwise verify confirms."
    ),
    Written(),
]
TimeLimit = Annotated[
    float, typer.Option("--time-limit", metavar="S", min=0, help="Seconds of wall time.")
]
Threads = Annotated[
    int | None, typer.Option("--threads", metavar="N", min=1, help="Default: all cores.")
]


def show(text: Any, *, document: Any, as_json: bool, quiet: bool) -> None:
    running().show(text, document)


def keep(output: Path | None, document: Any) -> None:
    """Write a document, if an output is wanted; it is shown even if it cannot be written."""
    if output is not None:
        from ..core.files.json_files import write_json

        with saving():
            write_json(output, document)


def end(*results: Result, agree: bool = True) -> None:
    """Raise a fault of ours, or exit with 1 where there is no schedule or solvers disagree."""
    for result in results:
        if result.fault is not None:
            raise result.fault
    if not agree or any(result.schedule is None for result in results):
        raise typer.Exit(NO)


def tell(lines: list[str] | tuple[str, ...], *, quiet: bool) -> None:
    """Print notes to stderr, one line each."""
    if not quiet:
        for line in lines:
            put_aside(f"note: {one_line(line, None)}")


def named(registry: Registry, name: str, file: Path | None) -> Entry:
    """The entry called `name`, of two arguments whose order may be wrong. Raises `InputError`."""
    known = {known.casefold(): known for known in registry.names}
    given = str(file).casefold()
    if given in known and name.casefold() not in known:
        raise InputError(
            f"the {registry.kind} comes before the file: did you mean {known[given]} {name}?"
        )
    return registry.lookup(name)


def draw(gantt: Path | None, result: Result, *, quiet: bool = False, skip: bool = False) -> None:
    """Draw the Gantt chart of a result, if one is wanted and there is a schedule.

    Ctrl-C skips it, and so does `skip`, after an interruption.
    """
    if gantt is None or result.schedule is None:
        return
    with saving():
        from ..reports.mapreduce.gantt.files import write_gantt

        try:
            if skip:
                raise KeyboardInterrupt
            write_gantt(
                result.instance,
                result.schedule,
                gantt,
                lower_bound=result.lower_bound,
                bound_name=result.bound_name,
                title=f"{result.instance.name}: {result.found_by}",
            )
        except KeyboardInterrupt:
            tell(["interrupted: no chart was drawn"], quiet=quiet)


def doing(on_progress: ProgressCallback | None, what: str) -> None:
    """Report what is done before the search."""
    if on_progress is not None:
        from ..solvers.progress import Progress

        on_progress(Progress(0.0, None, None, what))


@contextmanager
def about(path: Path) -> Iterator[None]:
    """Within it, errors caused by the content of a file name the file."""
    try:
        yield
    except InputError as error:
        if isinstance(error, OutputError) or str(path) in str(error):
            raise
        raise InputError(f"{path}: {error}") from None


SHOWN_AFTER = 2.0
"""Seconds after which steps are shown."""


@contextmanager
def step_progress(*, hidden: bool) -> Iterator[None]:
    """A line on a terminal's stderr with the step that a reader is at, if it takes long."""
    if hidden or not sys.stderr.isatty():
        yield
        return
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    from ..core.notices import watched

    began = perf_counter()
    latest: list[tuple[str, float | None]] = []

    def take(what: str, share: float | None) -> None:
        latest[:] = [(what, share)]

    def shown() -> Text:
        took = perf_counter() - began
        if took < SHOWN_AFTER or not latest:
            return Text("")
        what, share = latest[0]
        return Text(f"{took:7.1f} s   {what}" + ("" if share is None else f"   {share:.0%}"))

    console = Console(stderr=True)
    with (
        watched(take),
        Live(console=console, transient=True, refresh_per_second=4, get_renderable=shown),
    ):
        yield


@contextmanager
def live_progress(*, hidden: bool) -> Iterator[ProgressCallback | None]:
    """A line on a terminal's stderr: what is being done; incumbent, bound and gap so far."""
    if hidden or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    from ..solvers.mapreduce.result import relative_gap

    began = perf_counter()
    latest: list[Progress] = []

    def shown() -> Text:
        said = [f"{perf_counter() - began:7.1f} s"]
        if latest:
            step = latest[-1]
            if step.doing:
                said.append(step.doing)
            if step.incumbent is not None:
                said.append(f"incumbent {step.incumbent:.6g} s")
            if step.incumbent is not None and step.bound is not None:
                gap = relative_gap(step.incumbent, step.bound)
                said.append(f"bound {step.bound:.6g} s")
                said.append(f"gap {percent(gap)}")
                said.append("(Ctrl-C keeps the best)")
        return Text("   ".join(said))

    console = Console(stderr=True)
    with Live(console=console, transient=True, refresh_per_second=8, get_renderable=shown):
        yield latest.append
