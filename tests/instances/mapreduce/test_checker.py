"""The checker passes what is right and names what is wrong."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from slotwise.instances.mapreduce.checker import check
from slotwise.instances.mapreduce.cluster import Cluster
from slotwise.instances.mapreduce.instance import Instance, Job, MapTask
from slotwise.instances.mapreduce.schedule import PhaseSchedule, Schedule, timed


@pytest.fixture
def instance() -> Instance:
    """Map tasks of 4 s (3 s of it reading when local), 2 s and 1 s; reduce tasks of 5 and 3 s."""
    cluster = Cluster.uniform(2, map_slots=1, reduce_slots=1)
    return Instance.from_jobs(
        "example",
        cluster,
        [
            Job("j0", [MapTask(1, 300, ["n0"]), 2.0], [4.0], output_ratio=1 / 3),
            Job("j1", [1.0], [3.0]),
        ],
    )


@pytest.fixture
def schedule(instance: Instance) -> Schedule:
    """j0 on n0 in both phases, j1 on n1: maps end at 6 and 1, reduces at 6 + 1 + 4 and 4."""
    return timed(
        instance,
        map_slot=np.array([0, 0, 1]),
        map_rank=np.array([0, 1, 0]),
        reduce_slot=np.array([0, 1]),
        reduce_rank=np.array([0, 0]),
    )


def changed(schedule: Schedule, phase: str, task: int, **values: float) -> Schedule:
    """The schedule with some of a task's numbers replaced."""
    rows: PhaseSchedule = getattr(schedule, phase)
    arrays: dict[str, Any] = {}
    for name, value in values.items():
        arrays[name] = getattr(rows, name).copy()
        arrays[name][task] = value
    return replace(schedule, **{phase: replace(rows, **arrays)})


def test_a_right_schedule_passes(instance: Instance, schedule: Schedule) -> None:
    verdict = check(instance, schedule)
    assert verdict.violations == []
    assert verdict.valid
    assert verdict.makespan == pytest.approx(11)


def test_idle_time_is_allowed(instance: Instance, schedule: Schedule) -> None:
    later = replace(changed(schedule, "reduce", 0, start=8.0, end=13.0), makespan=13.0)
    assert check(instance, later).violations == []


@pytest.mark.parametrize(
    ("phase", "task", "values", "expected"),
    [
        (
            "map",
            0,
            {"start": -1.0, "end": 3.0},
            ["job 'j0' map task 0 starts at -1, before time 0"],
        ),
        (
            "reduce",
            0,
            {"start": 5.5, "end": 10.5},
            ["job 'j0' reduce task 0 starts at 5.5, before the end of its job's map phase (6)"],
        ),
        (
            "map",
            1,
            {"start": 3.0, "end": 5.0},
            [
                "job 'j0' map task 1 starts at 3 on a map slot of node 'n0' that "
                "job 'j0' map task 0 holds until 4"
            ],
        ),
        ("map", 0, {"setup": 0.0}, ["job 'j0' map task 0: setup is 3, the schedule says 0"]),
        ("reduce", 0, {"setup": 2.0}, ["job 'j0' reduce task 0: setup is 1, the schedule says 2"]),
        ("map", 2, {"end": 1.5}, ["job 'j1' map task 0: end is 1, the schedule says 1.5"]),
        ("reduce", 1, {"end": np.nan}, ["job 'j1' reduce task 0: end is 4, the schedule says nan"]),
        ("map", 1, {"slot": -1}, ["job 'j0' map task 1 is not scheduled"]),
        ("map", 1, {"slot": 2}, ["job 'j0' map task 1 is on map slot 2, the cluster has 2"]),
        ("reduce", 1, {"start": np.inf}, ["job 'j1' reduce task 0 has no finite start"]),
    ],
)
def test_each_violation_is_worded(
    instance: Instance,
    schedule: Schedule,
    phase: str,
    task: int,
    values: dict[str, float],
    expected: list[str],
) -> None:
    verdict = check(instance, changed(schedule, phase, task, **values))
    found = [line for line in verdict.violations if not line.startswith("makespan is")]
    assert len(found) == len(expected)
    for line, start in zip(found, expected, strict=True):
        assert line.startswith(start)
    assert not verdict.valid


def test_a_wrong_makespan_is_found(instance: Instance, schedule: Schedule) -> None:
    verdict = check(instance, replace(schedule, makespan=10.5))
    assert verdict.violations == ["makespan is 11, the schedule says 10.5"]
    assert not check(instance, replace(schedule, makespan=np.nan)).valid


def test_a_schedule_of_another_instance_is_found(instance: Instance, schedule: Schedule) -> None:
    verdict = check(instance, replace(schedule, instance="other"))
    assert verdict.violations == ["schedule is for instance 'other', not 'example'"]


def test_a_missing_row_is_found(instance: Instance, schedule: Schedule) -> None:
    short = PhaseSchedule(
        *(getattr(schedule.map, name)[:2] for name in ("slot", "start", "setup", "end"))
    )
    verdict = check(instance, replace(schedule, map=short))
    assert verdict.violations == ["map phase: need 3 entries, got [2]"]


def test_a_task_inside_another_is_found_beyond_the_next_one() -> None:
    # 10 s from 0; 1 s from 2; 1 s from 5: the third overlaps the first, not its predecessor.
    instance = Instance.from_jobs(
        "long", Cluster.uniform(1, map_slots=1), [Job("j0", [10.0, 1.0, 1.0])]
    )
    start, work = np.array([0.0, 2.0, 5.0]), np.array([10.0, 1.0, 1.0])
    maps = PhaseSchedule(np.zeros(3, dtype=np.int64), start, np.zeros(3), start + work)
    none = np.array([])
    reduces = PhaseSchedule(none.astype(np.int64), none, none, none)
    verdict = check(instance, Schedule("long", maps, reduces, 10.0))
    assert [line.split(" starts")[0] for line in verdict.violations] == [
        "job 'j0' map task 1",
        "job 'j0' map task 2",
    ]
    assert all("job 'j0' map task 0 holds until 10" in line for line in verdict.violations)


def test_reading_from_afar_counts(instance: Instance, schedule: Schedule) -> None:
    # j0's reduce task on n1 reads 100 MB within the rack: 2 s instead of 1.
    moved = changed(schedule, "reduce", 0, slot=1)
    assert (
        "job 'j0' reduce task 0: setup is 2, the schedule says 1"
        in check(instance, moved).violations
    )
