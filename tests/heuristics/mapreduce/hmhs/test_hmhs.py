"""HMHS, its controls and Pri: small cases by hand."""

from dataclasses import replace

import numpy as np
import pytest
from random_instances import reading, tiny

from slotwise.heuristics.mapreduce.hmhs import fifo as first_come
from slotwise.heuristics.mapreduce.hmhs import min_min
from slotwise.heuristics.mapreduce.hmhs.fifo import fifo, fifo_path, fifo_pri
from slotwise.heuristics.mapreduce.hmhs.min_min import hmhs, r_hmhs
from slotwise.heuristics.mapreduce.hmhs.priority import average_times, by_priority, priorities
from slotwise.instances.mapreduce.checker import check
from slotwise.instances.mapreduce.cluster import Cluster, Rates
from slotwise.instances.mapreduce.generators import ljr
from slotwise.instances.mapreduce.generators.hmhs import generate, small
from slotwise.instances.mapreduce.instance import Instance, Job, MapTask, SpeedFactors
from slotwise.instances.mapreduce.security import Security

HEURISTICS = [hmhs, r_hmhs, min_min.min_min, fifo, fifo_pri]


def machines(
    maps: int,
    reduces: int,
    jobs: list[Job],
    map_factors: list[list[float]] | None = None,
    reduce_factors: list[list[float]] | None = None,
) -> Instance:
    """Jobs on map machines and reduce machines; factors a row for each job."""
    kind = np.repeat([1, 0], [maps, reduces]).astype(np.int64)
    cluster = Cluster(
        node_names=tuple(f"n{k}" for k in range(maps + reduces)),
        rack_names=("rack",),
        rack_of=np.zeros(maps + reduces, dtype=np.int64),
        map_slots=kind,
        reduce_slots=1 - kind,
    )
    factors = SpeedFactors(
        np.array(map_factors or np.ones((len(jobs), maps))),
        np.array(reduce_factors or np.ones((len(jobs), reduces))),
    )
    return replace(Instance.from_jobs("by-hand", cluster, jobs), speed_factors=factors)


def by_slot(phase):
    """Start and end of each task, slot by slot."""
    return [
        sorted(
            (float(start), float(end))
            for k, start, end in zip(phase.slot, phase.start, phase.end, strict=True)
            if k == slot
        )
        for slot in range(int(phase.slot.max()) + 1)
    ]


def test_pri_by_hand() -> None:
    instance = machines(
        2,
        2,
        [
            Job("longer maps", [3, 3], [4]),
            Job("longer reduces", [2], [5]),
            Job("no reduces", [2]),
            Job("no maps", [], [7]),
            Job("nothing"),
            Job("equal", [2, 2], [4]),
        ],
        map_factors=[[0.5, 1.5]] + [[1, 1]] * 5,
        reduce_factors=[[1, 0.5]] + [[1, 1]] * 5,
    )
    maps, reduces = average_times(instance)
    # (3 + 3) * (0.5 + 1.5) / 2 = 6 and 4 * (1 + 0.5) / 2 = 3.
    assert (maps[0], reduces[0]) == (6, 3)
    assert priorities(instance) == pytest.approx([1 / 3, -1 / 2, np.inf, -np.inf, -np.inf, -1 / 4])
    # The two -inf by number, then -1/2, -1/4, 1/3, +inf.
    assert by_priority(instance).tolist() == [3, 4, 1, 5, 0, 2]


def test_johnsons_rule_on_one_machine_a_stage() -> None:
    # Pri is +1 for a and -1/3 for b, so HMHS runs b's map first (0-3), then a's (3-5); reduces b
    # 3-12, a 12-13. The shorter map of a comes first in Min-Min, R-HMHS and FIFO: maps a 0-2, b
    # 2-5; reduces a 2-3, b 5-14.
    instance = machines(1, 1, [Job("a", [2], [1]), Job("b", [3], [9])])
    assert [hmhs(instance).makespan, fifo_pri(instance).makespan] == [13, 13]
    others = [method(instance).makespan for method in (r_hmhs, min_min.min_min, fifo)]
    assert others == [14, 14, 14]


