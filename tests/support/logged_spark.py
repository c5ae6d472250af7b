"""Runs of Spark that are drawn, with the event logs that Spark would have written of them."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

from logged_runs import T0, Row, Slots, attempts_of_tasks, columns, last_success

from slotwise.instances.history.run import (
    METRICS,
    Application,
    Executor,
    Job,
    Outcome,
    Run,
    Stage,
)

Event = dict[str, Any]
REASONS = {
    Outcome.SUCCESS: "Success",
    Outcome.FAILED: "ExceptionFailure",
    Outcome.KILLED: "TaskKilled",
}
LOCALITY = ("PROCESS_LOCAL", "NODE_LOCAL", "RACK_LOCAL", "ANY")


def spark_run(seed: int) -> tuple[Run, list[Event]]:
    """A run with stages that jobs share through stages that are skipped, and its events."""
    rng = random.Random(seed)
    executors = [
        Executor(str(k + 1), f"h{k}", 0, rng.randint(1, 4), since=10 * k)
        for k in range(rng.randint(1, 4))
    ]
    slots = Slots(executors, 0)
    rows: list[Row] = []
    jobs: list[Job] = []
    stages: list[Stage] = []
    infos: list[list[Event]] = []
    numbers: list[int] = []
    next_number, clock = 0, 100
    for k in range(rng.randint(1, 4)):
        submitted, own, told = clock, [], []
        for _ in range(rng.randint(1, 3)):
            parents = [p for p in own if rng.random() < 0.6]
            ids = [numbers[p] for p in parents]
            for other in range(len(stages)):
                if other not in own and rng.random() < 0.3:
                    # Its output is still there: a stage that computes the same is skipped.
                    told.append(
                        stage_info(next_number, f"s{other}", 5, [], rdds_of(numbers[other]))
                    )
                    ids.append(next_number)
                    parents.append(other)
                    next_number += 1
            tasks = rng.randint(1, 9)
            release = max([clock, *(last_success(rows, p) for p in parents)])
            position, number = len(stages), next_number
            next_number += 1
            numbers.append(number)
            told.append(stage_info(number, f"s{position}", tasks, ids, rdds_of(number)))
            stages.append(
                Stage(
                    f"{number} s{position}",
                    k,
                    0,
                    "stage",
                    tasks,
                    tuple(sorted(parents)),
                    submitted=release,
                )
            )
            told[-1]["Submission Time"] = T0 + release
            own.append(position)
            rows += attempts_of_tasks(rng, slots, position, tasks, release)
        ended = max(row.end for row in rows if row.stage in own)
        jobs.append(
            Job(str(k), 0, submitted, ended=ended, user="ann", group=f"q{k // 2}", succeeded=True)
        )
        infos.append(told)
        clock = ended + rng.randint(0, 500)
    rows.sort(key=lambda row: (row.start, row.stage, row.task, row.number))
    measured = {name: [rng.randint(0, 9) for _ in rows] for name in METRICS}
    measured["locality"] = [value % 4 for value in measured["locality"]]
    measured["stage_attempt"] = [0] * len(rows)
    run = Run(
        name="app-1",
        framework="spark",
        origin=T0,
        applications=(Application("drawn", 0, clock),),
        jobs=tuple(jobs),
        pools=("slots",),
        stages=tuple(stages),
        executors=tuple(executors),
        attempts=columns(rows, measured),
        versions={"spark": "3.5.0"},
    )
    return run, events_of(run, infos, numbers)


def rdds_of(number: int) -> list[Event]:
    return [{"RDD ID": 3 * number + k} for k in range(3)]


def stage_info(number: int, name: str, tasks: int, parents: list[int], rdds: list[Event]) -> Event:
    return {
        "Stage ID": number,
        "Stage Attempt ID": 0,
        "Stage Name": name,
        "Number of Tasks": tasks,
        "Parent IDs": parents,
        "RDD Info": rdds,
    }


def events_of(run: Run, infos: list[list[Event]], numbers: list[int]) -> list[Event]:
    """The events of a run in the order of time."""
    (application,) = run.applications
    begin = [
        event("LogStart", **{"Spark Version": run.versions["spark"]}),
        event("EnvironmentUpdate", **{"Spark Properties": {"spark.task.cpus": "2"}}),
        event(
            "ApplicationStart",
            **{"App Name": "drawn", "App ID": run.name, "Timestamp": T0, "User": "ann"},
        ),
    ]
    timed: list[tuple[int, int, Event]] = []
    for one in run.executors:
        info = {"Host": one.host, "Total Cores": 2 * one.slots}
        told = {"Timestamp": T0 + one.since, "Executor ID": one.name, "Executor Info": info}
        timed.append((one.since, 0, event("ExecutorAdded", **told)))
    for k, job in enumerate(run.jobs):
        told = {
            "Job ID": k,
            "Submission Time": T0 + job.submitted,
            "Stage Infos": [
                {key: v for key, v in info.items() if key != "Submission Time"} for info in infos[k]
            ],
            "Properties": {"spark.sql.execution.id": job.group},
        }
        timed.append((job.submitted, 1, event("JobStart", **told)))
        told = {
            "Job ID": k,
            "Completion Time": T0 + job.ended,
            "Job Result": {"Result": "JobSucceeded"},
        }
        timed.append((job.ended, 6, event("JobEnd", **told)))
        for info in infos[k]:
            if "Submission Time" in info:
                time = info["Submission Time"] - T0
                timed.append((time, 2, event("StageSubmitted", **{"Stage Info": info})))
                timed.append((job.ended, 5, event("StageCompleted", **{"Stage Info": info})))
    for row in range(len(run.attempts)):
        start, end = task_events(run, row, numbers)
        timed.append((int(run.attempts.start[row]), 3, start))
        timed.append((int(run.attempts.end[row]), 4, end))
    timed.sort(key=lambda one: one[:2])
    last = event("ApplicationEnd", Timestamp=T0 + application.ended)
    return [*begin, *(told for _, _, told in timed), last]


def task_events(run: Run, row: int, numbers: list[int]) -> tuple[Event, Event]:
    """Start and end of an attempt."""
    attempts, measured = run.attempts, run.attempts.metrics
    outcome = Outcome(attempts.outcome[row])
    info = {
        "Task ID": row,
        "Index": int(attempts.task[row]),
        "Attempt": int(attempts.number[row]),
        "Launch Time": T0 + int(attempts.start[row]),
        "Executor ID": run.executors[attempts.executor[row]].name,
        "Host": run.executors[attempts.executor[row]].host,
        "Locality": LOCALITY[measured["locality"][row]],
        "Finish Time": 0,
        "Accumulables": [{"ID": 1, "Name": "x", "Update": "1"}],
    }
    of_stage = {"Stage ID": numbers[attempts.stage[row]], "Stage Attempt ID": 0}
    value = {name: int(measured[name][row]) for name in METRICS}
    metrics = {
        "Executor Deserialize Time": value["deserialize"],
        "Executor Run Time": value["run"],
        "Result Serialization Time": value["serialize"],
        "JVM GC Time": value["gc"],
        "Disk Bytes Spilled": value["spilled"],
        "Shuffle Read Metrics": {"Fetch Wait Time": value["fetch_wait"], "Remote Bytes Read": 0},
        "Input Metrics": {"Bytes Read": value["read"]},
    }
    ended = info | {"Finish Time": T0 + int(attempts.end[row])}
    reason = {"Reason": REASONS[outcome]}
    return (
        event("TaskStart", **of_stage, **{"Task Info": info}),
        event(
            "TaskEnd",
            **of_stage,
            **{"Task End Reason": reason, "Task Info": ended, "Task Metrics": metrics},
        ),
    )


def event(name: str, **fields: Any) -> Event:
    return {"Event": f"SparkListener{name}", **fields}


def lines_of(events: list[Event]) -> list[bytes]:
    """The lines of a log."""
    return [json.dumps(one, separators=(",", ":")).encode() + b"\n" for one in events]


def lz4_blocks(content: bytes, size: int = 1000) -> bytes:
    """A stream of lz4-java's blocks, every third stored as it is, with the empty one at its end."""
    import struct

    from lz4 import block

    parts = []
    for k, begin in enumerate(range(0, len(content), size)):
        text = content[begin : begin + size]
        packed = text if k % 3 == 2 else block.compress(text, store_size=False)
        method = 0x10 if k % 3 == 2 else 0x20
        parts.append(b"LZ4Block" + struct.pack("<Biii", method, len(packed), len(text), 0) + packed)
    return b"".join(parts) + b"LZ4Block" + struct.pack("<Biii", 0x10, 0, 0, 0)


