"""Closed-form bounds against hand-worked instances and against brute force."""

import numpy as np
import pytest
from brute_force import optimum
from random_instances import tiny

from slotwise.formulations.mapreduce.bounds import BOUNDS
from slotwise.formulations.mapreduce.bounds.closed_form import (
    best_lower_bound,
    best_of,
    heads_and_tails,
    johnson,
    lb1,
    lb1_as_printed,
    lb2,
    lower_bounds,
    pigeonhole,
)
from slotwise.instances.mapreduce.checker import check
from slotwise.instances.mapreduce.cluster import Cluster
from slotwise.instances.mapreduce.generators.ljr import generate, small
from slotwise.instances.mapreduce.instance import Instance, Job, MapTask
from slotwise.instances.mapreduce.schedule import timed

BRUTE_FORCED = range(200)


@pytest.fixture
def counterexample() -> Instance:
    """Where Theorem 1 of LJR fails: J1 alone can keep both reduce slots busy from 1 s on."""
    return Instance.from_jobs(
        "counterexample",
        Cluster.uniform(1, map_slots=2, reduce_slots=2),
        [Job("J1", [1.0], [100.0, 100.0]), Job("J2", [50.0], [1.0])],
    )


def test_printed_lb1_is_above_an_actual_schedule(counterexample: Instance) -> None:
    # (1 + 50) / 2 + (100 + 100 + 1) / 2
    assert lb1_as_printed(counterexample) == pytest.approx(126)
    # J1's reduces fill both slots from 1 to 101, J2's follows on one of them.
    schedule = timed(
        counterexample,
        map_slot=np.array([0, 1]),
        map_rank=np.array([0, 0]),
        reduce_slot=np.array([0, 1, 0]),
        reduce_rank=np.array([0, 0, 1]),
    )
    assert check(counterexample, schedule).violations == []
    assert schedule.makespan == pytest.approx(102)
    assert optimum(counterexample) == pytest.approx(102)


def test_bounds_of_the_counterexample(counterexample: Instance) -> None:
    bounds = lower_bounds(counterexample)
    assert list(bounds) == [entry.name for entry in BOUNDS]
    # Heads 1, 1, 50 for the three reduce tasks: both slots wait 1 s, then (201) / 2.
    assert bounds["LB1"] == pytest.approx(101.5)
    assert bounds["LB2"] == pytest.approx(101.5)
    # Of the three reduce tasks two share a slot: 1 + 100 + 1.
    assert bounds["pigeonhole"] == pytest.approx(102)
    # Areas 0.5, 100 for J1 and 25, 0.5 for J2, J1 first: 0.5 + 100.5.
    assert bounds["Johnson"] == pytest.approx(101)
    assert best_lower_bound(counterexample) == (pytest.approx(102), "pigeonhole")


def test_lb1_averages_what_each_slot_waits() -> None:
    # LJR figure 2: 3 map and 2 reduce slots, four jobs with one task in each phase. The reduce
    # slots wait 1 and 3 s, not 1 s both.
    cluster = Cluster.uniform(1, map_slots=3, reduce_slots=2)
    jobs = [Job(f"J{k}", [k], [10.0]) for k in (1.0, 3.0, 4.0, 5.0)]
    instance = Instance.from_jobs("figure 2", cluster, jobs)
    assert lb2(instance) == pytest.approx(1 + 20)
    assert lb1(instance) == pytest.approx(2 + 20)
    assert lb1_as_printed(instance) == pytest.approx(2 + 20)


def test_a_slot_without_task_does_not_count() -> None:
    # Ten slots a phase but two tasks: each reduce task waits for its own map task, 4 and 8 s.
    cluster = Cluster.uniform(1, map_slots=10, reduce_slots=10)
    instance = Instance.from_jobs("idle", cluster, [Job("a", [4.0], [6.0]), Job("b", [8.0], [2.0])])
    assert lb1(instance) == pytest.approx(6 + 8 / 10)
    # (4 + 8 + 6 + 2) / 2, which is also either job's head and tail.
    assert heads_and_tails(instance) == pytest.approx(10)
    assert optimum(instance) == pytest.approx(10)


