"""Limits of the process that runs a submission: they stop accidents, not attackers.

Everything here is done by the process to itself before the submission is loaded. What the system
does not offer is left out and named.
"""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path

MOST_FILE = 1_000_000
"""Longest file (bytes) that can be written."""

MOST_FILES = 64
MORE_PROCESSES = 256
"""Processes and threads beyond those that the user has already."""

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36

SWEEPS = 1000


def limit(memory: int, seconds: int) -> list[str]:
    """Set the limits of this process and of what it starts.

    `memory`: address space (bytes).
    `seconds`: processor time (s).
    Returns what the system would not limit.
    """
    missing = []
    wanted = [
        ("RLIMIT_AS", memory, "memory"),
        ("RLIMIT_CPU", seconds, "processor time"),
        ("RLIMIT_FSIZE", MOST_FILE, "file size"),
        ("RLIMIT_NOFILE", MOST_FILES, "open files"),
        ("RLIMIT_CORE", 0, "core dumps"),
        ("RLIMIT_NPROC", _processes() + MORE_PROCESSES, "processes"),
    ]
    for name, value, what in wanted:
        try:
            number = getattr(resource, name)
            _, most = resource.getrlimit(number)
            value = value if most == resource.RLIM_INFINITY else min(value, most)
            resource.setrlimit(number, (value, value))
        except (AttributeError, OSError, ValueError):
            missing.append(what)
    with suppress(AttributeError):
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    return missing


def end_with_parent(number: int) -> None:
    """Get this signal when the process that started this one ends, where the system can."""
    _prctl(PR_SET_PDEATHSIG, number)


def adopt() -> None:
    """Become the parent of every process below whose own parent ends, where the system can."""
    _prctl(PR_SET_CHILD_SUBREAPER, 1)


def end_all(group: int | None = None) -> None:
    """Kill a process group and all processes below this one, whatever group they are in."""
    if group is None and not _children():
        return
    for _ in range(SWEEPS):
        with suppress(OSError):
            if group is not None:
                os.killpg(group, signal.SIGKILL)
        for child in _children():
            with suppress(OSError):
                os.kill(child, signal.SIGKILL)
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        time.sleep(0.005)


def _children() -> list[int]:
    with suppress(OSError, ValueError):
        text = Path(f"/proc/self/task/{os.getpid()}/children").read_text()
        return [int(word) for word in text.split()]
    return []


def _processes() -> int:
    """Processes and threads of this user."""
    user, number = os.getuid(), 0
    with suppress(OSError):
        for entry in os.scandir("/proc"):
            with suppress(OSError):
                if entry.name.isdigit() and entry.stat().st_uid == user:
                    number += len(os.listdir(f"/proc/{entry.name}/task"))
    return number


def _prctl(option: int, value: int) -> None:
    if sys.platform.startswith("linux"):
        with suppress(OSError):
            ctypes.CDLL(None).prctl(option, value, 0, 0, 0)
