"""`slotwise fair`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..heuristics.fairness import ALLOCATORS
from ..instances.errors import InputError
from ..instances.exporters import EXPORTERS, GUIDANCE, exporter_of
from ..instances.registry import Entry
from .console import Json, Output, Plot, Quiet, about, put_exported, show, tell
from .file_rules import saving

if TYPE_CHECKING:
    from ..instances.hierarchy.allocation import Allocation
    from ..instances.hierarchy.hierarchy import Hierarchy

NAMES = ", ".join(entry.name for entry in ALLOCATORS.own)
SCHEDULERS = ", ".join(entry.name for entry in EXPORTERS.own if entry.takes != GUIDANCE)


def fair(
    hierarchy: Annotated[
        Path, typer.Argument(metavar="HIERARCHY", help="A slotwise/hierarchy/1 file.")
    ],
    method: Annotated[str, typer.Option(metavar="NAME", help=f"One of {NAMES}.")] = "exact",
    resource: Annotated[
        str | None, typer.Option(metavar="NAME", help="With ch: collapse for this resource.")
    ] = None,
    why: Annotated[
        str | None, typer.Option(metavar="LEAF", help="Explain the share of one leaf.")
    ] = None,
    events: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Jobs that arrive and leave: shares after each event."),
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Draw the shares: .png, .svg or .pdf."),
        Plot,
    ] = None,
    export: Annotated[
        str | None,
        typer.Option(metavar="NAME", help=f"Write it for a scheduler: {SCHEDULERS}."),
    ] = None,
    flat: Annotated[
        bool,
        typer.Option("--flat", help="With --export: leaves under the root, weighted by shares."),
    ] = False,
    output: Output = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Fair shares of a hierarchy of queues, and every leaf's guarantee.

    With --export, -o takes the scheduler's file instead of the allocation.
    """
    from ..heuristics.fairness import allocate
    from ..instances.files.json_files import write_json
    from ..instances.hierarchy.hierarchy_file import read_hierarchy

    entry = ALLOCATORS.lookup(method)
    if resource is not None and method != "ch":
        raise InputError(f"--resource is for method ch, not {method}")
    given = {"--why": why, "--events": events, "--plot": plot, "--export": export, "--flat": flat}
    _check_together({option for option, value in given.items() if value not in (None, False)})
    writer = None if export is None else exporter_of(export)
    tree = read_hierarchy(hierarchy)
    _check_leaf(tree, why, hierarchy)  # before anything is written
    parameters = {"resource": resource} if resource is not None else {}
    if events is not None:
        _over_time(tree, events, method, parameters, plot, output, as_json=as_json, quiet=quiet)
        return
    with about(hierarchy):
        allocation = allocate(tree, method, **parameters)
    _draw(allocation, plot)
    if writer is not None:
        _export(allocation, writer, output, flat=flat, as_json=as_json, quiet=quiet)
        return
    document = allocation.document()
    if output is not None:
        with saving():
            write_json(output, document)
    _show(allocation, entry, document, why, as_json=as_json, quiet=quiet)


def _draw(allocation: Allocation, plot: Path | None) -> None:
    """Draw the shares, if a plot is wanted."""
    if plot is not None:
        from ..report.overviews import write_shares

        with saving():
            write_shares(allocation, plot)


def _show(
    allocation: Allocation,
    entry: Entry,
    document: Any,
    why: str | None,
    *,
    as_json: bool,
    quiet: bool,
) -> None:
    """Print the allocation, or what explains the share of one leaf."""
    text: Any = ""
    if why is not None:
        from ..heuristics.fairness.explanation import why as explain

        answer = explain(allocation, why)
        text, document = str(answer), answer.document()
    elif not (as_json or quiet):
        from ..report.fair_shares import allocation_table

        text = allocation_table(allocation)
    show(text, document=document, as_json=as_json, quiet=quiet)
    if not entry.valid and not allocation.met.all():
        tell([f"{entry.name} breaks guarantees here; exact does not"], quiet=quiet or as_json)


def _check_leaf(tree: Hierarchy, path: str | None, file: Path) -> None:
    if path is not None:
        with about(file):
            tree.leaf_at(path)


def _check_together(given: set[str]) -> None:
    """Raise `InputError` if options were given that do not go together."""
    if given >= {"--events", "--why"}:
        raise InputError("--why explains one allocation: leave out --events")
    if "--flat" in given and "--export" not in given:
        raise InputError("--flat goes with --export")
    if "--export" in given and given & {"--why", "--events"}:
        raise InputError("--export writes a scheduler's file: leave out --why and --events")


def _export(
    allocation: Allocation,
    writer: Entry,
    output: Path | None,
    *,
    flat: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    from ..instances.exporters import export
    from ..instances.schedulers.queue_tree import flattened

    tree = allocation.hierarchy
    exported = export(writer, flattened(tree, allocation.share) if flat else tree)
    if flat:
        exported.notes.append(
            "flat weights equal the tree only while all leaves are busy: recompute"
        )
    put_exported(writer, exported, output, {"flat": flat}, as_json=as_json, quiet=quiet)


def _over_time(
    tree: Hierarchy,
    events: Path,
    method: str,
    parameters: dict[str, Any],
    plot: Path | None,
    output: Path | None,
    *,
    as_json: bool,
    quiet: bool,
) -> None:
    from ..heuristics.fairness.timeline import follow
    from ..instances.files.json_files import write_json
    from ..instances.hierarchy.events import read_events
    from ..report.fair_shares import timeline_table, write_timeline

    timeline = follow(tree, read_events(events, tree), method, **parameters)
    document = timeline.document()
    if output is not None:
        with saving():
            write_json(output, document)
    if plot is not None:
        with saving():
            write_timeline(timeline, plot)
    show(timeline_table(timeline), document=document, as_json=as_json, quiet=quiet)
