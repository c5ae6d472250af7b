"""`slotwise campaign`, and what it shares with `slotwise reproduce`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from ..core.errors import one_line
from ..core.files.examples import is_example
from ..core.files.inputs import STANDARD
from ..core.files.outputs import check_folder
from . import interrupts
from .frame import Answer
from .options import OutputFolder
from .running import NO, running
from .streams import put_aside

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
    from ..experiments.engine.tables import exported_again, frame_of
    from ..experiments.study.listing import summary, summary_table
    from ..experiments.study.study_file import name_of_file, read_study_text, study_of_text

    text = read_study_text(file)
    study = study_of_text(text, file)
    if list_runs:
        return runs_listed(study, study=study.name)
    elsewhere = is_example(file) or str(file) == STANDARD
    folder = output or (Path(name_of_file(file)) if elsewhere else file).with_suffix(ENDING)
    check_folder(folder)
    document: dict[str, Any] = {"study": study.name, "folder": str(folder), "runs": len(study.runs)}
    code = 0
    if table:
        records = exported_again(study, folder, on_note=_tell)
    else:
        options = Options(workers, dask, retry, anyway, text.encode())
        ended = carried_out(study, folder, options)
        records, document["ended"] = ended.records, ended.how
        code = end_of(ended) or (NO if ended.state.failed else 0)
    document["methods"] = summary(study, frame_of(study, records))
    return Answer(summary_table(study, folder, document["methods"]), document, code=code)


def runs_listed(study: Any, /, **more: str) -> Answer:
    """The runs of a study with their ids."""
    from ..experiments.study.listing import run_rows

    rows = run_rows(study)
    return Answer("\n".join("  ".join(row.values()) for row in rows), {**more, "runs": rows})


def carried_out(study: Any, folder: Path, options: Any) -> Any:
    """How a session ended that runs what a folder lacks; a signal ends it with what there is."""
    from ..experiments.engine.campaign import run_study
    from ..experiments.engine.progress import shown

    with shown(hidden=running().hidden) as progress:
        interrupts.interrupt()
        options = replace(options, on_progress=progress, on_note=_tell)
        ended = run_study(study, folder, options)
        interrupts.release()
    return ended


def end_of(ended: Any) -> int:
    """The exit code of a session that was interrupted or could not go on, told; else 0."""
    if ended.interrupted:
        left = ended.state.runs - ended.state.ended
        running().tell([f"interrupted: {ended.folder} keeps what is done; {left} runs are left"])
        return interrupts.INTERRUPTED
    if ended.reason:
        _tell(ended.reason)
        return NO
    return 0


def _tell(text: str) -> None:
    """Print what must be known with --quiet too."""
    put_aside(f"note: {one_line(text, None)}")
