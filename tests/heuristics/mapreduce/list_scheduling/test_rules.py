"""The five heuristics on examples worked by hand.

Rates are 10, 5 and 2 MB/s, so that 20 MB take 2 s on the node, 4 s in the rack and 10 s beyond it.
"""

from dataclasses import replace

import numpy as np
import pytest

from slotwise.heuristics.mapreduce import HEURISTICS
from slotwise.heuristics.mapreduce.list_scheduling.rules import (
    eass,
    efss,
    efss_as_printed,
    efss_local,
    tbs,
    tbs_local,
    tbs_local_as_printed,
)
from slotwise.instances.mapreduce.checker import check
from slotwise.instances.mapreduce.cluster import Cluster, Rates
from slotwise.instances.mapreduce.instance import Instance, Job, MapTask, SpeedFactors

ALL = (eass, efss, efss_local, tbs, tbs_local)
RATES = Rates(10, 5, 2)


def slots(*counts):
    return np.array(counts, dtype=np.int64)


def cluster(map_slots, reduce_slots, racks=None):
    """Nodes n0, n1, … with these slots; each in a rack of its own unless `racks` says more."""
    nodes = len(map_slots)
    racks = list(range(nodes)) if racks is None else racks
    return Cluster(
        node_names=tuple(f"n{k}" for k in range(nodes)),
        rack_names=tuple(f"r{k}" for k in range(max(racks) + 1)),
        rack_of=slots(*racks),
        map_slots=slots(*map_slots),
        reduce_slots=slots(*reduce_slots),
        rates=RATES,
    )


def two_racks():
    """One job, all of whose input is on n0; two nodes with a slot of each kind."""
    maps = [MapTask(6, 20, ["n0"]), MapTask(5, 20, ["n0"]), MapTask(4, 20, ["n0"])]
    return Instance.from_jobs(
        "two racks", cluster([1, 1], [1, 1]), [Job("a", maps, [4.0, 3.0], 0.5)]
    )


def solved(heuristic, instance):
    schedule = heuristic(instance)
    assert check(instance, schedule).violations == []
    return schedule


def test_eass():
    # LPT order 6, 5, 4. Both slots are free: 6 takes slot 0, 0-8. 5 takes slot 1, remote, 0-15.
    # 4 takes slot 0, free at 8, until 14. Each map task leaves 0.5 * 20 / 2 = 5 MB for each reduce
    # task: 10 on n0, 5 on n1, so the setup is 10/10 + 5/2 = 3.5 on n0 and 5/10 + 10/2 = 5.5 on n1.
    # Released at 15, reduce 4 takes slot 0 until 22.5, reduce 3 takes slot 1 until 23.5.
    schedule = solved(eass, two_racks())
    assert schedule.map.slot.tolist() == [0, 1, 0]
    assert schedule.map.end.tolist() == [8, 15, 14]
    assert schedule.reduce.slot.tolist() == [0, 1]
    assert schedule.reduce.end.tolist() == [22.5, 23.5]
    assert schedule.makespan == 23.5


def test_efss():
    # 6 ends its setup at 2 on n0, at 10 on n1: n0, until 8. 5: at 8 + 2 on n0, at 10 on n1; the tie
    # goes to the shorter setup, n0, until 15. 4: at 17 or at 10: n1, until 14. Released at 15, with
    # setups of 3.5 and 5.5 as above: reduce 4 on n0 until 22.5; reduce 3 at 26 or 20.5: n1.
    schedule = solved(efss, two_racks())
    assert schedule.map.slot.tolist() == [0, 0, 1]
    assert schedule.map.end.tolist() == [8, 15, 14]
    assert schedule.reduce.slot.tolist() == [0, 1]
    assert schedule.reduce.end.tolist() == [22.5, 23.5]


