"""Hadoop Rumen traces as runs."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import Annotated, get_args

from ....core.advice import check_choice
from ....core.errors import InputError
from ....core.notices import ImportNotes
from ....core.parameters import described, parameter
from ...hadoop.rumen_file import Duplicates, distinct_jobs, read_jobs, trace_name
from ...importers import Imported
from ..run import Run
from ..run_importers import HadoopOptions, run_importer
from .assembly import History, framework_of, imported, pools_of
from .places import Hosts


@dataclass(frozen=True)
class RumenRunOptions(HadoopOptions):
    """How a Rumen trace becomes a run."""

    _: KW_ONLY
    map_slots: int | None = parameter(
        None, "Map slots per host; default: what the trace shows.", least=1
    )
    reduce_slots: int | None = parameter(
        None, "Reduce slots per host; default: what the trace shows.", least=1
    )
    duplicates: Duplicates = parameter(
        "keep", "Jobs with the jobID of an earlier one; a folded trace repeats jobs."
    )

    def __post_init__(self) -> None:
        check_choice("duplicates", self.duplicates, get_args(Duplicates))


@run_importer(RumenRunOptions)
def read_rumen_run(
    trace: Annotated[str | Path, described("Rumen job trace, plain or gzip.", metavar="TRACE")],
    options: RumenRunOptions,
) -> Imported[Run]:
    """The run that a Rumen trace tells of."""
    notes = ImportNotes()
    jobs = distinct_jobs(read_jobs(trace), options.duplicates, notes)
    framework = framework_of(jobs)
    per_phase = options.map_slots, options.reduce_slots
    if framework == "yarn" and per_phase != (None, None):
        raise InputError(
            f"{trace}: a trace of YARN, where maps and reduces share containers: give containers "
            "instead of map_slots and reduce_slots"
        )
    if framework == "hadoop" and options.containers is not None:
        raise InputError(
            f"{trace}: a trace of Hadoop 1, which has no containers: give map_slots and "
            "reduce_slots"
        )
    slots = per_phase if len(pools_of(framework)) == 2 else (options.containers,)
    hosts = Hosts(options.topology)
    for job in jobs:
        for task in job.tasks():
            for place in task.replicas():
                hosts.add(place)
    history = History(options.name or trace_name(trace), framework, jobs, notes=notes.lines)
    return imported(history, hosts, slots, trace)
