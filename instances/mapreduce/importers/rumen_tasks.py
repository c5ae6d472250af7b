"""The tasks of a Rumen trace as the model needs them: input, processing time, output ratio.

The model treats reading and shuffle as setup times, so both are subtracted from the durations.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from statistics import median

from ....core.wording import listed, plural
from ...importer_options import BYTES_PER_MB, ImportNotes
from ..cluster import Cluster
from .rumen_file import JobRecord, TaskRecord


@dataclass
class TaskRow:
    """A task on its way into an instance; None means unknown; times in ms, sizes in bytes.

    Processing (s) counts from `begin` to `end` and is None without a successful attempt; `moved` is
    the output of a map task or what a reduce task shuffled.
    """

    replicas: list[int] = field(default_factory=list)
    node: int = -1
    start: int | None = None
    begin: int | None = None
    end: int | None = None
    input: float | None = None
    moved: int | None = None
    processing: float | None = None


@dataclass
class JobRows:
    """One job on its way into an instance."""

    job: JobRecord
    maps: list[TaskRow]
    reduces: list[TaskRow]
    output_ratio: float = 0.0


def job_rows(job: JobRecord, cluster: Cluster) -> JobRows:
    """What the trace tells of each map and reduce task of a job."""
    return JobRows(
        job,
        [_map_row(task, cluster) for task in job.mapTasks or []],
        [_reduce_row(task, cluster) for task in job.reduceTasks or []],
    )


def _map_row(task: TaskRecord, cluster: Cluster) -> TaskRow:
    row = TaskRow(
        replicas=[cluster.node_index[host] for _, host in task.replicas()], input=task.inputBytes
    )
    if attempt := task.best():
        place = attempt.place()
        row.node = cluster.node_index[place[1]] if place else -1
        row.start = row.begin = attempt.startTime
        row.end = attempt.finishTime
        row.moved = attempt.mapOutputBytes
        if attempt.hdfsBytesRead is not None:
            row.input = attempt.hdfsBytesRead
    return row


def _reduce_row(task: TaskRecord, cluster: Cluster) -> TaskRow:
    row = TaskRow()
    if attempt := task.best():
        place = attempt.place()
        row.node = cluster.node_index[place[1]] if place else -1
        row.start, row.end = attempt.startTime, attempt.finishTime
        row.moved = attempt.reduceShuffleBytes
        if attempt.shuffleFinished is not None and attempt.startTime is not None:
            row.begin = max(attempt.startTime, attempt.shuffleFinished)
    return row


def fill_inputs(jobs: Iterable[JobRows], notes: ImportNotes) -> None:
    """Fill in unknown inputs: the job's median where the task has replicas, else nothing.

    `jobs`: the jobs; changed in place.
    """
    given = Counter[str]()
    for rows in jobs:
        known = [row.input for row in rows.maps if row.input is not None]
        for row in rows.maps:
            if row.input is None:
                use_median = bool(known and row.replicas)
                row.input = float(median(known)) if use_median else 0.0
                given["the job's median" if use_median else "0 MB"] += 1
    for what, number in given.items():
        notes.add(f"{plural(number, 'map task')} of unknown input: taken as {what}")


def measure(jobs: Iterable[JobRows], cluster: Cluster, notes: ImportNotes) -> None:
    """Compute the processing times of the tasks that succeeded.

    `jobs`: the jobs; changed in place.
    """
    count = Counter[str]()
    for rows in jobs:
        for row in rows.maps:
            if row.begin is not None and row.end is not None:
                row.processing = _seconds(row.begin, row.end, count)
                read = _read_seconds(row, cluster)
                count["fast"] += row.processing < read
                row.processing = max(row.processing - read, 0.0)
        for row in rows.reduces:
            if row.start is not None and row.end is not None:
                count["no shuffle"] += row.begin is None
                begin = row.start if row.begin is None else row.begin
                row.processing = _seconds(begin, row.end, count)
    for kind, words in (
        ("backwards", "ended before processing began: processing time 0"),
        ("fast", "took less than the modelled read: processing time 0"),
        ("no shuffle", "without an end of the shuffle: it counts as processing"),
    ):
        if count[kind]:
            notes.add(f"{plural(count[kind], 'task')} {words}")


def _seconds(begin: int, end: int, count: Counter[str]) -> float:
    count["backwards"] += end < begin
    return max(end - begin, 0) / 1000


def _read_seconds(row: TaskRow, cluster: Cluster) -> float:
    """What the model charges for the read where the task really ran; the least if unknown."""
    if row.node < 0 and row.replicas:
        rate = cluster.rates.node
    else:
        rate = max(
            (cluster.rate_between(row.node, replica) for replica in row.replicas),
            default=cluster.rates.remote,
        )
    return (row.input or 0.0) / BYTES_PER_MB / rate


def fill_processing(jobs: Sequence[JobRows], notes: ImportNotes) -> None:
    """Fill in the processing times of tasks that never succeeded.

    Such a task gets the median of its job, or else of the trace; it is dropped if no task of its
    phase succeeded.

    `jobs`: the jobs; changed in place.
    """
    for phase, groups in (
        ("map", [rows.maps for rows in jobs]),
        ("reduce", [rows.reduces for rows in jobs]),
    ):
        done = [[row.processing for row in group if row.processing is not None] for group in groups]
        overall = [processing for group in done for processing in group]
        given = Counter[str]()
        for group, known in zip(groups, done, strict=True):
            if len(known) == len(group):
                continue
            if not overall:
                given["dropped"] += len(group) - len(known)
                group[:] = [row for row in group if row.processing is not None]
                continue
            value = median(known or overall)
            whose = "the job's" if known else "the trace's"
            given[f"processing time taken as {whose} median"] += len(group) - len(known)
            for row in group:
                if row.processing is None:
                    row.processing = value
        for what, number in given.items():
            notes.add(
                f"{plural(number, f'{phase} task')} without a successful attempt: {what}",
                comparable=False,
            )


def set_output_ratios(jobs: Iterable[JobRows], notes: ImportNotes) -> None:
    """Set the output ratio of jobs with both phases: bytes that leave the map tasks per input.

    The output of the map tasks counts, or else the bytes shuffled.

    `jobs`: the jobs; changed in place.
    """
    lost: list[float] = []
    silent: list[str] = []
    for rows in jobs:
        if not rows.maps or not rows.reduces:
            continue
        known = _map_output(rows) or _shuffled(rows)
        if known is None:
            if any(row.input for row in rows.maps):
                silent.append(rows.job.jobID)
            continue
        left, read = known
        if read > 0:
            rows.output_ratio = left / read
        elif left > 0:
            lost.append(left)
    if lost:
        notes.add(
            f"{plural(len(lost), 'job')} with map output but no known input: the shuffle is lost "
            f"({sum(lost) / BYTES_PER_MB:.3g} MB in all)",
            comparable=False,
        )
    if silent:
        notes.add(
            f"{plural(len(silent), 'job')} of unknown map output: no shuffle ({listed(silent)})",
            comparable=False,
        )


def _map_output(rows: JobRows) -> tuple[float, float] | None:
    """Output and input of the map tasks that tell their output."""
    telling = [row for row in rows.maps if row.moved is not None]
    if not telling:
        return None
    return float(sum(row.moved or 0 for row in telling)), sum(row.input or 0.0 for row in telling)


def _shuffled(rows: JobRows) -> tuple[float, float] | None:
    """Shuffled bytes, as if every reduce task got the mean of those that tell, and all input."""
    moved = [row.moved for row in rows.reduces if row.moved is not None]
    if not moved:
        return None
    left = sum(moved) / len(moved) * len(rows.reduces)
    return left, sum(row.input or 0.0 for row in rows.maps)
