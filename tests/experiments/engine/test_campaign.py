"""The driver: nothing runs twice, nothing is lost, the same records make the same tables."""

import errno
import json
import os
import random
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path

import pandas as pd
import pytest
from studies import Here, own_function, run_here, small_study, tables

import slotwise
from slotwise.core.errors import InputError, OutputError
from slotwise.experiments.engine import build
from slotwise.experiments.engine.campaign import Options, open_units, run_study
from slotwise.experiments.engine.dask_cluster import LostCluster
from slotwise.experiments.engine.processes import workers_for
from slotwise.experiments.engine.progress import told
from slotwise.experiments.engine.record import Record
from slotwise.experiments.engine.store import Store, records_in
from slotwise.experiments.engine.tables import export
from slotwise.experiments.study.instance_sources import called, drawn
from slotwise.experiments.study.study import Block, Study, Unit


class Until(Here):
    """Does something after so many runs."""

    def __init__(self, runs: int, action: Callable[[], None]) -> None:
        super().__init__()
        self.left, self.action = runs, action

    def records(self, units: Iterable[Unit]) -> Iterator[Record]:
        for record in super().records(units):
            if self.left == 0:
                self.action()
            self.left -= 1
            yield record


def interrupt() -> None:
    raise KeyboardInterrupt


def lose() -> None:
    raise LostCluster("lost the scheduler")


def test_a_folder_has_the_tables_of_the_study(tmp_path: Path) -> None:
    study = small_study()
    ended = run_study(study, tmp_path / "f", Options(backend=Here))
    assert ended.complete
    assert not ended.interrupted
    assert ended.state.ended == 12
    shown = slotwise.read_runs(tmp_path / "f")
    alone = run_here(study)
    different = ["seconds", "cpu_seconds", "pid"]
    pd.testing.assert_frame_equal(shown.drop(columns=different), alone.drop(columns=different))
    assert shown["run"].tolist() == [run.id for run in study.runs]
    csv = pd.read_csv(tmp_path / "f" / "results.csv", keep_default_na=False)
    assert csv["makespan"].tolist() == shown["makespan"].tolist()


@pytest.mark.parametrize("action", [interrupt, lose])
def test_what_has_ended_is_kept_and_not_run_again(
    tmp_path: Path, action: Callable[[], None]
) -> None:
    study, whole, parts = small_study(), tmp_path / "whole", tmp_path / "parts"
    run_study(study, whole, Options(backend=Here))
    first, second = Until(5, action), Here()
    ended = run_study(study, parts, Options(backend=lambda: first))
    assert (ended.interrupted, ended.how == "lost the scheduler") == (
        action is interrupt,
        action is lose,
    )
    assert ended.state.ended == len(slotwise.read_runs(parts)) == 5
    assert run_study(study, parts, Options(backend=lambda: second)).complete
    assert set(first.runs[:5]) | set(second.runs) == {run.id for run in study.runs}
    assert not set(first.runs[:5]) & set(second.runs)
    assert tables(parts) == tables(whole)
    sessions = json.loads((parts / "manifest.json").read_text())["sessions"]
    assert [session["ended"] for session in sessions] == [ended.how, "finished"]
    nothing = Here()
    run_study(study, parts, Options(backend=lambda: nothing))
    assert nothing.runs == []


def full(*_: object, **_names: object) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_full_disk_ends_no_campaign_and_empties_no_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study, folder, notes = small_study(), tmp_path / "f", []
    monkeypatch.setattr("slotwise.experiments.engine.campaign.EXPORT", 0.0)
    monkeypatch.setattr("slotwise.core.files.outputs._replace", full)
    ended = run_study(study, folder, Options(backend=Here, on_note=notes.append))
    assert (ended.how, ended.state.ended) == ("finished", 12)
    assert "the tables cannot be written: " in ended.reason
    assert len(notes) == 1
    assert "No space left on device" in notes[0]
    monkeypatch.undo()
    again = Here()
    assert not run_study(study, folder, Options(backend=lambda: again)).reason
    assert again.runs == []
    run_study(study, tmp_path / "whole", Options(backend=Here))
    assert tables(folder) == tables(tmp_path / "whole")


def refused(store: Store, _record: Record) -> None:
    raise OutputError(store.path, f"{store.path}: database or disk is full")


def test_a_disk_that_takes_no_more_runs_keeps_those_it_has(tmp_path: Path) -> None:
    study, folder = small_study(), tmp_path / "f"
    with pytest.MonkeyPatch.context() as patch:
        backend = Until(5, lambda: patch.setattr(Store, "add", refused))
        ended = run_study(study, folder, Options(backend=lambda: backend))
    assert (ended.how, ended.state.ended) == ("failed", 5)
    assert ended.reason.endswith(
        "database or disk is full; what is finished is kept, run again to go on"
    )
    again = Here()
    assert run_study(study, folder, Options(backend=lambda: again)).complete
    assert len(again.runs) == 7


