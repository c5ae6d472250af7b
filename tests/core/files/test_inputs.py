"""How much is read, and from what."""

import gzip
import io
import os
import random
import re
import sys
import threading
import time

import pytest

from slotwise import write
from slotwise.core.errors import InputError
from slotwise.core.files import inputs
from slotwise.core.files.inputs import read_bytes, read_text
from slotwise.instances.mapreduce.generators.ljr import small
from slotwise.instances.mapreduce.importers.rumen import read_rumen
from slotwise.instances.mapreduce.instance_file import read_instance

TEXT = b"".join(b"line %d\n" % k for k in range(2000))


@pytest.fixture
def sizes(monkeypatch):
    """A limit of some kilobytes, so that tests need no gigabytes."""
    monkeypatch.setattr(inputs, "MOST_BYTES", 50_000)
    monkeypatch.setattr(inputs, "_CHUNK", 1000)


@pytest.fixture
def pipe(tmp_path):
    """A function that feeds a pipe and gives its path."""

    def feed(*pieces, count=0):
        path = tmp_path / f"pipe{count}"
        os.mkfifo(path)

        def write():
            try:
                with path.open("wb", buffering=0) as stream:
                    for number, piece in enumerate(pieces):
                        if number == 1:
                            time.sleep(0.1)  # the reader sees the first piece alone
                        stream.write(piece)
            except BrokenPipeError:
                pass

        threading.Thread(target=write, daemon=True).start()
        return path

    return feed


def refused(path, read=read_bytes):
    with pytest.raises(InputError) as error:
        read(path)
    assert str(error.value).startswith(f"{path}: ")
    return str(error.value)


@pytest.mark.parametrize("zipped", [False, True])
def test_files_pipes_and_stdin_give_the_same(tmp_path, pipe, monkeypatch, zipped):
    content = gzip.compress(TEXT) if zipped else TEXT
    file = tmp_path / "file"
    file.write_bytes(content)
    assert read_bytes(file) == TEXT
    # A pipe may give a single byte first.
    assert read_bytes(pipe(content[:1], content[1:7], content[7:])) == TEXT
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
    assert read_bytes("-") == TEXT


def test_stdin_begins_where_it_stands(tmp_path, monkeypatch):
    file = tmp_path / "file"
    file.write_bytes(b"read by another\n" + TEXT)
    with file.open("rb", buffering=0) as stream:
        stream.seek(16)
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(stream)))
        assert read_bytes("-") == TEXT


def test_closed_stdin(monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    assert "stdin is closed" in refused("-")


def test_members_and_padding_of_gzip(tmp_path):
    file = tmp_path / "file"
    file.write_bytes(gzip.compress(TEXT) + gzip.compress(TEXT) + bytes(100))
    assert read_bytes(file) == TEXT + TEXT
    file.write_bytes(gzip.compress(TEXT)[:-3])
    assert "truncated or damaged gzip" in refused(file)


def test_an_input_is_as_long_as_the_limit_at_most(tmp_path, sizes):
    file = tmp_path / "file"
    noise = "".join(random.Random(1).choices("abc\n", k=50_001)).encode()
    for content in (noise, gzip.compress(noise), gzip.compress(bytes(10**6))):
        file.write_bytes(content)
        assert "more than 5e-05 GB of text" in refused(file)
    file.write_bytes(noise[:-1])
    assert read_bytes(file) == noise[:-1]


def test_an_endless_pipe_ends(pipe, sizes):
    assert "more than 5e-05 GB" in refused(pipe(*(b"y\n" for _ in range(10**5))))


def test_text(tmp_path):
    file = tmp_path / "file"
    file.write_bytes(b"\xef\xbb\xbfa\r\n\nb")
    assert read_text(file) == "a\r\n\nb"
    file.write_bytes(b"a\nb\xff\n")
    assert "not UTF-8 text (byte 3)" in refused(file, read_text)


def test_names_that_are_no_files(tmp_path):
    assert "Is a directory" in refused(tmp_path)
    assert "No such file" in refused(tmp_path / "none")
    assert "File name too long" in refused(tmp_path / ("x" * 300))
    with pytest.raises(InputError, match="holds no NUL"):
        read_bytes("a\0b")


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("1e400", "need a finite number, got inf"),
        ("9" * 5000, "a number has more than 4300 digits"),
        ("-" + "9" * 400, "need a finite number"),
        (100_000 * "[", "JSON is nested too deeply"),
        (700 * "[" + 700 * "]", "JSON is nested too deeply"),
        (300 * '{"a":' + "1" + 300 * "}", "JSON is nested too deeply"),
    ],
    ids=["1e400", "5000 digits", "400 digits", "deep", "lists", "objects"],
)
def test_json_without_bounds(tmp_path, value, message):
    file = tmp_path / "file.json"
    write(small(2, 2, seed=1), file)
    text = re.sub(r'("processing": )[0-9.]+', lambda found: found[1] + value, file.read_text())
    file.write_text(text)
    assert message in refused(file, read_instance)
    file.write_text(f'{{"jobID": "a", "submitTime": {value}}}')
    if value[0] in "[9":
        assert message in refused(file, read_rumen)
