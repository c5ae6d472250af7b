"""Runs that are drawn, with the logs that Hadoop and Spark would have written of them.

Every log is written from the drawn run alone, so that a reader must give the same run again.
"""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from typing import Any

import numpy as np

from slotwise.instances.history.run import (
    UNKNOWN,
    Application,
    Attempts,
    Executor,
    Job,
    Outcome,
    Run,
    Stage,
)

T0 = 1_600_000_000_000
RESULTS = {Outcome.SUCCESS: "SUCCESS", Outcome.FAILED: "FAILED", Outcome.KILLED: "KILLED"}


@dataclass
class Row:
    """An attempt; times in ms after the origin."""

    stage: int
    task: int
    number: int
    executor: int
    start: int
    end: int
    outcome: Outcome = Outcome.SUCCESS
    shuffle_end: int = UNKNOWN


class Slots:
    """Slots of executors; an attempt takes the one that is free first."""

    def __init__(self, executors: list[Executor], pool: int) -> None:
        self.free = [
            [0, k] for k, one in enumerate(executors) if one.pool == pool for _ in range(one.slots)
        ]

    def run(self, release: int, duration: int) -> tuple[int, int, int]:
        """Executor, start and end."""
        slot = min(self.free)
        start = max(slot[0], release)
        slot[0] = start + duration
        return slot[1], start, start + duration


def columns(rows: list[Row], metrics: dict[str, list[int]]) -> Attempts:
    """Attempts of rows that are in order."""
    names = ("stage", "task", "number", "executor", "start", "end", "outcome", "shuffle_end")
    return Attempts(
        **{name: np.array([getattr(row, name) for row in rows], dtype=np.int64) for name in names},
        metrics={name: np.array(column, dtype=np.int64) for name, column in metrics.items()},
    )


def attempts_of_tasks(
    rng: random.Random, slots: Slots, stage: int, tasks: int, release: int
) -> list[Row]:
    """Attempts of a stage: some tasks fail first, some are killed as the losing copy."""
    rows = []
    for task in range(tasks):
        number = 0
        if rng.random() < 0.2:
            place = slots.run(release, rng.randint(1, 4000))
            outcome = rng.choice([Outcome.FAILED, Outcome.KILLED])
            rows.append(Row(stage, task, number, *place, outcome))
            number += 1
        rows.append(Row(stage, task, number, *slots.run(release, rng.randint(0, 9000))))
    return rows


def last_success(rows: list[Row], stage: int) -> int:
    return max(row.end for row in rows if row.stage == stage and row.outcome == Outcome.SUCCESS)


def hadoop_run(seed: int, *, yarn: bool = False) -> Run:
    """Jobs with maps and reduces that arrive one after another; on Hadoop 1 with setup tasks."""
    rng = random.Random(seed)
    pools = ("containers",) if yarn else ("map", "reduce")
    slots = [rng.randint(2, 4) for _ in pools]
    executors = [
        Executor(f"h{k}" if yarn else f"h{k} {name}", f"h{k}", pool, slots[pool], rack=f"r{k % 2}")
        for k in range(rng.randint(1, 4))
        for pool, name in enumerate(pools)
    ]
    free = [Slots(executors, pool) for pool in range(len(pools))]
    jobs, stages, rows = [], [], []
    clock = 0
    for k in range(1 if yarn else rng.randint(1, 5)):
        name = f"job_1600000000000_{k:04}" if yarn else f"job_202009131226_{k:04}"
        own: list[Row] = []
        position = {}
        for kind, pool in (("setup", 0), ("map", 0), ("reduce", len(pools) - 1), ("cleanup", 0)):
            if yarn and kind in ("setup", "cleanup"):
                continue
            tasks = 1 if kind in ("setup", "cleanup") else rng.randint(1, 12)
            stage = position[kind] = len(stages)
            parents = (position["map"],) if kind == "reduce" else ()
            stages.append(Stage(f"{name} {kind}", k, pool, kind, tasks, parents))
            release = max([clock, *(row.end for row in own)])
            new = attempts_of_tasks(rng, free[pool], stage, tasks, release)
            for row in new if kind == "reduce" else ():
                if row.outcome == Outcome.SUCCESS:
                    row.shuffle_end = rng.randint(row.start, row.end)
            own += new
        ended = max(row.end for row in own) + rng.randint(0, 50)
        if yarn:
            stages.append(Stage(f"{name} master", k, 0, "master", 1))
            executor = rng.randrange(len(executors))
            own.append(Row(len(stages) - 1, 0, 1, executor, clock + 5, ended))
        jobs.append(Job(name, 0, clock, clock + 3, ended, "ann", "default", succeeded=True))
        rows += own
        clock += rng.choice([0, 7, rng.randint(1, 20_000)])
    rows.sort(key=lambda row: (row.start, row.stage, row.task, row.number))
    last = max([row.end for row in rows] + [job.ended for job in jobs])
    return Run(
        name="drawn",
        framework="yarn" if yarn else "hadoop",
        origin=T0,
        applications=(Application("drawn", 0, last),),
        jobs=tuple(jobs),
        pools=pools,
        stages=tuple(stages),
        executors=tuple(executors),
        attempts=columns(rows, {"read": [UNKNOWN] * len(rows), "locality": [UNKNOWN] * len(rows)}),
    )


