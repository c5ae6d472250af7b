"""`slotwise audit`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...core.errors import InputError
from ..console import NO, Json, Output, Quiet, keep, show, tell
from ..file_rules import Written, saving
from ..process.interrupts import Signals, held
from ..studies.run_study import Dask, Workers, check_place
from .asked import Asked, check_setups, objective_named, overheads_named

if TYPE_CHECKING:
    from ...core.clock import Clock
    from .several import Place

Histories = Annotated[
    list[Path],
    typer.Argument(
        metavar="HISTORY...", help="What a cluster logged: a file, or a folder of one application."
    ),
]


Page = Annotated[
    Path | None,
    typer.Option("--html", metavar="FILE", help="Write a page with both Gantt charts on one axis."),
    Written((".html",), "a page"),
]


ObjectiveName = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="makespan or mean; default: mean if jobs arrive."),
]
Heartbeat = Annotated[
    float, typer.Option(metavar="S", min=0, help="Wait for a free slot that is no fault.")
]
MaxLoss = Annotated[
    float | None,
    typer.Option("--max-loss", metavar="S", min=0, help="No job may end so much later."),
]
SlotNumbers = Annotated[
    list[int] | None,
    typer.Option(metavar="N", min=1, help="The same on N slots; may be given again."),
]
Since = Annotated[
    float | None,
    typer.Option("--from", metavar="S", help="Only jobs submitted so late, from the origin."),
]
Until = Annotated[
    float | None, typer.Option("--to", metavar="S", help="Only jobs submitted before.")
]
Queue = Annotated[str | None, typer.Option(metavar="NAME", help="Only jobs of a queue.")]
Topology = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Rumen topology of racks and hosts.")
]
MapSlots = Annotated[
    int | None, typer.Option(metavar="N", min=1, help="Map slots per host of Hadoop 1.")
]
ReduceSlots = Annotated[
    int | None, typer.Option(metavar="N", min=1, help="Reduce slots per host of Hadoop 1.")
]
Containers = Annotated[
    int | None, typer.Option(metavar="N", min=1, help="Containers per host of YARN.")
]


Detail = Annotated[
    bool, typer.Option("--detail", help="Each cause removed first and last, and what-ifs.")
]
OverheadsName = Annotated[
    str,
    typer.Option(metavar="NAME", help="Speak of the best with them kept, with none, or of both."),
]


SetupsName = Annotated[
    str, typer.Option(metavar="NAME", help="measured: tasks take what they took, wherever.")
]
Limit = Annotated[
    float,
    typer.Option(
        "--time-limit", metavar="S", min=0, help="Seconds of wall time; of several, for each."
    ),
]
Top = Annotated[
    int | None,
    typer.Option(metavar="N", min=1, help="Of several, tell the N that lost most."),
]
NoCache = Annotated[
    bool,
    typer.Option("--no-cache", help="Audit each of several anew, whatever was found before."),
]


def audit(
    context: typer.Context,
    histories: Histories,
    objective: ObjectiveName = None,
    overheads: OverheadsName = "both",
    heartbeat: Heartbeat = 3.0,
    max_loss: MaxLoss = None,
    since: Since = None,
    until: Until = None,
    queue: Queue = None,
    slots: SlotNumbers = None,
    topology: Topology = None,
    map_slots: MapSlots = None,
    reduce_slots: ReduceSlots = None,
    containers: Containers = None,
    setups: SetupsName = "measured",
    time_limit: Limit = 30.0,
    workers: Workers = None,
    dask: Dask = None,
    no_cache: NoCache = False,
    top: Top = None,
    detail: Detail = False,
    output: Output = None,
    html: Page = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """How far a run was from the best that was possible, with proof, and where the time went.

    Reads event logs of Spark, .jhist files and Rumen traces of Hadoop, and slotwise/history/1. Of
    several histories it says one line each; they are audited side by side, and what did not change
    is not audited again.
    """
    from ...core.clock import Clock
    from ...instances.history.reading import HistoryOptions
    from ...instances.history.window import Window
    from ...solvers.history.audit import AuditOptions

    histories = _expanded(histories)
    if len(histories) > 1 and (html is not None or slots):
        raise InputError(f"{'--slots' if slots else '--html'} is for one history")
    _check_dask(dask, histories, topology)
    check_place(dask, workers)
    check_setups(setups)
    judging = AuditOptions(objective_named(objective), heartbeat, max_loss, detail)
    reading = HistoryOptions(topology, map_slots, reduce_slots, containers)
    window = Window(since, until, queue)
    asked = Asked(
        judging, reading, window, slots or [], overheads_named(overheads), context.obj, top
    )
    _check_slots(asked)
    hidden = quiet or as_json
    with held() as signals:
        if len(histories) == 1:
            document, text = _one(
                histories[0], Clock(time_limit), asked, html, signals, quiet=hidden
            )
        else:
            from .several import Place

            place = Place(workers, dask, not no_cache)
            document, text = _table(histories, asked, time_limit, place, signals, quiet=hidden)
        keep(output, document)
        show(text, document=document, as_json=as_json, quiet=quiet)


def _one(
    history: Path, clock: Clock, asked: Asked, html: Path | None, signals: Signals, *, quiet: bool
) -> tuple[dict[str, Any], str]:
    """Audit one history, on other sizes as well if that was asked, and write its page.

    Signals are held once it is read: there is something to tell from then on.
    """
    from ...instances.history.projection import BrokenRun
    from ...instances.history.reading import read_run
    from ...instances.history.window import within
    from ...report.history.document import audit_document
    from ...report.history.page import write_audit_page
    from ...report.history.verdict import audit_text
    from ...solvers.history.auditing import audit_run
    from ...solvers.history.sizes import with_sizes

    run = within(read_run(history, asked.reading), asked.window)
    signals.hold(clock.stop.set)
    share = clock.until_left(clock.left / 2) if asked.slots else clock
    try:
        made = replace(audit_run(run, share, asked.judging), overheads=asked.overheads)
    except BrokenRun as error:
        tell([str(error)], quiet=False)
        raise typer.Exit(NO) from None
    if asked.slots:
        made = with_sizes(made, asked.slots, clock)
    if signals.came:
        tell(["interrupted: the best that was found, and what was proven, so far"], quiet=quiet)
    if html is not None:
        with saving():
            write_audit_page(made, html, asked.line)
    if not made.run.complete:
        tell([f"{made.run.name}: the log ends early; audited up to its last event"], quiet=quiet)
    return audit_document(made), audit_text(made)


def _check_slots(asked: Asked) -> None:
    """Raise `InputError` for what is not told of other numbers of slots."""
    if asked.slots and not asked.window.whole:
        raise InputError("--slots: needs all jobs, without --from, --to and --queue")
    if asked.slots and asked.overheads == "none":
        raise InputError("--slots: keeps the overheads, so not with --overheads none")


def _check_dask(dask: str | None, histories: list[Path], topology: Path | None) -> None:
    """Raise `InputError` for what a cluster does not do."""
    if dask is not None and len(histories) == 1:
        raise InputError("--dask is for several histories")
    if dask is not None and topology is not None:
        raise InputError("--topology: does not go to a Dask cluster: audit on this machine")


def _expanded(histories: list[Path]) -> list[Path]:
    """Folders that are no history themselves stand for what is in them."""
    from ...instances.history.reading import kind_of

    paths: list[Path] = []
    for path in histories:
        entries = sorted(path.iterdir()) if path.is_dir() else []
        try:
            if entries:
                kind_of(path)
            paths.append(path)
        except InputError:
            paths += [entry for entry in entries if not entry.name.startswith((".", "_"))]
    return paths


def _table(
    histories: list[Path],
    asked: Asked,
    time_limit: float,
    place: Place,
    signals: Signals,
    *,
    quiet: bool,
) -> tuple[dict[str, Any], str]:
    """Audit each history; those that cannot be read are told."""
    from ...report.history.nights import night_table
    from .several import Several

    made = Several(histories, asked, time_limit, place).run(signals, hidden=quiet)
    tell(made.failures, quiet=quiet)
    if not made.audits:
        if made.unfinished:
            raise KeyboardInterrupt
        raise InputError(made.failures[0])
    return made.document(), night_table(made.audits, asked.top)
