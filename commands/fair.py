"""`slotwise fair`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..core.errors import InputError
from ..heuristics.hierarchy import ALLOCATORS, allocate
from ..instances.exporters import EXPORTERS
from .console import Json, Output, PlotFile, Quiet, about, keep, show, tell
from .file_rules import saving
from .process.streams import put

NAMES = ", ".join(ALLOCATORS.names)
SCHEDULERS = ", ".join(EXPORTERS.names)

QUESTIONS = ("why", "what_if", "events", "export")
"""Each of these is answered alone."""

SPOKEN = {
    ("why", "events"): "--why explains one allocation: leave out --events",
    ("why", "export"): "--export writes a scheduler's file: leave out --why and --events",
    ("events", "export"): "--export writes a scheduler's file: leave out --why and --events",
}

if TYPE_CHECKING:
    from ..core.registry import Entry
    from ..instances.hierarchy.allocation import Allocation
    from ..instances.hierarchy.hierarchy import Hierarchy


def fair(
    hierarchy: Annotated[
        Path, typer.Argument(metavar="HIERARCHY", help="A slotwise/hierarchy/1 or /2 file.")
    ],
    method: Annotated[str, typer.Option(metavar="NAME", help=f"One of {NAMES}.")] = "exact",
    resource: Annotated[
        str | None, typer.Option(metavar="NAME", help="With ch: collapse for this resource.")
    ] = None,
    why: Annotated[
        str | None, typer.Option(metavar="NODE", help="Explain what one leaf or group has.")
    ] = None,
    what_if: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NODE:FIELD=VALUE",
            help="What would change: weight, tasks, priority, guarantee.cpu, limit.cpu, "
            "reserve.cpu.",
        ),
    ] = None,
    events: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Jobs that arrive and leave: shares after each event."),
    ] = None,
    plot: PlotFile = None,
    export: Annotated[
        str | None,
        typer.Option(metavar="NAME", help=f"Write it for a scheduler: {SCHEDULERS}."),
    ] = None,
    leaves: Annotated[
        bool, typer.Option("--leaves", help="Show leaves alone, without their groups.")
    ] = False,
    depth: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Show groups down to this depth.")
    ] = None,
    scale_guarantees: Annotated[
        bool,
        typer.Option("--scale-guarantees", help="Scale guarantees that are more than there is."),
    ] = False,
    ignore_limits: Annotated[
        bool, typer.Option("--ignore-limits", help="Leave out guarantees, limits, priorities.")
    ] = False,
    output: Output = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """With --export, -o takes the scheduler's file instead of the allocation."""
    from ..instances.hierarchy.hierarchy_file import read_hierarchy

    entry = ALLOCATORS.lookup(method)
    parameters = _parameters(method, resource, scale=scale_guarantees, ignore=ignore_limits)
    _check_together(locals())
    writer = None if export is None else EXPORTERS.lookup(export)
    tree = read_hierarchy(hierarchy)
    if why is not None:  # before anything is written
        with about(hierarchy):
            if tree.quotas is None and why.strip("/") not in tree.node_paths:
                tree.leaf_at(why)
            tree.node_at(why)
    if what_if:
        from ..heuristics.hierarchy.limits.what_if import what_if as computed_again
        from ..reports.hierarchy.limit_tables import what_if_table

        with about(hierarchy):
            answer = computed_again(tree, what_if, scale_guarantees=scale_guarantees)
        keep(output, answer.document())
        show(what_if_table(answer), document=answer.document(), as_json=as_json, quiet=quiet)
        return
    if events is not None:
        _over_time(tree, events, method, parameters, plot, output, as_json=as_json, quiet=quiet)
        return
    with about(hierarchy):
        allocation = allocate(tree, method, **parameters)
    if plot is not None:
        from ..reports.drawing import plot as drawn
        from ..reports.drawing import write_plot

        with saving():
            write_plot(plot, drawn, allocation)
    if writer is not None:
        _export(tree, writer, output, as_json=as_json, quiet=quiet)
        return
    document = allocation.document()
    keep(output, document)
    if why is not None:
        from ..heuristics.hierarchy.explanation import why as explained

        with about(hierarchy):
            reason = explained(allocation, why.strip("/"))
        show(str(reason), document=reason.document(), as_json=as_json, quiet=quiet)
    else:
        text = "" if as_json or quiet else _table(allocation, leaves, depth)
        show(text, document=document, as_json=as_json, quiet=quiet)
        if not entry.valid and not allocation.met.all():
            tell([f"{entry.name} breaks guarantees here; exact does not"], quiet=quiet or as_json)


def _check_together(values: Mapping[str, Any]) -> None:
    """Raise `InputError` if options were given that do not go together."""
    given = {name for name, value in values.items() if value not in (None, False, [])}
    asked = [name for name in QUESTIONS if name in given]
    if len(asked) > 1:
        pair = asked[0], asked[1]
        text = f"{_option(pair[0])} and {_option(pair[1])} are two questions: ask one at a time"
        raise InputError(SPOKEN.get(pair, text))
    if "what_if" in given and values["method"] != "exact":
        raise InputError(f"--what-if is for method exact, not {values['method']}")


def _option(name: str) -> str:
    return "--" + name.replace("_", "-")


def _parameters(method: str, resource: str | None, *, scale: bool, ignore: bool) -> dict[str, Any]:
    """What options say to the allocator."""
    parameters: dict[str, Any] = {}
    if resource is not None:
        if method != "ch":
            raise InputError(f"--resource is for method ch, not {method}")
        parameters["resource"] = resource
    if scale:
        if method != "exact":
            raise InputError(f"--scale-guarantees is for method exact, not {method}")
        parameters["scale_guarantees"] = True
    if ignore:
        parameters["ignore_limits"] = True
    return parameters


def _table(allocation: Allocation, leaves: bool, depth: int | None) -> Any:
    if allocation.hierarchy.quotas is not None or depth is not None:
        from ..reports.hierarchy.limit_tables import node_table

        return node_table(allocation, leaves_only=leaves, depth=depth)
    from ..reports.hierarchy.fair_shares import allocation_table

    return allocation_table(allocation)


def _export(
    tree: Hierarchy, writer: Entry, output: Path | None, *, as_json: bool, quiet: bool
) -> None:
    from ..core.files.outputs import write_bytes
    from ..instances.exporters import export

    text, notes = export(tree, writer)
    tell(notes, quiet=quiet or as_json)
    document = {"export": writer.name, "text": text, "notes": notes}
    if output is not None:
        write_bytes(output, text.encode())
        text = f"{output}: {writer.summary}"
    elif not as_json:
        if not quiet:
            put(text)
        return
    show(text, document=document, as_json=as_json, quiet=quiet)


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
    from ..heuristics.hierarchy.timeline import follow
    from ..instances.hierarchy.events import read_events
    from ..reports.hierarchy.fair_shares import timeline_table, write_timeline

    timeline = follow(tree, read_events(events, tree), method, **parameters)
    if plot is not None:
        with saving():
            write_timeline(timeline, plot)
    document = timeline.document()
    keep(output, document)
    show(timeline_table(timeline), document=document, as_json=as_json, quiet=quiet)
