"""Commands in processes of their own, and what such a process starts."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from slotwise.instances.mapreduce.generators.ljr import small
from slotwise.instances.mapreduce.instance import Instance

LONG = 120.0
"""Seconds until a test gives up; on an idle machine all takes a few."""


_started: list[subprocess.Popen] = []


def in_group(command: list[str], **options: Any) -> subprocess.Popen:
    """A process that leads a group of its own, which ends with the test at the latest."""
    process = subprocess.Popen(command, start_new_session=True, **options)
    _started.append(process)
    return process


def end_groups() -> None:
    """End what a test that failed has left at work."""
    while _started:
        process = _started.pop()
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


BEGIN = """
import signal, sys
from slotwise.cli import main
signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever started the tests may ignore it
{code}
main()
"""


def start(*words: object, folder: Path, code: str = "") -> subprocess.Popen:
    """`slotwise WORDS` in a folder, which has one for temporary files; `code` runs before it."""
    (folder / "temporary").mkdir(exist_ok=True)
    return in_group(
        [sys.executable, "-c", BEGIN.format(code=code), *map(str, words)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=folder,
        env=os.environ | {"TMPDIR": str(folder / "temporary")},
    )


def hard() -> Instance:
    """Nobody proves its optimum in seconds: the gap is 11 % after twelve."""
    return small(12, 4, seed=2, map_slots=1, reduce_slots=2, max_maps=9, max_reduces=8)


def until(condition: Callable[[], object]) -> None:
    """Wait for it; fails if that takes too long."""
    end = time.monotonic() + LONG
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def descendants(process: int) -> dict[int, str]:
    """The living processes that it started, directly or not, with their command lines."""
    parents = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            state, parent = (folder / "stat").read_text().rsplit(")", 1)[1].split()[:2]
            if state != "Z":
                line = (folder / "cmdline").read_bytes().replace(b"\0", b" ")
                parents[int(folder.name)] = int(parent), line.decode()
        except OSError:
            continue  # it has ended meanwhile
    found: dict[int, str] = {}
    new = {process}
    while new:
        new = {child for child, (parent, _) in parents.items() if parent in new}
        found |= {child: parents[child][1] for child in new}
    return found


def is_alive(process: int) -> bool:
    """Whether a process still does anything."""
    try:
        stat = Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return False
    return stat.rsplit(")", 1)[1].split()[0] not in "ZX"