def topology(run: Run) -> dict[str, Any]:
    """The hosts of a run as Rumen's topology, in their order."""
    hosts = dict.fromkeys((one.rack, one.host) for one in run.executors)
    racks = [{"name": rack, "children": [{"name": host, "children": None}]} for rack, host in hosts]
    return {"name": "<root>", "children": racks}


def attempts_by_task(run: Run) -> dict[tuple[int, int], list[int]]:
    """Rows of each stage and task, by number."""
    found: dict[tuple[int, int], list[int]] = {}
    for row in np.lexsort((run.attempts.number, run.attempts.task, run.attempts.stage)).tolist():
        key = int(run.attempts.stage[row]), int(run.attempts.task[row])
        found.setdefault(key, []).append(row)
    return found


def rumen_trace(run: Run) -> str:
    """The run as Rumen writes it."""
    by_task = attempts_by_task(run)
    attempts = run.attempts
    jobs = []
    for k, job in enumerate(run.jobs):
        lists: dict[str, list[Any]] = {"mapTasks": [], "reduceTasks": [], "otherTasks": []}
        for s, stage in enumerate(run.stages):
            if stage.job != k:
                continue
            for task in range(stage.tasks):
                letter = "r" if run.pools[stage.pool] == "reduce" else "m"
                name = f"task_{job.name[4:]}_{letter}_{task:06}"
                logged = [
                    {
                        "attemptID": f"{name}_{attempts.number[row]}".replace("task", "attempt"),
                        "result": RESULTS[Outcome(attempts.outcome[row])],
                        "startTime": T0 + int(attempts.start[row]),
                        "finishTime": T0 + int(attempts.end[row]),
                        "shuffleFinished": T0 + int(attempts.shuffle_end[row])
                        if attempts.shuffle_end[row] != UNKNOWN
                        else -1,
                        "hostName": "/{0.rack}/{0.host}".format(
                            run.executors[attempts.executor[row]]
                        ),
                    }
                    for row in by_task[s, task]
                ]
                kept = {"map": "mapTasks", "reduce": "reduceTasks"}.get(stage.kind, "otherTasks")
                lists[kept].append(
                    {"taskID": name, "taskType": stage.kind.upper(), "attempts": logged}
                )
        jobs.append(
            {
                "jobID": job.name,
                "user": job.user,
                "queue": job.queue,
                "outcome": "SUCCESS",
                "submitTime": T0 + job.submitted,
                "launchTime": T0 + job.launched,
                "finishTime": T0 + job.ended,
                **lists,
            }
        )
    return "\n".join(json.dumps(job, indent=1) for job in jobs)


Events = list[tuple[str, str, dict[str, Any]]]
"""Type, class and fields of each event of a `.jhist`."""


