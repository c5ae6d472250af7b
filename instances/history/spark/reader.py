"""A Spark event log as a run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import numpy as np

from ....core.arrays import IntArray
from ....core.errors import InputError
from ....core.files.csv_rows import other_kind
from ....core.files.inputs import STANDARD, file_name
from ....core.files.log_lines import log_lines
from ....core.notices import step
from ....core.parameters import described
from ....core.wording import plural
from ...importers import Imported
from ..run import METRICS, UNKNOWN, Application, Attempts, Outcome, Run
from ..run_importers import RunOptions, run_importer
from .events import COLUMNS, CUT, LATEST, EventLog
from .executors import executors_of
from .jobs import jobs_of
from .log_files import LogFiles, log_files
from .stages import arcs_between, stage_times, stages_of
from .tasks import task_numbers

REPEATED = "end of a task that was logged twice"
CONTRADICTED = "second, different end of a task"


def read_spark_log(path: str | Path) -> Run:
    """The run that a Spark event log tells of, of any version and layout.

    Raises `InputError` if it is none, or no task ended.
    """
    files = log_files(path)
    log = EventLog()
    for part in files.parts:
        for line in log_lines(part, log.dropped):
            log.take(line)
    if not log.events:
        raise InputError(f"{path}: no event log of Spark{other_kind(files.parts[0], 'spark')}")
    step("joining tasks, stages and jobs")
    attempts = _ended_once(log)
    name = log.application.get("id") or _stem(path)
    if not (attempts[:, _column("outcome")] != Outcome.UNFINISHED).any():
        raise InputError(f"{path}: application {name}: 0 tasks ended: nothing to audit")
    return _run(log, attempts, name, files)


@run_importer(RunOptions)
def read_spark(
    log: Annotated[
        str | Path,
        described("An event log: a file, or the folder of a rolling one.", metavar="LOG"),
    ],
    options: RunOptions,
) -> Imported[Run]:
    """The run of a Spark application."""
    run = read_spark_log(log)
    return Imported(replace(run, name=options.name or run.name), run.remarks)


def _column(name: str) -> int:
    return COLUMNS.index(name)


def _ended_once(log: EventLog) -> IntArray:
    """Attempts with the `COLUMNS`, each once, by number; those that did not end too."""
    ended = np.frombuffer(log.rows, dtype="<i8").reshape(-1, len(COLUMNS)).astype(np.int64)
    ended = ended[np.lexsort(ended.T[::-1])]
    again = np.zeros(len(ended), dtype=bool)
    again[1:] = ended[1:, 0] == ended[:-1, 0]
    if again.any():
        alike = np.zeros(len(ended), dtype=bool)
        alike[1:] = (ended[1:] == ended[:-1]).all(axis=1)
        log.dropped[REPEATED] += int(alike.sum())
        log.dropped[CONTRADICTED] += int((again & ~alike).sum())
        log.dropped = +log.dropped
        ended = ended[~again]
    known = set(ended[:, 0].tolist()) if log.running else set()
    running = [row for number, row in sorted(log.running.items()) if number not in known]
    if not running:
        return ended
    still = np.frombuffer(b"".join(running), dtype="<i8").reshape(-1, len(COLUMNS))
    return np.concatenate((ended, still.astype(np.int64)))


def _run(log: EventLog, rows: IntArray, name: str, files: LogFiles) -> Run:
    """The run of attempts with the `COLUMNS`."""
    stage, start, end, outcome = (rows[:, _column(c)] for c in ("stage", "start", "end", "outcome"))
    until = np.where(end == UNKNOWN, max(log.last_time, int(end.max())), end)
    placed = executors_of(log, rows[:, _column("executor")], start, until)
    task, counts, guessed = task_numbers(rows, log)
    times = stage_times(stage, start, end, outcome)
    jobs, job_of = jobs_of(log, times)
    arcs = arcs_between(log, times, job_of)
    origin = min(
        int(start.min()),
        log.application.get("submitted", LATEST),
        *(job.submitted for job in jobs),
        *(one.since for one in placed.executors if one.since != UNKNOWN),
    )
    complete = log.ended is not None and CUT not in log.dropped
    notes = [
        files.note,
        *placed.notes,
        *arcs.notes(),
        *_task_notes(stage, counts, task, guessed, job_of),
        "" if complete else "the log ends before the application does",
    ]
    return Run(
        name=name,
        framework="spark",
        origin=origin,
        applications=(
            Application(
                log.application.get("name") or name,
                log.application.get("submitted", origin) - origin,
                _after(log.ended, origin),
            ),
        ),
        jobs=tuple(
            replace(job, submitted=job.submitted - origin, ended=_after(job.ended, origin))
            for job in jobs
        ),
        pools=("slots",),
        stages=stages_of(log, arcs, job_of, counts, origin),
        executors=tuple(
            replace(one, since=_after(one.since, origin), until=_after(one.until, origin))
            for one in placed.executors
        ),
        attempts=_attempts(rows, task, placed.of_attempt, origin),
        complete=complete,
        dropped=dict(sorted(log.dropped.items())),
        notes=tuple(note for note in notes if note),
        versions=dict(log.versions),
    )


def _attempts(rows: IntArray, task: IntArray, executor: IntArray, origin: int) -> Attempts:
    """The columns of a run, by start."""
    order = np.lexsort((rows[:, 0], rows[:, _column("start")]))
    column = {name: rows[order, k] for k, name in enumerate(COLUMNS)}
    ended = column["end"] != UNKNOWN
    return Attempts(
        stage=np.unique(column["stage"], return_inverse=True)[1].astype(np.int64),
        task=task[order],
        number=column["number"],
        executor=executor[order],
        start=column["start"] - origin,
        end=np.where(ended, column["end"] - origin, UNKNOWN),
        outcome=column["outcome"],
        shuffle_end=np.full(len(rows), UNKNOWN, dtype=np.int64),
        metrics={name: column[name] for name in METRICS},
    )


def _after(time: int | None, origin: int) -> int:
    """A time after the origin, which ends of a clock that was wrong may precede."""
    return UNKNOWN if time is None or time == UNKNOWN else max(time - origin, 0)


def _task_notes(
    stage: IntArray, counts: dict[int, int], task: IntArray, guessed: int, job_of: dict[int, int]
) -> list[str]:
    """What is odd about the tasks, in sentences."""
    told = []
    lost = [number for number in counts if job_of.get(number, UNKNOWN) == UNKNOWN]
    if lost:
        told.append(
            f"{plural(len(lost), 'stage')} ({plural(int(np.isin(stage, lost).sum()), 'attempt')}) "
            "that no job of the log names: they only occupy slots"
        )
    seen = len(np.unique(np.stack((stage, task)), axis=1).T)
    if seen < sum(counts.values()):
        absent = plural(sum(counts.values()) - seen, "task")
        told.append(f"{absent} announced by stages that ran, but not in the log")
    if guessed:
        told.append(
            f"{plural(guessed, 'stage')} tried again in a log without partitions: which task was "
            "run again is a guess"
        )
    return told


def _stem(path: str | Path) -> str:
    stem = file_name(path)
    for suffix in (".inprogress", ".gz", ".zstd", ".zst", ".lz4", ".json", ".jsonl"):
        stem = stem.removesuffix(suffix)
    return "spark" if stem == STANDARD else stem