def test_the_order_of_the_records_does_not_matter(tmp_path: Path) -> None:
    study = small_study()
    run_study(study, tmp_path / "one", Options(backend=Here))
    records = list(records_in(tmp_path / "one").items())
    (tmp_path / "two").mkdir()
    for seed in range(3):
        random.Random(seed).shuffle(records)
        export(study, dict(records), tmp_path / "two")
        assert tables(tmp_path / "two") == tables(tmp_path / "one")


def test_failed_runs_are_kept_until_they_are_retried(tmp_path: Path) -> None:
    flag = tmp_path / "flag"
    rule = own_function(
        tmp_path,
        f"if not os.path.exists({str(flag)!r}): raise ValueError('not yet')\n"
        "return slotwise.heuristic(instance, 'EFSS').schedule",
    )
    study, folder = small_study(1, [rule]), tmp_path / "f"
    assert run_study(study, folder, Options(backend=Here)).state.failed == 2
    shown = slotwise.read_runs(folder)
    assert set(shown["status"]) == {"error"}
    assert set(shown["error"]) == {"ValueError: not yet"}
    flag.touch()
    again = Here()
    run_study(study, folder, Options(backend=lambda: again))
    assert again.runs == []
    assert run_study(study, folder, Options(backend=Here, retry=True)).complete
    assert set(slotwise.read_runs(folder)["status"]) == {"feasible"}


def test_another_build_is_refused(tmp_path: Path) -> None:
    run_study(small_study(1), tmp_path, Options(backend=Here))
    record = next(iter(records_in(tmp_path).values()))
    version = record.build.split()[0]
    with Store(tmp_path) as store:
        store.add(replace(record, build=f"{version} 0123456789ab 00000000"))
    before = {file: file.read_bytes() for file in tmp_path.iterdir()}
    with pytest.raises(InputError) as told:
        run_study(small_study(2), tmp_path, Options(backend=Here))
    assert str(told.value) == (
        f"{tmp_path} holds runs of another build of slotwise ({version}, 0123456789ab); "
        "--anyway goes on, a new folder starts afresh"
    )
    assert {file: file.read_bytes() for file in tmp_path.iterdir()} == before
    assert run_study(small_study(2), tmp_path, Options(backend=Here, anyway=True)).complete


@pytest.mark.parametrize(
    ("changed", "counts"),
    [
        ("core/clock.py", True),
        ("experiments/study/workload.py", True),
        ("heuristics/mapreduce/hmhs/fifo.py", True),
        ("reports/documents/read_write.py", True),
        ("__init__.py", True),
        ("commands/gap.py", False),
        ("experiments/pages/gaps.py", False),
        ("tests/test_cli.py", False),
    ],
)
def test_another_source_is_another_build_unless_it_only_shows(
    changed: str, counts: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(build, "__file__", str(tmp_path / "experiments" / "engine" / "build.py"))
    for room in ("core", "experiments", "heuristics", "reports", "commands"):
        (tmp_path / room).mkdir()
        (tmp_path / room / "__init__.py").touch()
    file = tmp_path / changed
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("SEED = 1")
    before = build.build.__wrapped__()
    file.write_text("SEED = 2")
    assert (build.build.__wrapped__() != before) == counts


class Changed(Here):
    """Some of the runs come from a worker that does something else."""

    def __init__(self, change: Callable[[Record], Record]) -> None:
        super().__init__()
        self.change = change

    def records(self, units: Iterable[Unit]) -> Iterator[Record]:
        yield from map(self.change, super().records(units))


def test_a_makespan_below_a_proven_bound_fails_both_runs(tmp_path: Path) -> None:
    def lower(record: Record) -> Record:
        if record.method != "EFSS" or record.order > 1:
            return record
        assert record.makespan
        assert record.lower_bound
        bound = record.lower_bound / 2
        return replace(record, makespan=bound * 1.1, lower_bound=bound, host="bad", build="0.1.0 x")

    study, notes = small_study(1), []
    options = Options(backend=lambda: Changed(lower), on_note=notes.append)
    ended = run_study(study, tmp_path, options)
    assert ended.state.failed == 2
    shown = slotwise.read_runs(tmp_path)
    assert shown["status"].tolist() == ["error", "error", "feasible", "feasible"]
    assert shown["makespan"].isna().tolist() == [True, True, False, False]
    error = shown["error"][1]
    assert error == shown["error"][0] == notes[0]
    assert f"run {study.runs[1].id} (EFSS, pid {os.getpid()} on bad, 0.1.0 x): makespan" in error
    assert f"of run {study.runs[0].id} (EASS, " in error
    assert len(notes) == 1
    again = Options(backend=Here, retry=True, anyway=True)
    assert run_study(study, tmp_path, again).complete


def test_a_negative_makespan_is_no_result(tmp_path: Path) -> None:
    options = Options(
        backend=lambda: Changed(lambda record: replace(record, makespan=-5.0)),
        on_note=lambda _: None,
    )
    assert run_study(small_study(1), tmp_path, options).state.failed == 4
    assert ": makespan -5.0 is no time" in slotwise.read_runs(tmp_path)["error"][0]


def test_damaged_runs_are_told_and_run_again(tmp_path: Path) -> None:
    study, notes = small_study(), []
    run_study(study, tmp_path, Options(backend=Here))
    whole = tables(tmp_path)
    damaged = {study.runs[3].id, study.runs[7].id}
    with closing(sqlite3.connect(tmp_path / "runs.sqlite")) as connection, connection:
        change = "UPDATE runs SET record = replace(record, 'makespan', 'mokespan') WHERE run = ?"
        connection.executemany(change, [(run,) for run in damaged])
    again = Here()
    run_study(study, tmp_path, Options(backend=lambda: again, on_note=notes.append))
    assert set(again.runs) == damaged
    assert all(run in notes[0] for run in damaged)
    assert tables(tmp_path) == whole


def test_a_folder_in_use_is_refused(tmp_path: Path) -> None:
    with Store(tmp_path), pytest.raises(InputError, match="another campaign is writing there"):
        run_study(small_study(1), tmp_path, Options(backend=Here))


def test_whole_numbers_stay_whole_where_rows_lack_them(tmp_path: Path) -> None:
    plain, slots = (drawn("ljr", [0], jobs=2, nodes=3, **more) for more in ({}, {"map_slots": 3}))
    tried = [called("heuristic", "EFSS", omega=0.5), called("heuristic", "EASS")]
    study = Study("two", [Block(plain, tried), Block(slots, [called("heuristic", "TBS")])])
    run_study(study, tmp_path, Options(backend=Here))
    shown = slotwise.read_runs(tmp_path)
    types = shown.dtypes.astype(str).to_dict()
    assert (types["order"], types["jobs"], types["seed"]) == ("int64", "int64", "int64")
    assert (types["map_slots"], types["omega"], types["makespan"]) == (
        "Int64",
        "float64",
        "float64",
    )
    assert shown["omega"].isna().tolist() == [False, True, True]
    assert shown["map_slots"].isna().tolist() == [True, True, False]
    assert (tmp_path / "results.csv").read_text().splitlines()[3].split(",")[6] == "3"


def test_folders_that_are_none_are_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=f"^{tmp_path}: has no results of a campaign$"):
        slotwise.read_runs(tmp_path)
    with pytest.raises(InputError, match="nowhere: is no folder"):
        slotwise.read_runs(tmp_path / "nowhere")
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="file: is no folder"):
        run_study(small_study(1), tmp_path / "file", Options(backend=Here))


