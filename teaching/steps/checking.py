"""Check steps as the schedule that their picture ends with, independently of the recorder."""

from __future__ import annotations

from dataclasses import replace

from ...core.calls import check_argument
from ...instances.mapreduce.checker import check
from ...instances.mapreduce.instance import Instance
from ...instances.mapreduce.schedule import Schedule
from ...instances.mapreduce.schedule_file import FORMAT, ScheduleDocument, schedule_from
from ...instances.verdict import Verdict
from .record import Row, Steps
from .steps_file import contradictions


def check_steps(problem: object, steps: Steps) -> Verdict:
    """Check the bars that are there after the last step against their instance.

    Parameters
    ----------
    problem
        The instance.
    steps
        Steps of a schedule.

    Returns
    -------
    Verdict
        Every violation, one line each, and the makespan.

    Raises
    ------
    InputError
        For a problem that is no instance: only steps of schedules can be checked.
    """
    check_argument("check of Steps", problem, Instance)
    assert isinstance(problem, Instance)
    violations = contradictions(steps)
    if violations:
        return Verdict(violations)
    if steps.instance != problem.name:
        return Verdict([f"the steps are those of {steps.instance!r}, not of {problem.name!r}"])
    schedule, unknown = _schedule(problem, steps)
    verdict = check(problem, schedule)
    return replace(verdict, violations=unknown + verdict.violations)


def _schedule(instance: Instance, steps: Steps) -> tuple[Schedule, list[str]]:
    """The schedule of the bars, and a line for everything that they refer to in vain."""
    bars = [row for row in bars_at_the_end(steps) if row.job is not None]
    tasks = []
    for row in bars:
        node, slot = _slot(instance, steps, row)
        times = {"start": row.start, "setup": row.setup, "end": row.end}
        named = {"job": row.job, "phase": row.phase, "task": row.task}
        tasks.append({**named, "node": node, "slot": slot, **times})
    document = ScheduleDocument.model_validate(
        {
            "format": FORMAT,
            "instance": steps.instance,
            "makespan": max((row.end for row in bars), default=0.0)
            if steps.makespan is None
            else steps.makespan,
            "tasks": tasks,
        }
    )
    return schedule_from(instance, document)


def _slot(instance: Instance, steps: Steps, row: Row) -> tuple[str, int]:
    """Node and number of the slot of a lane; a lane that is no slot has no node."""
    cluster, maps = instance.cluster, steps.map_slots or 0
    is_map = row.slot < maps
    if is_map != (row.phase == "map"):
        return steps.lanes[row.slot], -1
    slot_node = cluster.map_slot_node if is_map else cluster.reduce_slot_node
    slot = row.slot if is_map else row.slot - maps
    if slot >= len(slot_node):
        return steps.lanes[row.slot], -1
    node = int(slot_node[slot])
    return cluster.node_names[node], int((slot_node[:slot] == node).sum())


def bars_at_the_end(steps: Steps) -> list[Row]:
    bars: list[Row | None] = []
    for step in steps.steps:
        for bar in step.removes:
            bars[bar] = None
        bars += step.rows
    return [bar for bar in bars if bar is not None]
