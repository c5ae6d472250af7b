"""SMSO, recorded: the heuristics' schedules with every parameter, and reasons by hand."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from random_instances import tiny, with_outages, with_security
from step_checks import document_is_sound, equal_to_kernel, schedule_steps_are_sound

from slotwise.core.errors import InputError
from slotwise.heuristics.mapreduce.smso.outage_verifying import rescheduled
from slotwise.heuristics.mapreduce.smso.reading import Reading
from slotwise.heuristics.mapreduce.smso.smso import smso as smso_kernel
from slotwise.heuristics.mapreduce.smso.smso import smso_as_printed as printed_kernel
from slotwise.heuristics.mapreduce.smso.smso import smso_johnson as johnson_kernel
from slotwise.instances.mapreduce.cluster import Cluster
from slotwise.instances.mapreduce.eligibility import impossible
from slotwise.instances.mapreduce.generators.smso import small
from slotwise.instances.mapreduce.instance import Instance, Job, MapTask
from slotwise.instances.mapreduce.security import Outages, Security
from slotwise.teaching.steps.mapreduce.smso import recorded, smso, smso_johnson
from slotwise.teaching.steps.mapreduce.smso_as_printed import smso_as_printed

INSTANCES = 150
PAIRS = {"SMSO": (smso, smso_kernel), "SMSO-Johnson": (smso_johnson, johnson_kernel)}
PARAMETERS = [
    dict(zip(("theta", "load", "data", "reduces"), values, strict=True))
    for values in product(
        (1.2, 0.0, 0.5, 3.0), ("seconds", "tasks"), ("near", "ignored"), ("stay", "again")
    )
]


def drawn(count: int) -> list[Instance]:
    """So many instances with a schedule, two thirds with security, two thirds with outages."""
    found: list[Instance] = []
    seed = 0
    while len(found) < count:
        seed += 1
        instance = tiny(seed, tasks=9)
        if seed % 3:
            instance = with_security(instance, seed)
        if seed // 3 % 3:
            instance = with_outages(instance, seed)
        if impossible(instance) is None:
            found.append(instance)
    return found


@pytest.mark.parametrize("method", PAIRS)
def test_the_recorders_schedule_is_the_heuristics(method: str) -> None:
    record, heuristic = PAIRS[method]
    rules: set[str] = set()
    for number, instance in enumerate(drawn(INSTANCES)):
        values = PARAMETERS[number % len(PARAMETERS)]
        steps = record(instance, **values)
        if number % 4:
            equal_to_kernel(steps.outcome, heuristic(instance, **values))
        else:
            schedule_steps_are_sound(steps, instance, heuristic(instance, **values))
        rules |= {step.rule for step in steps.steps if step.phase == "map"}
    for group in ("data here", "no encryption", "any allowed slot", "data ignored"):
        for tie in ("least load", "lowest number"):
            assert any(rule.startswith(group) and rule.endswith(tie) for rule in rules), (
                group,
                tie,
            )
    assert "any allowed slot: nearest to the data" in rules


def test_as_printed() -> None:
    rules: set[str] = set()
    for number, instance in enumerate(drawn(INSTANCES)):
        steps = smso_as_printed(instance)
        if number % 4:
            equal_to_kernel(steps.outcome, printed_kernel(instance))
        else:
            schedule_steps_are_sound(steps, instance, printed_kernel(instance))
        rules |= {step.rule for step in steps.steps}
    assert {
        "first slot that is allowed and below the threshold",
        "no encryption from the forbidden slot",
        "fewest tasks, allowed or not",
        "one slot for a job",
        "Algorithm 4 as printed",
    } <= rules


@pytest.mark.parametrize("reduces", ["stay", "again"])
def test_several_heartbeats(reduces: str) -> None:
    instance = small(6, 4, seed=3, gamma=0.0)
    beats = [Outages.of_nodes(instance.cluster, nodes) for nodes in ([1], [], [2])]
    reading = Reading(reduces=reduces)  # type: ignore[arg-type]
    steps = recorded(instance, reading, beats)
    found = rescheduled(instance, beats, reading=reading)
    schedule_steps_are_sound(steps, instance, found.schedule)
    moved = [step for step in steps.steps if step.kind == "move" and step.task is not None]
    assert len(moved) == len(found.moves) > 0
    assert [step.title for step in steps.steps if "Heartbeat" in step.title] == [
        "Heartbeat: 3 slots lost",
        "Heartbeat: 3 slots lost",
        "Heartbeat: 6 slots lost",
    ]


def test_larger_instances() -> None:
    for instance in (
        small(8, 6, seed=1, gamma=0.1),
        small(9, 3, seed=5, outages="slots", gamma=0.2),
    ):
        for record, heuristic in (*PAIRS.values(), (smso_as_printed, printed_kernel)):
            steps = record(instance)
            schedule_steps_are_sound(steps, instance, heuristic(instance))
            document_is_sound(steps)


@pytest.fixture
def three() -> Instance:
    """Three nodes with a map and a reduce slot each; tasks of 0 to 4 s with 300 MB on n0.

    The threshold is 1.2 * 5 / 3 = 2 tasks. n0's data is encrypted for n1 and goes as it is to n2:
    9 s and 3 s.
    """
    jobs = [Job("j", [MapTask(float(p), 300, ["n0"]) for p in range(5)], [1.0])]
    plain = Instance.from_jobs("three", Cluster.uniform(3, map_slots=1, reduce_slots=1), jobs)
    levels = np.array([[0, -1, 1], [1, 0, 1], [1, 1, 0]], dtype=np.int8)
    return replace(plain, security=Security(np.ones((5, 3), dtype=bool), levels))


def test_the_three_groups(three: Instance) -> None:
    # Tasks 0 and 1 stay on n0, 2 and 3 go to n2 without encryption, 4 to n1, the emptiest.
    steps = smso(three, load="tasks")
    threshold, first, _, third, _, fifth = steps.steps[:6]
    assert threshold.title == "A slot is full at 2 tasks"
    assert first.text.startswith("It reads 300 MB that lie on n0 and runs for 0 s.")
    assert third.rule == "no encryption and below the threshold"
    assert "n0 map 0 was given 2 tasks, the threshold is 2 tasks" in third.text
    assert "n0 map 0 would save 3 s of reading, were it not full" in third.text
    assert third.candidates[third.loser].label == "n0 map 0"
    assert fifth.rule == "any allowed slot: least load"
    assert (
        "Every other slot that takes it without encryption has reached the threshold" in fifth.text
    )
    assert "reads for 9 s" in fifth.text
    assert "n0 map 0 would save 9 s of reading, but has 2 tasks more load" in fifth.text


def test_lpt_names_the_job_that_waits() -> None:
    # a: 1 s, b: 5 s on the only slot. LPT runs b first: 0-5, and a's last map task ends 5 s later.
    cluster = Cluster.uniform(1, map_slots=1, reduce_slots=1)
    instance = Instance.from_jobs("lpt", cluster, [Job("a", [1.0], [1.0]), Job("b", [5.0], [1.0])])
    (order,) = [step for step in smso(instance).steps if step.rule == "LPT"]
    assert "by LPT b map 0 and a map 0" in order.text
    assert "a here ends 5 s later, at 6 s" in order.text
    # Johnson's rule keeps a before b.
    assert not [step for step in smso_johnson(instance).steps if step.rule == "Johnson's order"]


def test_an_outage_moves_the_tasks_of_the_lost_slots(three: Instance) -> None:
    lost = replace(three, outages=Outages.of_nodes(three.cluster, [0]))
    steps = smso(lost, load="tasks").steps
    # 1.2 * 5 / 3 tasks for all, then 1.2 * 2 / 2 for the two that move to two slots.
    limits = [step.title for step in steps if step.rule == "threshold"]
    assert limits == ["A slot is full at 2 tasks", "A slot is full at 1.2 tasks"]
    beat = next(step for step in steps if step.rule == "outage verifying")
    assert beat.text.startswith("No answer from 2 slots: n0 map 0 and n0 reduce 0. 2 map and 1 ")
    assert [one.label for one in beat.candidates] == ["j map 0", "j map 1", "j reduce 0"]
    assert [one.box for one in beat.candidates] == [(1, 1), (0, 1), (13, 14)]
    moves = [step for step in steps if step.kind == "move"][1:]
    assert moves[0].title == "j map 0 moves from n0 map 0 to n2 map 0"
    assert "It cannot stay with its data: n0 map 0 is lost" in moves[0].text
    assert moves[-1].title == "j reduce 0 moves from n0 reduce 0 to n1 reduce 0"


def test_the_docs_example_as_printed() -> None:
    jobs = [Job("j", [MapTask(10, 300, ["n1"]), MapTask(10, 300, ["n1"])], [5, 5])]
    instance = Instance.from_jobs("two", Cluster.uniform(2, map_slots=1, reduce_slots=1), jobs)
    security = Security(
        np.array([[False, True], [True, True]]), np.array([[0, -1], [-1, 0]], dtype=np.int8)
    )
    steps = smso_as_printed(replace(instance, security=security))
    first, second = steps.steps[:2]
    assert "comes to n0 map 0, which the priority forbids" in first.text
    assert "the schedule breaks the rules" in first.text
    assert "n1 map 0 would save 9 s of reading" in first.text
    assert second.rule == "first slot that is allowed and below the threshold"
    last = steps.steps[-2]
    assert (last.rule, steps.makespan) == ("one slot for a job", 48)
    assert "Algorithm 2 looks for a slot once for a job" in last.text
    assert "it would never end" in steps.steps[-1].text
    assert steps.notes[0].startswith(
        "No valid schedule: 1 violation, the first: job 'j' map task 0 is on"
    )


def test_no_schedule_is_said_at_once(three: Instance) -> None:
    lost = replace(three, outages=Outages.of_nodes(three.cluster, [0, 1, 2]))
    with pytest.raises(InputError, match="steps of SMSO: 'three' has no schedule"):
        smso(lost)
    with pytest.raises(InputError, match="every reduce slot is lost"):
        recorded(three, Reading(), [lost.outages])
