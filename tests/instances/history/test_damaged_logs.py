"""Logs that are cut, reordered, repeated or corrupted: no crash, and every loss is counted."""

import json
import random
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import logged_runs
import logged_spark
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from slotwise import InputError
from slotwise.core.files.log_lines import DAMAGED
from slotwise.instances.history.hadoop import jhist, jhist_events
from slotwise.instances.history.hadoop.jhist_run import read_jhist
from slotwise.instances.history.reading import read_run
from slotwise.instances.history.run import Outcome, Run
from slotwise.instances.history.run_file import RunDocument, run_document
from slotwise.instances.history.spark import events as spark
from slotwise.instances.history.spark import reader
from slotwise.instances.history.spark.reader import read_spark_log

SPARK, SPARK_EVENTS = logged_spark.spark_run(3)
SPARK_LINES = logged_spark.lines_of(SPARK_EVENTS)
YARN = logged_runs.hadoop_run(5, yarn=True)
JHIST = logged_runs.jhist_text(logged_runs.jhist_events(YARN))
RUMEN = logged_runs.rumen_trace(logged_runs.hadoop_run(2)).encode()

seeds = st.integers(0, 2**32)


def read_bytes(content: bytes, read: Callable[[Path], Run] = read_run) -> Run:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "log.jhist"
        path.write_bytes(content)
        return read(path)


def read_or_refused(content: bytes, read: Callable[[Path], Run] = read_run) -> Run | str:
    """The run, or the one line that says why there is none."""
    try:
        return read_bytes(content, read)
    except InputError as error:
        message = str(error)
    return message


def ends_whole(content: bytes) -> bool:
    """Whether the last line is not cut within its JSON."""
    last = content.rpartition(b"\n")[2]
    try:
        return not last or bool(json.loads(last))
    except ValueError:
        return False


def read_jhist_run(path: Path) -> Run:
    return read_jhist(path).made


def told(run: Run) -> Run:
    """Without the notes and what was left out."""
    return replace(run, notes=(), dropped={})


def keys(run: Run) -> set[tuple[int, ...]]:
    """What says which attempt is which: executors and stages may be fewer in a part of a log."""
    columns = (run.attempts.task, run.attempts.number, run.attempts.start + run.origin)
    return set(zip(*(column.tolist() for column in columns), strict=True))


@settings(max_examples=30, deadline=None)
@given(seeds)
def test_the_order_of_the_lines_says_nothing(seed: int) -> None:
    lines = SPARK_LINES.copy()
    random.Random(seed).shuffle(lines)
    assert told(read_bytes(b"".join(lines), read_spark_log)) == SPARK
    first, schema, *rest = JHIST.splitlines(keepends=True)
    random.Random(seed).shuffle(rest)
    again = read_bytes(b"".join([first, schema, *rest]), read_jhist_run)
    assert again == read_bytes(JHIST, read_jhist_run)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(0, len(SPARK_LINES) - 1), min_size=1, max_size=20))
def test_repeated_lines_are_counted(repeated: list[int]) -> None:
    lines = [*SPARK_LINES, *(SPARK_LINES[k] for k in repeated)]
    run = read_bytes(b"".join(lines), read_spark_log)
    assert told(run) == SPARK
    ends = sum(b"TaskEnd" in SPARK_LINES[k] for k in repeated)
    assert run.dropped == ({reader.REPEATED: ends} if ends else {})


@settings(max_examples=30, deadline=None)
@given(st.data())
def test_repeated_events_of_a_jhist_are_counted(data: st.DataObject) -> None:
    lines = JHIST.splitlines(keepends=True)
    needed = [line for line in lines[2:] if b"JOB_INFO" not in line]
    repeated = data.draw(st.lists(st.sampled_from(needed), min_size=1, max_size=9))
    run = read_bytes(b"".join([*lines, *repeated]), read_jhist_run)
    assert told(run) == told(read_bytes(JHIST, read_jhist_run))
    assert run.dropped == {jhist.REPEATED: len(repeated)}


