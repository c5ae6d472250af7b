"""Runs one by one, each in a fresh process, to find out which of them kills its worker."""

from __future__ import annotations

import os
import pickle
import signal
import socket
import subprocess
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from dataclasses import replace
from tempfile import TemporaryFile
from threading import Lock
from typing import IO

from ...study.study import Run, Unit
from ..build import build_name
from ..record import CRASHED, Record
from ..watchdog import FACTOR, GRACE
from .worker import thread_limits

DIED = "worker died"
"""The error of a run that ends its process, whatever the reason and the machine."""

SAID = 4000
"""Characters that are kept of what a process said before it died."""

PREPARING = 600.0
"""Seconds that a process may take beside a run with a limit: imports, instance, compiling."""

MODULE = "slotwise.experiments.engine.one_run"


def alone(unit: Unit, grace: float = GRACE) -> Iterator[Record]:
    """The records of a unit, each run in a fresh process.

    `unit`: the unit.
    Yields one for each run as it ends: its own, or one with the status `crashed` whose traceback
    has the reason.
    """
    return all_alone([unit], grace)


def all_alone(units: Iterable[Unit], grace: float = GRACE, workers: int = 1) -> Iterator[Record]:
    """As `alone`, the runs of several units.

    `units`: the units.
    """
    processes = _Processes(grace)
    with ThreadPoolExecutor(workers) as pool:
        try:
            runs = [run for unit in units for run in runs_alone(unit)]
            for ended in as_completed([pool.submit(processes.record, run) for run in runs]):
                yield ended.result()
        finally:
            processes.end()


def runs_alone(unit: Unit) -> list[Unit]:
    """A unit for each run of a unit."""
    return [replace(unit, runs=(run,)) for run in unit.runs]


def crashed(run: Run, instance: str, reason: str) -> Record:
    """The record of a run whose worker died.

    `reason`: how it died, which may differ from place to place.
    """
    return Record(
        run=run.id,
        order=run.order,
        instance=instance,
        method=run.method.name,
        parameters=dict(run.method.parameters),
        status=CRASHED,
        error=DIED,
        traceback=reason,
        host=socket.gethostname(),
        build=build_name(),
    )


class _Processes:
    """Processes of single runs, which all end when the driver wants to."""

    def __init__(self, grace: float) -> None:
        self.grace = grace
        self._living: set[subprocess.Popen[bytes]] = set()
        self._lock, self._ended = Lock(), False

    def record(self, unit: Unit) -> Record:
        """The record of a unit's one run, from a process of its own.

        Files take what it says: a pipe would stay open as long as any child of the method lives.
        """
        (run,) = unit.runs
        with TemporaryFile() as given, TemporaryFile() as out, TemporaryFile() as log:
            pickle.dump((unit, self.grace, os.getpid()), given)
            given.seek(0)
            with self._lock:
                if self._ended:
                    return crashed(run, "", "not begun")  # which nobody reads
                paths = {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
                process = subprocess.Popen(
                    [sys.executable, "-m", MODULE],
                    stdin=given,
                    stdout=out,
                    stderr=log,
                    env=os.environ | paths | thread_limits(run.method.threads),
                    start_new_session=True,  # Ctrl-C is for the driver
                )
                self._living.add(process)
            self._wait(process, run.method.time_limit)
            with suppress(EOFError, pickle.UnpicklingError):  # it died before it was done
                ended: list[Record] = pickle.loads(_content(out))
                return ended[0]
            said = _content(log).decode(errors="replace")[-SAID:]
        reason = f"{_reason(process.returncode)}\n{said}".strip()
        return replace(crashed(run, "", reason), pid=process.pid)

    def _wait(self, process: subprocess.Popen[bytes], time_limit: float | None) -> None:
        """Until a process has ended, and then end its children."""
        limit = None if time_limit is None else FACTOR * time_limit + self.grace + PREPARING
        with suppress(subprocess.TimeoutExpired):
            process.wait(limit)
        with self._lock:
            _end_group(process)
            self._living.discard(process)
        process.wait()

    def end(self) -> None:
        """End those that live, and let no more begin."""
        with self._lock:
            self._ended = True
            for process in self._living:
                _end_group(process)


def _end_group(process: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def _content(file: IO[bytes]) -> bytes:
    file.seek(0)
    return file.read()


def _reason(code: int) -> str:
    if code >= 0:
        return f"exit status {code}"
    try:
        return f"ended by {signal.Signals(-code).name}"
    except ValueError:
        return f"ended by signal {-code}"
