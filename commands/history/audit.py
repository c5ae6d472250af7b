"""`slotwise audit`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, cast, get_args

import typer

from ...core.errors import InputError
from ..console import NO, Json, Output, Quiet, TimeLimit, keep, show, tell
from ..file_rules import Written, saving
from ..process.interrupts import held

if TYPE_CHECKING:
    from ...core.clock import Clock
    from ...instances.history.reading import HistoryOptions
    from ...instances.history.window import Window
    from ...solvers.history.audit import Audit, AuditOptions, Objective, Overheads

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


class Asked(NamedTuple):
    """What the options say of an audit, of what its logs do not tell, and of which jobs."""

    judging: AuditOptions
    reading: HistoryOptions
    window: Window
    slots: list[int]
    overheads: Overheads


def audit(
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
    time_limit: TimeLimit = 30.0,
    detail: Detail = False,
    output: Output = None,
    html: Page = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """How far a run was from the best that was possible, with proof, and where the time went.

    Reads event logs of Spark, .jhist files and Rumen traces of Hadoop, and slotwise/history/1. Of
    several histories it says one line each.
    """
    from ...core.clock import Clock
    from ...instances.history.reading import HistoryOptions
    from ...instances.history.window import Window
    from ...solvers.history.audit import AuditOptions

    histories = _expanded(histories)
    if len(histories) > 1 and (html is not None or slots):
        raise InputError(f"{'--slots' if slots else '--html'} is for one history")
    judging = AuditOptions(_objective(objective), heartbeat, max_loss, detail)
    reading = HistoryOptions(topology, map_slots, reduce_slots, containers)
    asked = Asked(judging, reading, Window(since, until, queue), slots or [], _overheads(overheads))
    if slots and not asked.window.whole:
        raise InputError("--slots: needs all jobs, without --from, --to and --queue")
    if slots and overheads == "none":
        raise InputError("--slots: keeps the overheads, so not with --overheads none")
    hidden = quiet or as_json
    with held() as signals:
        clock = Clock(time_limit)
        if len(histories) == 1:
            signals.hold(clock.stop.set)
            document, text = _one(histories[0], clock, asked, html, quiet=hidden)
        else:
            document, text = _table(histories, clock, asked, quiet=hidden)
        keep(output, document)
        show(text, document=document, as_json=as_json, quiet=quiet)


def _one(
    history: Path, clock: Clock, asked: Asked, html: Path | None, *, quiet: bool
) -> tuple[dict[str, Any], str]:
    """Audit one history, on other sizes as well if that was asked, and write its page."""
    from ...instances.history.projection import BrokenRun
    from ...report.history.document import audit_document
    from ...report.history.page import write_audit_page
    from ...report.history.verdict import audit_text
    from ...solvers.history.sizes import with_sizes

    share = clock.until_left(clock.left / 2) if asked.slots else clock
    try:
        made = _audited(history, share, asked)
    except BrokenRun as error:
        tell([str(error)], quiet=False)
        raise typer.Exit(NO) from None
    if asked.slots:
        made = with_sizes(made, asked.slots, clock)
    if html is not None:
        with saving():
            write_audit_page(made, html)
    if not made.run.complete:
        tell([f"{made.run.name}: the log ends early; audited up to its last event"], quiet=quiet)
    return audit_document(made), audit_text(made)


def _audited(history: Path, clock: Clock, asked: Asked) -> Audit:
    from ...instances.history.reading import read_run
    from ...instances.history.window import within
    from ...solvers.history.auditing import audit_run

    run = within(read_run(history, asked.reading), asked.window)
    return replace(audit_run(run, clock, asked.judging), overheads=asked.overheads)


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


def _objective(name: str | None) -> Objective | None:
    from ...core.advice import check_choice

    if name is None:
        return None
    check_choice("--objective", name, ("makespan", "mean"))
    return "makespan" if name == "makespan" else "mean"


def _overheads(name: str) -> Overheads:
    from ...core.advice import check_choice
    from ...solvers.history.audit import Overheads

    check_choice("--overheads", name, get_args(Overheads))
    return cast("Overheads", name)


def _table(
    histories: list[Path], clock: Clock, asked: Asked, *, quiet: bool
) -> tuple[dict[str, Any], str]:
    """Audit each history in its share of the time; those that cannot be read are told."""
    from ...core.clock import Clock
    from ...report.history.document import audit_document
    from ...report.history.nights import night_table

    audits, failures = [], []
    for k, history in enumerate(histories):
        share = Clock(clock.left / (len(histories) - k), clock.stop)
        try:
            audits.append(_audited(history, share, asked))
        except InputError as error:
            failures.append(str(error))
    tell(failures, quiet=quiet)
    if not audits:
        raise InputError(failures[0])
    document = {"audits": [audit_document(made) for made in audits], "failures": failures}
    return document, night_table(audits)
