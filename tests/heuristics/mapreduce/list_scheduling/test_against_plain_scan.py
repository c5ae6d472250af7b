"""The heuristics decide task by task like a scan of all slots, ties and rounding included."""

import plain_scan
import pytest
from hypothesis import given, settings
from random_instances import odd_clusters

from slotwise.heuristics.mapreduce.list_scheduling import rules as list_scheduling
from slotwise.instances.mapreduce.checker import check
from slotwise.instances.mapreduce.generators.ljr import generate

PAIRS = [
    (list_scheduling.eass, plain_scan.plain_eass),
    (list_scheduling.efss, plain_scan.plain_efss),
    (list_scheduling.efss_local, plain_scan.plain_efss_local),
    (list_scheduling.tbs, plain_scan.plain_tbs),
    (list_scheduling.tbs_local, plain_scan.plain_tbs_local),
    (list_scheduling.efss_as_printed, plain_scan.plain_efss_as_printed),
    (list_scheduling.tbs_local_as_printed, plain_scan.plain_tbs_local_as_printed),
]


def assert_same(heuristic, plain, instance):
    schedule, expected = heuristic(instance), plain(instance)
    for found, wanted in ((schedule.map, expected.map), (schedule.reduce, expected.reduce)):
        assert found.slot.tolist() == wanted.slot.tolist()
        assert found.start.tolist() == wanted.start.tolist()
        assert found.setup.tolist() == wanted.setup.tolist()
    assert schedule.makespan == expected.makespan
    assert check(instance, schedule).violations == []


@settings(max_examples=100)
@given(odd_clusters())
def test_same_schedule(instance):
    for heuristic, plain in PAIRS:
        assert_same(heuristic, plain, instance)


@pytest.mark.parametrize(("heuristic", "plain"), PAIRS)
@pytest.mark.parametrize(("nodes", "racks"), [(9, 3), (10, "as published"), (45, 15)])
def test_same_schedule_on_the_papers_workload(heuristic, plain, nodes, racks):
    instance = generate(25, nodes, racks=racks, map_slots=5, reduce_slots=3, seed=nodes)
    assert_same(heuristic, plain, instance)
