"""`timed`: the earliest schedule with given slots and orders."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_instances import instances

from slotwise.instances.mapreduce.cluster import Cluster
from slotwise.instances.mapreduce.instance import Instance, Job, MapTask
from slotwise.instances.mapreduce.schedule import map_completions, timed


def test_timed_by_hand() -> None:
    # One node, two map slots and one reduce slot; reads at 100 MB/s.
    cluster = Cluster.uniform(1, map_slots=2, reduce_slots=1)
    instance = Instance.from_jobs(
        "example",
        cluster,
        [
            Job("j0", [MapTask(4, 200, ["n0"]), MapTask(1)], [5.0, 1.0], output_ratio=0.5),
            Job("j1", [MapTask(2)], [3.0]),
            Job("j2", [], [2.0]),
        ],
    )
    schedule = timed(
        instance,
        map_slot=np.array([0, 1, 0]),
        map_rank=np.array([1, 0, 0]),
        reduce_slot=np.array([0, 0, 0, 0]),
        reduce_rank=np.array([3, 2, 1, 0]),
    )
    # Slot 0: j1 from 0 to 2, then j0's first task, 2 s of reading and 4 s of work, until 8.
    assert schedule.map.start == pytest.approx([2, 0, 0])
    assert schedule.map.setup == pytest.approx([2, 0, 0])
    assert schedule.map.end == pytest.approx([8, 1, 2])
    assert map_completions(instance, schedule.map.end) == pytest.approx([8, 2, 0])
    # Reduce slot: j2 0-2, j1 2-5, idle until j0's maps end at 8; both read 50 MB in 0.5 s.
    assert schedule.reduce.start == pytest.approx([9.5, 8, 2, 0])
    assert schedule.reduce.setup == pytest.approx([0.5, 0.5, 0, 0])
    assert schedule.reduce.end == pytest.approx([15, 9.5, 5, 2])
    assert schedule.makespan == pytest.approx(15)
    assert schedule.instance == "example"


def test_equal_ranks_run_by_task_number() -> None:
    instance = Instance.from_jobs(
        "ties", Cluster.uniform(1, map_slots=1), [Job("j0", [1.0, 2.0, 4.0])]
    )
    none = np.array([], dtype=np.int64)
    schedule = timed(instance, np.array([0, 0, 0]), np.array([1, 0, 1]), none, none)
    assert schedule.map.start == pytest.approx([2, 0, 3])


def test_a_map_only_job_counts_in_the_makespan() -> None:
    instance = Instance.from_jobs(
        "maps", Cluster.uniform(1), [Job("j0", [7.0]), Job("j1", [1.0], [1.0])]
    )
    schedule = timed(instance, np.array([0, 1]), np.array([0, 0]), np.array([0]), np.array([0]))
    assert schedule.makespan == pytest.approx(7)


@given(instances(), st.data())
def test_no_task_could_start_earlier(instance: Instance, data: st.DataObject) -> None:
    cluster = instance.cluster

    def drawn(tasks: int, slots: int) -> tuple[np.ndarray, np.ndarray]:
        slot = [data.draw(st.integers(0, slots - 1)) for _ in range(tasks)]
        rank = data.draw(st.permutations(range(tasks)))
        return np.array(slot, dtype=np.int64), np.array(rank, dtype=np.int64)

    maps = drawn(instance.map_tasks, int(cluster.map_slots.sum()))
    reduces = drawn(instance.reduce_tasks, int(cluster.reduce_slots.sum()))
    schedule = timed(instance, *maps, *reduces)
    ready = map_completions(instance, schedule.map.end)[instance.reduce_job]
    for (slot, rank), phase, release in (
        (maps, schedule.map, np.zeros(instance.map_tasks)),
        (reduces, schedule.reduce, ready),
    ):
        for t in range(len(slot)):
            before = phase.end[(slot == slot[t]) & (rank < rank[t])]
            earliest = max(before.max(initial=0.0), release[t])
            assert phase.start[t] == pytest.approx(earliest)
