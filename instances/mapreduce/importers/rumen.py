"""Hadoop Rumen traces as MapReduce instances; every choice made here: docs/how-to/importing.md."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, field
from itertools import chain
from pathlib import Path
from typing import Annotated

import numpy as np

from ....core.arrays import offsets
from ....core.calls import taking
from ....core.errors import InputError
from ....core.files.inputs import file_name
from ....core.parameters import described, parameter
from ....core.wording import listed, plural
from ...importer_options import BYTES_PER_MB, INSTANCE_NAME, RATES, ImportNotes, stem
from ...importers import Imported
from ..cluster import Rates
from ..history import Events, History
from ..instance import Instance
from .rumen_cluster import cluster_of, slots_seen
from .rumen_file import JobRecord, distinct_jobs, read_jobs, read_topology
from .rumen_tasks import (
    JobRows,
    TaskRow,
    fill_inputs,
    fill_processing,
    job_rows,
    measure,
    set_output_ratios,
)


@dataclass(frozen=True)
class RumenOptions:
    """How a Rumen trace becomes an instance."""

    topology: str | Path | None = parameter(
        None, "Rumen topology of racks and hosts.", metavar="FILE"
    )
    _: KW_ONLY
    map_slots: int | None = parameter(None, "Map slots per host; default: what the trace shows.")
    reduce_slots: int | None = parameter(
        None, "Reduce slots per host; default: what the trace shows."
    )
    rates: Rates | None = field(default=None, metadata=RATES)
    name: str | None = field(default=None, metadata=INSTANCE_NAME)


@taking(RumenOptions)
def read_rumen(
    trace: Annotated[str | Path, described("Rumen job trace, plain or gzip.", metavar="TRACE")],
    options: RumenOptions,
) -> Imported[Instance]:
    """The instance of a Rumen trace.

    Jobs come in order of submission, those of unknown submission last; of jobs with one jobID the
    first counts, jobs that did not succeed stay, jobs without tasks go. Without `map_slots` or
    `reduce_slots` every node has the most that the trace shows at once on a host. A host with
    several racks is in the first, one with none in the rack `unknown`.

    A task's successful attempt counts, of several the first to end; without any it takes the median
    of its job, or else of the trace, and goes if no task of its phase succeeded. The modelled read
    time is taken off the durations of map tasks, at the least where the host is unknown. Reduce
    tasks process from the end of their shuffle, or else from their start. No time is below 0.
    Unknown input is the median of the job's, or 0 MB without replicas. In a job's output ratio the
    output of its map tasks counts, or else the bytes shuffled, or else nothing.

    Returns
    -------
    Imported
        `made`: the instance, with the schedule that ran as its history; `notes` on what was left
        out or adjusted.

    Raises
    ------
    InputError
        Names file, job, task and field.
    """
    notes = ImportNotes()
    logged = distinct_jobs(read_jobs(trace), notes)
    seen = slots_seen(logged)
    slots = _slots(options, seen, notes)
    hosts, racks = [], "racks from the trace"
    if options.topology is not None:
        hosts, racks = read_topology(options.topology), f"topology {file_name(options.topology)}"
    cluster = cluster_of(logged, hosts, slots, options.rates or Rates(), notes)

    jobs = [job_rows(job, cluster) for job in logged]
    failed = [job.jobID for job in logged if job.failed and (job.mapTasks or job.reduceTasks)]
    if failed:
        notes.add(
            f"{plural(len(failed), 'job')} did not succeed: kept as if successful "
            f"({listed(failed)})",
            comparable=False,
        )
    _note_unlisted(jobs, notes)
    fill_inputs(jobs, notes)
    measure(jobs, cluster, notes)
    fill_processing(jobs, notes)
    set_output_ratios(jobs, notes)
    empty = [rows.job.jobID for rows in jobs if not rows.maps and not rows.reduces]
    if empty:
        notes.add(f"{plural(len(empty), 'job')} without tasks dropped ({listed(empty)})")
    jobs = [rows for rows in jobs if rows.maps or rows.reduces]
    if not jobs:
        raise InputError(f"{trace}: no job with a usable task")

    maps = [row for rows in jobs for row in rows.maps]
    reduces = [row for rows in jobs for row in rows.reduces]
    try:
        instance = Instance(
            name=options.name or stem(trace, ".json", ".trace", otherwise="rumen"),
            source=f"Hadoop Rumen trace {file_name(trace)}, {racks}",
            cluster=cluster,
            job_names=tuple(rows.job.jobID for rows in jobs),
            output_ratio=np.array([rows.output_ratio for rows in jobs], dtype=float),
            map_offsets=offsets(len(rows.maps) for rows in jobs),
            map_processing=np.array([row.processing for row in maps], dtype=float),
            input_mb=np.array([row.input for row in maps], dtype=float) / BYTES_PER_MB,
            replica_offsets=offsets(len(row.replicas) for row in maps),
            replicas=np.array([node for row in maps for node in row.replicas], dtype=np.int64),
            reduce_offsets=offsets(len(rows.reduces) for rows in jobs),
            reduce_processing=np.array([row.processing for row in reduces], dtype=float),
            history=_history(logged, jobs, seen, slots, notes),
        )
    except InputError as error:
        raise InputError(f"{trace}: {error}") from None
    return Imported(instance, tuple(notes.lines))


def _slots(options: RumenOptions, seen: tuple[int, int], notes: ImportNotes) -> tuple[int, int]:
    """Map and reduce slots of every node."""
    chosen = options.map_slots, options.reduce_slots
    maps, reduces = (
        most if given is None else given for given, most in zip(chosen, seen, strict=True)
    )
    if None in chosen:
        notes.add(
            f"slots of each node: {maps} map, {reduces} reduce; the trace shows "
            f"{seen[0]} and {seen[1]} at once on one host"
        )
    return maps, reduces


def _note_unlisted(jobs: Sequence[JobRows], notes: ImportNotes) -> None:
    for phase, missing in (
        ("map", [(rows.job.totalMaps or 0) - len(rows.maps) for rows in jobs]),
        ("reduce", [(rows.job.totalReduces or 0) - len(rows.reduces) for rows in jobs]),
    ):
        absent = sum(number for number in missing if number > 0)
        if absent:
            notes.add(
                f"{plural(absent, f'{phase} task')} announced by a job but not listed: left out"
            )


def _history(
    logged: Sequence[JobRecord],
    jobs: Sequence[JobRows],
    seen: tuple[int, int],
    slots: tuple[int, int],
    notes: ImportNotes,
) -> History | None:
    """What really happened to the jobs kept; None if none of them tells its submit time."""
    submits = [rows.job.submitTime for rows in jobs if rows.job.submitTime is not None]
    if not submits:
        return None
    origin = submits[0]
    maps = [row for rows in jobs for row in rows.maps]
    reduces = [row for rows in jobs for row in rows.reduces]
    ends = [row.end for row in chain(maps, reduces) if row.end is not None]
    reasons = []
    if submits[-1] > origin:
        reasons.append(
            f"the jobs arrived over {(submits[-1] - origin) / 1000:.0f} s; the model has all at 0"
        )
    reasons += _other_attempts(logged, len(ends)) + _odd_times(jobs)
    for phase, shown, modelled in zip(("map", "reduce"), seen, slots, strict=True):
        if shown > modelled:
            reasons.append(f"hosts ran {shown} {phase} tasks at once; the model allows {modelled}")
    if any(row.input for row in maps):
        reasons.append("setups are modelled from the rates, not measured")
    ends += [rows.job.finishTime for rows in jobs if rows.job.finishTime is not None]
    return History(
        makespan=max([(end - origin) / 1000 for end in ends], default=0.0),
        map=_events(maps, origin),
        reduce=_events(reduces, origin),
        not_comparable=(*reasons, *notes.not_comparable),
    )


def _other_attempts(logged: Sequence[JobRecord], successful: int) -> list[str]:
    """What ran beside the attempts that the instance has, in words."""
    reasons = []
    attempts = of_other_tasks = 0
    for job in logged:
        tasks = chain(job.mapTasks or [], job.reduceTasks or [])
        attempts += sum(len(task.attempts or []) for task in tasks)
        of_other_tasks += sum(len(task.attempts or []) for task in job.otherTasks or [])
    if attempts > successful:
        reasons.append(
            f"{plural(attempts - successful, 'more attempt')} held slots: failed, killed, "
            "repeated or of dropped jobs"
        )
    if of_other_tasks:
        reasons.append(f"{plural(of_other_tasks, 'attempt')} of setup and cleanup held slots")
    return reasons


def _odd_times(jobs: Sequence[JobRows]) -> list[str]:
    """Starts that the model does not allow, in words."""
    reasons = []
    early = sum(
        min((row.start for row in rows.reduces if row.start is not None), default=np.inf)
        < max((row.end for row in rows.maps if row.end is not None), default=-np.inf)
        for rows in jobs
    )
    if early:
        reasons.append(f"reduce tasks of {plural(early, 'job')} began before the maps had ended")
    skewed = sum(
        row.start is not None
        and rows.job.submitTime is not None
        and row.start < rows.job.submitTime
        for rows in jobs
        for row in chain(rows.maps, rows.reduces)
    )
    if skewed:
        reasons.append(f"clocks differ: {plural(skewed, 'task')} began before its submission")
    return reasons


def _events(rows: Sequence[TaskRow], origin: int) -> Events:
    def since(time: int | None) -> float:
        return np.nan if time is None else (time - origin) / 1000

    return Events(
        node=np.array([row.node for row in rows], dtype=np.int64),
        start=np.array([since(row.start) for row in rows], dtype=float),
        end=np.array([since(row.end) for row in rows], dtype=float),
    )
