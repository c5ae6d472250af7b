"""The journal keeps whole lines, whatever cuts it short, and has one writer."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

from slotwise.experiments.engine.journal import Journal, records_in
from slotwise.experiments.engine.record import Record
from slotwise.instances.errors import InputError


def record(run: str, **more: object) -> Record:
    return Record(run, 0, "i", "EFSS", {"omega": 0.7}, "feasible", **more)  # type: ignore[arg-type]


def test_what_is_added_is_read_again(tmp_path: Path) -> None:
    first = record("a", makespan=1 / 3, bounds={"LB1": 0.1}, measures={"share x": np.float64(0.5)})
    with Journal(tmp_path) as journal:
        assert journal.add(first) == first
        crashed = Record("b", 1, "", "mine", {}, "crashed", error="worker died", traceback="x\ny")
        journal.add(crashed)
    assert records_in(tmp_path) == {"a": first, "b": crashed}


def test_numbers_that_are_not_finite_are_missing(tmp_path: Path) -> None:
    with Journal(tmp_path) as journal:
        kept = journal.add(record("a", gap=math.inf, measures={"wait": math.nan, "n": np.int64(3)}))
    assert (kept.gap, kept.measures) == (None, {"wait": None, "n": 3})
    (line,) = (tmp_path / "journal.jsonl").read_text().splitlines()
    json.loads(line, parse_constant=pytest.fail)


@pytest.mark.parametrize("rest", [b"", b"\0" * 9])
def test_a_torn_last_line_is_cut_off(tmp_path: Path, rest: bytes) -> None:
    with Journal(tmp_path) as journal:
        journal.add(record("a"))
        journal.add(record("b"))
        journal.add(record("c"))
    path = tmp_path / "journal.jsonl"
    content = path.read_bytes()
    whole = content[: content.rindex(b"\n", 0, -1) + 1]
    for cut in range(len(whole), len(content)):
        path.write_bytes(content[:cut] + rest)
        assert records_in(tmp_path).keys() == {"a", "b"}  # readers do not need the writer's repair
        with Journal(tmp_path) as journal:
            journal.add(record("d"))
        assert path.read_bytes().startswith(whole)
        assert records_in(tmp_path).keys() == {"a", "b", "d"}


def test_a_damaged_line_is_named(tmp_path: Path) -> None:
    with Journal(tmp_path) as journal:
        for name in "abc":
            journal.add(record(name))
    path = tmp_path / "journal.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    for damaged in (lines[1][9:], b'{"run": "b"}\n', b"[]\n", b"\xff\xfe\n"):
        path.write_bytes(lines[0] + damaged + lines[2])
        with pytest.raises(InputError) as told:
            records_in(tmp_path)
        assert str(told.value) == (
            f"{path}: line 2 is damaged; move it away to run again what it held"
        )


def test_the_later_line_of_a_run_counts(tmp_path: Path) -> None:
    with Journal(tmp_path) as journal:
        journal.add(record("a", error="first"))
        journal.add(record("a"))
    assert records_in(tmp_path)["a"].error == ""


def test_a_second_writer_is_kept_out(tmp_path: Path) -> None:
    with Journal(tmp_path):
        with pytest.raises(InputError) as told:
            Journal(tmp_path)
        assert str(told.value) == f"{tmp_path}: another campaign is writing there"
    Journal(tmp_path).close()


def test_a_folder_without_a_journal_has_no_records(tmp_path: Path) -> None:
    assert records_in(tmp_path) == {}