def test_slots_that_are_all_needed_share_the_work() -> None:
    # As many tasks as slots, and one more: the mean of all, and the two that wait longest.
    cluster = Cluster.uniform(1, map_slots=10, reduce_slots=2)
    two = [Job("a", [4.0], [6.0]), Job("b", [8.0], [6.0])]
    assert heads_and_tails(Instance.from_jobs("two", cluster, two)) == pytest.approx(14)
    three = Instance.from_jobs("three", cluster, [*two, Job("c", [9.0], [6.0])])
    # Slots wait 4 and 8 s for 18 s of work: 15 = (4 + 8 + 18) / 2, also what job c takes alone.
    assert heads_and_tails(three) == pytest.approx(15)
    four = Instance.from_jobs(
        "four", cluster, [*two, Job("c", [9.0], [6.0]), Job("d", [9.0], [7.0])]
    )
    # (4 + 8 + 25) / 2, or the last three (8 + 9 + 19) / 2: the first.
    assert heads_and_tails(four) == pytest.approx(18.5)


def test_the_tasks_that_wait_longest_are_a_bound_of_their_own() -> None:
    # The short job makes the least wait small; the other two wait 10 s and take 20.
    cluster = Cluster.uniform(1, map_slots=3, reduce_slots=1)
    jobs = [Job("a", [1.0], [1.0]), Job("b", [10.0], [10.0]), Job("c", [10.0], [10.0])]
    instance = Instance.from_jobs("late", cluster, jobs)
    assert lb2(instance) == pytest.approx(1 + 21)
    assert heads_and_tails(instance) == pytest.approx(10 + 20)
    assert optimum(instance) == pytest.approx(30)


def test_one_job_takes_its_longest_map_task_and_then_its_longest_reduce_task() -> None:
    # Both slots together: (10 + 10 + 10 + 2) / 2 = 16 s from either side.
    cluster = Cluster.uniform(1, map_slots=2, reduce_slots=2)
    instance = Instance.from_jobs("uneven", cluster, [Job("a", [10.0, 2.0], [10.0, 2.0])])
    assert heads_and_tails(instance) == pytest.approx(20)


def test_five_equal_tasks_on_two_slots_take_three_turns() -> None:
    # The area is 7.5 s.
    cluster = Cluster.uniform(1, map_slots=2)
    instance = Instance.from_jobs("turns", cluster, [Job(f"j{k}", [3.0]) for k in range(5)])
    assert pigeonhole(instance) == pytest.approx(9)


def test_long_tasks_that_do_not_wait_hide_no_others() -> None:
    # Three tasks of 4 s wait for 10 s, and one of the two slots runs two of them: 18 s. With c's,
    # the longest of all, some slot runs two of 4 s or more, but perhaps without a wait.
    jobs = [Job("a", [10.0], [4.0, 4.0]), Job("b", [10.0], [4.0]), Job("c", [], [9.0])]
    cluster = Cluster.uniform(1, map_slots=2, reduce_slots=2)
    instance = Instance.from_jobs("hidden", cluster, jobs)
    assert pigeonhole(instance) == pytest.approx(18)
    assert optimum(instance) == pytest.approx(18)
    assert heads_and_tails(instance) == pytest.approx(16)


def test_tasks_of_one_job_share_slots() -> None:
    # Three map tasks of 10 s on two slots end at 20 s: area 15, longest 10, pigeonhole 20.
    cluster = Cluster.uniform(1, map_slots=2, reduce_slots=1)
    instance = Instance.from_jobs("three on two", cluster, [Job("a", [10.0, 10.0, 10.0], [5.0])])
    assert lb1(instance) == pytest.approx(15 + 5)
    assert heads_and_tails(instance) == pytest.approx(20 + 5)
    assert pigeonhole(instance) == pytest.approx(20 + 5)


def test_johnson_counts_both_phases_when_they_are_as_long() -> None:
    # By Johnson's rule c, a, b: the map slot ends them at 1, 4, 9, the reduce slot at 3, 10, 12.
    cluster = Cluster.uniform(1, map_slots=1, reduce_slots=1)
    jobs = [Job("a", [3.0], [6.0]), Job("b", [5.0], [2.0]), Job("c", [1.0], [2.0])]
    instance = Instance.from_jobs("johnson", cluster, jobs)
    assert johnson(instance) == pytest.approx(12)
    assert optimum(instance) == pytest.approx(12)
    # Either phase with the least wait for the other: 1 + 10 and 9 + 2.
    assert lb2(instance) == pytest.approx(11)
    # More slots than tasks are of no use.
    many = Cluster.uniform(1, map_slots=9, reduce_slots=9)
    assert johnson(Instance.from_jobs("one", many, [Job("a", [3.0], [6.0])])) == pytest.approx(9)


