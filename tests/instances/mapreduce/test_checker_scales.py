"""The checker at every scale: what it lets pass is rounding, whatever the times."""

import tracemalloc
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from plain_check import worst_violation
from random_instances import instances, with_outages, with_security, with_speed_factors

from slotwise.instances.mapreduce.checker import check
from slotwise.instances.mapreduce.cluster import Cluster, Rates
from slotwise.instances.mapreduce.instance import Instance, Job, MapTask
from slotwise.instances.mapreduce.schedule import PhaseSchedule, Schedule, timed
from slotwise.instances.mapreduce.security import Security

SCALES = st.integers(-9, 9).map(lambda power: 10.0**power)


def scaled(instance: Instance, by: float) -> Instance:
    """All times and amounts of data multiplied."""
    return replace(
        instance,
        map_processing=instance.map_processing * by,
        reduce_processing=instance.reduce_processing * by,
        input_mb=instance.input_mb * by,
    )


@st.composite
def scheduled(draw: st.DrawFn) -> tuple[Instance, Schedule]:
    """A random instance of any scale with any optional parts, and its slots used at random.

    Tasks may be on slots that are lost or that their priority forbids.
    """
    instance = scaled(draw(instances()), draw(SCALES))
    assume(instance.map_tasks + instance.reduce_tasks)
    seed = draw(st.integers(0, 10**6))
    for part in draw(st.sampled_from([[], [with_speed_factors], [with_security], [with_outages]])):
        instance = part(instance, seed)
    cluster = instance.cluster

    def some(tasks: int, most: int) -> np.ndarray:
        return np.array([draw(st.integers(0, most)) for _ in range(tasks)], dtype=np.int64)

    schedule = timed(
        instance,
        some(instance.map_tasks, int(cluster.map_slots.sum()) - 1),
        some(instance.map_tasks, 9),
        some(instance.reduce_tasks, int(cluster.reduce_slots.sum()) - 1),
        some(instance.reduce_tasks, 9),
    )
    return instance, schedule


@settings(max_examples=300, deadline=None)
@given(scheduled(), st.data())
def test_the_checker_and_a_plain_reference_agree(
    drawn: tuple[Instance, Schedule], data: st.DataObject
) -> None:
    instance, schedule = drawn
    changes = st.sampled_from(["nothing", "start", "move", "setup", "end", "slot", "makespan"])
    change = data.draw(changes)
    part = data.draw(st.sampled_from([1e-8, 1e-6, 1e-3, 0.5, 1e3])) * data.draw(
        st.sampled_from([-1, 1])
    )
    size = schedule.makespan * part
    if change == "makespan":
        schedule = replace(schedule, makespan=schedule.makespan + size)
    elif change != "nothing":
        phase = data.draw(st.sampled_from([p for p in ("map", "reduce") if _rows(schedule, p)]))
        task = data.draw(st.integers(0, _rows(schedule, phase) - 1))
        schedule = _changed(instance, schedule, phase, task, change, size)
    worst = worst_violation(instance, schedule)
    assume(not 1e-10 < worst < 3e-9)
    assert check(instance, schedule).valid == (worst <= 1e-10)


def _rows(schedule: Schedule, phase: str) -> int:
    return len(getattr(schedule, phase).slot)


def _changed(
    instance: Instance, schedule: Schedule, phase: str, task: int, change: str, size: float
) -> Schedule:
    rows: PhaseSchedule = getattr(schedule, phase)
    arrays = {name: getattr(rows, name).copy() for name in ("slot", "start", "setup", "end")}
    if change == "slot":
        slots = getattr(instance.cluster, f"{phase}_slots").sum()
        arrays["slot"][task] = (arrays["slot"][task] + 1) % slots
    else:
        for name in ("start", "end") if change == "move" else (change,):
            arrays[name][task] += size
    return replace(schedule, **{phase: PhaseSchedule(**arrays)})


NONE = PhaseSchedule(np.zeros(0, dtype=np.int64), np.zeros(0), np.zeros(0), np.zeros(0))


def maps_only(
    cluster: Cluster, times: Any, slot: Any, start: Any, makespan: float | None = None
) -> list[str]:
    """Violations of a schedule of map tasks without input, times as they are given."""
    times, start = np.array(times, dtype=float), np.array(start, dtype=float)
    instance = Instance.from_jobs("maps", cluster, [Job("j", times.tolist())])
    end = start + times
    rows = PhaseSchedule(np.array(slot), start, np.zeros(len(times)), end)
    claimed = float(end.max()) if makespan is None else makespan
    return check(instance, Schedule("maps", rows, NONE, claimed)).violations


def test_short_tasks_are_not_lost_beside_a_long_one() -> None:
    cluster = Cluster.uniform(2, map_slots=1)
    lines = maps_only(cluster, [1e9, 1e-6, 1e-6], [0, 1, 1], [0, 0, 0])
    assert lines == [
        "job 'j' map task 2 starts at 0 on a map slot of node 'n1' that "
        "job 'j' map task 1 holds until 1e-06"
    ]
    assert maps_only(cluster, [1e9, 1e-6, 1e-6], [0, 1, 1], [0, 0, 1e-6]) == []


def test_many_overlaps_within_the_tolerance_count_as_one() -> None:
    # After 1e9 s a second is within the tolerance: ten tasks of half a second at one moment.
    cluster = Cluster.uniform(1, map_slots=1)
    times = [1e9] + [0.5] * 10
    lines = maps_only(cluster, times, [0] * 11, [0.0] + [1e9] * 10)
    assert [line.split(" starts")[0] for line in lines] == [
        f"job 'j' map task {t}" for t in range(4, 11)
    ]


