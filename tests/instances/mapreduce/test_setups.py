"""Setup times against numbers worked out by hand, and against their definition."""

from dataclasses import replace

import numpy as np
import pytest
from brute_force import map_setup, reduce_setup, secure_setup
from hypothesis import given
from hypothesis import strategies as st
from random_instances import instances

from slotwise.instances.mapreduce.cluster import Cluster, Rates
from slotwise.instances.mapreduce.instance import Instance, Job, MapTask
from slotwise.instances.mapreduce.security import Security
from slotwise.instances.mapreduce.setups import (
    best_map_setups,
    best_reduce_setups,
    map_setup_matrix,
    map_setups,
    map_setups_by_node,
    output_share,
    reduce_setups,
)


@pytest.fixture
def example() -> Instance:
    """Nodes n0 and n1 in rack r0, n2 in rack r1; rates 100, 50 and 30 MB/s."""
    cluster = Cluster.uniform(3, racks=2, map_slots=1, reduce_slots=1, rates=Rates(100, 50, 30))
    return Instance.from_jobs(
        "example",
        cluster,
        [
            Job(
                "j0",
                [
                    MapTask(1, 300, ["n0"]),
                    MapTask(1, 300, ["n1", "n2"]),
                    MapTask(1, 300, []),
                    MapTask(1, 0, ["n0"]),
                ],
                [1.0, 2.0],
                output_ratio=0.5,
            ),
            Job("j1", [MapTask(1, 600, ["n2"])], [], output_ratio=1.0),
            Job("j2", [], [1.0], output_ratio=1.0),
        ],
    )


def test_map_setups_by_hand(example: Instance) -> None:
    # 300 MB take 3 s on the node, 6 s within the rack and 10 s between racks; the nearest replica
    # counts, no replica means the remote rate everywhere, no input means no wait.
    expected = [[3, 6, 10], [6, 3, 3], [10, 10, 10], [0, 0, 0], [20, 20, 6]]
    assert map_setups_by_node(example) == pytest.approx(np.array(expected))
    assert best_map_setups(example) == pytest.approx([3, 3, 10, 0, 6])


def test_reduce_setups_by_hand(example: Instance) -> None:
    # Each map task with input leaves 150 MB, so 75 MB for each of the two reduce tasks of j0.
    assert output_share(example) == pytest.approx([75, 75, 75, 0, 600])
    # Map tasks 0, 1, 2 on n0, n1, n2. From n0: 0.75 + 1.5 + 2.5; from n1 the same by symmetry;
    # from n2: 2.5 + 2.5 + 0.75. Job j2 has nothing to read.
    setups = reduce_setups(example, np.array([0, 1, 2, 0, 2]))
    assert setups[0] == pytest.approx([4.75, 4.75, 5.75])
    assert setups[2] == pytest.approx([0, 0, 0])
    # All on n2: 225 MB at 30, 30 and 100 MB/s. The best there is anywhere.
    setups = reduce_setups(example, np.array([2, 2, 2, 2, 2]))
    assert setups[0] == pytest.approx([7.5, 7.5, 2.25])
    assert best_reduce_setups(example)[[0, 2]] == pytest.approx([2.25, 0])


def test_the_best_map_setup_is_on_a_node_with_a_map_slot() -> None:
    cluster = Cluster(
        node_names=("n0", "n1", "n2"),
        rack_names=("r0", "r1"),
        rack_of=np.array([0, 0, 1]),
        map_slots=np.array([0, 1, 1]),
        reduce_slots=np.array([1, 1, 1]),
        rates=Rates(100, 50, 30),
    )
    instance = Instance.from_jobs("no-map-slot", cluster, [Job("j0", [MapTask(1, 300, ["n0"])])])
    assert best_map_setups(instance) == pytest.approx([6])


@given(instances(), st.data())
def test_setups_agree_with_their_definition(instance: Instance, data: st.DataObject) -> None:
    cluster = instance.cluster
    nodes = range(cluster.nodes)
    expected = [[map_setup(instance, t, n) for n in nodes] for t in range(instance.map_tasks)]
    matrix = map_setups_by_node(instance)
    assert matrix == pytest.approx(np.array(expected).reshape(matrix.shape))

    usable = np.flatnonzero(cluster.map_slots)
    if instance.map_tasks:
        assert best_map_setups(instance) == pytest.approx(matrix[:, usable].min(axis=1))
    slots = range(len(cluster.map_slot_node))
    drawn = [data.draw(st.sampled_from(slots)) for _ in range(instance.map_tasks)]
    map_slot = np.array(drawn, dtype=np.int64)
    map_node = cluster.map_slot_node[map_slot]
    every_task = np.arange(instance.map_tasks)
    assert map_setup_matrix(instance) == pytest.approx(matrix[:, cluster.map_slot_node])
    assert map_setups(instance, map_slot) == pytest.approx(matrix[every_task, map_node])

    setups = reduce_setups(instance, map_node)
    for job in np.flatnonzero(instance.reduces_of):
        expected_row = [reduce_setup(instance, job, map_node.tolist(), n) for n in nodes]
        assert setups[job] == pytest.approx(expected_row)
        assert best_reduce_setups(instance)[job] <= min(expected_row) * (1 + 1e-12)


def test_least_secure_setups_of_many_tasks() -> None:
    # More tasks than the rows that are held at once: every one against its definition.
    rng = np.random.default_rng(5)
    tasks, nodes = 9000, 4
    cluster = Cluster.uniform(nodes, map_slots=1)
    jobs = [
        Job(
            "j",
            [
                MapTask(
                    1.0, float(rng.integers(0, 500)), [f"n{n}" for n in rng.integers(0, 4, t % 3)]
                )
                for t in range(tasks)
            ],
        )
    ]
    levels = rng.choice(np.array([-1, 1], dtype=np.int8), (nodes, nodes))
    np.fill_diagonal(levels, 0)
    priorities = rng.random((tasks, nodes)) < 0.5
    priorities[np.arange(tasks), rng.integers(0, nodes, tasks)] = True
    instance = Instance.from_jobs("many", cluster, jobs)
    instance = replace(instance, security=Security(priorities, levels))
    least = best_map_setups(instance)
    expected = [
        min(secure_setup(instance, t, k) for k in np.flatnonzero(priorities[t]).tolist())
        for t in range(tasks)
    ]
    assert least.shape == (tasks,)
    assert least == pytest.approx(expected)
