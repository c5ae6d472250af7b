"""The heuristics decide task by task like a scan of all slots, ties and rounding included."""

import numpy as np
import plain_scan
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from slotwise.heuristics.mapreduce.list_scheduling import rules as list_scheduling
from slotwise.instances.mapreduce.checker import check
from slotwise.instances.mapreduce.cluster import Cluster, Rates
from slotwise.instances.mapreduce.generators.ljr import generate
from slotwise.instances.mapreduce.instance import Instance, Job, MapTask

PAIRS = [
    (list_scheduling.eass, plain_scan.plain_eass),
    (list_scheduling.efss, plain_scan.plain_efss),
    (list_scheduling.efss_local, plain_scan.plain_efss_local),
    (list_scheduling.tbs, plain_scan.plain_tbs),
    (list_scheduling.tbs_local, plain_scan.plain_tbs_local),
    (list_scheduling.efss_as_printed, plain_scan.plain_efss_as_printed),
    (list_scheduling.tbs_local_as_printed, plain_scan.plain_tbs_local_as_printed),
]

# Small integers make ties of every kind; thirds and tenths make ends equal by rounding only.
RATES = [Rates(4, 2, 1), Rates(2, 2, 1), Rates(1, 1, 1), Rates(100, 50, 30), Rates(0.3, 0.3, 0.1)]
times = st.one_of(st.integers(0, 4).map(float), st.sampled_from([0.1, 0.2, 0.3, 1 / 3, 51.0]))


@st.composite
def instances(draw):
    nodes = draw(st.integers(1, 7))
    racks = draw(st.integers(1, 4))
    per_node = st.lists(st.integers(0, 3), min_size=nodes, max_size=nodes)
    cluster = Cluster(
        node_names=tuple(f"n{k}" for k in range(nodes)),
        rack_names=tuple(f"r{k}" for k in range(racks)),
        rack_of=np.array(
            draw(st.lists(st.integers(0, racks - 1), min_size=nodes, max_size=nodes)),
            dtype=np.int64,
        ),
        map_slots=np.array(draw(per_node), dtype=np.int64),
        reduce_slots=np.array(draw(per_node), dtype=np.int64),
        rates=draw(st.sampled_from(RATES)),
    )
    maps = st.builds(
        MapTask,
        times,
        st.sampled_from([0.0, 4.0, 8.0, 0.7, 128.0]),
        st.lists(st.sampled_from(cluster.node_names), max_size=4),
    )
    jobs = st.builds(
        Job,
        st.just(""),
        st.lists(maps, max_size=8 if cluster.map_slots.any() else 0),
        st.lists(times, max_size=6 if cluster.reduce_slots.any() else 0),
        st.sampled_from([0.0, 0.5, 1.0, 0.3]),
    )
    drawn = draw(st.lists(jobs, max_size=6))
    named = [Job(f"j{i}", job.maps, job.reduces, job.output_ratio) for i, job in enumerate(drawn)]
    return Instance.from_jobs("drawn", cluster, named)


def assert_same(heuristic, plain, instance):
    schedule, expected = heuristic(instance), plain(instance)
    for found, wanted in ((schedule.map, expected.map), (schedule.reduce, expected.reduce)):
        assert found.slot.tolist() == wanted.slot.tolist()
        assert found.start.tolist() == wanted.start.tolist()
        assert found.setup.tolist() == wanted.setup.tolist()
    assert schedule.makespan == expected.makespan
    assert check(instance, schedule).violations == []


@pytest.mark.parametrize(("heuristic", "plain"), PAIRS)
@settings(max_examples=200, deadline=None)
@given(instance=instances())
def test_same_schedule(heuristic, plain, instance):
    assert_same(heuristic, plain, instance)


@pytest.mark.parametrize(("heuristic", "plain"), PAIRS)
@pytest.mark.parametrize(("nodes", "racks"), [(9, 3), (10, "as published"), (45, 15)])
def test_same_schedule_on_the_papers_workload(heuristic, plain, nodes, racks):
    instance = generate(25, nodes, racks=racks, map_slots=5, reduce_slots=3, seed=nodes)
    assert_same(heuristic, plain, instance)