def test_min_min_prefers_the_machine_that_suits_a_job() -> None:
    # a takes 1 on slot 0 and 10 on slot 1; b takes 4 and 2. Least completion times: a ends 1 on
    # slot 0; then a 2 on slot 0 ties with b 2 on slot 1 and has the lower number; b; a 3.
    instance = machines(2, 1, [Job("a", [10, 10, 10]), Job("b", [4])], [[0.1, 1], [1, 0.5]])
    schedule = hmhs(instance)
    assert schedule.map.slot.tolist() == [0, 0, 0, 1]
    assert schedule.map.end.tolist() == [1, 2, 3, 2]
    # FIFO looks at no speed: a on 0 (0-1) and on 1 (0-10), a on 0 (1-2), b on 0 (2-6).
    assert by_slot(fifo(instance).map) == [[(0, 1), (1, 2), (2, 6)], [(0, 10)]]


def test_dynamic_min_min_lets_in_jobs_when_the_first_machine_is_free() -> None:
    # a arrives at 1, b at 2. At time 0 nobody has, so a, the next to arrive, is dispatched: 1-11.
    # At 11 both are in; b ends at 12, a at 21, so b goes first.
    instance = machines(2, 1, [Job("a", [1], [10, 10]), Job("b", [2], [1])])
    schedule = hmhs(instance)
    assert schedule.reduce.start.tolist() == [1, 12, 11]
    assert schedule.makespan == 22


def test_dynamic_min_min_weighs_speed_against_waiting() -> None:
    # Both reduces of 10 s end at 5 and 10 on the fast machine, at 10 on the other: equal, so the
    # lower slot, which is the fast one, takes both.
    both = machines(1, 2, [Job("a", [], [10, 10])], reduce_factors=[[0.5, 1]])
    assert by_slot(hmhs(both).reduce) == [[(0, 5), (5, 10)]]
    # A little slower and the second machine gets one.
    split = machines(1, 2, [Job("a", [], [10, 10])], reduce_factors=[[0.6, 1]])
    assert by_slot(hmhs(split).reduce) == [[(0, 6)], [(0, 10)]]


def test_fifo_path_begins_with_the_job_of_the_longest_path() -> None:
    # Two map machines, one reduce machine. Paths: a 2 + 1, b 4 + 9, c 3 + 1, so b, c, a. Maps: b on
    # the first machine until 4, c on the second until 3, then a until 5. Reduces: c 3 to 4, b 4 to
    # 13, a 13 to 14. In the order of the instance a and b begin, c follows a until 5; a's reduce is
    # at 2 to 3, b's 4 to 13, c's 13 to 14.
    jobs = [Job("a", [2.0], [1.0]), Job("b", [4.0], [9.0]), Job("c", [3.0], [1.0])]
    instance = machines(2, 1, jobs)
    schedule = fifo_path(instance)
    assert schedule.map.start.tolist() == [3, 0, 0]
    assert schedule.reduce.start.tolist() == [13, 4, 3]
    assert fifo(instance).reduce.start.tolist() == [2, 4, 13]


def test_fifo_serves_the_first_job_that_has_arrived() -> None:
    # Maps: a on slot 0 (0-3), b on slot 1 (0-1), c on slot 1 (1-2). Nobody has arrived at 0, so
    # the machine waits for b: 1-4. Then a and c are there and a is first in order: 4-7; c 7-10.
    instance = machines(2, 1, [Job("a", [3], [3]), Job("b", [1], [3]), Job("c", [1], [3])])
    assert fifo(instance).reduce.start.tolist() == [4, 1, 7]
    # Pri: a -1/3, b -1, c -1, so b, c, a. Maps b on 0 (0-1), c on 1 (0-1), a on 0 (1-4); reduces
    # b 1-4, c 4-7, a 7-10.
    assert fifo_pri(instance).reduce.start.tolist() == [7, 1, 4]


def test_fifo_serves_jobs_that_arrive_as_a_machine_gets_free() -> None:
    # Reduces of a arrive at 2, of b at 1, of c at 1: the machine runs b's 1-2. At 2 a has just
    # arrived and is before c: 2-3; c 3-4.
    jobs = [Job("a", [2], [1]), Job("b", [1], [1]), Job("c", [1], [1])]
    assert fifo(machines(3, 1, jobs)).reduce.start.tolist() == [2, 1, 3]


