"""`slotwise/schedule/1`: schedules as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
from pydantic import ConfigDict

from ...core.calls import checked
from ...core.errors import InputError
from ...core.files.json_files import JsonFile, Source, Strict, validated, write_json
from ...core.removed import removed
from ...core.wording import first_of
from .instance import Instance
from .schedule import PhaseSchedule, Schedule, check_tasks

FORMAT = "slotwise/schedule/1"
RESULT_FORMAT = "slotwise/result/1"


class _Row(Strict):
    job: str
    phase: Literal["map", "reduce"]
    task: int
    node: str
    slot: int
    start: float
    setup: float
    end: float


class ScheduleDocument(Strict):
    """The fields of a `slotwise/schedule/1` document."""

    format: Literal["slotwise/schedule/1"]
    instance: str
    makespan: float
    tasks: list[_Row]


class _Result(Strict):
    model_config = ConfigDict(extra="ignore")
    format: Literal["slotwise/result/1"]
    schedule: ScheduleDocument | None
    makespan: float | None = None


def schedule_document(instance: Instance, schedule: Schedule) -> dict[str, Any]:
    """The `slotwise/schedule/1` document of a schedule."""
    check_tasks(instance, schedule)
    if not np.isfinite(schedule.makespan):
        raise InputError(f"schedule, makespan: must be finite, got {schedule.makespan}")
    cluster = instance.cluster
    rows: list[dict[str, Any]] = []
    for phase, part in zip(instance.phases, (schedule.map, schedule.reduce), strict=True):
        columns = (
            phase.job, phase.number, phase.slot_node[part.slot], phase.slot_number[part.slot],
            part.start, part.setup, part.end,
        )  # fmt: skip
        rows += [
            {
                "job": instance.job_names[i],
                "phase": phase.name,
                "task": t,
                "node": cluster.node_names[n],
                "slot": k,
                "start": start,
                "setup": setup,
                "end": end,
            }
            for i, t, n, k, start, setup, end in zip(*(c.tolist() for c in columns), strict=True)
        ]
    return {
        "format": FORMAT,
        "instance": schedule.instance,
        "makespan": schedule.makespan,
        "tasks": rows,
    }


@checked
def write_schedule(instance: Instance, schedule: Schedule, path: str | Path) -> None:
    """Write a `slotwise/schedule/1` file atomically, compressed if the name ends in `.gz`.

    Parameters
    ----------
    instance
        The instance.
    schedule
        The schedule.
    path
        Path of the file, or `-` for stdout.

    Raises
    ------
    InputError
        If the schedule lacks a task or a time, or is of another instance.
    OutputError
        If the file cannot be written.
    """
    write_json(path, schedule_document(instance, schedule))


@checked
def read_schedule(path: Source, instance: Instance) -> Schedule:
    """Read the schedule in a schedule or result file.

    Parameters
    ----------
    path
        Path of the file, or `-`.
    instance
        The instance that the schedule is for.

    Returns
    -------
    Schedule
        The schedule, not believed before `slotwise.check` has looked at it.

    Raises
    ------
    InputError
        If the file is neither, or a result without a schedule, and for something that refers to
        jobs, nodes or slots that the instance does not have.
    """
    schedule, violations = claimed_schedule(path, instance)
    if schedule is None:
        raise InputError(f"{path}: the result holds no schedule")
    if violations:
        raise InputError(f"{path}: {first_of(violations)}")
    return schedule


def claimed_schedule(path: Source, instance: Instance) -> tuple[Schedule | None, list[str]]:
    """The schedule of a file, None for a result without one, and a line for each fault."""
    file = JsonFile.read(path)
    claimed: float | None = None
    if file.format_of(FORMAT, RESULT_FORMAT) == RESULT_FORMAT:
        check_objective(path, file.document)
        result = validated(_Result, file.content, path, _where)
        if result.schedule is None:
            return None, []
        document, claimed = result.schedule, result.makespan
    else:
        document = validated(ScheduleDocument, file.content, path, _where)
    schedule, violations = schedule_from(instance, document)
    if claimed is not None and claimed != schedule.makespan:
        violations.append(
            f"the result says makespan {claimed:.9g}, its schedule {schedule.makespan:.9g}"
        )
    return schedule, violations


def check_objective(path: Source, result: dict[str, Any]) -> None:
    """Raise `InputError` for a result in which something else than the makespan was to be least."""
    if result.get("objective", "makespan") != "makespan":
        raise InputError(f"{path}: {removed('objective mean')}")


def schedule_from(instance: Instance, document: ScheduleDocument) -> tuple[Schedule, list[str]]:
    """Make a schedule from its document.

    Returns the schedule, and a line for everything it refers to that does not exist.
    """
    cluster = instance.cluster
    parts = {phase.name: _empty(phase.tasks) for phase in instance.phases}
    phases = {phase.name: phase for phase in instance.phases}
    before = {name: np.cumsum(phase.slots) - phase.slots for name, phase in phases.items()}
    jobs = {name: i for i, name in enumerate(instance.job_names)}
    violations: list[str] = []
    for row in document.tasks:
        label = f"job {row.job!r} {row.phase} task {row.task}"
        part, phase = parts[row.phase], phases[row.phase]
        if row.job not in jobs:
            violations.append(f"{label}: the instance has no such job")
            continue
        begin, stop = phase.offsets[jobs[row.job] : jobs[row.job] + 2]
        if not 0 <= row.task < stop - begin:
            violations.append(f"{label}: the job has {stop - begin} {row.phase} tasks")
            continue
        t = begin + row.task
        if part.slot[t] >= 0:
            violations.append(f"{label} is scheduled twice")
            continue
        node = cluster.node_index.get(row.node)
        if node is None:
            violations.append(f"{label}: the cluster has no node {row.node!r}")
            continue
        if not 0 <= row.slot < phase.slots[node]:
            violations.append(
                f"{label}: node {row.node!r} has {phase.slots[node]} {row.phase} slots, "
                f"there is no slot {row.slot}"
            )
            continue
        part.slot[t] = before[row.phase][node] + row.slot
        part.start[t], part.setup[t], part.end[t] = row.start, row.setup, row.end
    return Schedule(document.instance, parts["map"], parts["reduce"], document.makespan), violations


def _empty(tasks: int) -> PhaseSchedule:
    return PhaseSchedule(np.full(tasks, -1), *(np.full(tasks, np.nan) for _ in range(3)))


def _where(location: Sequence[str | int]) -> str:
    return ", ".join(f"entry {step}" if isinstance(step, int) else step for step in location)