def test_map_only_and_reduce_only_jobs() -> None:
    cluster = Cluster.uniform(1, map_slots=1, reduce_slots=1)
    maps = Instance.from_jobs("maps", cluster, [Job("a", [3.0]), Job("b", [4.0])])
    reduces = Instance.from_jobs("reduces", cluster, [Job("a", [], [3.0]), Job("b", [], [4.0])])
    mixed = Instance.from_jobs("mixed", cluster, [Job("a", [9.0]), Job("b", [1.0], [4.0])])
    # The map-only job has no tail and no head that a reduce task waits for.
    assert lb2(mixed) == pytest.approx(max(1 + 4, 0 + 10))
    for name in ("LB1 as printed", "LB1", "LB2", "heads and tails", "pigeonhole", "Johnson"):
        assert lower_bounds(maps)[name] == pytest.approx(7)
        assert lower_bounds(reduces)[name] == pytest.approx(7)
    assert heads_and_tails(mixed) == pytest.approx(10)
    # Of equal bounds the one that is never below LB1 and LB2 is credited.
    assert best_lower_bound(maps) == (pytest.approx(7), "heads and tails")
    above = 7.0 * (1 + 1e-15)
    assert best_of({"LB1": above, "heads and tails": 7.0}) == (above, "heads and tails")


def test_setups_count_with_their_least_value() -> None:
    # 300 MB: 3 s locally. 150 MB of output are read in 1.5 s.
    cluster = Cluster.uniform(2, map_slots=1, reduce_slots=1)
    job = Job("a", [MapTask(1, 300, ["n1"])], [2.0], output_ratio=0.5)
    assert heads_and_tails(Instance.from_jobs("setups", cluster, [job])) == pytest.approx(4 + 3.5)


def test_no_read_is_local_where_no_node_has_slots_of_both_phases() -> None:
    # 150 MB of output: 3 s within the rack, 5 s between racks.
    for racks, read in (((0, 0), 3.0), ((0, 1), 5.0)):
        cluster = Cluster(
            node_names=("n0", "n1"),
            rack_names=("r0", "r1"),
            rack_of=np.array(racks),
            map_slots=np.array([1, 0]),
            reduce_slots=np.array([0, 1]),
        )
        job = Job("a", [MapTask(1, 300, ["n0"])], [2.0], output_ratio=0.5)
        instance = Instance.from_jobs("apart", cluster, [job])
        assert heads_and_tails(instance) == pytest.approx(4 + read + 2)
        assert optimum(instance) == pytest.approx(4 + read + 2)


def test_nothing_to_do() -> None:
    for jobs in ([], [Job("empty")]):
        instance = Instance.from_jobs(
            "nothing", Cluster.uniform(1, map_slots=0, reduce_slots=0), jobs
        )
        assert set(lower_bounds(instance).values()) == {0.0}


def test_valid_bounds_never_exceed_the_optimum() -> None:
    printed_fails, tight = 0, 0
    for seed in BRUTE_FORCED:
        instance = tiny(seed)
        best = optimum(instance)
        bounds = lower_bounds(instance)
        for entry in BOUNDS:
            if entry.valid:
                assert bounds[entry.name] <= best * (1 + 1e-9), (entry.name, instance.name)
        assert bounds["heads and tails"] >= max(bounds["LB1"], bounds["LB2"]) * (1 - 1e-12)
        printed_fails += bounds["LB1 as printed"] > best * (1 + 1e-9)
        tight += best_lower_bound(instance)[0] >= best * (1 - 1e-9)
    assert printed_fails > 0
    # Far above what any single bound of the paper reaches (about a third).
    assert tight > 0.7 * len(BRUTE_FORCED)


def test_bounds_of_generated_instances_never_exceed_the_optimum() -> None:
    for seed in range(25):
        instance = small(3, 2, seed=seed, max_maps=2, max_reduces=2)
        bound, name = best_lower_bound(instance)
        assert bound <= optimum(instance, shared_order=True) * (1 + 1e-9), (name, instance.name)


def test_one_job_order_suffices() -> None:
    for seed in range(150):
        instance = tiny(seed)
        assert optimum(instance, shared_order=True) == pytest.approx(optimum(instance))


def test_lb2_bounds_an_instance_of_the_papers_size_better_than_printed_lb1() -> None:
    instance = generate(50, 10, seed=0)
    assert lb1_as_printed(instance) <= lb2(instance) <= heads_and_tails(instance) * (1 + 1e-12)
