"""Runs one by one, each in a fresh process, to find out which of them kills its worker."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import replace
from threading import Lock

from ...study.study import Run, Unit
from ..record import CRASHED, Record
from ..watchdog import GRACE
from ..wire import record_of, runs_alone, unit_document
from .worker import thread_limits

DIED = "worker died"
"""The error of a run that ends its process, whatever the reason and the machine."""

SAID = 4000
"""Characters that are kept of what a process said before it died."""

MODULE = "slotwise.experiments.engine.one_run"


def alone(unit: Unit, grace: float = GRACE, workers: int = 1) -> Iterator[Record]:
    """The records of a unit, each run in a fresh process.

    Parameters
    ----------
    unit
        The unit.
    grace
        As of `Watchdog`.
    workers
        Processes side by side.

    Yields
    ------
    Record
        One for each run as it ends: its own, or one with the status `crashed` whose traceback has
        the reason.
    """
    yield from all_alone([unit], grace, workers)


def all_alone(units: Iterable[Unit], grace: float = GRACE, workers: int = 1) -> Iterator[Record]:
    """As `alone`, the runs of several units.

    Parameters
    ----------
    units
        The units.
    grace
        As of `Watchdog`.
    workers
        Processes side by side.

    Yields
    ------
    Record
        One for each run.
    """
    processes = _Processes(grace)
    with ThreadPoolExecutor(workers) as pool:
        try:
            runs = [one for unit in units for one in runs_alone(unit)]
            for ended in as_completed([pool.submit(processes.record, one) for one in runs]):
                yield ended.result()
        finally:
            processes.end()


def crashed(run: Run, instance: str, reason: str) -> Record:
    """The record of a run whose worker died.

    Parameters
    ----------
    run
        The run.
    instance
        Name of the instance, as far as it is known.
    reason
        How it died, which may differ from place to place.

    Returns
    -------
    Record
        The record.
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
    )


class _Processes:
    """Processes of single runs, which all end when the driver wants to."""

    def __init__(self, grace: float) -> None:
        self.grace = grace
        self._living: set[subprocess.Popen[bytes]] = set()
        self._lock, self._ended = Lock(), False

    def record(self, unit: Unit) -> Record:
        """The record of a unit's one run, from a process of its own."""
        (run,) = unit.runs
        with self._lock:
            if self._ended:
                return crashed(run, "", "not begun")  # which nobody reads
            process = _started(run.method.threads)
            self._living.add(process)
        document = {"unit": unit_document(unit), "grace": self.grace, "driver": os.getpid()}
        out, err = process.communicate(json.dumps(document).encode())
        self._living.discard(process)
        *ended, _rest = out.split(b"\n")
        if ended:
            return record_of(ended[0])
        said = err.decode(errors="replace")[-SAID:]
        record = crashed(run, "", f"{_reason(process.returncode)}\n{said}".strip())
        return replace(record, pid=process.pid)

    def end(self) -> None:
        """End those that live, and let no more begin."""
        with self._lock:
            self._ended = True
            for process in list(self._living):
                process.kill()


def _started(threads: int) -> subprocess.Popen[bytes]:
    paths = {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    return subprocess.Popen(
        [sys.executable, "-m", MODULE],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=os.environ | paths | thread_limits(threads),
        start_new_session=True,  # Ctrl-C is for the driver
    )


def _reason(code: int) -> str:
    if code >= 0:
        return f"exit status {code}"
    try:
        return f"ended by {signal.Signals(-code).name}"
    except ValueError:
        return f"ended by signal {-code}"
