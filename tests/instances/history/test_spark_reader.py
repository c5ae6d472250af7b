"""What a Spark log leaves open, worked out by hand."""

import json
from pathlib import Path
from typing import Any

import logged_spark
import numpy as np
import pytest
from logged_spark import event, stage_info

from slotwise import InputError
from slotwise.core.files.log_lines import OVERLONG, log_lines
from slotwise.instances.history.run import UNKNOWN, Outcome, Run
from slotwise.instances.history.spark import events as spark
from slotwise.instances.history.spark.reader import read_spark_log

T0 = logged_spark.T0


def job_start(stages: list[dict[str, Any]], number: int = 0, at: int = 10) -> dict[str, Any]:
    told = {"Job ID": number, "Submission Time": T0 + at, "Stage Infos": stages}
    return event("JobStart", **told)


def task(number: int, index: int, start: int, end: int, **fields: Any) -> dict[str, Any]:
    """The end of a task of stage 0; times in ms after T0."""
    told = {"stage": 0, "retry": 0, "reason": "Success", "executor": "1", "attempt": 0} | fields
    info = {
        "Task ID": number,
        "Index": index,
        "Attempt": told["attempt"],
        "Launch Time": T0 + start,
        "Finish Time": T0 + end,
        "Executor ID": told["executor"],
        "Host": "h",
    }
    if "partition" in told:
        info["Partition ID"] = told["partition"]
    return event(
        "TaskEnd",
        **{
            "Stage ID": told["stage"],
            "Stage Attempt ID": told["retry"],
            "Task End Reason": {"Reason": told["reason"]},
            "Task Info": info,
        },
    )


def executor_added(name: str, at: int, cores: int, profile: int = 0) -> dict[str, Any]:
    info = {"Host": "h", "Total Cores": cores, "Resource Profile Id": profile}
    return event(
        "ExecutorAdded", **{"Timestamp": T0 + at, "Executor ID": name, "Executor Info": info}
    )


@pytest.fixture
def read(tmp_path: Path):
    def read(*events: dict[str, Any]) -> Run:
        path = tmp_path / "log"
        path.write_text("".join(json.dumps(one) + "\n" for one in events))
        return read_spark_log(path)

    return read


def test_slots_are_cores_over_what_a_task_needs(read) -> None:
    profile = {"cpus": {"Amount": 3.0}}
    run = read(
        event("EnvironmentUpdate", **{"Spark Properties": {"spark.task.cpus": "2"}}),
        event(
            "ResourceProfileAdded",
            **{"Resource Profile Id": 7, "Task Resource Requests": profile},
        ),
        executor_added("1", 0, 9),
        executor_added("2", 5, 9, 7),
        event("ExecutorRemoved", **{"Timestamp": T0 + 90, "Executor ID": "2"}),
        task(0, 0, 10, 20),
    )
    assert [(one.name, one.slots, one.since, one.until) for one in run.executors] == [
        ("1", 4, 0, UNKNOWN),
        ("2", 3, 5, 90),
    ]


def test_an_executor_that_was_never_added_has_what_ran_at_once(read) -> None:
    # 10-30 and 20-40 overlap; 40-50 begins when one ends; the one of no length holds nothing.
    run = read(task(0, 0, 10, 30), task(1, 1, 20, 40), task(2, 2, 40, 50), task(3, 3, 25, 25))
    assert [one.slots for one in run.executors] == [2]
    assert "1 executor of unknown size: taken as the most tasks at once" in run.notes


def test_an_executor_comes_again_under_its_name(read) -> None:
    run = read(
        executor_added("1", 0, 2),
        event("ExecutorRemoved", **{"Timestamp": T0 + 50, "Executor ID": "1"}),
        executor_added("1", 60, 4),
        task(0, 0, 10, 20),
        task(1, 1, 70, 80),
    )
    assert [(one.slots, one.since, one.until) for one in run.executors] == [
        (2, 0, 50),
        (4, 60, UNKNOWN),
    ]
    assert run.attempts.executor.tolist() == [0, 1]


def test_a_second_try_of_a_stage_runs_what_is_missing(read) -> None:
    # Tasks 1 and 3 of four were lost, so indices 0 and 1 of the second try are those.
    first = [
        task(0, 0, 10, 20),
        task(1, 1, 10, 20, reason="FetchFailed"),
        task(2, 2, 20, 30),
        task(3, 3, 20, 30, reason="ExecutorLostFailure"),
    ]
    again = [task(4, 0, 40, 50, retry=1), task(5, 1, 40, 50, retry=1)]
    stage = stage_info(0, "s", 4, [], [])
    second = stage | {"Stage Attempt ID": 1, "Number of Tasks": 2}
    submitted = event("StageSubmitted", **{"Stage Info": second})
    run = read(job_start([stage]), *first, submitted, *again)
    assert run.attempts.task.tolist() == [0, 1, 2, 3, 1, 3]
    assert run.stages[0].tasks == 4
    assert not any("guess" in note for note in run.notes)
    # Without the second number of tasks that is not known; with partitions it is.
    assert any("guess" in note for note in read(job_start([stage]), *first, *again).notes)
    told = [
        task(k, index, 10, 20, retry=retry, partition=partition)
        for k, (index, retry, partition) in enumerate([(0, 0, 0), (1, 0, 1), (0, 1, 1)])
    ]
    assert read(job_start([stage]), *told).attempts.task.tolist() == [0, 1, 1]


