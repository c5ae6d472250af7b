"""Every bound on instances that are worked out by hand, and the optimum where it is said."""

from dataclasses import replace

import numpy as np
import pytest
from brute_force import optimum

from slotwise.formulations.mapreduce.bounds import BOUNDS
from slotwise.formulations.mapreduce.bounds.closed_form import (
    best_lower_bound,
    best_of,
    lower_bounds,
)
from slotwise.instances.mapreduce.checker import check
from slotwise.instances.mapreduce.cluster import Cluster, Rates
from slotwise.instances.mapreduce.generators.ljr import generate
from slotwise.instances.mapreduce.instance import Instance, Job, MapTask
from slotwise.instances.mapreduce.schedule import timed
from slotwise.instances.mapreduce.subset import with_jobs

HEADS, HOLES, LAST = "heads and tails", "pigeonhole", "last jobs"
ALONE, WITHIN, ORDERS = "one job's reads", "reads within a horizon", "orders of critical jobs"
CLOSED = ("LB1 as printed", "LB1", "LB2", HEADS, HOLES, "Johnson")
FAST_RACK, SLOW_RACK = Rates(100, 100, 10), Rates(100, 50, 25)


def made(
    jobs: list[Job],
    nodes: int = 1,
    maps: int = 1,
    reduces: int = 1,
    racks: int = 1,
    rates: Rates = Rates(100, 50, 30),  # noqa: B008
) -> Instance:
    """Jobs on equal nodes."""
    cluster = Cluster.uniform(nodes, map_slots=maps, reduce_slots=reduces, racks=racks, rates=rates)
    return Instance.from_jobs("made", cluster, jobs)


def apart(instance: Instance) -> Instance:
    """Map slots on the first of two nodes only, reduce slots on the second only."""
    slots = {"map_slots": np.array([1, 0]), "reduce_slots": np.array([0, 1])}
    return replace(instance, cluster=replace(instance.cluster, **slots))


ON_BOTH = MapTask(9, 100, ["n0", "n1"])
TWO = [Job("a", [4.0], [6.0]), Job("b", [8.0], [6.0])]
THREE = [*TWO, Job("c", [9.0], [6.0])]
OF_OUTPUT = [Job("a", [MapTask(1, 300, ["n0"])], [2.0], 0.5)]
FAR_AND_NEAR = [MapTask(20, 300), MapTask(20, 300)]
COUNTEREXAMPLE = made([Job("J1", [1.0], [100.0, 100.0]), Job("J2", [50.0], [1.0])], 1, 2, 2)
"""Where Theorem 1 of LJR fails: J1 alone can keep both reduce slots busy from 1 s on."""

