"""Audits of Spark applications: by hand, and on the public sample."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from made_histories import made_run

from slotwise.core.clock import Clock
from slotwise.core.errors import InputError
from slotwise.instances.history.run import Executor, Job, Outcome, Run, Stage
from slotwise.instances.history.spark.reader import read_spark_log
from slotwise.instances.history.spark_graph import driver_only, spark_graph
from slotwise.report.history.verdict import verdict
from slotwise.solvers.history.audit import Audit
from slotwise.solvers.history.auditing import audit
from slotwise.solvers.history.detail import with_detail
from slotwise.solvers.history.sizes import with_sizes
from slotwise.solvers.history.spark import audit_spark


def seconds(made: Audit) -> dict[str, float]:
    return {name: time / 1000 for name, _, time in made.causes}


def two_jobs() -> Run:
    """Job a: tasks of 4, 2, 2 s on two slots; the driver thinks for 3 s; job b: one task of 1 s.

    As it ran: 2 and 2 first, then 4 after half a second of nothing (2.5 to 6.5); a is done at
    6.5, b comes at 9.5, its task fails after 1 s and succeeds from 10.5 to 11.5.
    """
    return made_run(
        [Job("a", 0, 0, ended=6500), Job("b", 0, 9500, ended=11500)],
        [Stage("a.0", 0, 0, "stage", 3), Stage("b.0", 1, 0, "stage", 1, (0,))],
        [Executor("e", "h", 0, 2)],
        [
            (0, 0, 0, 0, 0, 2000),
            (0, 1, 0, 0, 0, 2000),
            (0, 2, 0, 0, 2500, 6500),
            (1, 0, 0, 0, 9500, 10500),
            (1, 0, 1, 0, 10500, 11500),
        ],
        outcomes={3: Outcome.FAILED},
    )


def test_every_cause_of_a_run_made_by_hand() -> None:
    made = audit_spark(two_jobs(), Clock(5))
    # Without the failure 10.5; without the pause 10; the 4 first: 4 + 3 + 1 = 8; no driver: 5.
    assert seconds(made) == {
        "failed attempts": 1.0,
        "idle slots": 0.5,
        "which slot": 0.0,
        "order of the tasks": 2.0,
        "driver": 3.0,
        "not decided": 0.0,
    }
    assert made.actual == 11500
    assert made.reference("kept").best == made.reference("kept").bound.value == 8000
    assert made.reference("none").best == made.reference("none").bound.value == 5000
    assert made.reference("any order").bound.value == 5000
    assert driver_only(made.run) == 3000


def test_causes_one_by_one_what_ifs_and_slot_seconds() -> None:
    detail = with_detail(audit_spark(two_jobs(), Clock(5))).detail
    assert detail is not None
    # Removed first: 10.5, 11, 8.5 instead of 11.5. Without all: 2 + 4 + 1 = 7 in the order of the
    # run, 5 in the best one; put back again: 8, 7.5, 10.
    assert {one.cause: (one.first, one.last) for one in detail.causes} == {
        "failed attempts": (1000, 1000),
        "idle slots": (500, 500),
        "driver": (3000, 3000),
        "order of the tasks": (None, 2000),
    }
    # The task of 4 s is over 1.5 times the median of 2: both jobs end 2 s earlier without.
    (slow,) = detail.what_if
    assert (slow.name, slow.tasks, slow.value) == ("stragglers", 1, 2000)
    assert slow.jobs.tolist() == [2000, 2000]
    assert detail.areas == {"slots": 23.0, "idle": 13.0, "wasted": 1.0}


def test_tasks_that_read_from_another_node_are_compared_with_five_that_did_not() -> None:
    def gain(near: int, far: int) -> tuple[int, float]:
        """So many tasks of 1 s near their data, one of 4 s elsewhere, all at once."""
        tasks = [1000] * near + [4000]
        run = made_run(
            [Job("a", 0, 0, ended=4000)],
            [Stage("a.0", 0, 0, "stage", len(tasks))],
            [Executor("e", "h", 0, len(tasks))],
            [(0, k, 0, 0, 0, time) for k, time in enumerate(tasks)],
            metrics={"locality": [1] * near + [far], "gc": [7] * near + [-1]},
        )
        made = with_detail(audit_spark(run, Clock(1))).detail
        assert made is not None
        assert made.areas["gc"] == 0.007 * near
        _, locality = made.what_if
        return locality.tasks, locality.value

    assert gain(5, 2) == gain(5, 3) == (1, 3000)
    assert gain(4, 3) == gain(5, 1) == gain(5, -1) == (0, 0)


def test_a_day_later_nothing_else_changes() -> None:
    run, day = two_jobs(), 86_400_000
    later = replace(
        run,
        jobs=tuple(replace(j, submitted=j.submitted + day, ended=j.ended + day) for j in run.jobs),
        attempts=replace(run.attempts, start=run.attempts.start + day, end=run.attempts.end + day),
    )
    assert seconds(audit_spark(later, Clock(5))) == seconds(audit_spark(run, Clock(5)))


def test_the_slot_of_a_task_whose_end_is_heard_of_late_goes_to_the_next() -> None:
    # One slot; the first task's end is logged 300 ms after the second was launched.
    run = made_run(
        [Job("a", 0, 0, ended=4000)],
        [Stage("a.0", 0, 0, "stage", 2)],
        [Executor("e", "h", 0, 1)],
        [(0, 0, 0, 0, 0, 2300), (0, 1, 0, 0, 2000, 4000)],
    )
    graph = spark_graph(run).graph
    assert sorted(graph.held.tolist()) == [2000, 2000]
    made = audit_spark(run, Clock(2))
    assert made.reference("kept").best == 4000
    assert made.facts == {"driver_only": 0, "late_ends": 1, "late_time": 0.3}
    # Shorter, the task frees its slot when it did, until it ends before that.
    for time, late in ((2300, 300), (2100, 100), (1500, 0)):
        assert made.replays.nodes.with_time(np.array([time, 2000])).cut.tolist() == [late, 0]


def test_an_executor_that_comes_late_is_waited_for_and_told() -> None:
    # Four tasks of 2 s; the second slot is there from 2 s on: 2, then two, then one: 6 as it ran.
    run = made_run(
        [Job("a", 0, 0, ended=6000)],
        [Stage("a.0", 0, 0, "stage", 4)],
        [Executor("e", "h", 0, 1), Executor("f", "h", 0, 1, since=2000)],
        [
            (0, 0, 0, 0, 0, 2000),
            (0, 1, 0, 0, 2000, 4000),
            (0, 2, 0, 1, 2000, 4000),
            (0, 3, 0, 0, 4000, 6000),
        ],
    )
    made = audit_spark(run, Clock(2))
    assert made.reference("kept").best == 6000
    assert seconds(made)["executors late"] == 2.0


def test_what_is_kept_of_tasks_and_executors_is_told_where_a_bound_may_be_above_a_plan() -> None:
    # 15 s of scheduler delay round 50 ms of work: nothing is under 15.01 s as long as they stay.
    run = made_run(
        [Job("a", 0, 0, ended=15_010)],
        [Stage("a.0", 0, 0, "stage", 1)],
        [Executor("e", "h", 0, 1)],
        [(0, 0, 0, 0, 0, 15_010)],
        metrics={"deserialize": [10], "run": [30], "serialize": [10]},
    )
    _, whatever, without = verdict(audit_spark(run, Clock(1)))
    assert "with tasks as long as they were, nothing under 15.01 s" in whatever
    assert "and with tasks cut to reading, running and writing, 0.05 s was possible" in without
    assert "executors" not in whatever + without


@pytest.mark.parametrize("first", [0, 1000])
def test_stages_that_no_job_names_hold_their_slots_and_are_no_part_of_it(first: int) -> None:
    # One slot; a stage of no job holds it until 2 s, so 3 s of one task must wait for it.
    run = made_run(
        [Job("a", 0, 0, ended=6000)],
        [Stage("a.0", 0, 0, "stage", 1), Stage("lost", -1, 0, "stage", 1)],
        [Executor("e", "h", 0, 1, until=7000)],
        [(1, 0, 0, 0, first, 2000), (0, 0, 0, 0, 3000, 6000)],
    )
    made = audit_spark(run, Clock(2))
    assert made.reference("kept").best == 5000
    assert made.reference("kept").bound.value == 3000
    # The two parts of the slot's time are no two slots that are always there.
    assert made.reference("none").best == 5000


def test_no_success_is_told() -> None:
    run = two_jobs()
    failed = replace(
        run,
        attempts=replace(run.attempts, outcome=np.full_like(run.attempts.outcome, Outcome.FAILED)),
    )
    with pytest.raises(InputError, match="no task ever succeeded"):
        audit(failed)


def test_the_public_sample(traces: Path) -> None:
    made = audit_spark(read_spark_log(traces / "spark" / "spark_sample_4.0.1.jsonl"), Clock(2))
    kept = made.reference("kept")
    assert round(made.actual / 1000, 2) == 6.40
    assert kept.best is not None
    assert kept.bound.value <= kept.best <= 1.02 * kept.bound.value
    assert sum(time for _, _, time in made.causes) + made.reference("none").bound.value == (
        pytest.approx(made.actual, abs=1e-6)
    )


def test_other_numbers_of_slots() -> None:
    # Tasks 4, 2, 2, then one of 1 after 3 s of the driver; 8 at best on two slots, 12 on one.
    made = with_sizes(audit_spark(two_jobs(), Clock(5)), [1, 3], Clock(5))
    assert made.sizes is not None
    assert [(s.slots, s.best, s.bound.value) for s in made.sizes.asked] == [
        (1, 12000, 12000),
        (3, 8000, 8000),
    ]
    assert (made.sizes.fewest, made.sizes.least) == (2, 2)  # it took 11.5
