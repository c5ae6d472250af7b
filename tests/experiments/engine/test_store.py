"""The store keeps each run whole, tells what was damaged, and has one writer."""

import math
import random
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from slotwise.core.errors import InputError, OutputError
from slotwise.experiments.engine.record import Record
from slotwise.experiments.engine.store import Store, records_in


def record(run: str, **more: object) -> Record:
    return Record(run, 0, "i", "EFSS", {"omega": 0.7}, "feasible", **more)  # type: ignore[arg-type]


def filled(folder: Path, runs: int) -> dict[str, Record]:
    """A folder with runs of several sizes, some larger than a page."""
    folder.mkdir(exist_ok=True)
    rng = random.Random(7)
    with Store(folder) as store:
        for number in range(runs):
            log = [rng.random() for _ in range(rng.choice([0, 3, 3, 30, 400]))]
            name = f"{rng.getrandbits(128):032x}"
            store.add(record(name, makespan=number + 0.5, measures={"measure log": log}))
    return records_in(folder)


def test_what_is_added_is_read_again(tmp_path: Path) -> None:
    first = record("a", makespan=1 / 3, bounds={"LB1": 0.1}, measures={"share x": np.float64(0.5)})
    with Store(tmp_path) as store:
        assert store.add(first) == first
        crashed = Record("b", 1, "", "mine", {}, "crashed", error="worker \ud800", traceback="x\ny")
        store.add(crashed)
        assert records_in(tmp_path).keys() == {"a", "b"}  # readers need not wait for the writer
    assert records_in(tmp_path) == {"a": first, "b": crashed}
    assert [path.name for path in tmp_path.iterdir()] == ["runs.sqlite"]


def test_numbers_that_are_not_finite_are_missing(tmp_path: Path) -> None:
    with Store(tmp_path) as store:
        kept = store.add(record("a", gap=math.inf, measures={"wait": math.nan, "n": np.int64(3)}))
    assert (kept.gap, kept.measures) == (None, {"wait": None, "n": 3})


def test_the_later_record_of_a_run_counts(tmp_path: Path) -> None:
    with Store(tmp_path) as store:
        store.add(record("a", error="first"))
        store.add(record("a"))
    assert records_in(tmp_path)["a"].error == ""


def test_a_second_writer_is_kept_out(tmp_path: Path) -> None:
    with Store(tmp_path):
        with pytest.raises(InputError) as told:
            Store(tmp_path)
        assert str(told.value) == f"{tmp_path}: another campaign is writing there"
    Store(tmp_path).close()


def test_a_folder_without_runs_has_no_records(tmp_path: Path) -> None:
    assert records_in(tmp_path) == {}
    (tmp_path / "runs.sqlite").touch()  # its writer was killed at once
    assert records_in(tmp_path) == {}


def test_what_a_killed_writer_added_is_there(tmp_path: Path) -> None:
    with Store(tmp_path / ".") as store:
        store.add(record("a"))
        shutil.copytree(tmp_path, killed := tmp_path / "killed")
    assert (killed / "runs.sqlite-wal").exists()
    assert records_in(killed).keys() == {"a"}
    with Store(killed) as store:
        assert store.records.keys() == {"a"}


def test_flipped_bits_change_nothing_or_are_told(tmp_path: Path) -> None:
    """Of 200 copies with one bit each that differs, none says anything else without a word."""
    written = filled(tmp_path / "whole", 25)
    content = (tmp_path / "whole" / "runs.sqlite").read_bytes()
    flipped, told = tmp_path / "runs.sqlite", 0
    for seed in range(200):
        rng, copy = random.Random(seed), bytearray(content)
        copy[rng.randrange(len(copy))] ^= 1 << rng.randrange(8)
        flipped.write_bytes(copy)
        try:
            found = records_in(tmp_path)
        except InputError:
            told += 1
        else:
            assert found == written, seed
    assert told > 50


@pytest.mark.parametrize("how", ["a value", "a page"])
def test_damaged_rows_are_set_aside_and_named(tmp_path: Path, how: str) -> None:
    written, path = filled(tmp_path, 60), tmp_path / "runs.sqlite"
    name = list(written)[20]
    if how == "a value":  # as with an editor: the digest is another one
        with closing(sqlite3.connect(path)) as connection, connection:
            change = "UPDATE runs SET record = replace(record, '20.5', '-5') WHERE run = ?"
            assert connection.execute(change, (name,)).rowcount == 1
    else:
        content = bytearray(path.read_bytes())
        page = content.index(f'"run": "{name}'.encode()) // 4096 * 4096
        content[page : page + 8] = bytes(8)
        path.write_bytes(content)
    damaged = path.read_bytes()
    with pytest.raises(InputError, match="slotwise campaign sets them aside and runs them again"):
        records_in(tmp_path)
    with Store(tmp_path) as store:
        left = store.records
        assert store.damage.startswith(f"{path}: damaged: ")
        assert "; set aside as runs.damaged-1.sqlite, what is missing runs again" in store.damage
    assert name not in left
    assert 40 <= len(left) < 60
    assert left.items() <= written.items()
    if how == "a value":
        assert left.keys() == written.keys() - {name}
        assert name in store.damage
    assert records_in(tmp_path) == left
    assert (tmp_path / "runs.damaged-1.sqlite").read_bytes() == damaged


def test_a_file_that_tells_nothing_is_refused(tmp_path: Path) -> None:
    filled(tmp_path, 3)
    path = tmp_path / "runs.sqlite"
    for content in (b"x" * 9000, path.read_bytes()[:4096], path.read_bytes()[4096:]):
        path.write_bytes(content)
        for ask in (records_in, Store):
            with pytest.raises(InputError, match=r"runs\.sqlite: "):
                ask(tmp_path)
        assert path.read_bytes() == content


def test_a_full_disk_keeps_what_is_there(tmp_path: Path) -> None:
    with Store(tmp_path) as store:
        store.add(record("a"))
        assert store._connection
        store._connection.execute("PRAGMA max_page_count = 3")
        with pytest.raises(OutputError, match="database or disk is full"):
            store.add(record("large", traceback="x" * 100_000))
    assert records_in(tmp_path) == {"a": record("a")}
    with Store(tmp_path) as store:
        store.add(record("b"))
    assert records_in(tmp_path).keys() == {"a", "b"}
