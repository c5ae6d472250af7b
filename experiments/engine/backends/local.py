"""Units on the processors of this machine, in processes that joblib keeps."""

from __future__ import annotations

import os
import signal
from collections import deque
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from ....core.errors import InputError
from ...study.study import Unit
from ..record import Record
from ..watchdog import GRACE
from .alone import all_alone
from .worker import begin, share


def cores() -> int:
    """The cores that this process may use: its affinity and the quota of its container count."""
    from joblib import cpu_count

    return int(cpu_count())


def workers_for(threads: int, workers: int | None = None) -> int:
    """How many workers run side by side.

    `workers`: what the user asks for, if anything.
    Raises `InputError` if they are more than the cores.
    """
    available = cores()
    asked = max(1, available // threads) if workers is None else workers
    if asked < 1:
        raise InputError(f"workers: need at least 1, got {asked}")
    if asked * threads > available:
        raise InputError(f"{asked} workers x {threads} threads are more than {available} cores")
    return asked


@dataclass(frozen=True)
class _Share:
    """What a worker hands back: the records of a unit, and the part of it that is not done."""

    number: int
    records: list[Record]
    rest: Unit | None


class LocalBackend:
    """Processes of this machine.

    `workers`: how many.
    `threads`: most threads of the libraries in each.
    `grace`: as of `Watchdog`.
    """

    def __init__(self, workers: int, threads: int = 1, grace: float = GRACE) -> None:
        self.workers, self.threads, self.grace = workers, threads, grace

    def records(self, units: Iterable[Unit]) -> Iterator[Record]:
        """See `Backend.records`.

        One worker that dies takes the others with it. Then each unit that was under way is carried
        out run by run in processes of their own, and the rest by new workers.
        """
        source, again = iter(units), deque[Unit]()
        in_doubt: dict[int, Unit] = {}
        number = 0

        def numbered() -> Iterator[tuple[int, Unit]]:
            nonlocal number
            while (unit := again.popleft() if again else next(source, None)) is not None:
                number += 1
                in_doubt[number] = unit
                yield number, unit

        while True:
            before = number
            try:
                for share in self._shares(numbered()):
                    del in_doubt[share.number]
                    if share.rest is not None:
                        again.append(share.rest)
                    yield from share.records
            except _dead_worker():
                doubtful = list(in_doubt.values())
                in_doubt.clear()
                yield from all_alone(doubtful, self.grace, self.workers)
            if number == before and not again:
                return

    def close(self) -> None:
        from joblib.externals.loky import get_reusable_executor

        get_reusable_executor(max_workers=1).shutdown(wait=True, kill_workers=True)

    def _shares(self, units: Iterator[tuple[int, Unit]]) -> Iterator[_Share]:
        from joblib import Parallel, delayed, parallel_config

        with parallel_config(backend="loky", inner_max_num_threads=self.threads):
            pool = Parallel(
                n_jobs=max(2, self.workers),  # with one joblib would run the units in the driver
                return_as="generator_unordered",
                batch_size=1,
                pre_dispatch=self.workers,
            )
            with _without_interrupts():
                shares: Generator[_Share, None, None] = pool(
                    delayed(_share)(number, unit, self.grace, os.getpid()) for number, unit in units
                )
        try:
            yield from shares
        finally:
            shares.close()


@contextmanager
def _without_interrupts() -> Iterator[None]:
    """Processes that are started within it never get Ctrl-C, which a terminal sends to all."""
    from multiprocessing.resource_tracker import ensure_running

    ensure_running()  # joblib would start it within, and it unblocks the signal
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _dead_worker() -> type[BaseException]:
    from joblib.externals.loky.process_executor import BrokenProcessPool

    broken: type[BaseException] = BrokenProcessPool
    return broken


def _share(number: int, unit: Unit, grace: float, driver: int) -> _Share:
    """What a worker does at a time."""
    begin(driver)
    ended = share(unit, grace)
    runs = unit.runs[len(ended) :]
    return _Share(number, ended, replace(unit, runs=runs) if runs else None)