def written(folder: Path, lines: list[bytes], form: str) -> Path:
    """The log in one of the forms that Spark writes: what to read."""
    import gzip

    import zstandard

    content = b"".join(lines)
    third = len(lines) // 3 + 1
    parts = [b"".join(lines[k : k + third]) for k in range(0, len(lines), third)]
    packed = zstandard.ZstdCompressor().compress
    if form == "rolling":
        path = folder / "eventlog_v2_app-1"
        path.mkdir()
        (path / "appstatus_app-1").touch()
        for k, part in enumerate(parts):
            # Ten before nine by name.
            (path / f"events_{9 + k}_app-1.zstd").write_bytes(packed(part))
    elif form == "old folder":
        path = folder / "app-1"
        path.mkdir()
        (path / "EVENT_LOG_1").write_bytes(content)
        (path / "SPARK_VERSION_1.2.0").touch()
        (path / "APPLICATION_COMPLETE").touch()
    elif form == "databricks":
        path = folder / "databricks"
        path.mkdir()
        for name, part in zip(
            ("-2021-06-14--20-00.gz", "-2021-06-15--15-00.gz"), parts, strict=False
        ):
            (path / f"eventlog{name}").write_bytes(gzip.compress(part))
        (path / "eventlog").write_bytes(b"".join(parts[2:]))
    else:
        path = folder / "app-1.inprogress"
        path.write_bytes(
            {
                "plain": lambda: content,
                "zstd": lambda: b"".join(packed(part) for part in parts),
                "lz4": lambda: b"".join(lz4_blocks(part) for part in parts),
                "gzip": lambda: gzip.compress(content),
            }[form]()
        )
    return path