CASES: dict[str, tuple[Instance, dict[str, float], float | None]] = {
    # As printed (1 + 50) / 2 + 201 / 2. Heads 1, 1, 50 for the three reduce tasks: both slots wait
    # 1 s. Of the three reduce tasks two share a slot: 1 + 100 + 1. Areas 0.5, 100 for J1 and 25,
    # 0.5 for J2, J1 first: 0.5 + 100.5.
    "Theorem 1 as printed is no bound": (
        COUNTEREXAMPLE,
        {"LB1 as printed": 126, "LB1": 101.5, "LB2": 101.5, HOLES: 102, "Johnson": 101},
        102,
    ),
    # LJR, figure 2: the reduce slots wait 1 and 3 s, not 1 s both.
    "LB1 averages what each slot waits": (
        made([Job(f"J{k}", [k], [10.0]) for k in (1.0, 3.0, 4.0, 5.0)], 1, 3, 2),
        {"LB2": 1 + 20, "LB1": 2 + 20, "LB1 as printed": 2 + 20},
        None,
    ),
    # Each reduce task waits for its own map task, 4 and 8 s: (4 + 8 + 6 + 2) / 2.
    "a slot without task does not count": (
        made([Job("a", [4.0], [6.0]), Job("b", [8.0], [2.0])], 1, 10, 10),
        {"LB1": 6 + 8 / 10, HEADS: 10},
        10,
    ),
    "as many tasks as slots": (made(TWO, 1, 10, 2), {HEADS: 14}, None),
    # Slots wait 4 and 8 s for 18 s of work, also what job c takes alone.
    "one task more than slots": (made(THREE, 1, 10, 2), {HEADS: 15}, None),
    # (4 + 8 + 25) / 2; the last three only (8 + 9 + 19) / 2.
    "all slots share the work": (
        made([*THREE, Job("d", [9.0], [7.0])], 1, 10, 2),
        {HEADS: 18.5},
        None,
    ),
    # The short job makes the least wait small; the other two wait 10 s and take 20.
    "tasks that wait longest": (
        made([Job("a", [1.0], [1.0]), Job("b", [10.0], [10.0]), Job("c", [10.0], [10.0])], 1, 3),
        {"LB2": 1 + 21, HEADS: 30},
        30,
    ),
    # Both slots together: (10 + 10 + 10 + 2) / 2 = 16 s from either side.
    "the longest map task and the longest reduce task": (
        made([Job("a", [10.0, 2.0], [10.0, 2.0])], 1, 2, 2),
        {HEADS: 20},
        None,
    ),
    # The area is 7.5 s.
    "five equal tasks on two slots": (
        made([Job(f"j{k}", [3.0]) for k in range(5)], 1, 2),
        {HOLES: 9},
        9,
    ),
    # Three tasks of 4 s wait for 10 s, and one of the two slots runs two of them: 18 s. With c's,
    # the longest of all, some slot runs two of 4 s or more, but perhaps without a wait.
    "long tasks that do not wait hide no others": (
        made([Job("a", [10.0], [4.0] * 2), Job("b", [10.0], [4.0]), Job("c", [], [9.0])], 1, 2, 2),
        {HOLES: 18, HEADS: 16},
        18,
    ),
    # One of two reduce slots runs two of the three late tasks. With the long ones among the three
    # longest, the least head is 1 s.
    "late tasks are counted by themselves": (
        made(
            [Job(f"late{k}", [20.0], [5.0]) for k in range(3)]
            + [Job(f"early{k}", [1.0], [6.0]) for k in range(2)],
            1, 5, 2,
        ),
        {HOLES: 30},
        None,
    ),
    # Three map tasks of 10 s on two slots: area 15, longest 10, pigeonhole 20.
    "tasks of one job share slots": (
        made([Job("a", [10.0] * 3, [5.0])], 1, 2),
        {"LB1": 20, HEADS: 25, HOLES: 25},
        25,
    ),
    # By Johnson's rule c, a, b: the map slot ends them at 1, 4, 9, the reduce slot at 3, 10, 12.
    "a flow shop": (
        made([Job("a", [3.0], [6.0]), Job("b", [5.0], [2.0]), Job("c", [1.0], [2.0])]),
        {"Johnson": 12, "LB2": 11},
        12,
    ),
    "more slots than tasks are of no use": (
        made([Job("a", [3.0], [6.0])], 1, 9, 9),
        {"Johnson": 9},
        9,
    ),
    # The map-only job has no tail and no head that a reduce task waits for.
    "a job without reduce tasks": (
        made([Job("a", [9.0]), Job("b", [1.0], [4.0])]),
        {"LB2": 10, HEADS: 10},
        10,
    ),
    "map tasks only": (made([Job("a", [3.0]), Job("b", [4.0])]), dict.fromkeys(CLOSED, 7), 7),
    "reduce tasks only": (
        made([Job("a", [], [3.0]), Job("b", [], [4.0])]),
        dict.fromkeys(CLOSED, 7),
        7,
    ),
    # 300 MB: 3 s locally. 150 MB of output are read in 1.5 s.
    "least setups": (made(OF_OUTPUT, 2), {HEADS: 4 + 3.5}, 7.5),
    # 150 MB of output: 3 s within the rack, 5 s between racks.
    "no read is local, in one rack": (apart(made(OF_OUTPUT, 2)), {HEADS: 4 + 3 + 2}, 9),
    "no read is local, in two racks": (apart(made(OF_OUTPUT, 2, racks=2)), {HEADS: 11}, 11),
    # Without reads it is the simpler bound.
    "nothing is read": (
        made([Job("a", [MapTask(1, 100, ["n0"])], [2.0]), Job("b", [], [3.0]), Job("c", [4.0])], 2),
        {ALONE: 4, HEADS: 4},
        None,
    ),
    "no jobs": (made([], 1, 0, 0), {entry.name: 0 for entry in BOUNDS}, None),
    "an empty job": (made([Job("empty")], 1, 0, 0), {entry.name: 0 for entry in BOUNDS}, None),
    # Maps of 10 s anywhere. 600 MB: 6 s locally, 12 s within the rack, 9 s half and half, which is
    # what follows both slots: (10 + 10 + 2 * 9) / 2. One slot alone: 20 + 6.
    "a job that ends two nodes reads half from the other": (
        made([Job("a", [MapTask(0, 300)] * 2, [0.0], 1)], 2),
        {HEADS: 16, LAST: 19},
        19,
    ),
    # Either node has room for both maps, 10 s each where their input is. To have all 600 MB on one
    # node, 300 MB of input are read within the rack, 3 s longer: (10 + 10 + 3 + 2 * 6) / 2. With
    # half the output there the reduce takes 9 s and the sum is greater.
    "gathering on one node takes map slots longer": (
        made([Job("a", [MapTask(7, 300, ["n0"]), MapTask(7, 300, ["n1"])], [0.0], 1)], 2, 2),
        {LAST: 17.5},
        19,
    ),
    "nothing to gather if every node has everything": (
        made([Job("a", [MapTask(7, 300, ["n0", "n1"])] * 2, [0.0], 1)], 2, 2),
        {LAST: 16},
        16,
    ),
    # Maps of 20 s anywhere, one per node. Of 600 MB a reduce task reads 150 on its node, 150 in its
    # rack and 300 from the other rack: 1.5 + 3 + 10 s.
    "a job that ends two racks reads half between them": (
        made([Job("a", [MapTask(10, 300)] * 4, [0.0], 0.5)], 4, racks=2),
        {LAST: 20 + 14.5},
        34.5,
    ),
    # 300 MB take 3 s within the rack, 10 s from the other. All 600 MB in one rack: 7 s of input
    # more, 6 s to read, (6 + 7 + 2 * 6) / 2. In two racks 300 MB are read in 3 and 300 in 10 s.
    "gathering in one rack takes map slots longer": (
        made(
            [Job("a", [MapTask(0, 300, ["n0"]), MapTask(0, 300, ["n1"])], [0.0], 1)],
            2, 2, racks=2, rates=Rates(100, 100, 30),
        ),
        {LAST: 12.5},
        16,
    ),
    # One slot ends with the first job, 1 s before C, two with the other, 5 s before it:
    # (15 + 1 + 2 * 5) / 3.
    "a job ends no more slots than it has map tasks": (
        made([Job("a", [5.0], [1.0]), Job("b", [5.0, 5.0], [5.0])], 1, 3, 3),
        {LAST: 26 / 3},
        None,
    ),
    # Four map tasks of 9 + 1 s, two slots a node. At 10 s each node holds half: the reduce task
    # reads 200 MB locally in 2 s and 200 MB from the other rack in 8 s, 10 + 5 + 10. All on one
    # node: 20 + 5 + 4 s.
    "spread over two racks": (
        made([Job("a", [ON_BOTH] * 4, [5.0], 1)], 2, 2, racks=2, rates=SLOW_RACK),
        {ALONE: 25, HEADS: 19},
        25,
    ),
    # One rack. Both map tasks on one node are done at 6 s and one reduce task reads 400 MB there in
    # 4 s; its second slot is the other node's, which reads them in 8 s: 6 + 10 + 8. One map task a
    # node: both reduce tasks read 200 MB here and 200 MB there, 3 + 10 + 2 + 4.
    "two reduce tasks do not both have most of the output": (
        made([Job("a", [MapTask(1, 200, ["n0", "n1"])] * 2, [10.0, 10.0], 2)], 2),
        {ALONE: 19, HEADS: 17},
        19,
    ),
    # Each map task takes 2 s in the first rack, where all input is: two on each slot, 4 + 5 + 4 s.
    # Counting the other rack's slots by the same 2 s would end at 2 s with half of the reads
    # remote: 2 + 5 + 2 + 20.
    "input from another rack delays what is gathered in one": (
        made([Job("a", [MapTask(0, 200, ["n0", "n1"])] * 4, [5.0], 0.5)], 4, racks=2,
             rates=FAST_RACK),
        {ALONE: 13},
        13,
    ),
    # Both map tasks end at 1 s, one on each node. A reduce task of 50 s reads 400 MB, 4 s where all
    # is local. In turn it is 1 + 1 + 2 * 54; on two nodes one of them has half of the output at
    # most, and reads 200 MB in 2 s and 200 MB in 4 s: 1 + 50 + 6.
    "slots without time for a second task are on more nodes": (
        made([Job("a", [MapTask(0, 100, ["n0", "n1"])] * 2, [50.0] * 2, 4)], 2),
        {HEADS: 55, WITHIN: 57},
        57,
    ),
    # All four map tasks end at 10 s at the earliest, half in each rack. Two reduce tasks of 100 s
    # are on different nodes: 400 MB, half of them here in 2 s, half from the other rack in 8 s.
    "far reads cost their own rate between racks": (
        made([Job("a", [ON_BOTH] * 4, [100.0] * 2, 2)], 2, 2, racks=2, rates=SLOW_RACK),
        {WITHIN: 120},
        120,
    ),
    # First a: max(4 + 6 + 2, 4 + 3 + 2). First b: max(3 + 8, 7 + 6).
    "the better of two orders": (
        made([Job("a", [4.0], [6.0]), Job("b", [3.0], [2.0])]),
        {ORDERS: 12},
        12,
    ),
    # Each job has a map task of 10 s on every slot, or one job has all of the six tasks by 20 s
    # only. Who ends last takes 20 + 50 s. The tasks of a third job may run at the end, so that the
    # mean slot is busy until C.
    "one of two jobs with three long map tasks is later": (
        made([Job("a", [10.0] * 3, [50.0]), Job("b", [10.0] * 3, [50.0]), Job("c", [20.0] * 3)],
             1, 3, 6),
        {HEADS: 70, ORDERS: 70},
        None,
    ),
    # After the other a job may gather at no cost beyond what it waits: 20 + 5 + 4 s.
    "the later job reads no less": (
        made([Job(name, [ON_BOTH] * 4, [5.0], 1) for name in "ab"], 2, 2),
        {ORDERS: 29},
        None,
    ),
    # Four map slots: a's eight tasks end at 20 s, b's four at 10 s, all at 30 s. By 20 s a node
    # holds half of a's 800 MB, by 30 s three quarters, by 40 s all: a reads for 4 + 16, 6 + 8, or
    # 8 s. If a is last it ends at 30 + 5 + 14 or 40 + 5 + 8 s, if b is at 30 + 25 s.
    "a later end counts with the reads that it leaves": (
        made([Job("a", [ON_BOTH] * 8, [5.0], 1), Job("b", [10.0] * 4, [25.0])], 2, 2, racks=2,
             rates=SLOW_RACK),
        {ORDERS: 49},
        None,
    ),
}  # fmt: skip


