"""`slotwise import NAME`, one command for each importer of the registry."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from ...core.errors import InputError
from ...core.parameters import parameters_of
from ...core.registry import Entry
from ...instances.importers import IMPORTERS, Imported, import_
from ..console import step_progress
from ..file_rules import Written
from ..frame import Answer, keyword
from ..running import running
from .group import Verb, group_of, with_options
from .options import amounts_by_option, is_argument, options_from, values_from
from .save import OutputFile, OutputFileOrFolder, saved

JobsFile = Annotated[
    Path | None,
    typer.Option("--jobs", metavar="FILE", help="Write the jobs here too, as CSV."),
    Written(),
]


def _command(entry: Entry) -> Verb:
    function = entry.load()
    parameters = parameters_of(function)
    options = options_from(parameters, paths=True)
    files = {one.name for one in parameters if is_argument(one)}
    with_jobs, with_trees = "jobs" in entry.understands, "trees" in entry.understands

    def run(output: Path, jobs_file: Path | None = None, **given: Any) -> Answer:
        with amounts_by_option(parameters), step_progress(hidden=running().hidden):
            imported = import_(function, **values_from(parameters, given))
        answer = saved(imported.made, output, imported.notes)
        if jobs_file is not None:
            answer.files = {jobs_file: _jobs_writer(imported)}
        return answer

    return with_options(
        run,
        [
            *(option for option in options if option.name in files),
            keyword("output", OutputFileOrFolder if with_trees else OutputFile),
            *([keyword("jobs_file", JobsFile, default=None)] if with_jobs else []),
            *(option for option in options if option.name not in files),
        ],
    )


def _jobs_writer(imported: Imported[Any]) -> Callable[[Path], object]:
    from ...instances.datacenter.datacenter import Datacenter
    from ...instances.datacenter.importers.job_table import write_jobs

    made, jobs, kinds = imported.made, imported.jobs, imported.job_class
    if not isinstance(made, Datacenter) or jobs is None or kinds is None:
        raise InputError("--jobs: the importer gives no jobs of a datacenter")
    return lambda path: write_jobs(path, made, jobs, kinds)


importing = group_of(IMPORTERS, _command)
