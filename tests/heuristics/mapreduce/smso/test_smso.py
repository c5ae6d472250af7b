"""SMSO: each component by hand; outages lose nothing and move no more."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from random_instances import instances, with_outages, with_security

import slotwise
from slotwise.core.errors import InputError
from slotwise.heuristics.mapreduce.smso.matchmaking import matched
from slotwise.heuristics.mapreduce.smso.outage_verifying import Move, rescheduled
from slotwise.heuristics.mapreduce.smso.queue_ordering import ordered
from slotwise.heuristics.mapreduce.smso.reading import Reading
from slotwise.heuristics.mapreduce.smso.smso import smso, smso_as_printed, smso_johnson
from slotwise.instances.mapreduce.checker import check
from slotwise.instances.mapreduce.cluster import Cluster
from slotwise.instances.mapreduce.eligibility import impossible
from slotwise.instances.mapreduce.generators.smso import generate, small
from slotwise.instances.mapreduce.instance import Instance, Job, MapTask
from slotwise.instances.mapreduce.security import Outages, Security

seeds = st.integers(0, 10**6)
readings = st.builds(
    Reading,
    st.sampled_from([0.0, 0.5, 1.2, 3.0]),
    st.sampled_from(["seconds", "tasks"]),
    st.sampled_from(["near", "ignored"]),
    st.sampled_from(["stay", "again"]),
)


def secured(instance: Instance, priorities: list, levels: list, **rates: float) -> Instance:
    security = Security(np.array(priorities, dtype=bool), np.array(levels, dtype=np.int8), **rates)
    return replace(instance, security=security)


BY_TASKS = Reading(load="tasks")


def matched_all(instance: Instance, reading: Reading = BY_TASKS) -> list[int]:
    nothing = np.zeros(len(instance.cluster.map_slot_node))
    return matched(instance, np.arange(instance.map_tasks), nothing, reading).tolist()


@pytest.fixture
def three() -> Instance:
    """Three nodes with a map and a reduce slot each; tasks of 0 to 4 s with 300 MB on n0.

    The threshold is 1.2 * 5 / 3 = 2 tasks, or 1.2 * 10 / 3 = 4 s. n0's data is
    encrypted for n1 and goes as it is to n2.
    """
    jobs = [Job("j", [MapTask(float(p), 300, ["n0"]) for p in range(5)], [1.0])]
    plain = Instance.from_jobs("three", Cluster.uniform(3, map_slots=1, reduce_slots=1), jobs)
    return secured(plain, np.ones((5, 3)), [[0, -1, 1], [1, 0, 1], [1, 1, 0]])


def test_matchmaking_prefers_home_then_no_encryption(three: Instance) -> None:
    # Two tasks at home, two on n2; the last has neither below 2 and goes to the emptiest slot.
    assert matched_all(three) == [0, 0, 2, 2, 1]


def test_matchmaking_keeps_to_priorities_before_anything_else(three: Instance) -> None:
    priorities = three.security.priorities.copy()
    priorities[0] = [False, True, False]
    priorities[4] = [True, False, False]
    kept = replace(three, security=replace(three.security, priorities=priorities))
    # Task 0 may use n1 only; 4 may use n0 only, although that has two tasks and n1 one.
    assert matched_all(kept) == [1, 0, 0, 2, 0]


def test_the_threshold_counts_the_tasks_that_are_placed(three: Instance) -> None:
    # One task to place: 1.2 / 3 = 0.4, so any slot without a new task is below the threshold,
    # and home is preferred although its queue is the longest.
    assert matched(three, np.array([3]), np.array([5.0, 0, 0]), BY_TASKS).tolist() == [0]


def test_loads_in_seconds(three: Instance) -> None:
    # Home has 0 + 1 + 2 = 3 s, below 4, and takes task 3; with 6 s it is full. n2 takes task 4.
    assert matched_all(three, Reading()) == [0, 0, 0, 0, 2]
    # With 1.2 * 7 / 3 = 2.8 s for the last two, home is below it once; what it had does not count.
    late = matched(three, np.array([3, 4]), np.array([9.0, 0, 0]))
    assert late.tolist() == [0, 2]


def test_data_ignored(three: Instance) -> None:
    # The least seconds so far, on ties the lowest slot: loads 0 0 0, 1 0 0, 1 2 0, 1 2 3, 5 2 3.
    ignored = Reading(data="ignored")
    assert matched_all(three, ignored) == [0, 0, 1, 2, 0]
    # By numbers of tasks: in turn.
    assert matched_all(three, Reading(load="tasks", data="ignored")) == [0, 1, 2, 0, 1]
    # Priorities count all the same.
    priorities = three.security.priorities.copy()
    priorities[4] = [False, False, True]
    kept = replace(three, security=replace(three.security, priorities=priorities))
    assert matched_all(kept, ignored) == [0, 0, 1, 2, 2]


def test_a_task_with_nowhere_to_run_is_an_error(three: Instance) -> None:
    priorities = three.security.priorities.copy()
    priorities[2] = False
    nowhere = replace(three, security=replace(three.security, priorities=priorities))
    with pytest.raises(InputError, match="three: job 'j' map task 2 has nowhere to run"):
        smso(nowhere)
    none, every = np.zeros(3, dtype=bool), np.ones(3, dtype=bool)
    beats = [Outages(np.array(lost, dtype=bool), none) for lost in ([1, 0, 1], [0, 1, 0])]
    with pytest.raises(InputError, match="map task 0 has nowhere to run: every map slot is lost"):
        rescheduled(three, beats)
    with pytest.raises(InputError, match="1 reduce tasks to run, but every reduce slot is lost"):
        rescheduled(three, [Outages(none, every)])


def test_ordering_by_hand() -> None:
    """One slot a phase. LPT runs job a's 10 s first: b's map phase ends at 12, its reduce at 22.

    Johnson's rule takes b first: b's reduce task runs from 2 to 12, a's map until 12, its reduce
    until 13.
    """
    jobs = [Job("a", [10.0], [1.0]), Job("b", [2.0], [10.0])]
    instance = Instance.from_jobs("two", Cluster.uniform(1, map_slots=1, reduce_slots=1), jobs)
    assert (smso(instance).makespan, smso_johnson(instance).makespan) == (22, 13)


def test_reduce_tasks_spread_or_literally_share_a_slot() -> None:
    jobs = [Job("a", [1.0], [2.0, 3.0, 2.0])]
    instance = Instance.from_jobs("one", Cluster.uniform(1, map_slots=1, reduce_slots=2), jobs)
    first = np.zeros(1, dtype=np.int64)
    spread = ordered(instance, first).reduce
    # Longest first: 3 s on slot 0 until 4; 2 s on slot 1 until 3, then the other until 5.
    assert (spread.slot.tolist(), spread.end.tolist()) == ([1, 0, 1], [3, 4, 5])
    shared = ordered(instance, first, job_on_one_slot=True).reduce
    assert (shared.slot.tolist(), shared.end.tolist()) == ([0, 0, 0], [6, 4, 8])


def test_outages_by_hand(three: Instance) -> None:
    """The plan is 0, 0, 2, 2, 1. n2 is lost: tasks 2 and 3 are placed, threshold 1.2 * 2 / 2 = 1.2.

    Home has no new task yet and takes task 2, then, with one, task 3. The reduce task was on slot
    0, which is left.
    """
    lost = replace(three, outages=Outages.of_nodes(three.cluster, [2]))
    found = rescheduled(lost, reading=BY_TASKS)
    assert found.schedule.map.slot.tolist() == [0, 0, 0, 0, 1]
    assert found.moves == (Move("map", 2, 2, 0, 0), Move("map", 3, 2, 0, 0))
    assert found.schedule.notes == (
        "1 map and 1 reduce slots lost: 2 of 5 map and 0 of 1 reduce tasks moved",
        "job 'j' map task 2: map slot 2 ('n2') -> map slot 0 ('n0')",
        "job 'j' map task 3: map slot 2 ('n2') -> map slot 0 ('n0')",
    )
    # A second heartbeat loses n0 as well: its four tasks and the reduce task go to n1.
    beats = [Outages.of_nodes(three.cluster, [node]) for node in (2, 0)]
    twice = rescheduled(three, beats, reading=BY_TASKS)
    assert twice.schedule.map.slot.tolist() == [1] * 5
    assert {(m.phase, m.task) for m in twice.moves if m.heartbeat == 1} == {
        *(("map", task) for task in range(4)),
        ("reduce", 0),
    }


def assert_only_lost_tasks_moved(instance, before, after, moves, heartbeat, phases) -> None:
    for phase in phases:
        lost = getattr(instance.outages, phase)
        source, target = getattr(before, phase).slot, getattr(after, phase).slot
        moved = {m.task: m for m in moves if m.phase == phase and m.heartbeat == heartbeat}
        assert sorted(moved) == np.flatnonzero(lost[source]).tolist()
        for task in range(len(source)):
            if task in moved:
                assert (moved[task].source, moved[task].target) == (source[task], target[task])
            else:
                assert source[task] == target[task]


@settings(max_examples=200, deadline=None)
@given(instances(tasks=8), seeds, st.booleans(), readings)
def test_outages_lose_nothing_and_move_only_what_they_hit(
    drawn: Instance, seed: int, by_johnson: bool, reading: Reading
) -> None:
    first = with_outages(with_security(drawn, seed), seed)
    second = with_outages(first, seed + 1)
    lost = Outages(
        first.outages.map | second.outages.map, first.outages.reduce | second.outages.reduce
    )
    last = replace(first, outages=lost)
    assume(impossible(last) is None)

    options = {"by_johnson": by_johnson, "reading": reading}
    plan = rescheduled(replace(first, outages=None), **options)
    assert plan.moves == ()
    assert plan.schedule.notes == ()
    once = rescheduled(first, **options)
    twice = rescheduled(replace(first, outages=None), [first.outages, second.outages], **options)
    assert check(first, once.schedule).violations == []
    assert check(last, twice.schedule).violations == []
    assert twice.moves[: len(once.moves)] == once.moves
    phases = ("map", "reduce") if reading.reduces == "stay" else ("map",)
    assert_only_lost_tasks_moved(first, plan.schedule, once.schedule, once.moves, 0, phases)
    assert_only_lost_tasks_moved(last, once.schedule, twice.schedule, twice.moves, 1, phases)
    assert len(once.schedule.notes) == 1 + len(once.moves)


def test_reduces_stay_or_are_placed_again() -> None:
    """One map task until 1 s; reduce tasks of 4, 3, 3 and 2 s on three slots, slot 2 lost.

    Longest first: 4 on slot 0 until 5, 3 on slot 1 and 3 on slot 2 until 4, 2 on slot 1 until 6.
    Staying, those of slot 0 and 1 stay; the second 3 comes third, to slot 1 until 7, and 2 waits
    for it until 9. Again, 2 goes to slot 0, until 7.
    """
    jobs = [Job("j", [1.0], [4.0, 3.0, 3.0, 2.0])]
    cluster = Cluster.uniform(3, map_slots=1, reduce_slots=1)
    plan = Instance.from_jobs("four", cluster, jobs)
    instance = replace(plan, outages=Outages.of_nodes(cluster, [2]))
    assert smso(plan).reduce.slot.tolist() == [0, 1, 2, 1]
    assert smso(instance).reduce.slot.tolist() == [0, 1, 1, 1]
    assert smso(instance).makespan == pytest.approx(9)
    again = smso(instance, reduces="again")
    assert again.reduce.slot.tolist() == [0, 1, 1, 0]
    assert again.makespan == pytest.approx(7)
    assert again.notes == (
        "1 map and 1 reduce slots lost: 0 of 1 map and 2 of 4 reduce tasks moved",
        "job 'j' reduce task 2: reduce slot 2 ('n2') -> reduce slot 1 ('n1')",
        "job 'j' reduce task 3: reduce slot 1 ('n1') -> reduce slot 0 ('n0')",
    )
    assert smso(plan, reduces="again").notes == (
        "reduces=again changes nothing: the instance has no outages",
    )
    assert smso_johnson(plan, theta=2.0, data="ignored").notes == (
        "theta=2 changes nothing with data=ignored",
    )


def test_outages_on_the_paper_s_workload() -> None:
    whole = generate(20, 10, seed=3)
    instance = replace(whole, outages=Outages.of_nodes(whole.cluster, [4, 7]))
    result = slotwise.heuristic(instance, "SMSO")
    assert result.notes[0].startswith("4 map and 4 reduce slots lost: ")
    moved = int(np.isin(smso(whole).map.slot, [8, 9, 14, 15]).sum())
    assert f" {moved} of {instance.map_tasks} map and " in result.notes[0]


@pytest.fixture
def printed() -> Instance:
    """Both map tasks have 300 MB on n1, which is encrypted for n0; task 0 may not run on n0."""
    jobs = [Job("j", [MapTask(10, 300, ["n1"]), MapTask(10, 300, ["n1"])], [5.0, 5.0])]
    plain = Instance.from_jobs("printed", Cluster.uniform(2, map_slots=1, reduce_slots=1), jobs)
    return secured(plain, [[0, 1], [1, 1]], [[0, -1], [-1, 0]])


def test_as_printed_breaks_the_rules(printed: Instance) -> None:
    """Slot 0 forbids task 0 and its data may not go to slot 1 as it is: the emptiest slot is 0.

    Task 1 fits slot 0, which is first: 9 s of setup each, 38 s; both reduce tasks on one slot: 48.
    As intended both map tasks stay at home until 20, and the reduce tasks run beside each other.
    """
    as_printed = smso_as_printed(printed)
    assert as_printed.map.slot.tolist() == [0, 0]
    assert as_printed.makespan == pytest.approx(48)
    assert check(printed, as_printed).violations == [
        "job 'j' map task 0 is on map slot 0, its priority forbids that"
    ]
    assert smso(printed).makespan == pytest.approx(25)
    result = slotwise.heuristic(printed, "SMSO as printed")
    assert result.schedule is None
    assert "its priority forbids that" in " ".join(result.notes)


def test_as_printed_leaves_tasks_on_lost_slots(printed: Instance) -> None:
    lost = replace(printed, outages=Outages.of_nodes(printed.cluster, [0]))
    violations = check(lost, smso_as_printed(lost)).violations
    assert len([line for line in violations if line.endswith("which is lost")]) == 4
    # As intended the reduce task that was on n0 waits for the other: 20 + 5 + 5.
    assert check(lost, smso(lost)).violations == []
    assert smso(lost).makespan == pytest.approx(30)


def test_as_printed_is_never_shown_as_a_result_of_its_own_accord() -> None:
    few = small(2, 2, seed=0, max_maps=2, max_reduces=1)
    comparison = slotwise.gap(few, time_limit=60)
    methods = {result.method for result in comparison.heuristics}
    assert {"SMSO", "SMSO-Johnson"} <= methods
    assert "SMSO as printed" not in methods


@pytest.mark.parametrize("name", ["SMSO", "SMSO-Johnson"])
def test_smso_without_security(name: str) -> None:
    """Without a security part all slots are allowed, setups are those of the network."""
    jobs = [Job("j", [MapTask(1, 128, ["n1"])] * 3, [1.0])]
    instance = Instance.from_jobs("plain", Cluster.uniform(2, map_slots=1, reduce_slots=1), jobs)
    # 1.2 * 3 / 2 = 1.8: two tasks at home, the third on n0, over the rack's 50 MB/s.
    result = slotwise.heuristic(instance, name)
    assert result.schedule.map.slot.tolist() == [1, 1, 0]
    assert result.schedule.map.setup == pytest.approx([1.28, 1.28, 2.56])
