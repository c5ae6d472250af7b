"""`slotwise reproduce`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ..core.errors import InputError
from ..core.files.outputs import check_folder
from .campaign import ENDING, Anyway, Dask, Retry, Workers, carried_out, end_of, runs_listed
from .frame import Answer
from .options import OutputFolder
from .running import NO


def reproduce(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="NAME",
            help="Tables and figures, papers (ljr), or all.",
            autocompletion=lambda: _known_names(),
        ),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Some seeds and levels, under a minute; the default.")
    ] = False,
    full: Annotated[bool, typer.Option("--full", help="The paper's own size.")] = False,
    output: OutputFolder = None,
    workers: Workers = None,
    dask: Dask = None,
    retry: Retry = False,
    anyway: Anyway = False,
    list_runs: Annotated[
        bool,
        typer.Option(
            "--list", help="Print the runs with their ids, or without NAME what there is."
        ),
    ] = False,
) -> Answer:
    """The folder (default: the name with .runs) keeps every run, claims.md, comparison.csv,
    tables and pictures; what is in it is not run again. Exits with 1 if runs failed, or a claim
    that should hold does not.
    """
    if quick and full:
        raise InputError("--quick and --full exclude one another")
    if list_runs and not names:
        return _catalogue()
    from ..experiments.engine.campaign import Options
    from ..experiments.reproduction.claims_page import reproduction_document, reproduction_view
    from ..experiments.reproduction.running import planned, told

    plan = planned(names or [], "full" if full else "quick")
    if list_runs:
        return runs_listed(plan.study)
    folder = output or Path(plan.study.name + ENDING)
    check_folder(folder)
    ended = carried_out(plan.study, folder, Options(workers, dask, retry, anyway))
    code = end_of(ended)
    if code:
        return Answer(None, None, code=code)
    done = told(plan, folder)
    return Answer(
        reproduction_view(done, folder),
        reproduction_document(done, folder),
        code=NO if done.failed or done.lost else 0,
        notes=[] if full else _of_full(plan, ended, names or []),
    )


def _of_full(plan: Any, ended: Any, names: list[str]) -> list[str]:
    """What the paper's own size would take, from the time that these runs took."""
    from ..experiments.reproduction.running import runs_of

    runs = runs_of(names, "full")
    if runs <= len(plan.study.runs):
        return []
    text = f"some seeds and levels only; --full is the paper's own size, {runs:,} runs"
    if ended.state.fresh < len(plan.study.runs) or not ended.state.elapsed:
        return [text]
    minutes = ended.state.elapsed / ended.state.fresh * runs / 60
    return [f"{text}, about {max(1, round(minutes))} min here"]


def _catalogue() -> Answer:
    from rich.table import Table

    from ..experiments.reproduction.running import NAMES, experiment

    found = [experiment(name) for name in NAMES]
    table = Table("name", "what it shows", title="Tables and figures", title_justify="left")
    table.columns[0].no_wrap = True
    for one in found:
        table.add_row(one.name, one.title)
    rows = [{"name": one.name, "paper": one.paper, "title": one.title} for one in found]
    return Answer(table, {"experiments": rows})


def _known_names() -> list[str]:
    from ..experiments.reproduction.running import known_names

    return known_names()
