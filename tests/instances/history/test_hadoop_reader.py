"""What Rumen traces and `.jhist` files leave open, worked out by hand."""

import json
import sys
from pathlib import Path
from typing import Any

import logged_runs
import pytest
from rumen_jobs import H1, H2, TOPOLOGY, attempt, job, map_task, reduce_task

from slotwise import HistoryOptions, InputError, read_run
from slotwise.instances.history.hadoop import assembly, jhist
from slotwise.instances.history.run import UNKNOWN, Outcome, Run

RUN = logged_runs.hadoop_run(5, yarn=True)
EVENTS = logged_runs.jhist_events(RUN)


@pytest.fixture
def load(tmp_path: Path):
    def load(*jobs: dict[str, Any], **options: Any) -> Run:
        path = tmp_path / "small.json"
        path.write_text("\n".join(json.dumps(one) for one in jobs))
        if options.get("topology"):
            options["topology"] = tmp_path / "topology.json"
            options["topology"].write_text(json.dumps(TOPOLOGY))
        return read_run(path, HistoryOptions(**options))

    return load


def written(folder: Path, events: logged_runs.Events, name: str = "job.jhist") -> Path:
    path = folder / name
    path.write_bytes(logged_runs.jhist_text(events))
    return path


def test_every_host_has_the_most_slots_that_any_showed(load) -> None:
    # Two maps at once on h1, from 1 to 2; the third takes over, and the reduce has its own pool.
    maps = [map_task(attempt(f"/{H1}", *times)) for times in ((0, 2), (1, 3), (3, 4))]
    maps.append(map_task(attempt(f"/{H2}", 0, 9)))
    run = load(job(maps=maps, reduces=[reduce_task(attempt(f"/{H1}", 4, 5))]))
    assert [(one.name, one.slots, one.rack) for one in run.executors] == [
        ("h1.example map", 2, "10.0.1"),
        ("h1.example reduce", 1, "10.0.1"),
        ("h2.example map", 2, "10.0.1"),
        ("h2.example reduce", 1, "10.0.1"),
    ]
    given = load(job(maps=maps), map_slots=7)
    assert [one.slots for one in given.executors] == [7, 1, 7, 1]
    with_topology = load(job(maps=maps), topology=True)
    hosts = dict.fromkeys(one.host for one in with_topology.executors)
    assert list(hosts) == ["h1.example", "h2.example", "h3.example"]


def test_locality_is_where_the_input_lies(load) -> None:
    maps = [
        map_task(attempt(f"/{host}", k, k + 1), replicas=[H1])
        for k, host in enumerate((H1, H2, "10.0.2/h3.example"))
    ]
    run = load(job(maps=maps))
    assert run.attempts.metrics["locality"].tolist() == [1, 2, 3]


def test_attempts_without_sense_are_counted(load) -> None:
    maps = [
        map_task(attempt(f"/{H1}", 0, 2), attempt(f"/{H1}", None, 2), attempt(f"/{H1}", 5, 4)),
        map_task(attempt(f"/{H1}", 1, None, "KILLED")),
    ]
    run = load(job(maps=maps))
    assert run.dropped == {assembly.NO_START: 1, assembly.BACKWARDS: 1}
    assert run.attempts.outcome.tolist() == [Outcome.SUCCESS, Outcome.UNFINISHED]
    assert run.attempts.end.tolist() == [2000, UNKNOWN]
    assert "1 attempt without an end or a result" in run.notes


def test_jobs_of_a_folded_trace_are_kept(load) -> None:
    jobs = [job(maps=[map_task(attempt(f"/{H1}", t, t + 1))], submit=t) for t in (0, 5)]
    assert [one.name for one in load(*jobs).jobs] == ["job_1", "job_1#2"]


def test_a_job_that_begins_before_it_is_submitted_keeps_its_times(load) -> None:
    run = load(job(maps=[map_task(attempt(f"/{H1}", 1, 4))], submit=3))
    assert (run.jobs[0].submitted, run.attempts.start.tolist()) == (2000, [0])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"containers": 3}, "a trace of Hadoop 1, which has no containers: give map_slots and"),
        ({"map_slots": 3}, "a trace of YARN, where maps and reduces share containers"),
    ],
)
def test_slots_that_the_framework_has_not_are_refused(load, options, message: str) -> None:
    name = "job_1369942127770_0653" if "map_slots" in options else "job_201102040848_0119"
    with pytest.raises(InputError, match=message):
        load(job(maps=[map_task(attempt(f"/{H1}", 0, 2))]) | {"jobID": name}, **options)


def test_what_is_no_history_is_named(tmp_path: Path, load) -> None:
    file = tmp_path / "topology.json"
    file.write_text(json.dumps(TOPOLOGY))
    with pytest.raises(InputError, match=r"this is a Rumen topology \(a trace has jobs\); give it"):
        read_run(file)
    file.write_text("job\t1\t1\t1\t1\t1\n")
    with pytest.raises(InputError, match=r"no history: need .*; this is a SWIM table"):
        read_run(file)
    failed = job(maps=[map_task(attempt(f"/{H1}", 0, 2, "FAILED"))], outcome="FAILED")
    with pytest.raises(InputError, match="job_1: no task ever succeeded, so nothing says how long"):
        load(failed)


def test_binary_files_without_fastavro(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "job.jhist"
    path.write_bytes(logged_runs.jhist_binary(EVENTS))
    monkeypatch.setitem(sys.modules, "fastavro", None)
    with pytest.raises(InputError, match=r"Avro-Binary \(Hadoop 3 default\): pip install"):
        read_run(path)


def test_a_success_whose_output_is_lost_stays_one(tmp_path: Path) -> None:
    _, _, fields = next(one for one in EVENTS if one[0] == "MAP_ATTEMPT_FINISHED")
    lost = ("MAP_ATTEMPT_KILLED", "TaskAttemptUnsuccessfulCompletion", fields)
    run = read_run(written(tmp_path, [*EVENTS, lost]))
    assert run.dropped == {jhist.OUTPUT_LOST: 1}
    assert run.attempts.outcome.tolist() == RUN.attempts.outcome.tolist()


def test_an_end_without_a_start_is_counted(tmp_path: Path) -> None:
    number = next(k for k, one in enumerate(EVENTS) if one[0] == "MAP_ATTEMPT_STARTED")
    run = read_run(written(tmp_path, EVENTS[:number] + EVENTS[number + 1 :]))
    assert run.dropped == {jhist.NO_START: 1}
    assert len(run.attempts) == len(RUN.attempts) - 1


def test_a_folder_is_one_run_of_all_its_jobs(tmp_path: Path) -> None:
    other = [
        (
            kind,
            name,
            {
                key: v.replace("_0000", "_0007") if isinstance(v, str) else v
                for key, v in fields.items()
            },
        )
        for kind, name, fields in EVENTS
    ]
    (tmp_path / "24").mkdir()
    written(tmp_path / "24", other, "b.jhist")
    written(tmp_path, EVENTS[:-1], "a.jhist")
    run = read_run(tmp_path)
    assert {one.name[-4:] for one in run.jobs} == {"0000", "0007"}
    assert not run.complete
    assert "the log ends before 1 job (job_1600000000000_0000)" in run.notes
    with pytest.raises(InputError, match=r"events of 2 jobs: a \.jhist holds those of one"):
        read_run(written(tmp_path / "24", EVENTS + other))