def test_as_printed_reduces_are_placed_as_if_released_at_once():
    # EFSS: a's map task takes n0 until 1, its reduce task n0 from 1 to 4. b's map task reads for
    # 2 s on n0, 4 s on n1, so n0, until 13. Its reduce task reads for 1 s on n0 and 2 s on n1:
    # n0, until 19. Without the release n0 would be read at 4 + 1 and n1 at 0 + 2, so n1, until 20.
    # TBS-L: b's map task comes first, to n0 until 12, a's to n1; then as above.
    jobs = [Job("a", [1.0], [3.0]), Job("b", [MapTask(10, 20, ["n0"])], [5.0], 0.5)]
    instance = Instance.from_jobs("late", cluster([1, 1], [1, 1], [0, 0]), jobs)
    for heuristic, slot, makespan in (
        (efss, 0, 19),
        (efss_as_printed, 1, 20),
        (tbs_local, 0, 18),
        (tbs_local_as_printed, 1, 19),
    ):
        schedule = solved(heuristic, instance)
        assert (schedule.reduce.slot.tolist(), schedule.makespan) == ([0, slot], makespan)


def test_efss_local():
    # All map tasks on n0: 0-8, 8-15, 15-21. All 15 MB lie there: setup 1.5 on n0, 7.5 on n1.
    # Reduce 4 on n0 until 26.5; reduce 3 ends its setup at 28 on n0, at 28.5 on n1: n0, until 31.
    schedule = solved(efss_local, two_racks())
    assert schedule.map.slot.tolist() == [0, 0, 0]
    assert schedule.map.end.tolist() == [8, 15, 21]
    assert schedule.reduce.slot.tolist() == [0, 0]
    assert schedule.reduce.end.tolist() == [26.5, 31]


def test_tbs_groups_by_job():
    # Two map slots, one reduce slot, nothing to read. LPT over both jobs: 6 (b) on slot 0, 5 (a) on
    # slot 1, 3 (b) on slot 1 from 5, 3 (b) on slot 0 from 6. Johnson: T^m = 3.25, T^r = 1 for a and
    # T^m = 7.2, T^r = 10 for b, so b goes first and slot 1 runs b's 3 before a's 5.
    # Map phases end at 8 (a) and 9 (b), so a's reduce runs 8-9 and b's 9-19.
    jobs = [Job("a", [5.0], [1.0]), Job("b", [6.0, 3.0, 3.0], [10.0])]
    instance = Instance.from_jobs("grouped", cluster([2], [1]), jobs)
    schedule = solved(tbs, instance)
    assert schedule.map.slot.tolist() == [1, 0, 1, 0]
    assert schedule.map.start.tolist() == [3, 0, 0, 6]
    assert schedule.reduce.start.tolist() == [8, 9]
    assert schedule.makespan == 19
    # EFSS places job by job: b's tasks 0-6, 0-3, 3-6, then a's on slot 0, 6-11.
    schedule = solved(efss, instance)
    assert schedule.map.slot.tolist() == [0, 0, 1, 1]
    assert schedule.map.start.tolist() == [6, 0, 0, 3]
    assert schedule.makespan == 17


def test_tbs_local():
    # All input is on n0. LPT over both jobs: 6 (a), 5 and 4 (b), all on n0. Johnson: T^m = 5.2,
    # T^r = 1 for a; T^m = 7.625, T^r = 10 for b. So b goes first: 5 at 0-7, 4 at 7-13, then a's 6
    # at 13-21. Reduces on the only slot: b 13-23, a 23-24.
    jobs = [
        Job("a", [MapTask(6, 20, ["n0"])], [1.0]),
        Job("b", [MapTask(5, 20, ["n0"]), MapTask(4, 20, ["n0"])], [10.0]),
    ]
    instance = Instance.from_jobs("local", cluster([1, 1], [1, 0]), jobs)
    schedule = solved(tbs_local, instance)
    assert schedule.map.slot.tolist() == [0, 0, 0]
    assert schedule.map.start.tolist() == [13, 0, 7]
    assert schedule.reduce.start.tolist() == [23, 13]
    # TBS sends the last task, b's 4, to n1, where its setup ends at 10 instead of 15 + 2.
    assert solved(tbs, instance).map.slot.tolist() == [0, 0, 1]


