"""`slotwise fair`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

import slotwise

from ..core.errors import InputError
from ..heuristics.hierarchy import ALLOCATORS
from ..instances.exporters import EXPORTERS
from .frame import Answer
from .options import PlotFile, about, names_of
from .running import running

QUESTIONS = ("why", "what_if", "events", "export")
"""Each of these is answered alone."""

SPOKEN = {
    ("why", "events"): "--why explains one allocation: leave out --events",
    ("why", "export"): "--export writes a scheduler's file: leave out --why and --events",
    ("events", "export"): "--export writes a scheduler's file: leave out --why and --events",
}


def fair(
    hierarchy: Annotated[
        Path, typer.Argument(metavar="HIERARCHY", help="A slotwise/hierarchy/1 or /2 file.")
    ],
    method: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help=f"One of {', '.join(ALLOCATORS.names)}.",
            autocompletion=names_of(ALLOCATORS),
        ),
    ] = "exact",
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
        typer.Option(
            metavar="NAME",
            help=f"Write it for a scheduler: {', '.join(EXPORTERS.names)}.",
            autocompletion=names_of(EXPORTERS),
        ),
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
) -> Answer:
    """With --export, -o takes the scheduler's file instead of the allocation."""
    from ..core.files.json_files import write_json
    from ..reports.plots import write_plot

    entry = ALLOCATORS.lookup(method)
    parameters = _parameters(method, resource, scale=scale_guarantees, ignore=ignore_limits)
    _check_together(locals())
    writer = None if export is None else EXPORTERS.lookup(export)
    tree = slotwise.read(hierarchy, kind=slotwise.Hierarchy)
    if why is not None:  # before anything is computed
        with about(hierarchy):
            tree.node_at(why)
    if what_if:
        from ..heuristics.hierarchy.questions import what_if as computed_again
        from ..reports.hierarchy.limit_tables import what_if_table

        with about(hierarchy):
            given = tree.without_quotas() if ignore_limits else tree
            changed = computed_again(given, what_if, scale_guarantees=scale_guarantees)
        return Answer(what_if_table(changed), changed.document())
    if events is not None:
        return _over_time(tree, events, method, parameters, plot)
    with about(hierarchy):
        allocation = slotwise.fair(tree, method, **parameters)
    drawings = {plot: lambda path: write_plot(path, slotwise.plot, allocation)}
    if writer is not None:
        text, notes = slotwise.export(tree, writer)
        return Answer(
            text.removesuffix("\n"),
            {"export": writer.name, "text": text, "notes": notes},
            notes=notes,
            line=writer.summary,
            content=text.encode(),
            drawings=drawings,
        )
    if why is not None:
        with about(hierarchy):
            reason = slotwise.why(allocation, why.strip("/"), scale_guarantees=scale_guarantees)
        return Answer(
            str(reason),
            reason.document(),
            content=lambda path: write_json(path, allocation.document()),
            drawings=drawings,
        )
    notes = [f"{entry.name} breaks guarantees here; exact does not"]
    return Answer(
        None if running().hidden else _table(allocation, leaves, depth),
        allocation.document(),
        notes=[] if entry.valid or allocation.met.all() else notes,
        line=f"fair shares by {entry.name}",
        drawings=drawings,
    )


def _check_together(values: Mapping[str, Any]) -> None:
    """Raise `InputError` if options were given that do not go together."""
    given = {name for name, value in values.items() if value not in (None, False, [])}
    asked = [name for name in QUESTIONS if name in given]
    if len(asked) > 1:
        pair = asked[0], asked[1]
        text = f"{_option(pair[0])} and {_option(pair[1])} are two questions: ask one at a time"
        raise InputError(SPOKEN.get(pair, text))
    for name in ("leaves", "depth"):
        if asked and name in given:
            raise InputError(f"--{name} is for the table of shares: leave out {_option(asked[0])}")
    if {"leaves", "depth"} <= given:
        raise InputError("--depth is for groups: leave out --leaves")
    if "what_if" in given and "plot" in given:
        raise InputError("--plot draws one allocation: leave out --what-if")
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


def _table(allocation: slotwise.Allocation, leaves: bool, depth: int | None) -> Any:
    if allocation.hierarchy.quotas is not None or depth is not None:
        from ..reports.hierarchy.limit_tables import node_table

        return node_table(allocation, leaves_only=leaves, depth=depth)
    from ..reports.hierarchy.fair_shares import allocation_table

    return allocation_table(allocation)


def _over_time(
    tree: slotwise.Hierarchy,
    events: Path,
    method: str,
    parameters: dict[str, Any],
    plot: Path | None,
) -> Answer:
    from ..instances.hierarchy.events import read_events
    from ..reports.hierarchy.fair_shares import timeline_table
    from ..reports.plots import write_plot

    timeline = slotwise.follow(tree, read_events(events, tree), method, **parameters)
    return Answer(
        timeline_table(timeline),
        timeline.document(),
        line=f"fair shares by {method} over time",
        drawings={plot: lambda path: write_plot(path, slotwise.plot, timeline)},
    )
