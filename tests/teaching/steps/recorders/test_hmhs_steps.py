"""HMHS, its controls and FIFO, recorded: the heuristics' schedules, and reasons by hand."""

from dataclasses import replace

import numpy as np
import pytest
from random_instances import tiny, with_outages, with_security, with_speed_factors
from step_checks import (
    document_is_sound,
    equal_to_kernel,
    numbers_are_in_the_step,
    schedule_steps_are_sound,
)

import slotwise
from slotwise.heuristics.mapreduce import HEURISTICS
from slotwise.instances.mapreduce.cluster import Cluster
from slotwise.instances.mapreduce.eligibility import impossible
from slotwise.instances.mapreduce.generators import ljr
from slotwise.instances.mapreduce.generators.hmhs import small
from slotwise.instances.mapreduce.instance import Instance, Job, MapTask, SpeedFactors
from slotwise.instances.mapreduce.parts import SECURITY
from slotwise.instances.mapreduce.schedule import Schedule
from slotwise.instances.mapreduce.usable_slots import usable_slots
from slotwise.teaching.steps.mapreduce.hmhs import fifo, fifo_pri, hmhs, min_min, r_hmhs
from slotwise.teaching.steps.record import Steps

RECORDED = {
    "HMHS": hmhs,
    "R-HMHS": r_hmhs,
    "Min-Min": min_min,
    "FIFO": fifo,
    "FIFO-Pri": fifo_pri,
}
INSTANCES = 150


def with_slot_factors(instance: Instance, seed: int) -> Instance:
    """The instance with a speed factor per job and slot, many of them equal."""
    rng, cluster = np.random.default_rng(seed), instance.cluster
    values = [[1.0], [0.5, 1.0, 2.0], [0.1, 1 / 3, 0.7]][seed % 3]
    maps, reduces = (
        rng.choice(values, (instance.jobs, int(slots.sum())))
        for slots in (cluster.map_slots, cluster.reduce_slots)
    )
    return replace(instance, speed_factors=SpeedFactors(maps, reduces))


def drawn(count: int, *, secure: bool) -> list[Instance]:
    """So many instances: all with their oddities, some with factors, some with security."""
    found: list[Instance] = []
    seed = 0
    while len(found) < count:
        seed += 1
        instance = tiny(seed, tasks=9)
        parts = (lambda one, _: one, with_speed_factors, with_slot_factors)
        instance = parts[seed % 3](instance, seed)
        if secure and seed // 3 % 2:
            instance = with_security(instance, seed)
        if seed % 5 == 0:
            instance = with_outages(instance, seed)
        if impossible(instance) is None:
            found.append(instance)
    return found


def equal_schedules(steps: Steps, _: Instance, schedule: Schedule) -> None:
    equal_to_kernel(steps.outcome, schedule)


@pytest.mark.parametrize("method", RECORDED)
def test_the_recorders_schedule_is_the_heuristics(method: str) -> None:
    entry = HEURISTICS.resolve(method)
    heuristic, rules = entry.load(), set()
    for number, instance in enumerate(drawn(INSTANCES, secure=SECURITY in entry.understands)):
        steps = RECORDED[method](instance)
        # Bars and sentences take longer to look at.
        looked_at = schedule_steps_are_sound if number % 4 == 0 else equal_schedules
        slots = usable_slots(instance)
        looked_at(steps, instance, slots.restored(heuristic(slots.instance)))
        rules |= {step.rule for step in steps.steps if step.kind == "place"}
    # Every tie rule has occurred, so the equality above is about it, too.
    assert len(rules) == 3, rules


@pytest.mark.parametrize("method", RECORDED)
def test_on_the_papers_machines_and_with_data(method: str) -> None:
    heuristic = HEURISTICS.resolve(method).load()
    for instance in (
        small(8, 4, 3, seed=1, max_maps=9),
        small(5, 12, 9, seed=2, max_maps=9),
        ljr.small(5, 5, seed=2, racks=3, map_slots=3, max_maps=9),
    ):
        steps = RECORDED[method](instance)
        schedule_steps_are_sound(steps, instance, heuristic(instance))
        assert all(step.loser is not None for step in steps.steps if len(step.candidates) > 1)
    document_is_sound(steps)


@pytest.mark.parametrize("method", RECORDED)
def test_nothing_to_do(method: str) -> None:
    steps = RECORDED[method](Instance.from_jobs("none", Cluster.uniform(1), []))
    assert (steps.steps, steps.makespan) == ((), 0)


@pytest.fixture
def two_jobs() -> Instance:
    """One map and one reduce slot; a: 2 s and 1 s; b: 3 s and 9 s."""
    cluster = Cluster.uniform(1, map_slots=1, reduce_slots=1)
    return Instance.from_jobs("two", cluster, [Job("a", [2], [1]), Job("b", [3], [9])])


