"""What commands of the old form say and write; `frame` does it for those that answer."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from ..core.errors import one_line
from .file_rules import saving
from .options import CertificateFile as CertificateFile
from .options import Gantt as Gantt
from .options import InstanceFile as InstanceFile
from .options import Json as Json
from .options import Output as Output
from .options import OutputFolder as OutputFolder
from .options import Plot as Plot
from .options import PlotFile as PlotFile
from .options import Quiet as Quiet
from .options import Threads as Threads
from .options import TimeLimit as TimeLimit
from .options import about as about
from .options import named as named
from .process.streams import put_aside
from .running import NO as NO
from .running import running

if TYPE_CHECKING:
    from ..solvers.mapreduce.result import Result


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