def test_workers_and_threads_fit_the_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("joblib.cpu_count", lambda: 2)
    assert [workers_for(1), workers_for(2), workers_for(1, 1)] == [2, 1, 1]
    for threads, workers, text in ((1, 3, "3 workers x 1"), (4, None, "1 workers x 4")):
        with pytest.raises(InputError, match=f"{text} threads are more than 2 cores"):
            workers_for(threads, workers)
    with pytest.raises(InputError, match="workers: need at least 1, got 0"):
        workers_for(1, 0)


def test_progress_counts_runs(tmp_path: Path) -> None:
    seen = []
    run_study(small_study(), tmp_path, Options(backend=Here, on_progress=seen.append))
    assert seen[-1].ended == seen[-1].runs == 12
    assert seen[-1].left == 0
    assert told(seen[-1]).startswith("12 of 12 runs, 0 failed, ")


def test_each_solve_is_a_unit_of_its_own() -> None:
    methods = [called("heuristic", "EFSS"), called("solve", "solve"), called("heuristic", "EASS")]
    units = list(open_units(small_study(2, methods), {}))
    kinds = sorted([run.method.name for run in unit.runs] for unit in units)
    assert kinds == [["EFSS", "EASS"]] * 4 + [["solve"]] * 4
    first = [unit.runs[0].id for unit in units]
    assert first == sorted(first)


def test_a_campaign_in_python_gives_its_frame(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(
        "slotwise.experiments.engine.campaign.Options", partial(Options, backend=Here)
    )
    Path("mine.toml").write_text(
        'seeds = 2\n[[instances]]\ngenerator = "ljr"\njobs = 2\nnodes = 3\n'
        '[[methods]]\nheuristic = ["EFSS", "EASS"]\n'
    )
    shown = slotwise.campaign("mine.toml", quiet=True)
    assert shown["method"].tolist() == ["EFSS", "EASS"] * 2
    assert Path("mine.runs", "campaign.toml").read_bytes() == Path("mine.toml").read_bytes()
    again = slotwise.campaign(small_study(1), quiet=True)
    pd.testing.assert_frame_equal(again, slotwise.read_runs("small.runs"))
    with pytest.raises(InputError, match="workers is for this machine"):
        slotwise.campaign(small_study(1), workers=2, dask="tcp://127.0.0.1:1")


def test_a_single_worker_is_a_process_of_its_own(tmp_path: Path) -> None:
    # In the driver a crash would end the campaign, and a worker leaves signals and stdout alone.
    ended = run_study(small_study(1), tmp_path, Options(workers=1))
    assert ended.complete
    assert os.getpid() not in set(slotwise.read_runs(tmp_path).pid)
