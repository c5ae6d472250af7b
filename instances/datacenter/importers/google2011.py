"""Google's cluster trace of May 2011 [Google2011]: machine_events and task_events."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np

from ....core.calls import checked
from ....core.errors import InputError
from ....core.parameters import described, documented
from ....core.wording import listed, plural
from ...csv_files import csv_rows, number_in, other_kind
from ...importer_options import CLASSES, CLUSTERING_SEED, DATACENTER_NAME, WINDOW, ImportNotes
from ...importers import Imported
from ..datacenter import Datacenter
from ..job_file import JobTable
from .job_classes import Machines, configurations_of, runnable, with_classes

RESOURCES = ("cores", "memory")
ADD, REMOVE = "0", "1"
SUBMIT, SCHEDULE, FINISH = "0", "1", "4"
ENDS = ("2", "3", "4", "5", "6")
"""Evict, fail, finish, kill, lost: the ends of a run."""
AFTER_TRACE = 2**63 - 1
"""Time of events after the trace."""
MICROSECONDS_PER_SECOND = 1e6
TIME_PATTERN = re.compile(r"[0-9]{1,19}")


@documented
@checked
def read_google(
    machine_events: Annotated[
        Sequence[str | Path],
        described("machine_events; repeat.", option="machines", metavar="FILE"),
    ],
    task_events: Annotated[
        Sequence[str | Path], described("Parts of task_events.", metavar="TASK_EVENTS…")
    ],
    *,
    classes: Annotated[int | None, CLASSES] = None,
    window: Annotated[tuple[float, float] | None, WINDOW] = None,
    seed: Annotated[int, CLUSTERING_SEED] = 0,
    name: Annotated[str, DATACENTER_NAME] = "google-2011",
) -> Imported[Datacenter]:
    """Read a datacenter and its jobs from Google's trace of 2011.

    Every task of the trace is a job here, since a job runs on one machine. It arrives with its
    first SUBMIT and takes as long as the run that ended with FINISH; tasks without one are left
    out, as are those that were there before the trace, that ask for nothing, or that fit no
    machine. Machines are those present when the window (s of arrival, default: all) begins.
    Capacities and requests are parts of the largest machine. Files may be given in any order.

    Returns
    -------
    Imported
        `made`: machines and job classes; `jobs`; `job_class`; `notes` on what was left out or
        adjusted.

    Raises
    ------
    InputError
        Names file, line and column.
    """
    notes = ImportNotes()
    machines = _machines(machine_events, 0.0 if window is None else window[0])
    jobs = _jobs(task_events, len(machines.names), notes)
    jobs = runnable(machines, jobs, notes, window=window)
    files = len(machine_events) + len(task_events)
    datacenter, label = with_classes(
        name, machines, jobs, notes, classes=classes, seed=seed, source=plural(files, "file")
    )
    return Imported(datacenter, tuple(notes.lines), jobs, label)


def _events(
    paths: Sequence[str | Path], fields: int
) -> Iterator[tuple[str | Path, int, list[str]]]:
    """File, line and fields of the rows, without headers, which copies of the trace begin with `#`.

    Parts are numbered in the order of time.
    """
    for path in sorted(paths, key=str):
        for line, row in csv_rows(path):
            if row[0].startswith("#"):
                continue
            if len(row) != fields:
                got = f"{len(row)} fields, need {fields}{other_kind(path, 'google')}"
                raise InputError(f"{path}: line {line}: {got}")
            yield path, line, row


def _machines(paths: Sequence[str | Path], when: float) -> Machines:
    """Configurations of the machines that are there `when` (s) has come."""
    events = [(_time(row[0], path, line), path, line, row) for path, line, row in _events(paths, 6)]
    # Sorting is stable: what happens at one time keeps the order of the file.
    events.sort(key=lambda event: event[0])
    present: dict[str, tuple[str, tuple[float, ...]]] = {}
    for time, path, line, (_, machine, kind, platform, cores, memory) in events:
        if time > when and present:
            break
        if kind == REMOVE:
            present.pop(machine, None)
        elif cores and memory:
            amounts = number_in(cores, path, line, "CPUs"), number_in(memory, path, line, "memory")
            present[machine] = (platform[:6], amounts)
    if not present:
        files = listed(sorted(map(str, paths)))
        raise InputError(f"{files}: no machine with a capacity at {when:g} s")
    return configurations_of(RESOURCES, list(present.values()))


@dataclass
class _Task:
    submitted: float | None = None
    scheduled: float | None = None
    duration: float | None = None
    request: tuple[float, float] | None = None
    closed: bool = False


def _jobs(paths: Sequence[str | Path], configurations: int, notes: ImportNotes) -> JobTable:
    tasks: dict[tuple[str, str], _Task] = {}
    for path, line, row in _events(paths, 13):
        task = tasks.setdefault((row[2], row[3]), _Task())
        time, kind = _time(row[0], path, line), row[5]
        if kind == SUBMIT:
            task.submitted = time if task.submitted is None else task.submitted
            if row[9] and row[10]:
                cores = number_in(row[9], path, line, "CPU request")
                task.request = (cores, number_in(row[10], path, line, "memory request"))
        elif kind == SCHEDULE:
            task.scheduled = time
        elif kind in ENDS:
            if kind == FINISH and task.scheduled is not None and task.duration is None:
                task.duration = time - task.scheduled
            task.scheduled, task.closed = None, True
    kept = []
    before = unfinished = open_ended = empty = 0
    for task in tasks.values():
        if task.submitted == 0:
            before += 1
        elif task.duration is None:
            unfinished += task.closed
            open_ended += not task.closed
        elif task.request is None or not any(task.request):
            empty += 1
        elif task.submitted is not None:
            kept.append((task.submitted, task.duration, *task.request))
    for count, what in (
        (before, "submitted before the trace"),
        (unfinished, "never finished, but evicted, failed, killed or lost"),
        (open_ended, "still there at the end of the trace"),
        (empty, "without a request"),
    ):
        if count:
            notes.add(f"left out: {plural(count, 'task')} {what}")
    if not kept:
        files = listed(sorted(map(str, paths)))
        raise InputError(f"{files}: no task that was submitted and finished within the trace")
    table = np.array(kept)
    return JobTable(
        arrival=table[:, 0],
        duration=np.maximum(table[:, 1], 1 / MICROSECONDS_PER_SECOND),
        request=table[:, 2:],
        wants=np.zeros(len(table), dtype=np.int64),
        allowed=np.ones((1, configurations), dtype=bool),
    ).by_arrival()


def _time(text: str, path: str | Path, line: int) -> float:
    """Seconds since the origin, 600 s before the trace; infinite for what happened after it."""
    if not TIME_PATTERN.fullmatch(text):
        raise InputError(f"{path}: line {line}, time: need microseconds, got {text!r}")
    return float("inf") if int(text) == AFTER_TRACE else int(text) / MICROSECONDS_PER_SECOND
