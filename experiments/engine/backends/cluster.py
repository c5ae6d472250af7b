"""Units on a Dask cluster, given the address of its scheduler.

Dask tells a dead worker from a lost cluster, and so does this: `KilledWorker` is about the task,
everything else that it raises is about the cluster and fails no run.
"""

from __future__ import annotations

import asyncio
import gc
import logging
import time
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import CancelledError
from contextlib import suppress
from dataclasses import dataclass, field, replace
from queue import Empty, SimpleQueue
from typing import Any

from ....core.errors import InputError, one_line
from ...study.study import Unit
from ..build import difference, fingerprint
from ..record import Record
from ..watchdog import GRACE
from .alone import crashed, runs_alone
from .protocol import KEPT, LostCluster
from .remote import Parcel, UnfitWorker, carry_out_parcel, has_another, has_threads

Future = Any
"""Of Dask."""

AHEAD = 3
"""Units per worker that are submitted: enough to keep it busy, and few to run again."""

CONNECTING = 5.0
"""Seconds for a scheduler to answer, and for its first worker to come."""

LOOK = 10.0
"""Seconds after which the workers are counted again."""

WITHOUT_WORKERS = 300.0
"""Seconds that a cluster may be without workers: a batch system may take them away for a while."""


class ClusterBackend:
    """Workers of a Dask cluster, one run at a time on each.

    Raises `InputError` if no scheduler answers there, or its workers would not do.

    `address`: of the scheduler.
    `threads`: the most that a method of the campaign uses.
    `grace`: as of `Watchdog`.
    """

    def __init__(self, address: str, threads: int = 1, grace: float = GRACE) -> None:
        distributed = _distributed()
        self.fingerprint = fingerprint()
        self.address, self.threads, self.grace = address, threads, grace
        self._client: Any = None
        # The last of these if Dask's own thread is not there.
        with suppress(OSError, ValueError, AssertionError):
            self._client = distributed.Client(address, timeout=CONNECTING, set_as_default=False)
        if self._client is None:
            gc.collect()  # a half-made client that is found later stops the next one for ever
            raise InputError(f"{address}: no Dask scheduler answers there")
        self._killed: type[Exception] = distributed.scheduler.KilledWorker
        try:
            self.workers = self._fit_workers()
        except BaseException:
            self.close()
            raise

    def records(self, units: Iterable[Unit]) -> Iterator[Record]:
        """See `Backend.records`.

        A worker that dies takes with it whatever waits on it, and Dask cannot tell which of them
        killed it. So a unit whose workers died is carried out run by run, each in a process of its
        own on a worker. If workers still die, the run is alone in the cluster for its last try.

        `units`: the units.
        Yields as units arrive.
        """
        todo = _Todo(iter(units))
        flying: dict[object, tuple[Future, _Task]] = {}
        arrived: SimpleQueue[Future] = SimpleQueue()
        while True:
            while len(flying) < AHEAD * self.workers:
                task = todo.next(nothing_else=not flying)
                if task is None:
                    break
                future = self._submit(task)
                flying[future.key] = future, task
                future.add_done_callback(arrived.put)
            if not flying:
                return
            future, task = flying.pop(self._next(arrived).key)
            try:
                records = self._result(future)
            except self._killed as killed:
                if task.last_try:
                    (run,) = task.unit.runs
                    records = [crashed(run, "", str(killed))]
                else:
                    todo.add_doubt(task)
                    continue
            todo.add_rest(task, len(records))
            yield from records

    def close(self) -> None:
        """Leave the cluster; its workers end the runs that they are at, and begin no other."""
        with suppress(Exception, asyncio.CancelledError):
            self._client.close(timeout=CONNECTING)

    def _submit(self, task: _Task) -> Future:
        parcel = Parcel(task.unit, self.fingerprint, self.threads, self.grace, task.in_doubt)
        try:
            return self._client.submit(carry_out_parcel, parcel, pure=False)
        except Exception as error:
            raise self._lost() from error

    def _next(self, arrived: SimpleQueue[Future]) -> Future:
        """The next future that is done; counts the workers meanwhile."""
        seen = time.monotonic()
        while True:
            with suppress(Empty):
                return arrived.get(timeout=LOOK)
            if workers := self._count():
                self.workers, seen = workers, time.monotonic()
            elif time.monotonic() >= seen + WITHOUT_WORKERS:
                raise LostCluster(f"{self.address}: the scheduler has no workers; {KEPT}")

    def _result(self, future: Future) -> list[Record]:
        try:
            records: list[Record] = future.result()
            return records
        except self._killed:
            raise
        except UnfitWorker as unfit:
            raise LostCluster(f"{self.address}: {unfit}; {KEPT}") from None
        except (OSError, CancelledError, asyncio.CancelledError) as error:
            raise self._lost() from error
        except Exception as error:
            if self._client.status != "running":
                raise self._lost() from error
            what = one_line(f"{type(error).__name__}: {error}", 200)
            raise LostCluster(f"{self.address}: a worker failed ({what}); {KEPT}") from error

    def _lost(self) -> LostCluster:
        return LostCluster(f"lost the scheduler; {KEPT}")

    def _count(self) -> int:
        try:
            return len(self._client.nthreads())
        except Exception as error:
            raise self._lost() from error

    def _fit_workers(self) -> int:
        """How many workers there are, all of them fit."""
        until = time.monotonic() + CONNECTING
        while not (threads := self._client.nthreads()):
            if time.monotonic() >= until:
                raise InputError(f"{self.address}: the scheduler has no workers")
            time.sleep(0.1)
        for worker, count in threads.items():
            if count != 1:
                raise InputError(f"{self.address}: {has_threads(worker, count)}")
        try:
            found = self._client.run(fingerprint)
        except Exception as error:
            what = one_line(str(error), 200)
            raise InputError(
                f"{self.address}: a worker has another slotwise or none ({what})"
            ) from None
        for worker, theirs in found.items():
            if other := difference(theirs, self.fingerprint):
                raise InputError(f"{self.address}: {has_another(worker, other)}")
        return len(threads)


@dataclass
class _Task:
    """A unit on its way to records."""

    unit: Unit
    in_doubt: bool = False
    last_try: bool = False


@dataclass
class _Todo:
    """What is to be submitted."""

    units: Iterator[Unit]
    begun: deque[_Task] = field(default_factory=deque)
    last_tries: deque[_Task] = field(default_factory=deque)

    def next(self, *, nothing_else: bool) -> _Task | None:
        """What comes next, if anything: a last try only where nothing else is under way."""
        if self.begun:
            return self.begun.popleft()
        if (unit := next(self.units, None)) is not None:
            return _Task(unit)
        return self.last_tries.popleft() if nothing_else and self.last_tries else None

    def add_doubt(self, task: _Task) -> None:
        """Workers died at it."""
        if task.in_doubt:
            self.last_tries.append(replace(task, last_try=True))
        else:
            self.begun.extend(_Task(run, in_doubt=True) for run in runs_alone(task.unit))

    def add_rest(self, task: _Task, ended: int) -> None:
        """Its first runs have ended."""
        if rest := task.unit.runs[ended:]:
            self.begun.append(_Task(replace(task.unit, runs=rest)))


def _distributed() -> Any:
    try:
        import distributed
        import distributed.scheduler
    except ImportError:
        raise InputError(
            "--dask: needs distributed, which is not installed: pip install 'slotwise[cluster]'"
        ) from None
    # What it would log is said in one line by what is raised here.
    for name in ("distributed", "distributed.client"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    return distributed
