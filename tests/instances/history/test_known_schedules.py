"""Known schedules, written as logs of every kind, are read back exactly."""

import json
from dataclasses import replace
from pathlib import Path

import logged_runs
import logged_spark
import pytest

from slotwise.instances.history.reading import HistoryOptions, kind_of, read_run
from slotwise.instances.history.run import Run
from slotwise.instances.history.run_file import read_run_file, write_run

FORMS = ("plain", "zstd", "lz4", "gzip", "rolling", "old folder", "databricks")


def as_drawn(run: Run) -> Run:
    """Without what a reader says."""
    return replace(
        run, name="drawn", applications=(replace(run.applications[0], name="drawn"),), notes=()
    )


def slots_of(run: Run, pool: int) -> int:
    return next(one.slots for one in run.executors if one.pool == pool)


@pytest.mark.parametrize("seed", range(40))
def test_rumen_traces(seed: int, tmp_path: Path) -> None:
    run = logged_runs.hadoop_run(seed)
    trace, topology = tmp_path / "drawn.json", tmp_path / "topology.json"
    trace.write_text(logged_runs.rumen_trace(run))
    topology.write_text(json.dumps(logged_runs.topology(run)))
    options = HistoryOptions(topology, slots_of(run, 0), slots_of(run, 1))
    read = read_run(trace, options)
    assert kind_of(trace) == "rumen"
    assert read.dropped == {}
    assert as_drawn(read) == run


@pytest.mark.parametrize("binary", [False, True])
@pytest.mark.parametrize("seed", range(20))
def test_jhist(seed: int, binary: bool, tmp_path: Path) -> None:
    run = logged_runs.hadoop_run(seed, yarn=True)
    history, topology = tmp_path / "job.jhist", tmp_path / "topology.json"
    events = logged_runs.jhist_events(run)
    write = logged_runs.jhist_binary if binary else logged_runs.jhist_text
    history.write_bytes(write(events))
    topology.write_text(json.dumps(logged_runs.topology(run)))
    for path in (history, tmp_path):
        read = read_run(path, HistoryOptions(topology, containers=slots_of(run, 0)))
        assert kind_of(path) == "jhist"
        assert read.dropped == {}
        assert as_drawn(read) == run


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("seed", range(6))
def test_spark_logs(seed: int, form: str, tmp_path: Path) -> None:
    run, events = logged_spark.spark_run(seed)
    path = logged_spark.written(tmp_path, logged_spark.lines_of(events), form)
    read = read_run(path)
    assert kind_of(path) == "spark"
    assert read.complete
    assert read.dropped == {}
    assert replace(read, notes=()) == run


@pytest.mark.parametrize("seed", range(40))
def test_arcs_through_skipped_stages(seed: int, tmp_path: Path) -> None:
    run, events = logged_spark.spark_run(seed)
    (tmp_path / "log").write_bytes(b"".join(logged_spark.lines_of(events)))
    assert [stage.parents for stage in read_run(tmp_path / "log").stages] == [
        stage.parents for stage in run.stages
    ]


@pytest.mark.parametrize("seed", range(10))
def test_files_of_our_own(seed: int, tmp_path: Path) -> None:
    for k, run in enumerate((logged_runs.hadoop_run(seed), logged_spark.spark_run(seed)[0])):
        path = tmp_path / f"{k}.json.gz"
        write_run(run, path)
        assert read_run_file(path) == read_run(path) == run
