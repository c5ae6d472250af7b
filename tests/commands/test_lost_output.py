"""Results that find no place at the end of a command, as another process sees it."""

import json
import os
import resource
import stat
import subprocess
import sys

import pytest
from processes import in_group

from slotwise import write
from slotwise.instances.mapreduce.generators.ljr import small
from slotwise.instances.mapreduce.instance_file import instance_document


@pytest.fixture
def problem():
    return small(3, 2, seed=3, max_maps=3, max_reduces=2)


@pytest.fixture
def start(tmp_path, problem):
    """A function that starts a command in a folder of its own."""
    (tmp_path / "work").mkdir()
    write(problem, tmp_path / "work" / "toy.json")

    def started(*arguments, stdout=subprocess.PIPE, shell="", **options):
        command = [sys.executable, "-m", "slotwise", *map(str, arguments)]
        if shell:
            command = ["sh", "-c", f'exec "$0" "$@" {shell}', *command]
        return in_group(
            command,
            stdout=stdout,
            stderr=subprocess.PIPE,
            text=True,
            cwd=tmp_path / "work",
            **options,
        )

    return started


@pytest.fixture
def full(tmp_path):
    """A private device that is always full."""
    path = tmp_path / "full"
    try:
        os.mknod(path, 0o666 | stat.S_IFCHR, os.makedev(1, 7))
        with path.open("wb") as stream:
            return stream.name
    except OSError:
        pytest.skip("cannot make a device node here")


def test_folder_that_goes_while_the_command_works(start, tmp_path, problem):
    pipe, folder = tmp_path / "pipe", tmp_path / "folder"
    os.mkfifo(pipe)
    folder.mkdir()
    process = start("explain", "sequence", pipe, "-o", folder / "x.txt")
    with pipe.open("w") as stream:  # waits until the command reads, which is after its checks
        folder.rmdir()
        stream.write(json.dumps(instance_document(problem)))
    out, err = process.communicate(timeout=100)
    assert process.returncode == 2
    assert err.count("\n") == 1
    assert err.endswith("folder' does not exist\n")
    assert "(10)" in out


def test_stdout_that_is_full(start, tmp_path, full):
    for words, where in (
        ((), "standard output"),
        (("-o", "x.txt"), "standard output"),
        (("-o", "-"), "-"),
    ):
        with open(full, "w") as stdout:
            process = start("explain", "sequence", *words, stdout=stdout)
        _, err = process.communicate(timeout=100)
        assert process.returncode == 2
        assert err == f"slotwise: {where}: No space left on device\n"
    assert (tmp_path / "work" / "x.txt").stat().st_size > 1000


@pytest.mark.parametrize("output", [(), ("-o", "-")])
def test_reader_that_has_gone(start, output):
    read, write = os.pipe()
    os.close(read)
    process = start("explain", "sequence", *output, stdout=write)
    os.close(write)
    _, err = process.communicate(timeout=100)
    assert (process.returncode, err) == (0, "")


def test_reader_that_has_read_enough(start):
    # Longer than what a pipe holds.
    line = "generate ljr --seed 1 --jobs 40 --nodes 40 -o -"
    process = start(*line.split())
    assert process.stdout.read(10) == '{"format":'
    process.stdout.close()
    assert process.stderr.read() == ""
    assert process.wait(100) == 0


def test_closed_stdout(start):
    process = start("bounds", "toy.json", shell=">&-")
    _, err = process.communicate(timeout=100)
    assert (process.returncode, err) == (0, "")
    process = start("explain", "sequence", "-o", "-", shell=">&-")
    _, err = process.communicate(timeout=100)
    assert (process.returncode, err) == (2, "slotwise: -: standard output is closed\n")


def test_no_room(start, tmp_path):
    def limited():
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))

    process = start("explain", "sequence", "-o", "x.txt", preexec_fn=limited)
    out, err = process.communicate(timeout=100)
    assert process.returncode == 2
    assert err == "slotwise: x.txt: File too large\n"
    assert "(10)" in out
    assert [path.name for path in (tmp_path / "work").iterdir()] == ["toy.json"]
