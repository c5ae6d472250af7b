"""`slotwise import NAME`, one command for each importer of the registry."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from ...core.errors import InputError
from ...core.parameters import parameters_of
from ...core.registry import Entry
from ...instances.importers import IMPORTERS, import_
from ..console import Json, Quiet, step_progress, tell
from ..file_rules import Written, saving
from .group import group_of, with_options
from .options import amounts_by_option, is_argument, keyword, options_from, values_from
from .save import OutputFile, OutputFileOrFolder, save

JobsFile = Annotated[
    Path | None,
    typer.Option("--jobs", metavar="FILE", help="Write the jobs here too, as CSV."),
    Written(),
]


def _command(entry: Entry) -> Callable[..., None]:
    function = entry.load()
    parameters = parameters_of(function)
    options = options_from(parameters, paths=True)
    files = {one.name for one in parameters if is_argument(one)}
    with_jobs = "jobs" in entry.understands
    with_trees = "trees" in entry.understands

    def run(
        output_file: Path,
        as_json: bool,
        quiet: bool,
        jobs_file: Path | None = None,
        **given: Any,
    ) -> None:
        with amounts_by_option(parameters), step_progress(hidden=quiet or as_json):
            imported = import_(function, **values_from(parameters, given))
        if jobs_file is not None:
            from ...instances.datacenter.datacenter import Datacenter
            from ...instances.datacenter.importers.job_table import write_jobs

            if (
                not isinstance(imported.made, Datacenter)
                or imported.jobs is None
                or imported.job_class is None
            ):
                raise InputError("--jobs: the importer gives no jobs of a datacenter")
            with saving():
                write_jobs(jobs_file, imported.made, imported.jobs, imported.job_class)
        tell(imported.notes, quiet=quiet)
        save(imported.made, output_file, notes=imported.notes, as_json=as_json, quiet=quiet)

    return with_options(
        run,
        [
            *(option for option in options if option.name in files),
            keyword("output_file", OutputFileOrFolder if with_trees else OutputFile),
            *([keyword("jobs_file", JobsFile, default=None)] if with_jobs else []),
            *(option for option in options if option.name not in files),
            keyword("as_json", Json, default=False),
            keyword("quiet", Quiet, default=False),
        ],
    )


importing = typer.Typer(
    no_args_is_help=True,
    cls=group_of(IMPORTERS, _command),
    help="Read a cluster's job history, a datacenter's trace or a scheduler's queues.",
)
