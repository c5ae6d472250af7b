"""Where the bytes of an output go, and what stays as it was."""

import errno
import gzip
import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from slotwise.core.errors import InputError, OutputError
from slotwise.core.files import outputs
from slotwise.core.files.outputs import (
    check_ending,
    check_writable,
    is_replaced,
    takes_stdout,
    write_bytes,
)

AS_ROOT = os.geteuid() == 0


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture
def umask():
    before = os.umask(0o027)
    yield 0o027
    os.umask(before)


def test_a_new_file_obeys_the_umask(tmp_path, umask):
    write_bytes(tmp_path / "new", b"1")
    assert mode(tmp_path / "new") == 0o640


@pytest.mark.parametrize("bits", [0o600, 0o660, 0o755, 0o200])
def test_an_old_file_keeps_its_mode(tmp_path, umask, bits):
    path = tmp_path / "old"
    path.write_bytes(b"0")
    path.chmod(bits)
    write_bytes(path, b"1")
    assert mode(path) == bits
    path.chmod(0o600)
    assert path.read_bytes() == b"1"


@pytest.mark.parametrize("bits", [0o400, 0o444, 0o555])
def test_a_read_only_file_is_refused_even_to_root(tmp_path, bits):
    path = tmp_path / "old"
    path.write_bytes(b"0")
    path.chmod(bits)
    for step in (check_writable, lambda p: write_bytes(p, b"1")):
        with pytest.raises(InputError, match=f"read-only .mode {bits:o}"):
            step(path)
    assert path.read_bytes() == b"0"


def test_links_are_followed(tmp_path):
    (tmp_path / "folder").mkdir()
    target = tmp_path / "folder" / "target"
    chain, link = tmp_path / "chain", tmp_path / "link"
    chain.symlink_to("folder/target")
    link.symlink_to("chain")
    for content in (b"1", b"2"):  # first, the link leads to nothing
        write_bytes(link, content)
        assert target.read_bytes() == content
    assert link.is_symlink()
    assert chain.is_symlink()
    (tmp_path / "lost").symlink_to("none/target")
    with pytest.raises(InputError, match="none' does not exist"):
        check_writable(tmp_path / "lost")


def test_gzip_by_the_name(tmp_path):
    write_bytes(tmp_path / "a.gz", b"text")
    assert gzip.decompress((tmp_path / "a.gz").read_bytes()) == b"text"
    content = (tmp_path / "a.gz").read_bytes()
    write_bytes(tmp_path / "b.gz", b"text")
    assert (tmp_path / "b.gz").read_bytes() == content


def test_a_pipe_is_written_to(tmp_path):
    pipe, content = tmp_path / "pipe", os.urandom(300_000)
    os.mkfifo(pipe)
    found = []
    reader = threading.Thread(target=lambda: found.append(pipe.read_bytes()), daemon=True)
    reader.start()
    write_bytes(pipe, content)
    reader.join(10)
    assert found == [content]
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert not is_replaced(pipe)


def node(path, minor):
    """A private character device: 3 swallows everything, 7 is always full."""
    try:
        os.mknod(path, 0o666 | stat.S_IFCHR, os.makedev(1, minor))
        path.open("wb").close()
    except OSError:
        pytest.skip("cannot make a device node here")
    return path


def test_a_device_is_written_to(tmp_path):
    null = node(tmp_path / "null", 3)
    write_bytes(null, b"1")
    assert stat.S_ISCHR(null.stat().st_mode)
    full = node(tmp_path / "full", 7)
    with pytest.raises(OutputError, match="No space left") as error:
        write_bytes(full, b"result")
    assert error.value.errno == errno.ENOSPC


def test_a_file_is_on_the_disk_before_it_has_its_name(tmp_path, monkeypatch):
    steps = []

    def fsync(handle, real=os.fsync):
        steps.append("sync")
        real(handle)

    def replace(*paths, real=os.replace):
        steps.append("rename")
        real(*paths)

    monkeypatch.setattr(os, "fsync", fsync)
    monkeypatch.setattr(os, "replace", replace)
    write_bytes(tmp_path / "a", b"1")
    assert steps == ["sync", "rename"]


@pytest.mark.parametrize("step", ["open", "fchmod", "fsync", "replace"])
def test_what_fails_leaves_everything_as_it_was(tmp_path, monkeypatch, step):
    path = tmp_path / "old"
    path.write_bytes(b"0")

    def fail(*_, **__):
        raise OSError(errno.EDQUOT, "Disk quota exceeded")

    with monkeypatch.context() as patch:
        patch.setattr(os, step, fail)
        with pytest.raises(OutputError, match="old: Disk quota exceeded"):
            write_bytes(path, b"1")
    assert path.read_bytes() == b"0"
    assert list(tmp_path.iterdir()) == [path]


def test_a_full_file_system(tmp_path):
    mounted = tmp_path / "small"
    mounted.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(mounted)]
    if not AS_ROOT or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("cannot mount a small file system here")
    try:
        write_bytes(mounted / "a", b"0" * 10_000)
        with pytest.raises(OutputError, match="No space left on device"):
            write_bytes(mounted / "a", b"1" * 100_000)
        assert (mounted / "a").read_bytes() == b"0" * 10_000
        assert [path.name for path in mounted.iterdir()] == ["a"]
    finally:
        subprocess.run(["umount", str(mounted)], check=True)


def test_longest_names(tmp_path):
    path = tmp_path / ("x" * 255)
    write_bytes(path, b"1")
    assert path.read_bytes() == b"1"
    with pytest.raises(InputError, match="File name too long"):
        check_writable(tmp_path / ("x" * 256))
    with pytest.raises(InputError, match="null"):
        check_writable("a\0b")


def test_endings():
    assert check_ending("a/b.SVG", (".png", ".svg"), "a plot") == ".svg"
    assert check_ending("-", (".png", ".svg"), "a plot") == ".svg"
    with pytest.raises(InputError, match=r"a plot needs a name ending in \.png or \.svg"):
        check_ending("svg", (".png", ".svg"), "a plot")


LEADS_TO_STDOUT = """
import sys
from slotwise.core.files.outputs import is_replaced, takes_stdout, write_bytes
link, other = sys.argv[1:]
assert takes_stdout(link) and not is_replaced(link)
assert not takes_stdout(other) and is_replaced(other)
print("before")
write_bytes(link, b"result\\n")
"""


@pytest.mark.parametrize("kind", ["pipe", "file"])
def test_a_path_that_leads_to_stdout(tmp_path, kind):
    link, log = tmp_path / "link", tmp_path / "log"
    link.symlink_to("/proc/self/fd/1")
    if not Path("/proc/self/fd").is_dir():
        pytest.skip("no /proc here")
    log.write_text("old\n")
    command = [sys.executable, "-c", LEADS_TO_STDOUT, str(link), str(tmp_path / "other")]
    with log.open("ab") as stream:
        target = subprocess.PIPE if kind == "pipe" else stream
        done = subprocess.run(command, stdout=target, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 0, done.stderr
    # What a log holds already is not replaced.
    found = done.stdout if kind == "pipe" else log.read_bytes().removeprefix(b"old\n")
    assert found == b"before\nresult\n"


def test_stdout_that_is_no_file(capsys):
    write_bytes("-", b"result")
    assert capsys.readouterr().out == "result"
    assert takes_stdout("-")
    assert not is_replaced("-")
    assert outputs.STANDARD == "-"
