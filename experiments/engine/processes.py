"""Processes of this machine that carry out units; with one that dies only its own run is lost."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import CancelledError
from contextlib import suppress
from dataclasses import replace
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from queue import SimpleQueue
from tempfile import TemporaryFile
from threading import Lock, Thread
from typing import IO

from ...core.errors import InputError
from ..study.study import Run, Unit
from .perform import who
from .record import CRASHED, Record
from .worker import GRACE

DIED = "worker died"
"""The error of a run that ends its process, whatever the reason and the machine."""

SAID = 4000
"""Characters that are kept of where a process was when it died."""

LOOK = 0.2
"""Seconds between two looks whether a process still lives. Its end of the pipe tells nothing:
children of a method may hold it."""

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


def workers_for(threads: int, workers: int | None = None) -> int:
    """How many processes run side by side: as many as asked for, or as the cores allow.

    Raises `InputError` if they are more than the cores.
    """
    from joblib import cpu_count

    available = int(cpu_count())  # affinity and the quota of a container count
    asked = max(1, available // threads) if workers is None else workers
    if asked < 1:
        raise InputError(f"workers: need at least 1, got {asked}")
    if asked * threads > available:
        raise InputError(f"{asked} workers x {threads} threads are more than {available} cores")
    return asked


def crashed(run: Run, reason: str, process: int = 0) -> Record:
    """The record of a run whose process died, with the reason, which may differ from place to
    place."""
    known = who(run, "") | {"pid": process}
    return Record(**known, status=CRASHED, error=DIED, traceback=reason)


class WorkerProcess:
    """A process that carries out units one after another; when it has died, a new one goes on.

    `threads`: most threads of the libraries in it.
    `grace`: seconds beyond one and a half times its time limit that a run gets until it is ended.
    """

    def __init__(self, threads: int = 1, grace: float = GRACE) -> None:
        self.threads, self.grace = threads, grace
        self._process: subprocess.Popen[bytes] | None = None
        self._pipe: Connection
        self._log: IO[bytes]
        self._lock, self._ended = Lock(), False

    def share(self, unit: Unit) -> Iterator[Record]:
        """The records of the first runs of a unit, at least one, each as it ends.

        A run is to blame for a death only if its process had done nothing else.
        """
        while True:
            is_new, ended = self._begin(), 0
            try:
                self._pipe.send(unit)
                while (record := self._received()) is not None:
                    ended += 1
                    yield record
                return
            except (EOFError, OSError):
                reason, process = self._end()
            if ended:
                return
            if is_new:
                yield crashed(unit.runs[0], reason, process)
                return

    def close(self) -> None:
        """End the process with all that it has started, and let no more begin."""
        with self._lock:
            self._ended = True
            if self._process is not None:
                _kill_group(self._process)

    def _begin(self) -> bool:
        """Start the process unless it is there; whether that was needed."""
        if self._process is not None:
            if self._process.poll() is None:
                return False
            self._end()
        self._pipe, theirs = Pipe()
        self._log = TemporaryFile()  # noqa: SIM115
        handles = [theirs.fileno(), self._log.fileno()]
        limits = dict.fromkeys(THREADS, str(self.threads))
        paths = {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
        with theirs, self._lock:
            if self._ended:
                raise CancelledError
            self._process = subprocess.Popen(
                [sys.executable, "-m", f"{__package__}.worker", *map(str, [*handles, self.grace])],
                pass_fds=handles,
                stdin=subprocess.DEVNULL,
                # What methods print is no part of what the command prints.
                stdout=subprocess.DEVNULL if sys.stderr is None else 2,
                env=os.environ | paths | limits,
                start_new_session=True,  # Ctrl-C is for the driver
            )
        return True

    def _received(self) -> Record | None:
        """What the process sends next. Raises `EOFError` or `OSError` if it has died."""
        assert self._process is not None
        while not self._pipe.poll(LOOK):
            if self._process.poll() is not None and not self._pipe.poll():
                raise EOFError
        record: Record | None = self._pipe.recv()
        return record

    def _end(self) -> tuple[str, int]:
        """End what is left of a process: how it died, and its number."""
        assert self._process is not None
        process = self._process
        with suppress(subprocess.TimeoutExpired):  # it has closed its pipe, and is about to die
            process.wait(LOOK)
        with self._lock:
            _kill_group(process)
            self._process = None
        code = process.wait()
        self._pipe.close()
        with self._log as log:
            log.seek(0)
            said = log.read().decode(errors="replace")[-SAID:]
        how = f"exit status {code}" if code >= 0 else f"ended by signal {-code}"
        with suppress(ValueError):  # not all signals have names
            how = f"ended by {signal.Signals(-code).name}"
        return f"{how}\n{said}".strip(), process.pid


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


class LocalBackend:
    """So many processes of this machine; see `campaign.Backend`."""

    def __init__(self, workers: int, threads: int = 1, grace: float = GRACE) -> None:
        self.workers = workers
        self._processes = [WorkerProcess(threads, grace) for _ in range(workers)]

    def records(self, units: Iterable[Unit]) -> Iterator[Record]:
        """The records of all units, in any order, each as soon as it is known."""
        source, rests, lock = iter(units), deque[Unit](), Lock()
        arrived: SimpleQueue[Record | BaseException | None] = SimpleQueue()

        def taken() -> Unit | None:
            with lock:
                return rests.popleft() if rests else next(source, None)

        def work(process: WorkerProcess) -> None:
            try:
                while (unit := taken()) is not None:
                    ended = 0
                    for record in process.share(unit):
                        arrived.put(record)
                        ended += 1
                    if rest := unit.runs[ended:]:
                        rests.append(replace(unit, runs=rest))
                arrived.put(None)
            except BaseException as failure:
                arrived.put(failure)

        for process in self._processes:
            Thread(target=work, args=[process], daemon=True).start()
        working = self.workers
        while working:
            found = arrived.get()
            if isinstance(found, BaseException):
                raise found
            if found is None:
                working -= 1
            else:
                yield found

    def close(self) -> None:
        """End all processes."""
        for process in self._processes:
            process.close()
