"""Hadoop Rumen traces as MapReduce instances; docs/importing.md gives every choice made here."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from pathlib import Path
from typing import Literal, get_args

import numpy as np

from ...advice import need_choice
from ...arrays import offsets
from ...errors import InputError
from ...files.inputs import STANDARD, file_name
from ...import_notes import Notes, counted, listed
from ...mapreduce.cluster import Rates
from ...mapreduce.history import Events, History
from ...mapreduce.instance import Instance
from .cluster import cluster_of, slots_seen
from .file import JobRecord, read_jobs, read_topology
from .tasks import (
    MB,
    JobRows,
    Output,
    TaskRow,
    Unfinished,
    fill_inputs,
    fill_processing,
    job_rows,
    measure,
    set_output_ratios,
)

FailedJobs = Literal["keep", "drop"]


def read_rumen(
    trace: str | Path,
    topology: str | Path | None = None,
    *,
    map_slots: int | None = None,
    reduce_slots: int | None = None,
    rates: Rates | None = None,
    subtract_read: bool = True,
    output: Output = "map",
    unfinished: Unfinished = "median",
    failed_jobs: FailedJobs = "keep",
    name: str | None = None,
) -> tuple[Instance, list[str]]:
    """The instance of a Rumen trace and, one sentence each, what was left out or adjusted.

    Parameters: slots of every node (None: the most that the trace shows at once on a host); `rates`
    in MB/s; `subtract_read`: take the modelled read time off the map durations; `output`: what a
    job's `output_ratio` counts first, the map tasks' output or the bytes shuffled; `unfinished`:
    a task that never succeeded gets the median of the others or is dropped; `failed_jobs`: whether
    jobs that did not succeed stay. Jobs come in order of submission. Raises `InputError`.
    """
    need_choice("output", output, get_args(Output))
    need_choice("unfinished", unfinished, get_args(Unfinished))
    need_choice("failed_jobs", failed_jobs, get_args(FailedJobs))
    notes = Notes()
    logged = _distinct(read_jobs(trace), notes)
    seen = slots_seen(logged)
    slots = (
        seen[0] if map_slots is None else map_slots,
        seen[1] if reduce_slots is None else reduce_slots,
    )
    if map_slots is None or reduce_slots is None:
        notes.add(
            f"slots of each node: {slots[0]} map, {slots[1]} reduce; the trace shows "
            f"{seen[0]} and {seen[1]} at once on one host"
        )
    hosts = read_topology(topology) if topology is not None else []
    cluster = cluster_of(logged, hosts, slots, rates or Rates(), notes)

    jobs = [job_rows(job, cluster) for job in _kept(logged, failed_jobs, notes)]
    _note_unlisted(jobs, notes)
    fill_inputs(jobs, notes)
    measure(jobs, cluster, subtract_read, notes)
    fill_processing(jobs, unfinished, notes)
    set_output_ratios(jobs, output, notes)
    jobs = _with_tasks(jobs, notes)
    if not jobs:
        raise InputError(f"{trace}: no job with a usable task")

    maps = [row for rows in jobs for row in rows.maps]
    reduces = [row for rows in jobs for row in rows.reduces]
    try:
        instance = Instance(
            name=name or _stem(trace),
            source=(
                f"Hadoop Rumen trace {file_name(trace)}, "
                f"{f'topology {file_name(topology)}' if topology else 'racks from the trace'}, "
                f"subtract_read {subtract_read}, output {output}, unfinished {unfinished}, "
                f"failed_jobs {failed_jobs}"
            ),
            cluster=cluster,
            job_names=tuple(rows.job.jobID for rows in jobs),
            output_ratio=np.array([rows.output_ratio for rows in jobs], dtype=float),
            map_offsets=offsets(len(rows.maps) for rows in jobs),
            map_processing=np.array([row.processing for row in maps], dtype=float),
            input_mb=np.array([row.input for row in maps], dtype=float) / MB,
            replica_offsets=offsets(len(row.replicas) for row in maps),
            replicas=np.array([node for row in maps for node in row.replicas], dtype=np.int64),
            reduce_offsets=offsets(len(rows.reduces) for rows in jobs),
            reduce_processing=np.array([row.processing for row in reduces], dtype=float),
            history=_history(logged, jobs, seen, slots, notes),
        )
    except InputError as error:
        raise InputError(f"{trace}: {error}") from None
    return instance, notes.lines


def _distinct(jobs: Iterable[JobRecord], notes: Notes) -> list[JobRecord]:
    """The first job of each name, in order of submission (unknown submit times last)."""
    first: dict[str, JobRecord] = {}
    repeated = [job.jobID for job in jobs if first.setdefault(job.jobID, job) is not job]
    if repeated:
        notes.add(
            f"{counted(len(repeated), 'job')} with the jobID of an earlier one left out "
            f"({listed(repeated)})"
        )
    return sorted(
        first.values(), key=lambda job: np.inf if job.submitTime is None else job.submitTime
    )


def _kept(jobs: Sequence[JobRecord], failed_jobs: FailedJobs, notes: Notes) -> list[JobRecord]:
    drop = failed_jobs == "drop"
    failed = [job.jobID for job in jobs if job.failed and (drop or job.mapTasks or job.reduceTasks)]
    if failed:
        what = "dropped" if drop else "kept as if successful"
        notes.add(
            f"{counted(len(failed), 'job')} did not succeed: {what} ({listed(failed)})",
            comparable=False,
        )
    return [job for job in jobs if not (job.failed and drop)]


def _note_unlisted(jobs: Sequence[JobRows], notes: Notes) -> None:
    for phase, missing in (
        ("map", [(rows.job.totalMaps or 0) - len(rows.maps) for rows in jobs]),
        ("reduce", [(rows.job.totalReduces or 0) - len(rows.reduces) for rows in jobs]),
    ):
        absent = sum(number for number in missing if number > 0)
        if absent:
            notes.add(
                f"{counted(absent, f'{phase} task')} announced by a job but not listed: left out"
            )


def _with_tasks(jobs: Sequence[JobRows], notes: Notes) -> list[JobRows]:
    empty = [rows.job.jobID for rows in jobs if not rows.maps and not rows.reduces]
    if empty:
        notes.add(f"{counted(len(empty), 'job')} without tasks dropped ({listed(empty)})")
    return [rows for rows in jobs if rows.maps or rows.reduces]


def _history(
    logged: Sequence[JobRecord],
    jobs: Sequence[JobRows],
    seen: tuple[int, int],
    slots: tuple[int, int],
    notes: Notes,
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
    attempts, other_attempts = _attempts(logged)
    if attempts > len(ends):
        reasons.append(
            f"{counted(attempts - len(ends), 'more attempt')} held slots: failed, killed, repeated "
            "or of dropped jobs"
        )
    if other_attempts:
        reasons.append(f"{counted(other_attempts, 'attempt')} of setup and cleanup held slots")
    early = sum(
        min((row.start for row in rows.reduces if row.start is not None), default=np.inf)
        < max((row.end for row in rows.maps if row.end is not None), default=-np.inf)
        for rows in jobs
    )
    if early:
        reasons.append(f"reduce tasks of {counted(early, 'job')} began before the maps had ended")
    skewed = sum(
        row.start is not None
        and rows.job.submitTime is not None
        and row.start < rows.job.submitTime
        for rows in jobs
        for row in chain(rows.maps, rows.reduces)
    )
    if skewed:
        reasons.append(f"clocks differ: {counted(skewed, 'task')} began before its submission")
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


def _attempts(jobs: Iterable[JobRecord]) -> tuple[int, int]:
    """Attempts of map and reduce tasks; of setup and cleanup tasks."""
    tasks = other = 0
    for job in jobs:
        tasks += sum(
            len(task.attempts or []) for task in chain(job.mapTasks or [], job.reduceTasks or [])
        )
        other += sum(len(task.attempts or []) for task in job.otherTasks or [])
    return tasks, other


def _events(rows: Sequence[TaskRow], origin: int) -> Events:
    def since(time: int | None) -> float:
        return np.nan if time is None else (time - origin) / 1000

    return Events(
        node=np.array([row.node for row in rows], dtype=np.int64),
        start=np.array([since(row.start) for row in rows], dtype=float),
        end=np.array([since(row.end) for row in rows], dtype=float),
    )


def _stem(path: str | Path) -> str:
    """`19-jobs` for `19-jobs.trace.json.gz`, `rumen` for stdin."""
    stem = file_name(path)
    for suffix in (".gz", ".json", ".trace"):
        stem = stem.removesuffix(suffix)
    return stem.removeprefix(STANDARD) or "rumen"