@settings(max_examples=50, deadline=None)
@given(st.integers(0, len(b"".join(SPARK_LINES)) - 1))
def test_a_spark_log_may_end_anywhere(length: int) -> None:
    content = b"".join(SPARK_LINES)[:length]
    run = read_or_refused(content, read_spark_log)
    if isinstance(run, str):
        assert "0 tasks ended" in run or "no event log" in run
        return
    whole = ends_whole(content)
    assert run.dropped == ({} if whole else {spark.CUT: 1})
    assert run.complete == (whole and b"ApplicationEnd" in content)
    assert run.complete or "the log ends before the application does" in run.notes
    assert keys(run) <= keys(SPARK)
    lines = content.split(b"\n")
    ended = sum(b"TaskEnd" in line for line in (lines if whole else lines[:-1]))
    assert np.count_nonzero(run.attempts.outcome != Outcome.UNFINISHED) == ended


@settings(max_examples=20, deadline=None)
@given(st.integers(0, len(JHIST) - 1))
def test_a_jhist_may_end_anywhere(length: int) -> None:
    run = read_or_refused(JHIST[:length], read_jhist_run)
    if isinstance(run, str):
        return
    assert run.dropped == ({} if ends_whole(JHIST[:length]) else {jhist_events.CUT: 1})
    assert keys(run) <= keys(YARN)


@pytest.mark.parametrize("form", ["zstd", "lz4", "gzip"])
@settings(max_examples=20, deadline=None)
@given(part=st.floats(0.2, 0.99))
def test_a_compressed_log_may_end_anywhere(form: str, part: float) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = logged_spark.written(Path(folder), SPARK_LINES, form)
        content = path.read_bytes()
    run = read_or_refused(content[: int(len(content) * part)], read_spark_log)
    if isinstance(run, str):
        return
    assert not run.complete
    assert set(run.dropped) <= {spark.CUT, DAMAGED}
    assert keys(run) <= keys(SPARK)


@settings(max_examples=30, deadline=None)
@given(st.sets(st.integers(0, len(SPARK_LINES) - 1), min_size=1, max_size=9), seeds)
def test_lines_of_noise_are_counted(places: set[int], seed: int) -> None:
    rng = random.Random(seed)
    lines = [
        rng.randbytes(rng.randint(1, 200)).replace(b"\n", b"") + b"#\n" if k in places else line
        for k, line in enumerate(SPARK_LINES)
    ]
    run = read_or_refused(b"".join(lines), read_spark_log)
    if isinstance(run, str):
        return
    assert run.dropped[spark.NOT_JSON] == len(places)
    lost = sum(b"TaskEnd" in SPARK_LINES[k] for k in places)
    ended = np.count_nonzero(run.attempts.outcome != Outcome.UNFINISHED)
    assert ended == len(SPARK.attempts) - lost


@pytest.mark.parametrize(
    "content", [b"".join(SPARK_LINES), JHIST, RUMEN], ids=["spark", "jhist", "rumen"]
)
@settings(max_examples=50, deadline=None)
@given(seed=seeds, number=st.integers(1, 12))
def test_bytes_that_change_never_crash(content: bytes, seed: int, number: int) -> None:
    rng = random.Random(seed)
    changed = bytearray(content)
    for _ in range(number):
        place = rng.randrange(len(changed))
        kind = rng.randrange(3)
        if kind == 0:
            changed[place] = rng.randrange(256)
        elif kind == 1:
            del changed[place : place + rng.randint(1, 30)]
        else:
            changed[place:place] = rng.choice(
                [b"9" * 30, b"-1", b"null", b"{", b'"', b"\xff", b"\n"]
            )
    run = read_or_refused(bytes(changed))
    if isinstance(run, Run):
        assert RunDocument.model_validate(run_document(run)).name == run.name
    else:
        assert "\n" not in run


@settings(max_examples=20, deadline=None)
@given(seed=seeds)
def test_values_of_other_kinds_never_crash(seed: int) -> None:
    rng = random.Random(seed)

    def spoiled(value: object) -> object:
        if rng.random() < 0.02:
            return rng.choice([None, "x", -5, 2**70, 1.5, [], {}, True, "", 10**14])
        if isinstance(value, dict):
            return {key: spoiled(inner) for key, inner in value.items()}
        return [spoiled(inner) for inner in value] if isinstance(value, list) else value

    events = [spoiled(event) for event in SPARK_EVENTS]
    run = read_or_refused(b"".join(logged_spark.lines_of(events)), read_spark_log)
    if isinstance(run, Run):
        assert RunDocument.model_validate(run_document(run)).name == run.name
    else:
        assert "\n" not in run
