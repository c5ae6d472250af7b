"""Min-Min: by hand, and in near-linear time."""

from time import process_time

import numpy as np
import pytest

from slotwise.core.arrays import offsets
from slotwise.heuristics.mapreduce.hmhs.min_min import min_min
from slotwise.instances.mapreduce.checker import check
from slotwise.instances.mapreduce.cluster import Cluster, Rates
from slotwise.instances.mapreduce.instance import Instance, Job, MapTask


def large_instance(tasks: int, nodes: int, racks: int) -> Instance:
    """Blocks of 128 MB and what is left of each job's input, three replicas of each; no job."""
    rng = np.random.default_rng(0)
    blocks = rng.zipf(1.6, tasks) % 5000 + 1
    jobs = int(np.searchsorted(np.cumsum(blocks), tasks)) + 1
    first = np.minimum(offsets(blocks[:jobs]), tasks)
    input_mb = np.full(tasks, 128.0)
    input_mb[first[1:] - 1] = np.round(rng.uniform(1, 128, jobs), 3)
    return Instance(
        "large",
        Cluster.uniform(nodes, racks=racks, map_slots=2, reduce_slots=2),
        tuple(f"j{i}" for i in range(jobs)),
        rng.choice([0.0, 0.5], jobs),
        first,
        3.0 + input_mb / 10,
        input_mb,
        np.arange(0, 3 * tasks + 1, 3),
        np.add.outer(rng.integers(0, nodes, tasks), [0, 1, nodes // 2]).ravel() % nodes,
        np.arange(jobs + 1),
        np.full(jobs, 9.0),
    )


def test_the_near_slot_is_worth_a_wait() -> None:
    # 100 MB on n0 take 1 s there and 10 s on n1, processing 4 s. First ends: 5 and 10 on n0, then
    # 14 on n1 against 15 on n0.
    cluster = Cluster.uniform(2, racks=2, map_slots=1, rates=Rates(100, 50, 10))
    instance = Instance.from_jobs("near", cluster, [Job("a", [MapTask(4, 100, ["n0"])] * 3)])
    maps = min_min(instance).map
    assert maps.slot.tolist() == [0, 0, 1]
    assert maps.end.tolist() == [5, 10, 14]
    assert maps.setup.tolist() == [1, 1, 10]


def test_equal_but_for_rounding_goes_by_number() -> None:
    # 0.1 + 0.2 is a little more than 0.3, but not after 1000 s of reading.
    cluster = Cluster.uniform(1, map_slots=1, rates=Rates(1, 1, 1))
    times = [0.1 + 0.2, 0.3]
    alone = Instance.from_jobs("alone", cluster, [Job("a", times)])
    assert min_min(alone).map.start.tolist() == [0.3, 0.0]
    read = Instance.from_jobs(
        "read", cluster, [Job("a", [MapTask(time, 1000.0) for time in times])]
    )
    assert min_min(read).map.start.tolist() == [0.0, 1000.3]


def test_the_setup_is_that_of_the_slot_where_rounding_hides_it() -> None:
    # 10^16 s is so late that half a second and two seconds more are the same: the next number but
    # one is 2 s away.
    cluster = Cluster.uniform(1, map_slots=1, rates=Rates(2, 1, 0.9))
    tasks = [1e16, MapTask(2e16, 1.0, ["n0"])]
    assert min_min(Instance.from_jobs("late", cluster, [Job("a", tasks)])).map.setup[1] == 0.5


@pytest.mark.slow
def test_near_linear() -> None:
    min_min(large_instance(10, 2, 1))
    instance = large_instance(256_000, 600, 20)
    began = process_time()
    schedule = min_min(instance)
    assert process_time() - began < 20
    assert check(instance, schedule).violations == []
