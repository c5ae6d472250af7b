"""`slotwise campaign`, and what it shares with `slotwise reproduce`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from ..core.errors import InputError, one_line
from ..core.files.examples import is_example
from ..core.files.inputs import STANDARD
from ..core.files.outputs import check_folder
from ..core.wording import NONE, percent
from .frame import Answer
from .options import OutputFolder
from .process.interrupts import INTERRUPTED, Signals
from .process.streams import put_aside
from .running import NO, running

ENDING = ".runs"
"""Of the folders that are made if the user names none."""

Workers = Annotated[
    int | None,
    typer.Option(metavar="N", min=1, help="Processes side by side; default: one a core."),
]
Dask = Annotated[
    str | None,
    typer.Option(metavar="ADDRESS", help="Use the workers of this Dask scheduler instead."),
]
Retry = Annotated[bool, typer.Option("--retry", help="Run failed runs again.")]
Anyway = Annotated[
    bool, typer.Option("--anyway", help="Go on in a folder of another build of slotwise.")
]


def campaign(
    signals: Signals,
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", help="A study in TOML, docs/how-to/campaigns.md; - is stdin."
        ),
    ],
    output: OutputFolder = None,
    workers: Workers = None,
    dask: Dask = None,
    retry: Retry = False,
    anyway: Anyway = False,
    list_runs: Annotated[
        bool, typer.Option("--list", help="Print the runs with their ids, run nothing.")
    ] = False,
    table: Annotated[
        bool, typer.Option("--table", help="Write the tables of the folder again, run nothing.")
    ] = False,
) -> Answer:
    """The folder (default: the file's name with .runs) keeps every run, and tables for
    pandas and spreadsheets. What is in it is not run again, so the same line goes on after Ctrl-C.
    Exits with 1 if runs failed.
    """
    from ..experiments.engine.campaign import Options
    from ..experiments.study.study_file import name_of_file, read_study_text, study_of_text

    text = read_study_text(file)
    study = study_of_text(text, file)
    if list_runs:
        return runs_listed(study, study=study.name)
    elsewhere = is_example(file) or str(file) == STANDARD
    usual = Path(name_of_file(file) + ENDING) if elsewhere else file.with_suffix(ENDING)
    folder = output or usual
    check_folder(folder)
    if table:
        return _answer(study, folder, _exported_again(study, folder))
    options = Options(workers=workers, dask=dask, retry=retry, anyway=anyway, file=text.encode())
    ended = carried_out(study, folder, options, signals)
    answer = _answer(study, folder, ended.records, ended=ended.how)
    answer.code = end_of(ended) or (NO if ended.state.failed else 0)
    return answer


def runs_listed(study: Any, /, **more: str) -> Answer:
    """The runs of a study with their ids."""
    from ..experiments.study.listing import run_rows

    rows = run_rows(study)
    return Answer("\n".join("  ".join(row.values()) for row in rows), {**more, "runs": rows})


def carried_out(study: Any, folder: Path, options: Any, signals: Signals) -> Any:
    """How a session ended that runs what a folder lacks; a signal ends it with what there is."""
    from ..experiments.engine.campaign import run_study
    from ..experiments.engine.progress import shown

    with shown(hidden=running().hidden) as progress:
        signals.interrupt()
        options = replace(options, on_progress=progress, on_note=_tell)
        ended = run_study(study, folder, options)
        signals.hold_if_came()
    return ended


def end_of(ended: Any) -> int:
    """The exit code of a session that was interrupted or could not go on, told; else 0."""
    if ended.interrupted:
        left = ended.state.runs - ended.state.ended
        running().tell([f"interrupted: {ended.folder} keeps what is done; {left} runs are left"])
        return INTERRUPTED
    if ended.reason:
        _tell(ended.reason)
        return NO
    return 0


def _tell(text: str) -> None:
    """Print what must be known with --quiet too."""
    put_aside(f"note: {one_line(text, None)}")


def _exported_again(study: Any, folder: Path) -> Any:
    from ..experiments.engine.export import check_libraries, export
    from ..experiments.engine.store import NAME, Store

    check_libraries()
    if not (folder / NAME).is_file():
        raise InputError(f"{folder}: has no {NAME}, which the tables are made of")
    with Store(folder) as store:
        if store.damage:
            _tell(store.damage)
        export(study, store.records, folder)
        return store.records


def _answer(study: Any, folder: Path, records: Any, **more: str) -> Answer:
    """The table of the methods, and where everything is."""
    from ..experiments.engine.tables import frame_of
    from ..experiments.study.listing import summary

    methods = summary(study, frame_of(study, records))
    document = {"study": study.name, "folder": str(folder), "runs": len(study.runs), **more}
    return Answer(_table(study, folder, methods), document | {"methods": methods})


COLUMNS = (
    ("runs", "runs", str),
    ("failed", "failed", str),
    ("over_best_bound", "mean gap", percent),
    ("best", "is best", percent),
    ("mean_wait", "mean wait", "{:.4g}".format),
    ("guarantees_met", "guarantees met", percent),
    ("cpu_seconds", "mean CPU s", "{:.3f}".format),
)
"""What of a method's summary is shown, under which heading and how."""


def _table(study: Any, folder: Path, methods: list[dict[str, Any]]) -> Any:
    from rich.markup import escape
    from rich.table import Table

    done = sum(row["runs"] for row in methods)
    told = ""
    if any(row["best"] is not None for row in methods):
        told = (
            "gap: to the best bound on the instance; is best: no other method's makespan is "
            "shorter\n"
        )
    table = Table(
        title=escape(f"{study.name}: {done} of {len(study.runs)} runs"),
        title_justify="left",
        caption=escape(f"{told}{folder}: results.parquet and .csv, times.parquet and .csv"),
        caption_justify="left",
    )
    columns = [one for one in COLUMNS if any(row[one[0]] is not None for row in methods)]
    table.add_column("method", overflow="fold")
    for _, label, _ in columns:
        table.add_column(label, justify="right")
    for row in methods:
        cells = {name: NONE if row[name] is None else form(row[name]) for name, _, form in columns}
        if 0 < row["with_gap"] < row["runs"]:
            cells["over_best_bound"] += f" (n = {row['with_gap']})"
        table.add_row(escape(row["method"]), *cells.values())
    return table