def test_a_reduce_task_finishes_earliest_counting_the_wait_for_its_maps():
    # Job a's reduce holds n0 until 9. Job b's 20 MB are on n0 and its map task ends at 10: its
    # reduce ends its setup at max(9, 10) + 2 = 12 on n0 and at max(0, 10) + 10 = 20 on n1, although
    # 9 + 2 > 0 + 10.
    jobs = [Job("a", [], [9.0]), Job("b", [MapTask(8, 20, ["n0"])], [1.0], output_ratio=1.0)]
    instance = Instance.from_jobs("wait", cluster([1, 0], [1, 1]), jobs)
    schedule = solved(efss, instance)
    assert schedule.reduce.slot.tolist() == [0, 0]
    assert schedule.reduce.end.tolist() == [9, 13]

    # As printed, 9 + 2 against 0 + 10: n1, where it waits until 10, reads for 10 s and runs 1 s.
    # Factors of 1 send the instance to the kernel for slots of different speed.
    same_speed = replace(instance, speed_factors=SpeedFactors(np.ones((2, 1)), np.ones((2, 2))))
    for name in ("EFSS", "EFSS-L", "TBS", "TBS-L"):
        printed = HEURISTICS.lookup(f"{name}-as-printed").load()
        for one in (instance, same_speed):
            schedule = solved(printed, one)
            assert schedule.reduce.slot.tolist() == [0, 1]
            assert schedule.reduce.end.tolist() == [9, 21]
    assert not {entry.name for entry in HEURISTICS.usual if "as-printed" in entry.name}


@pytest.mark.parametrize("heuristic", [efss_local, tbs_local])
def test_local_rule_ignores_replica_nodes_without_map_slots(heuristic):
    # n0 has no map slot. The first task also has a copy on n2 and must go there (slot 1), though n1
    # is as early. The second can only read from n0: its setup ends at 10 on the slots of n1 (slot
    # 0, remote) but at 8 + 4 = 12 on n2's, in n0's rack.
    maps = [MapTask(6, 20, ["n0", "n2"]), MapTask(4, 20, ["n0"])]
    instance = Instance.from_jobs(
        "gaps", cluster([0, 1, 1], [0, 0, 0], [0, 1, 0]), [Job("a", maps)]
    )
    schedule = solved(heuristic, instance)
    assert schedule.map.slot.tolist() == [1, 0]
    assert schedule.map.end.tolist() == [8, 14]


@pytest.mark.parametrize("heuristic", [efss_local, tbs_local])
def test_local_rule_for_tasks_without_input_or_replica(heuristic):
    # LPT, with local reads of 2 s: 9 on n0 (0-11), 6 reads from outside in 10 s: n1, 0-16. 5 has no
    # input and its replica does not count: the first free slot is n0's, at 11.
    maps = [MapTask(9, 20, ["n0"]), MapTask(6, 20), MapTask(5, 0, ["n1"])]
    instance = Instance.from_jobs("free", cluster([1, 1], [0, 0]), [Job("a", maps)])
    schedule = solved(heuristic, instance)
    assert schedule.map.slot.tolist() == [0, 1, 0]
    assert schedule.map.end.tolist() == [11, 16, 16]


@pytest.mark.parametrize("heuristic", ALL)
@pytest.mark.parametrize(
    ("jobs", "map_slots", "reduce_slots", "makespan"),
    [
        ([], 1, 1, 0),
        ([Job("a")], 0, 0, 0),
        ([Job("a", [3.0]), Job("b", [2.0])], 1, 0, 5),
        ([Job("a", [], [3.0]), Job("b", [], [2.0])], 0, 1, 5),
        # The map-only job and the empty one take no part in the reduce phase.
        ([Job("a", [3.0]), Job("b"), Job("c", [1.0], [2.0])], 1, 1, 4),
    ],
)
def test_jobs_without_maps_or_reduces(heuristic, jobs, map_slots, reduce_slots, makespan):
    instance = Instance.from_jobs("bare", cluster([map_slots], [reduce_slots]), jobs)
    assert solved(heuristic, instance).makespan == makespan


def test_omega_is_passed_on():
    # omega = 0 starts with job b, omega = 1 with job a: see test_job_sequence.
    jobs = [Job("a", [6.0], [4.0]), Job("b", [8.0], [5.0])]
    instance = Instance.from_jobs("omega", cluster([4], [1]), jobs)
    for heuristic in ALL[:3]:
        assert heuristic(instance, omega=0.0).map.slot.tolist() == [1, 0]
        assert heuristic(instance, omega=1.0).map.slot.tolist() == [0, 1]


def test_registry_finds_all_five():
    named = {entry.name: entry.load() for entry in HEURISTICS}
    assert [named[n] for n in ("EASS", "EFSS", "EFSS-L", "TBS", "TBS-L")] == list(ALL)