@pytest.mark.parametrize(("instance", "values", "least"), CASES.values(), ids=list(CASES))
def test_by_hand(instance: Instance, values: dict[str, float], least: float | None) -> None:
    found = lower_bounds(instance)
    assert list(found) == [entry.name for entry in BOUNDS]
    for name, value in values.items():
        assert found[name] == pytest.approx(value, rel=1e-3 if name == WITHIN else 1e-6), name
    if least is not None:
        assert optimum(instance) == pytest.approx(least)


def test_printed_lb1_is_above_an_actual_schedule() -> None:
    # J1's reduces fill both slots from 1 to 101, J2's follows on one of them.
    slots, ranks = [np.array([0, 1]), np.array([0, 0])], [np.array([0, 1, 0]), np.array([0, 0, 1])]
    schedule = timed(COUNTEREXAMPLE, *slots, *ranks)
    assert check(COUNTEREXAMPLE, schedule).violations == []
    assert schedule.makespan == pytest.approx(102)
    assert best_lower_bound(COUNTEREXAMPLE) == (pytest.approx(102), HOLES)


def test_one_reduce_slot_has_time_for_one_or_for_two_reduce_tasks() -> None:
    # 60 s of maps, all on n0. A reduce task takes 8 s there and 11 s on n1; two take 16 s on n0.
    # Without processing the same two take 6 s, wherever they run: one after the other, or far.
    for processing, heads, last in ((5.0, 68, 71), (0.0, 63, 66)):
        instance = made([Job("a", FAR_AND_NEAR, [processing] * 2, 1)], 2)
        on_n0 = replace(instance.cluster, map_slots=np.array([1, 0]))
        instance = replace(instance, cluster=on_n0)
        found = lower_bounds(instance)
        assert [found[HEADS], found[LAST]] == pytest.approx([heads, last])
        assert optimum(instance) == pytest.approx(last)


@pytest.mark.parametrize(
    ("case", "reads"),
    [("the later job reads no less", 21), ("a later end counts with the reads that it leaves", 45)],
)
def test_the_first_of_these_jobs_alone(case: str, reads: float) -> None:
    # Half is read from the other node: 10 + 5 + 2 + 4 s, and 20 + 5 + 20.
    assert lower_bounds(with_jobs(CASES[case][0], [0]))[ALONE] == pytest.approx(reads)


def test_of_equal_bounds_heads_and_tails_are_credited() -> None:
    assert best_lower_bound(CASES["map tasks only"][0]) == (pytest.approx(7), HEADS)
    above = 7.0 * (1 + 1e-15)
    assert best_of({"LB1": above, HEADS: 7.0}) == (above, HEADS)


def test_at_the_size_of_the_papers() -> None:
    instance = generate(50, 10, seed=0)
    found = lower_bounds(instance)
    assert found["LB1 as printed"] <= found["LB2"] <= found[HEADS] * (1 + 1e-12)
    bound, name = best_lower_bound(instance)
    assert name == LAST
    assert bound > found[HEADS] + 5