def test_johnsons_rule_step_by_step(two_jobs: Instance) -> None:
    # Min-Min runs a (0-2), then b (2-5). Pri is 1 for a and -1/3 for b, so b's map goes first, 0-3,
    # and a's last, 3-5. Reduces: b 3-12; a has not arrived by 0, and runs 12-13.
    steps = hmhs(two_jobs)
    assert [step.kind for step in steps.steps] == [
        "place",
        "place",
        "order",
        "order",
        "place",
        "place",
    ]
    first, _, pri, slot, reduce, _ = steps.steps
    assert "On n0 map 0 it starts at 0 s and ends at 2 s. No other task would end as" in first.text
    assert "Next comes b map 0 on n0 map 0, free at 0 s: it would end 1 s later." in first.text
    assert pri.text.startswith(
        "b comes first: its maps take 3 s, no more than its reduces with 9 s, so Pri = −1 / 3 ="
    )
    # By map times alone a would be first.
    assert "a comes last: its maps take 2 s, more than its reduces with 1 s" in pri.text
    assert [one.facts["Pri"] for one in pri.candidates] == pytest.approx([-1 / 3, 1])
    assert "a here ends 3 s later, at 5 s" in slot.text
    assert slot.removes == (1, 0)
    assert [(row.job, row.start) for row in slot.rows] == [("b", 0), ("a", 3)]
    assert "the next one is let in: b, whose maps end at 3 s" in reduce.text
    assert steps.makespan == 13
    assert fifo_pri(two_jobs).makespan == 13
    assert r_hmhs(two_jobs).makespan == 14


def test_a_job_that_is_not_let_in_is_named() -> None:
    # a arrives at 1, b at 2; the slot is free at 0, so that a alone is let in: 1-11. b could end
    # at 3, 8 s sooner.
    cluster = Cluster.uniform(2, map_slots=1, reduce_slots=1)
    cluster = replace(cluster, reduce_slots=np.array([1, 0]))
    instance = Instance.from_jobs("late", cluster, [Job("a", [1], [10]), Job("b", [2], [1])])
    step = min_min(instance).steps[2]
    assert (step.job, step.phase, step.task) == ("a", "reduce", 0)
    assert "b reduce 0 could end 8 s sooner" in step.text
    assert "its maps end only at 2 s" in step.text


def test_equal_tasks_do_not_hide_the_runner_up() -> None:
    # Six equal tasks of 1 s: the next that would end later is b's, on slot 1.
    instance = Instance.from_jobs(
        "equal", Cluster.uniform(1, map_slots=2), [Job("a", [1] * 6), Job("b", [4])]
    )
    step = min_min(instance).steps[0]
    assert "6 tasks would end at 1 s; the lowest task number wins" in step.text
    assert "Next comes b map 0 on n0 map 0, free at 0 s: it would end 3 s later." in step.text
    assert (len(step.candidates), step.left_out, step.loser) == (8, 0, 6)


def test_fifo_names_the_slot_that_would_end_it_sooner() -> None:
    # 300 MB on n1: 10 s of reading on n0, the other rack, 3 s on n1. Both are free at 0: FIFO takes
    # n0 and ends at 20, n1 would end at 13.
    cluster = Cluster.uniform(2, racks=2, map_slots=1)
    instance = Instance.from_jobs("far", cluster, [Job("a", [MapTask(10, 300, ["n1"])])])
    (step,) = fifo(instance).steps
    assert "n1 map 0 would end it 7 s sooner, at 13 s, because it reads for 7 s less" in step.text
    assert (step.chosen, step.loser) == (0, 1)
    assert step.rule == "lowest number"


def test_fifo_waits_and_passes_over() -> None:
    # Maps: a 0-3, b 0-1, c 1-2. The reduce slot waits for b until 1 though a is first in order; at
    # 4 a is there and goes before c.
    cluster = replace(
        Cluster.uniform(2, map_slots=1), reduce_slots=np.array([1, 0], dtype=np.int64)
    )
    jobs = [Job("a", [3], [3]), Job("b", [1], [3]), Job("c", [1], [3])]
    steps = fifo(Instance.from_jobs("wait", cluster, jobs)).steps[3:]
    assert [step.job for step in steps] == ["b", "a", "c"]
    assert "it starts at 1 s, when b's last map task ends" in steps[0].text
    assert "a is first in order, but its maps end only at 3 s" in steps[0].text
    assert "the first task in order" in steps[1].text


@pytest.mark.parametrize("method", [*RECORDED, "SMSO", "SMSO-Johnson"])
def test_parts_that_the_heuristic_does_not_understand_count_in_the_end(method: str) -> None:
    moved = 0
    for seed in range(40):
        instance = with_outages(with_security(with_speed_factors(tiny(seed), seed), seed), seed)
        if impossible(instance):
            continue
        steps = slotwise.steps(instance, method)
        schedule_steps_are_sound(steps, instance, slotwise.heuristic(instance, method).schedule)
        last = steps.steps[-1] if steps.steps else None
        moved += last is not None and "on forbidden slots go" in last.text
    assert (moved > 0) == (method in ("HMHS", "R-HMHS", "Min-Min"))


def test_a_number_that_is_not_in_the_step_is_found(two_jobs: Instance) -> None:
    steps = hmhs(two_jobs)
    wrong = replace(steps.steps[0], text=steps.steps[0].text.replace("2 s", "77 s"))
    with pytest.raises(AssertionError, match="77"):
        numbers_are_in_the_step(replace(steps, steps=(wrong, *steps.steps[1:])))
