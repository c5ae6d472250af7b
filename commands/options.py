"""Arguments and options that several commands take, and what their values stand for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from ..core.errors import InputError, OutputError
from ..core.registry import Entry, Registry
from ..reports.plots import GANTT, PLOT, TABLE
from .file_rules import Written

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
TableFile = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help=f"Write a table ({', '.join(TABLE)}), or everything as JSON (any other ending); "
        "- is stdout, then only it.",
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


def names_of(registry: Registry) -> Callable[[str], list[tuple[str, str]]]:
    """What a shell offers for a name of a registry: typer's `autocompletion`."""

    def offered(incomplete: str) -> list[tuple[str, str]]:
        return [(entry.name, entry.summary) for entry in registry]

    return offered


def named(registry: Registry, name: str, file: Path | None) -> Entry:
    """The entry called `name`, of two arguments whose order may be wrong. Raises `InputError`."""
    known = {known.casefold(): known for known in registry.names}
    given = str(file).casefold()
    if given in known and name.casefold() not in known:
        raise InputError(
            f"the {registry.kind} comes before the file: did you mean {known[given]} {name}?"
        )
    return registry.lookup(name)


@contextmanager
def about(path: Path | None) -> Iterator[None]:
    """Within it, errors caused by the content of a file name the file."""
    try:
        yield
    except InputError as error:
        if path is None or isinstance(error, OutputError) or str(path) in str(error):
            raise
        raise InputError(f"{path}: {error}") from None
