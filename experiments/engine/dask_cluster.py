"""Units on a Dask cluster, given the address of its scheduler.

Each Dask worker carries runs out in a process of its own, so that a run that dies is a record like
any other. What else Dask raises is about the cluster, and fails no run.
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
from dataclasses import replace
from functools import cache
from queue import Empty, SimpleQueue
from typing import Any

from ...core.errors import InputError, SlotwiseError, one_line
from ..study.study import Unit
from .build import difference, fingerprint
from .processes import WorkerProcess, crashed
from .record import Record
from .worker import GRACE

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

KEPT = "what is finished is kept, run again to go on"
"""What is told of a session that ends before its runs do."""


class LostCluster(SlotwiseError):
    """The scheduler is gone: no run has failed, and what is finished is kept."""


class UnfitWorker(Exception):
    """A worker that would give other results, or times that mean nothing."""


def carry_out(unit: Unit, ours: dict[str, str], threads: int, grace: float) -> list[Record]:
    """What a Dask worker makes of a unit: the records of as much as it does at a time.

    Raises `UnfitWorker` on a worker with several threads, or with another build of the package or
    its libraries than ours.
    """
    from distributed import get_worker

    worker = get_worker()
    if reason := _unfit(worker.address, worker.state.nthreads, fingerprint(), ours):
        raise UnfitWorker(reason)
    return list(_own_process(worker.address, threads, grace).share(unit))


@cache
def _own_process(_worker: str, threads: int, grace: float) -> WorkerProcess:
    """That of a Dask worker; in a process there may be several workers."""
    return WorkerProcess(threads, grace)


def _unfit(worker: str, threads: int, theirs: dict[str, str], ours: dict[str, str]) -> str:
    """What is wrong with a worker, empty if nothing is."""
    if threads != 1:
        return f"worker {worker} has {threads} threads: start workers with --nthreads 1"
    other = difference(theirs, ours)
    return f"worker {worker} has {other}" if other else ""


class ClusterBackend:
    """Workers of a Dask cluster, one run at a time on each; see `campaign.Backend`.

    Raises `InputError` if no scheduler answers there, or its workers would not do.

    `threads`, `grace`: as of `WorkerProcess`.
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
        """The records of all units, in any order, each as soon as it is known.

        A worker that is killed takes with it whatever waits on it, and Dask cannot tell what it
        died of. So a unit whose workers died is tried again run by run, and if workers die once
        more, alone in the cluster; a run that is killed then has crashed.
        """
        source, again, alone = iter(units), deque[Unit](), deque[Unit]()
        flying: dict[object, tuple[Future, Unit]] = {}
        deaths: dict[str, int] = {}
        arrived: SimpleQueue[Future] = SimpleQueue()

        def submit(unit: Unit) -> None:
            future = self._submit(unit)
            flying[future.key] = future, unit
            future.add_done_callback(arrived.put)

        while True:
            while len(flying) < AHEAD * self.workers:
                unit = again.popleft() if again else next(source, None)
                if unit is None:
                    break
                submit(unit)
            if not flying:
                if not alone:
                    return
                submit(alone.popleft())
            future, unit = flying.pop(self._next(arrived).key)
            try:
                records = self._result(future)
            except self._killed as killed:
                first = unit.runs[0]
                deaths[first.id] = deaths.get(first.id, 0) + 1
                if deaths[first.id] == 1:
                    again += [replace(unit, runs=(run,)) for run in unit.runs]
                    deaths |= {run.id: 1 for run in unit.runs}
                elif deaths[first.id] == 2:
                    alone.append(unit)
                else:
                    yield crashed(first, str(killed))
                continue
            if rest := unit.runs[len(records) :]:
                again.append(replace(unit, runs=rest))
            yield from records

    def close(self) -> None:
        """Leave the cluster; its workers end the runs that they are at, and begin no other."""
        with suppress(Exception, asyncio.CancelledError):
            self._client.close(timeout=CONNECTING)

    def _submit(self, unit: Unit) -> Future:
        given = unit, self.fingerprint, self.threads, self.grace
        try:
            return self._client.submit(carry_out, *given, pure=False)
        except Exception as error:
            raise self._lost() from error

    def _next(self, arrived: SimpleQueue[Future]) -> Future:
        """The next future that is done; counts the workers meanwhile."""
        seen = time.monotonic()
        while True:
            with suppress(Empty):
                return arrived.get(timeout=LOOK)
            try:
                workers = len(self._client.nthreads())
            except Exception as error:
                raise self._lost() from error
            if workers:
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

    def _fit_workers(self) -> int:
        """How many workers there are, all of them fit."""
        until = time.monotonic() + CONNECTING
        while not (threads := self._client.nthreads()):
            if time.monotonic() >= until:
                raise InputError(f"{self.address}: the scheduler has no workers")
            time.sleep(0.1)
        for worker, count in threads.items():
            if reason := _unfit(worker, count, {}, {}):
                raise InputError(f"{self.address}: {reason}")
        try:
            found = self._client.run(fingerprint)
        except Exception as error:
            what = one_line(str(error), 200)
            raise InputError(
                f"{self.address}: a worker has another slotwise or none ({what})"
            ) from None
        for worker, theirs in found.items():
            if reason := _unfit(worker, 1, theirs, self.fingerprint):
                raise InputError(f"{self.address}: {reason}")
        return len(threads)


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
