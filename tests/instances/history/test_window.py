"""A part of a run: other jobs stay where they were."""

import pytest
from made_histories import made_run

from slotwise.core.clock import Clock
from slotwise.core.errors import InputError
from slotwise.instances.history.run import Executor, Job, Run, Stage
from slotwise.instances.history.window import Window, within
from slotwise.solvers.history.auditing import audit_run


def three_jobs() -> Run:
    """One map slot: A 0 to 4, B 4 to 6, C 7 to 8; all are there from 0, C from 2."""
    jobs = [
        Job("A", 0, 0, ended=4000, queue="x"),
        Job("B", 0, 0, ended=6000, queue="y"),
        Job("C", 0, 2000, ended=8000, queue="x"),
    ]
    return made_run(
        jobs,
        [Stage(f"{job.name} map", k, 0, "map", 1) for k, job in enumerate(jobs)],
        [Executor("h", "h", 0, 1)],
        [(0, 0, 0, 0, 0, 4000), (1, 0, 0, 0, 4000, 6000), (2, 0, 0, 0, 7000, 8000)],
        framework="hadoop",
    )


def test_jobs_of_a_queue_go_around_the_others() -> None:
    # B holds the slot from 4 to 6. A and C: C cannot come before 4, so 6 to 7 at best.
    made = audit_run(within(three_jobs(), Window(queue="x")), Clock(3))
    assert [job.name for job in made.run.jobs] == ["A", "C"]
    assert made.steps[0].job_end.tolist() == [4000, 8000]
    assert sorted(made.steps[made.kept].job_end.tolist()) == [4000, 8000]  # C with its lag of 1 s
    assert made.reference("none").best == (4000 + 5000) / 2


def test_a_time_takes_jobs_submitted_in_it() -> None:
    assert [j.name for j in within(three_jobs(), Window(since=1)).jobs] == ["C"]
    assert [j.name for j in within(three_jobs(), Window(until=2)).jobs] == ["A", "B"]
    assert within(three_jobs(), Window()) == three_jobs()


def test_no_job_is_an_error_that_names_the_queues() -> None:
    with pytest.raises(InputError, match="no job was submitted then, the last at 2 s; queues: x"):
        within(three_jobs(), Window(queue="z"))


def test_times_at_which_jobs_ran_are_told_with_the_nearest_at_which_none_did() -> None:
    # Jobs are there from 0 to 8 and, a log's attempt ends after its job, from 9.123 to 12.
    run = three_jobs()
    later = made_run(
        [*run.jobs, Job("D", 0, 9123, ended=11000), Job("E", 0, 20000, ended=21000)],
        [*run.stages, Stage("D map", 3, 0, "map", 1)],
        list(run.executors),
        [(3, 0, 0, 0, 9200, 12000)],
        framework="hadoop",
    )

    def told(since: float | None = None, until: float | None = None) -> list[str]:
        return [n for n in within(later, Window(since, until)).notes if n.startswith("--")]

    around = "and plans go around what others do"
    assert told(2) == [f"--from: jobs ran at 2 s, {around}; none ran at 8 s"]
    assert told(until=10.5) == [f"--to: jobs ran at 10.5 s, {around}; none ran at 9.123 and 12 s"]
    for idle in (8, 8.5, 9.123, 12):
        assert told(idle) == told(until=idle) == []
    assert len(within(later, Window(since=9.123)).jobs) == 2
    (last,) = told(until=20.5)
    assert last.endswith("none ran at 20 s")
    # All jobs ran at once: there is nothing to offer.
    (alone,) = (n for n in within(run, Window(until=2)).notes if n.startswith("--"))
    assert alone == f"--to: jobs ran at 2 s, {around}; some always ran"