def test_resubmitted_is_no_end(read) -> None:
    run = read(
        task(0, 0, 10, 20),
        task(0, 0, 10, 20, reason="Resubmitted"),
        task(1, 0, 30, 50, attempt=1),
    )
    assert run.attempts.outcome.tolist() == [Outcome.SUCCESS, Outcome.SUCCESS]
    assert run.dropped == {spark.RESUBMITTED: 1}


def test_a_task_that_never_ended_is_unfinished(read) -> None:
    started = task(1, 1, 15, 15)
    del started["Task Info"]["Finish Time"], started["Task End Reason"]
    run = read(task(0, 0, 10, 20), started | {"Event": "SparkListenerTaskStart"})
    assert run.attempts.outcome.tolist() == [Outcome.SUCCESS, Outcome.UNFINISHED]
    assert run.attempts.end.tolist() == [10, UNKNOWN]
    assert not run.complete


def test_old_logs_without_parents_have_assumed_ones(read) -> None:
    stages = [stage_info(k, "s", 1, [], []) for k in range(3)]
    for stage in stages:
        del stage["Parent IDs"]
    # Stage 1 overlaps with stage 0, stage 2 begins when both have ended.
    run = read(
        job_start(stages),
        task(0, 0, 10, 20),
        task(1, 0, 15, 30, stage=1),
        task(2, 0, 30, 40, stage=2),
    )
    assert [stage.parents for stage in run.stages] == [(), (), ()]
    assert [stage.assumed_parents for stage in run.stages] == [(), (), (0, 1)]


def test_a_skipped_parent_is_the_last_stage_that_computed_the_same(read) -> None:
    rdds = [{"RDD ID": 5}]
    first = stage_info(0, "s", 1, [], rdds)
    again = stage_info(1, "s", 1, [], rdds)
    skipped = stage_info(2, "s", 1, [], rdds)
    child = stage_info(3, "s", 1, [2, 9], [{"RDD ID": 6}])
    run = read(
        job_start([first]),
        job_start([again], 1, 20),
        job_start([skipped, child], 2, 40),
        task(0, 0, 10, 20),
        task(1, 0, 25, 35, stage=1),
        task(2, 0, 40, 50, stage=3),
    )
    assert [stage.parents for stage in run.stages] == [(), (), (1,)]
    assert "1 parent of stages unknown: no arc, so bounds stay valid" in run.notes


def test_stages_that_no_job_names_hold_slots_only(read) -> None:
    run = read(
        job_start([stage_info(0, "s", 1, [], [])]), task(0, 0, 10, 20), task(1, 0, 10, 20, stage=4)
    )
    assert [stage.job for stage in run.stages] == [0, UNKNOWN]
    assert any("1 stage (1 attempt) that no job of the log names" in note for note in run.notes)


def test_a_log_without_tasks_is_refused(read) -> None:
    start = {"App Name": "x", "App ID": "app-7", "Timestamp": T0}
    with pytest.raises(InputError, match="application app-7: 0 tasks ended: nothing to audit"):
        read(event("ApplicationStart", **start))


def test_a_compacted_log_begins_with_its_compact_part(tmp_path: Path) -> None:
    run, events = logged_spark.spark_run(1)
    lines = logged_spark.lines_of(events)
    folder = tmp_path / "eventlog_v2_app-1"
    folder.mkdir()
    (folder / "events_1_app-1").write_bytes(b"".join(lines[:5]))
    (folder / "events_2_app-1.compact").write_bytes(b"".join(lines))
    (folder / "events_3_app-1").write_bytes(b"")
    read = read_spark_log(folder)
    assert np.array_equal(read.attempts.start, run.attempts.start)
    assert read.notes[0] == "Spark compacted the log up to part 2: what had ended is gone"
    with pytest.raises(InputError, match="no event log of Spark: a folder of one holds"):
        read_spark_log(tmp_path)


def test_lines_that_are_too_long_are_left_out(tmp_path: Path, monkeypatch) -> None:
    from collections import Counter

    monkeypatch.setattr("slotwise.core.files.log_lines.LONGEST_LINE", 10)
    path = tmp_path / "log"
    path.write_bytes(b"short\n" + b"x" * 25 + b"\n" + b"y" * 9 + b"\nend")
    dropped = Counter[str]()
    assert list(log_lines(path, dropped)) == [b"short\n", b"y" * 9 + b"\n", b"end"]
    assert dropped == {OVERLONG: 1}


@pytest.mark.parametrize(("magic", "name"), [(b"\x82SNAPPY\0", "Snappy"), (b"ZV\1\0", "LZF")])
def test_other_compressions_are_named(tmp_path: Path, magic: bytes, name: str) -> None:
    path = tmp_path / "log"
    path.write_bytes(magic + b"x" * 20)
    with pytest.raises(InputError, match=f"compressed with {name}: decompress it first"):
        read_spark_log(path)