def jhist_events(run: Run) -> Events:
    """The events of the one job of a run."""
    (job,) = run.jobs
    of_job = {"jobid": job.name}
    events: Events = [
        (
            "JOB_SUBMITTED",
            "JobSubmitted",
            of_job
            | {"userName": job.user, "jobQueueName": job.queue, "submitTime": T0 + job.submitted},
        ),
        (
            "JOB_INITED",
            "JobInited",
            of_job | {"launchTime": T0 + job.launched, "totalMaps": 1, "totalReduces": 1},
        ),
    ]
    attempts = run.attempts
    for (s, task), rows in attempts_by_task(run).items():
        kind = run.stages[s].kind
        name = f"task_{job.name[4:]}_{kind[0]}_{task:06}"
        for row in rows:
            host = run.executors[attempts.executor[row]]
            start, end = T0 + int(attempts.start[row]), T0 + int(attempts.end[row])
            if kind == "master":
                told = {
                    "applicationAttemptId": f"app{job.name[3:]}_{attempts.number[row]:06}",
                    "startTime": start,
                    "nodeManagerHost": host.host,
                }
                events.append(("AM_STARTED", "AMStarted", told))
                continue
            of_task = {"taskid": name, "taskType": kind.upper()}
            if row == rows[0]:
                told = {"startTime": start, "splitLocations": ""}
                events.append(("TASK_STARTED", "TaskStarted", of_task | told))
            of_attempt = of_task | {
                "attemptId": f"attempt_{name[5:]}_{attempts.number[row]}",
            }
            events.append(
                (
                    f"{kind.upper()}_ATTEMPT_STARTED",
                    "TaskAttemptStarted",
                    of_attempt | {"startTime": start, "trackerName": host.host},
                )
            )
            told = {"finishTime": end, "hostname": host.host, "rackname": f"/{host.rack}"}
            outcome = Outcome(attempts.outcome[row])
            ended = "FINISHED" if outcome == Outcome.SUCCESS else RESULTS[outcome]
            of_class = "TaskAttemptUnsuccessfulCompletion"
            if outcome == Outcome.SUCCESS:
                of_class = f"{kind.capitalize()}AttemptFinished"
                if kind == "reduce":
                    told["shuffleFinishTime"] = T0 + int(attempts.shuffle_end[row])
            events.append((f"{kind.upper()}_ATTEMPT_{ended}", of_class, of_attempt | told))
    events.append(("JOB_FINISHED", "JobFinished", of_job | {"finishTime": T0 + job.ended}))
    return events


def jhist_schema(events: Events) -> dict[str, Any]:
    """An Avro schema of these events, one record for each class."""
    classes: dict[str, dict[str, Any]] = {}
    for _, name, fields in events:
        classes.setdefault(name, fields)
    return {
        "type": "record",
        "name": "Event",
        "namespace": "org.apache.hadoop.mapreduce.jobhistory",
        "fields": [
            {
                "name": "type",
                "type": {
                    "type": "enum",
                    "name": "EventType",
                    "symbols": sorted({kind for kind, _, _ in events}),
                },
            },
            {
                "name": "event",
                "type": [
                    {
                        "type": "record",
                        "name": name,
                        "fields": [
                            {"name": field, "type": "string" if isinstance(value, str) else "long"}
                            for field, value in fields.items()
                        ],
                    }
                    for name, fields in classes.items()
                ],
            },
        ],
    }


def jhist_text(events: Events) -> bytes:
    """The events as Avro-Json."""
    lines = ["Avro-Json", json.dumps(jhist_schema(events))]
    for kind, name, fields in events:
        full_name = f"org.apache.hadoop.mapreduce.jobhistory.{name}"
        lines.append(json.dumps({"type": kind, "event": {full_name: fields}}))
    return ("\n".join(lines) + "\n").encode()


def jhist_binary(events: Events) -> bytes:
    """The events as Avro-Binary."""
    import io

    import fastavro

    schema = jhist_schema(events)
    stream = io.BytesIO()
    for kind, name, fields in events:
        full_name = f"org.apache.hadoop.mapreduce.jobhistory.{name}"
        fastavro.schemaless_writer(
            stream, fastavro.parse_schema(schema), {"type": kind, "event": (full_name, fields)}
        )
    return b"Avro-Binary\n" + json.dumps(schema).encode() + b"\n" + stream.getvalue()
