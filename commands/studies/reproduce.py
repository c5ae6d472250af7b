"""`slotwise reproduce`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...core.errors import InputError
from ..console import NO, Json, OutputFolder, Quiet, show, tell
from .run_study import ENDING, Anyway, Dask, Retry, Workers, carried_out, tell_end

if TYPE_CHECKING:
    from ...experiments.engine.campaign import Ended
    from ...experiments.reproduction.running import Plan

Names = Annotated[
    list[str] | None,
    typer.Argument(metavar="NAME", help="Tables and figures, papers (ljr), or all."),
]
Quick = Annotated[
    bool, typer.Option("--quick", help="Some seeds and levels, under a minute; the default.")
]
Full = Annotated[bool, typer.Option("--full", help="The paper's own size.")]
List = Annotated[
    bool,
    typer.Option("--list", help="Print the runs with their ids, or without NAME what there is."),
]


def reproduce(
    names: Names = None,
    quick: Quick = False,
    full: Full = False,
    output: OutputFolder = None,
    workers: Workers = None,
    dask: Dask = None,
    retry: Retry = False,
    anyway: Anyway = False,
    list_runs: List = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """The folder (default: the name with .runs) keeps every run, claims.md, comparison.csv,
    tables and pictures; what is in it is not run again. Exits with 1 if runs failed, or a claim
    that should hold does not.
    """
    from ...core.files.outputs import check_folder
    from ...experiments.engine.campaign import Options
    from ...experiments.reproduction.running import planned, told
    from ...experiments.reproduction.view import reproduction_document, reproduction_view
    from ...experiments.study.listing import run_rows

    if quick and full:
        raise InputError("--quick and --full exclude one another")
    if list_runs and not names:
        show(_catalogue(), document=_catalogue_document(), as_json=as_json, quiet=quiet)
        return
    plan = planned(names or [], "full" if full else "quick")
    if list_runs:
        rows = run_rows(plan.study)
        text = "\n".join("  ".join(row.values()) for row in rows)
        show(text, document={"runs": rows}, as_json=as_json, quiet=quiet)
        return
    folder = output or Path(plan.study.name + ENDING)
    check_folder(folder)
    options = Options(workers=workers, dask=dask, retry=retry, anyway=anyway)
    ended = carried_out(plan.study, folder, options, hidden=quiet or as_json)
    tell_end(ended, quiet=quiet)
    done = told(plan, folder)
    if plan.size == "quick":
        tell(_of_full(plan, ended, names or []), quiet=quiet or as_json)
    document = reproduction_document(done, folder)
    show(reproduction_view(done, folder), document=document, as_json=as_json, quiet=quiet)
    if done.failed or done.lost:
        raise typer.Exit(NO)


def _of_full(plan: Plan, ended: Ended, names: list[str]) -> list[str]:
    """What the paper's own size would take, from the time that these runs took."""
    from ...experiments.reproduction.running import runs_of

    runs = runs_of(names, "full")
    if runs <= plan.runs:
        return []
    text = f"some seeds and levels only; --full is the paper's own size, {runs:,} runs"
    if ended.state.fresh < plan.runs or not ended.state.elapsed:
        return [text]
    minutes = ended.state.elapsed / ended.state.fresh * runs / 60
    return [f"{text}, about {max(1, round(minutes))} min here"]


def _catalogue() -> Any:
    from rich.table import Table

    table = Table(title="Tables and figures", title_justify="left")
    table.add_column("name", no_wrap=True)
    table.add_column("what it shows")
    for row in _catalogue_document()["experiments"]:
        table.add_row(row["name"], row["title"])
    return table


def _catalogue_document() -> dict[str, Any]:
    from ...experiments.reproduction.registry import MODULES, experiment

    found = [experiment(name) for name in MODULES]
    return {
        "experiments": [{"name": one.name, "paper": one.paper, "title": one.title} for one in found]
    }
