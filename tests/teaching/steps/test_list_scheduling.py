"""Recorders of list scheduling: the kernels' schedules bit for bit, and sentences that are true."""

from collections import Counter
from functools import cache

import numpy as np
import pytest
import random_instances as random
import step_checks

import slotwise
from slotwise import Cluster, Instance, Job, MapTask, Rates
from slotwise.heuristics.mapreduce import HEURISTICS
from slotwise.instances.mapreduce.eligibility import impossible
from slotwise.instances.mapreduce.usable_slots import usable_slots
from slotwise.teaching.steps.recording import recorder

METHODS = ("EASS", "EFSS", "EFSS-L", "TBS", "TBS-L")
SEEDS = 400


@cache
def drawn(seed: int) -> Instance:
    """A random instance: a third each plain, with speed factors, with security; some outages."""
    rng = np.random.default_rng(seed)
    while True:
        instance = random.tiny(int(rng.integers(10**9)), tasks=int(rng.integers(3, 14)))
        if seed % 3 == 1 or seed % 12 == 2:
            instance = random.with_speed_factors(instance, seed)
        if seed % 3 == 2:
            instance = random.with_security(instance, seed)
        if seed % 5 == 4:
            instance = random.with_outages(instance, seed)
        if impossible(instance) is None:
            return instance


@pytest.mark.parametrize("method", METHODS)
def test_the_recorder_is_the_kernel(method: str) -> None:
    record, kernel = recorder(method), HEURISTICS.lookup(method).load()
    rules: Counter[str] = Counter()
    for seed in range(SEEDS):
        instance = drawn(seed)
        omega = {"omega": [0.0, 0.35, 1.0][seed % 3]} if seed % 2 else {}
        steps = record(instance, **omega)
        usable = usable_slots(instance)
        schedule = usable.restored(kernel(usable.instance, **omega))
        step_checks.schedule_steps_are_sound(steps, instance, schedule, words=seed % 4 == 0)
        rules.update(step.rule for step in steps.steps if step.kind == "place")
    expected = {"first available", "lowest number", "only slot"}
    if method != "EASS":
        expected |= {"earliest finish", "shorter setup"}
    assert rules.keys() == expected


def test_documents_fit_the_schema() -> None:
    for k, method in enumerate(METHODS):
        step_checks.document_is_sound(slotwise.steps(drawn(7 + k), method))


ONE_RACK = Cluster.uniform(2, map_slots=1, reduce_slots=1, rates=Rates(100, 50, 50))


def words(method: str, jobs: list[Job], cluster: Cluster = ONE_RACK) -> list[tuple[str, str]]:
    """Rule and sentences of each placement."""
    instance = slotwise.Instance.from_jobs("by hand", cluster, jobs)
    steps = slotwise.steps(instance, method)
    step_checks.numbers_are_in_the_step(steps)
    return [(step.rule, step.text) for step in steps.steps if step.kind == "place"]


def test_efss_names_the_slot_that_is_free_earlier() -> None:
    # Both tasks have their data on n0. Waiting there for 4 s costs more than reading from n1, which
    # takes 4 s instead of 2: 6 s + 4 s on n0, 4 s + 4 s on n1.
    task = MapTask(4.0, 200.0, ["n0"])
    first, second = words("EFSS", [Job("a", [task, task])])
    assert first[0] == "earliest finish"
    assert "On n0 map 0 it starts at 0 s, reads for 2 s and ends at 6 s" in first[1]
    assert "Next comes n1 map 0, free at 0 s: it would end 2 s later" in first[1]
    assert "On n1 map 0 it starts at 0 s, reads for 4 s and ends at 8 s" in second[1]
    assert "Next comes n0 map 0, free at 6 s: it would end 4 s later" in second[1]


def test_efss_says_why_the_earlier_slot_loses() -> None:
    # b's input is on n0, which is free at 1 s: 1 + 2 + 1 s there, 0 + 4 + 1 s on n1.
    _, second = words("EFSS", [Job("a", [1.0], [9.0]), Job("b", [MapTask(1.0, 200.0, ["n0"])])])[:2]
    assert second[0] == "earliest finish"
    assert (
        "n1 map 0 is free earlier, at 0 s, but would read for 4 s and end it 1 s later" in second[1]
    )


def test_eass_names_the_slot_that_would_end_it_sooner() -> None:
    _, second = words("EASS", [Job("a", [1.0], [9.0]), Job("b", [MapTask(1.0, 200.0, ["n0"])])])[:2]
    assert second[0] == "first available"
    assert "No other slot is free as early" in second[1]
    assert (
        "n0 map 0 would end it 1 s sooner, at 4 s, because it reads for 2 s less, but is not free "
        "before 1 s; EASS does not look at the end" in second[1]
    )


def test_equal_ends_are_told_apart_by_name() -> None:
    # n0 is free at 2 s and reads for 2 s, n1 is free at 0 s and reads for 4 s: the setup decides.
    jobs = [Job("a", [2.0], [9.0]), Job("b", [MapTask(1.0, 200.0, ["n0"])])]
    first, second = words("EFSS", jobs)[:2]
    assert first[0] == "lowest number"
    assert "2 slots would end at 2 s; the lowest number wins" in first[1]
    assert second[0] == "shorter setup"
    assert "2 slots would end at 5 s; the shorter setup wins" in second[1]