def test_fifo_pri_orders_jobs_that_arrive_together() -> None:
    # Both arrive at 1. Pri is 1 / 0.5 for a and -1 for b, so b goes first: 1-5, a 5-5.5.
    instance = machines(2, 1, [Job("a", [1], [0.5]), Job("b", [1], [4])])
    assert fifo_pri(instance).reduce.start.tolist() == [5, 1]
    assert fifo(instance).reduce.start.tolist() == [1, 1.5]


@pytest.mark.parametrize("heuristic", [fifo, fifo_pri, fifo_path])
@pytest.mark.parametrize("drawn", [tiny, reading])
def test_fifo_is_the_same_with_security_that_forbids_nothing(drawn, heuristic) -> None:
    # All data is on a node without slots and reaches every slot in plain text. One rate for all, a
    # power of two: then both ways of reading are exactly as long.
    for seed in range(30):
        instance = drawn(seed)
        cluster, slots = instance.cluster, len(instance.cluster.map_slot_node)
        with_store = replace(
            cluster,
            node_names=(*cluster.node_names, "store"),
            rack_of=np.append(cluster.rack_of, 0),
            map_slots=np.append(cluster.map_slots, 0),
            reduce_slots=np.append(cluster.reduce_slots, 0),
            rates=Rates(64.0, 64.0, 64.0),
        )
        levels = np.ones((with_store.nodes, slots), dtype=np.int8)
        levels[cluster.map_slot_node, np.arange(slots)] = 0
        plain = replace(
            instance,
            cluster=with_store,
            replica_offsets=np.arange(instance.map_tasks + 1),
            replicas=np.full(instance.map_tasks, cluster.nodes),
        )
        allowed = np.ones((instance.map_tasks, slots), dtype=bool)
        neutral = replace(plain, security=Security(allowed, levels, transfer_rate=64.0))
        ours, theirs = heuristic(neutral), heuristic(plain)
        for mine, other in ((ours.map, theirs.map), (ours.reduce, theirs.reduce)):
            assert mine.slot.tolist() == other.slot.tolist(), seed
            assert mine.end == pytest.approx(other.end, rel=1e-9), seed


def test_completion_times_count_setups() -> None:
    # Reading 300 MB takes 10 s on n0, the other rack, and 3 s on n1. HMHS runs the map on n1, 0-13,
    # and the reduce there too: 3 s of setup and 5 s, 21 s. FIFO takes slot 0: 0-20, then 20-28.
    cluster = Cluster.uniform(2, racks=2, map_slots=1)
    instance = Instance.from_jobs(
        "local", cluster, [Job("a", [MapTask(10, 300, ["n1"])], [5], 1.0)]
    )
    schedule = hmhs(instance)
    assert (schedule.map.slot.tolist(), schedule.reduce.slot.tolist()) == ([1], [1])
    assert schedule.makespan == pytest.approx(21)
    assert fifo(instance).makespan == pytest.approx(28)


def test_equal_slots_of_a_node_count_as_two() -> None:
    cluster = Cluster.uniform(2, map_slots=2)
    instance = Instance.from_jobs("four", cluster, [Job("a", [1, 1, 1, 1, 1])])
    assert hmhs(instance).map.slot.tolist() == [0, 1, 2, 3, 0]


@pytest.mark.parametrize("heuristic", HEURISTICS)
@pytest.mark.parametrize("workload", ["single", "hybrid"])
def test_valid_on_the_papers_workloads(heuristic, workload) -> None:
    instance = generate(40, seed=5, workload=workload)
    assert check(instance, heuristic(instance)).violations == []


@pytest.mark.parametrize("heuristic", HEURISTICS)
def test_no_jobs(heuristic) -> None:
    assert heuristic(Instance.from_jobs("none", Cluster.uniform(1), [])).makespan == 0


def test_kernels_compile_once() -> None:
    """Types of arguments are the same for every instance, so the cache on disk serves them all."""
    for instance in (
        small(seed=0),
        ljr.small(seed=0),
        Instance.from_jobs("plain", Cluster.uniform(1), [Job("a", [1.0], [1.0])]),
    ):
        hmhs(instance)
        fifo(instance)
    assert len(min_min.dynamic_min_min.machine.signatures) == 1
    assert len(first_come.first_come.machine.signatures) == 1