def test_what_maps_exceed_moves_the_reduce_tasks() -> None:
    # Half a second each in the maps, their end and the reduces: together above the tolerance.
    cluster = Cluster.uniform(1, map_slots=1, reduce_slots=1)
    instance = Instance.from_jobs("late", cluster, [Job("j", [1e9, 0.5, 0.5], [0.6, 0.6])])
    start, then = np.array([0, 1e9, 1e9]), np.full(2, 1e9 + 0.5)
    maps = PhaseSchedule(
        np.zeros(3, dtype=np.int64), start, np.zeros(3), start + np.array([1e9, 0.5, 0.5])
    )
    reduces = PhaseSchedule(np.zeros(2, dtype=np.int64), then, np.zeros(2), then + 0.6)
    assert check(instance, Schedule("late", maps, reduces, 1e9 + 1.1)).violations == [
        "job 'j' reduce task 1 starts at 1000000000.5 on a reduce slot of node 'n0' "
        "that job 'j' reduce task 0 holds until 1000000001.6"
    ]


def test_rounding_over_many_tasks_is_no_violation() -> None:
    cluster = Cluster.uniform(1, map_slots=1)
    tasks = 20_000
    assert maps_only(cluster, [0.1] * tasks, [0] * tasks, np.arange(tasks) * 0.1) == []
    assert maps_only(cluster, [0.1] * tasks, [0] * tasks, np.arange(tasks) * 0.0999999)


def test_nothing_to_do_takes_no_time() -> None:
    cluster = Cluster.uniform(1, map_slots=1)
    assert maps_only(cluster, [0.0, 0.0], [0, 0], [0, 0]) == []
    assert maps_only(cluster, [0.0, 0.0], [0, 0], [0, 0], makespan=1e-12) == [
        "makespan is 0, the schedule says 1e-12"
    ]
    assert maps_only(cluster, [0.0, 0.0], [0, 0], [0, -1e-12]) == [
        "job 'j' map task 1 starts at -1e-12, before time 0"
    ]


def test_times_without_digits_pass() -> None:
    cluster = Cluster.uniform(1, map_slots=1)
    instance = Instance.from_jobs(
        "denormal", cluster, [Job("j", [MapTask(1e-320, 1e-318, ["n0"])])]
    )
    one, none = np.array([0]), np.zeros(0, dtype=np.int64)
    schedule = timed(instance, one, one, none, none)
    setup = np.nextafter(schedule.map.setup, 1.0)  # 0.05 % more
    other = replace(schedule, map=replace(schedule.map, setup=setup, end=setup + 1e-320))
    assert check(instance, other).violations == []


@pytest.mark.parametrize("name", ["start", "setup", "end"])
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("phase", ["map", "reduce"])
def test_numbers_that_are_none(phase: str, name: str, value: float) -> None:
    cluster = Cluster.uniform(1, map_slots=1, reduce_slots=1)
    instance = Instance.from_jobs("j", cluster, [Job("j", [MapTask(1.0, 100, ["n0"])], [2.0], 1.0)])
    one = np.array([0])
    schedule = timed(instance, one, one, one, one)
    assert check(instance, schedule).valid
    rows = replace(getattr(schedule, phase), **{name: np.array([value])})
    assert not check(instance, replace(schedule, **{phase: rows})).valid
    assert not check(instance, replace(schedule, makespan=value)).valid


def test_rates_far_apart() -> None:
    # A millionth of a billionth of the data lies elsewhere and takes as long to read as 1e-7 of it
    # here, but what is elsewhere is known only as a difference, to as many digits as are left.
    cluster = Cluster.uniform(
        2, map_slots=1, reduce_slots=1, rates=Rates(node=1e6, rack=1e-3, remote=1e-3)
    )
    amounts = [0.1, 0.2, 0.3, 0.7, 1e-16]
    jobs = [Job("j", [MapTask(0.0, x, ["n0"]) for x in amounts], [1e-9], 1.0)]
    instance = Instance.from_jobs("far", cluster, jobs)
    slot = np.array([0, 0, 0, 0, 1])
    schedule = timed(instance, slot, np.arange(5), np.array([0]), np.array([0]))

    def with_setup(setup: float) -> list[str]:
        end = schedule.reduce.start + setup + 1e-9
        reduces = replace(schedule.reduce, setup=np.array([setup]), end=end)
        changed = replace(schedule, reduce=reduces, makespan=float(end[0]))
        return check(instance, changed).violations

    exact = 1.3 / 1e6 + 1e-16 / 1e-3
    assert with_setup(exact) == []
    assert "setup is" in with_setup(exact * 1.1)[0]


def test_security_takes_no_table_of_tasks_and_slots() -> None:
    tasks, slots = 20_000, 500
    cluster = Cluster.uniform(slots, map_slots=1)
    jobs = [Job("j", [MapTask(1.0, 10.0, [f"n{t % slots}"]) for t in range(tasks)])]
    levels = np.ones((slots, slots), dtype=np.int8)
    np.fill_diagonal(levels, 0)
    security = Security(np.ones((tasks, slots), dtype=bool), levels)
    instance = replace(Instance.from_jobs("wide", cluster, jobs), security=security)
    slot, rank = np.arange(tasks) % slots, np.arange(tasks)
    none = np.zeros(0, dtype=np.int64)
    schedule = timed(instance, slot, rank, none, none)
    tracemalloc.start()
    try:
        assert check(instance, schedule).valid
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < tasks * slots  # a byte for each pair would be above this
