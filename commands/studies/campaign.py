"""`slotwise campaign`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...core.errors import InputError
from ...core.wording import NONE, percent
from ..console import NO, Json, OutputFolder, Quiet, show, tell
from .run_study import ENDING, Anyway, Dask, Retry, Workers, carried_out, tell_end

if TYPE_CHECKING:
    from pandas import DataFrame
    from rich.table import Table

    from ...experiments.engine.record import Record
    from ...experiments.study.study import Study

CAPTION = "gap: to the best bound on the instance; is best: no other method's makespan is shorter"

StudyFile = Annotated[
    Path,
    typer.Argument(metavar="FILE", help="A study in TOML, docs/how-to/campaigns.md; - is stdin."),
]
List = Annotated[bool, typer.Option("--list", help="Print the runs with their ids, run nothing.")]
OnlyTable = Annotated[
    bool, typer.Option("--table", help="Write the tables of the folder again, run nothing.")
]


def campaign(
    file: StudyFile,
    output: OutputFolder = None,
    workers: Workers = None,
    dask: Dask = None,
    retry: Retry = False,
    anyway: Anyway = False,
    list_runs: List = False,
    table: OnlyTable = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """The folder (default: the file's name with .runs) keeps every run, and tables for
    pandas and spreadsheets. What is in it is not run again, so the same line goes on after Ctrl-C.
    Exits with 1 if runs failed.
    """
    from ...experiments.engine.campaign import Options
    from ...experiments.engine.tables import frame_of
    from ...experiments.study.study_file import read_study_text, study_of_text

    text = read_study_text(file)
    study = study_of_text(text, file)
    if list_runs:
        _list(study, as_json=as_json, quiet=quiet)
        return
    folder = output or _default_folder(file)
    if table:
        frame = frame_of(study, _export_again(study, folder))
        _show(study, folder, frame, {}, as_json=as_json, quiet=quiet)
        return
    options = Options(workers=workers, dask=dask, retry=retry, anyway=anyway, file=text.encode())
    ended = carried_out(study, folder, options, hidden=quiet or as_json)
    frame = frame_of(study, ended.records)
    _show(study, folder, frame, {"ended": ended.how}, as_json=as_json, quiet=quiet)
    tell_end(ended, quiet=quiet)
    if ended.state.failed:
        raise typer.Exit(NO)


def _default_folder(file: Path) -> Path:
    from ...core.files.examples import is_example
    from ...core.files.inputs import STANDARD
    from ...core.files.outputs import check_folder
    from ...experiments.study.study_file import name_of_file

    elsewhere = is_example(file) or str(file) == STANDARD
    folder = Path(name_of_file(file) + ENDING) if elsewhere else file.with_suffix(ENDING)
    check_folder(folder)
    return folder


def _export_again(study: Study, folder: Path) -> Mapping[str, Record]:
    from ...experiments.engine.export import check_libraries, export
    from ...experiments.engine.store import NAME, Store

    check_libraries()
    if not (folder / NAME).is_file():
        raise InputError(f"{folder}: has no {NAME}, which the tables are made of")
    with Store(folder) as store:
        tell([store.damage] if store.damage else [], quiet=False)
        export(study, store.records, folder)
        return store.records


def _list(study: Study, *, as_json: bool, quiet: bool) -> None:
    from ...experiments.study.listing import run_rows

    rows = run_rows(study)
    text = "\n".join("  ".join(row.values()) for row in rows)
    document = {"study": study.name, "runs": rows}
    show(text, document=document, as_json=as_json, quiet=quiet)


def _show(
    study: Study,
    folder: Path,
    frame: DataFrame,
    more: dict[str, Any],
    *,
    as_json: bool,
    quiet: bool,
) -> None:
    """The table of the methods, and where everything is."""
    from ...experiments.study.listing import summary

    methods = summary(study, frame)
    document = {
        "study": study.name,
        "folder": str(folder),
        "runs": len(study.runs),
        **more,
        "methods": methods,
    }
    show(_table(study, folder, methods), document=document, as_json=as_json, quiet=quiet)


def _table(study: Study, folder: Path, methods: list[dict[str, Any]]) -> Table:
    from rich.markup import escape
    from rich.table import Table

    done = sum(row["runs"] for row in methods)
    told = f"{CAPTION}\n" if any(row["best"] is not None for row in methods) else ""
    table = Table(
        title=escape(f"{study.name}: {done} of {len(study.runs)} runs"),
        title_justify="left",
        caption=escape(f"{told}{folder}: results.parquet and .csv, times.parquet and .csv"),
        caption_justify="left",
    )
    columns: list[tuple[str, str, Callable[[Any], str]]] = [
        (name, label, form)
        for name, label, form in (
            ("runs", "runs", str),
            ("failed", "failed", str),
            ("over_best_bound", "mean gap", percent),
            ("best", "is best", percent),
            ("mean_wait", "mean wait", "{:.4g}".format),
            ("guarantees_met", "guarantees met", percent),
            ("cpu_seconds", "mean CPU s", "{:.3f}".format),
        )
        if any(row[name] is not None for row in methods)
    ]
    table.add_column("method", overflow="fold")
    for _, label, _ in columns:
        table.add_column(label, justify="right")
    for row in methods:
        cells = {n: NONE if row[n] is None else form(row[n]) for n, _, form in columns}
        if 0 < row["with_gap"] < row["runs"]:
            cells["over_best_bound"] += f" (n = {row['with_gap']})"
        table.add_row(escape(row["method"]), *cells.values())
    return table