def test_a_long_task_does_not_hide_a_difference_of_one_bit() -> None:
    # The end of the setup is compared: n0 offers 2 s and a bit (maps), 3 s and a bit (reduces), n1
    # exactly 2 s and 3 s. With 1e9 s added both are equal, and n0 would win by its shorter setup.
    bit = 2.0**-51
    for jobs, phase in (
        ([Job("a", [1.0 + bit], [9.0]), Job("b", [MapTask(1e9, 100.0, ["n0"])])], "map"),
        ([Job("a", [0.0], [2.0 + bit]), Job("b", [MapTask(0.0, 100.0, ["n0"])], [1e9], 1.0)],
         "reduce"),
    ):  # fmt: skip
        instance = slotwise.Instance.from_jobs("by hand", ONE_RACK, jobs)
        steps = slotwise.steps(instance, "EFSS")
        schedule = slotwise.heuristic(instance, "EFSS").schedule
        assert schedule is not None
        step_checks.schedule_steps_are_sound(steps, instance, schedule)
        assert getattr(schedule, phase).slot.tolist() == [0, 1]


def test_efss_local_stays_with_the_data() -> None:
    jobs = [Job("a", [9.0], [9.0]), Job("b", [MapTask(1.0, 200.0, ["n0"])])]
    _, second = words("EFSS-L", jobs)[:2]
    assert second[0] == "only slot"
    assert "n1 map 0 would end it 7 s sooner, at 5 s, but does not hold its input" in second[1]


def test_a_reduce_task_waits_for_the_last_map_task_of_its_job() -> None:
    reduce = words("EFSS", [Job("a", [3.0, 5.0], [4.0])])[2]
    assert "it starts at 5 s, when a's last map task ends, and ends at 9 s" in reduce[1]


def test_tbs_says_who_gains_and_who_pays() -> None:
    # Longest first: b's 9 s, then a's 1 s on the one map slot; by Johnson a comes first.
    cluster = Cluster.uniform(1, map_slots=1, reduce_slots=1)
    jobs = [Job("b", [9.0], [1.0]), Job("a", [1.0], [9.0])]
    steps = slotwise.steps(slotwise.Instance.from_jobs("by hand", cluster, jobs), "TBS")
    (move,) = (step for step in steps.steps if step.title == "Order on n0 map 0")
    assert "The last map task of a here ends 9 s sooner, at 1 s" in move.text
    assert "The last map task of b here ends 1 s later, at 10 s" in move.text
    assert "The makespan would be 11 s, 8 s less than without" in move.text
    assert move.removes == (1, 0)
    assert [(row.label, row.start, row.end) for row in move.rows] == [
        ("a m0", 0.0, 1.0),
        ("b m0", 1.0, 10.0),
    ]


def test_tbs_names_the_job_that_gains_most_not_the_one_that_ends_first() -> None:
    # Longest first: a 0 to 10 s, b to 13 s, c to 15 s, b to 16 s. By Johnson a comes first as its
    # reduce is longer than its map, then b, then c: b ends at 14 s, c at 16 s, a as before.
    cluster = Cluster.uniform(1, map_slots=1, reduce_slots=1)
    jobs = [Job("a", [10.0], [20.0]), Job("b", [3.0, 1.0], [1.5]), Job("c", [2.0], [1.0])]
    steps = slotwise.steps(slotwise.Instance.from_jobs("by hand", cluster, jobs), "TBS")
    (move,) = (step for step in steps.steps if step.title == "Order on n0 map 0")
    assert "The last map task of b here ends 2 s sooner, at 14 s" in move.text
    assert "The last map task of c here ends 1 s later, at 16 s" in move.text


def test_large_instances_show_their_best_candidates() -> None:
    cluster = Cluster.uniform(50)
    jobs = [Job(f"j{k}", [MapTask(1.0 + k, 64.0, ["n7"])] * 60, [2.0] * 40) for k in range(3)]
    instance = slotwise.Instance.from_jobs("large", cluster, jobs)
    steps = slotwise.steps(instance, "EFSS")
    placed = [step for step in steps.steps if step.kind == "place"]
    assert len(placed) == instance.map_tasks + instance.reduce_tasks
    assert max(len(step.candidates) for step in placed) <= 12
    assert all(len(s.candidates) + s.left_out in (100, 50) for s in placed)
    assert any("the best of them" in note for note in steps.notes)
    step_checks.numbers_are_in_the_step(steps)


def test_what_cannot_be_stepped_through_is_refused() -> None:
    many = slotwise.Instance.from_jobs("many", ONE_RACK, [Job("a", [1.0] * 2001)])
    with pytest.raises(slotwise.InputError, match=r"at most 2000 tasks .* has 2001: slotwise gen"):
        slotwise.steps(many, "TBS")
    wide = slotwise.Instance.from_jobs("wide", Cluster.uniform(134), [Job("a", [1.0])])
    with pytest.raises(slotwise.InputError, match=r"at most 400 slots can be drawn, .* has 402"):
        slotwise.steps(wide, "EASS")
    with pytest.raises(slotwise.InputError, match="no steps of 'EFS': did you mean EFSS"):
        slotwise.steps(many, "EFS")
    few = slotwise.Instance.from_jobs("few", ONE_RACK, [Job("a", [1.0])])
    with pytest.raises(slotwise.InputError, match=r"no argument 'gamma': it takes .*omega"):
        slotwise.steps(few, "EFSS", gamma=1)
    with pytest.raises(slotwise.InputError, match="omega: needs a number from 0 to 1, got 2"):
        slotwise.steps(few, "EFSS", omega=2)
    with pytest.raises(slotwise.InputError, match="needs an Instance, got a Datacenter"):
        slotwise.steps(slotwise.read("example:gpu-cluster"), "EFSS")
