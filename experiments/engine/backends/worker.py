"""What every process does that carries out runs for another one."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress

from ...study.study import Unit
from ..record import Record
from ..watchdog import Watchdog

SHARE = 5.0
"""Seconds after which a worker hands back what it has, and the rest of its unit goes on as another
unit: so much work is lost if all is killed."""

LOOK = 0.5
"""Seconds between two looks whether the driver still lives."""

THREADS = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "NUMBA_NUM_THREADS",
)
"""Variables that libraries take the number of their threads from."""

GUARD = f"""
import os, signal, sys, time
worker = int(sys.argv[1])
while os.getppid() == worker:
    time.sleep({LOOK})
os.killpg(worker, signal.SIGKILL)
"""
"""What a process beside a worker does: when the worker is gone, all of its group end with it."""

_begun = _is_guarded = False


def begin(driver: int) -> None:
    """Leave Ctrl-C and standard output to the driver, and end when it ends.

    The first call in a process counts.
    """
    global _begun
    if _begun or driver == os.getpid():  # one worker may be the driver itself
        return
    _begun = True
    if threading.current_thread() is threading.main_thread():
        with suppress(ValueError):
            signal.signal(signal.SIGINT, signal.SIG_IGN)
    with suppress(OSError):
        os.dup2(2, 1)  # what a method prints is no part of what the command prints
    threading.Thread(target=_end_with, args=(driver,), daemon=True).start()
    guard_group()


def _end_with(driver: int) -> None:
    while os.getppid() == driver:
        time.sleep(LOOK)
    os._exit(1)


def guard_group() -> None:
    """Have all processes that a method starts end with this one, however it ends.

    They may hold what it inherited, so that whoever waits for its end would wait for theirs.
    """
    global _is_guarded
    if _is_guarded:
        return
    _is_guarded = True
    with suppress(PermissionError):  # it leads a group already
        os.setsid()
    if os.getpgrp() == os.getpid():
        nothing = subprocess.DEVNULL
        subprocess.Popen(
            [sys.executable, "-ISc", GUARD, str(os.getpid())],
            stdin=nothing, stdout=nothing, stderr=nothing, start_new_session=True,
        )  # fmt: skip


def thread_limits(threads: int) -> dict[str, str]:
    """Variables of the environment that limit the threads of libraries."""
    return {name: str(threads) for name in THREADS}


def share(unit: Unit, grace: float) -> list[Record]:
    """Carry out a unit, or as much of it as fits into `SHARE` seconds; at least one run.

    `unit`: the unit.
    """
    from ..perform import perform  # not before the threads of this process are limited

    ended: list[Record] = []
    until = time.monotonic() + SHARE
    for record in perform(unit, Watchdog(grace)):
        ended.append(record)
        if time.monotonic() >= until:
            break
    return ended
