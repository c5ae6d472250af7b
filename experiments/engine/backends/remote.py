"""What a worker of a cluster does with a unit.

Nothing that compiles is imported here, as a worker's threads are limited before.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass

from ...study.study import Unit
from ..build import difference, fingerprint
from ..record import Record
from ..watchdog import GRACE
from .worker import guard_group, share, thread_limits


class UnfitWorker(Exception):
    """A worker that would give other results, or times that mean nothing."""


@dataclass(frozen=True)
class Parcel:
    """A unit with how it is to be carried out."""

    unit: Unit
    fingerprint: dict[str, str]
    """That of the driver, which the worker needs to have."""
    threads: int = 1
    """The most that a method of the campaign uses."""
    grace: float = GRACE
    """As of `Watchdog`."""
    in_doubt: bool = False
    """Whether it may have killed a worker: each run then has a process of its own."""


def carry_out_parcel(parcel: Parcel) -> list[Record]:
    """Carry out a unit on a Dask worker, or as much of it as a worker does at a time.

    `parcel`: the unit.
    Raises `UnfitWorker` on a worker with several threads, or with another build of the package or
    its libraries.
    """
    from distributed import get_worker

    worker = get_worker()
    if (threads := worker.state.nthreads) != 1:
        raise UnfitWorker(has_threads(worker.address, threads))
    if other := difference(fingerprint(), parcel.fingerprint):
        raise UnfitWorker(has_another(worker.address, other))
    if worker.nanny:  # else the process may be the user's own
        guard_group()
    limit_threads(parcel.threads)
    if parcel.in_doubt:
        from .alone import alone

        return list(alone(parcel.unit, parcel.grace))
    return share(parcel.unit, parcel.grace)


def has_threads(worker: str, threads: int) -> str:
    """What is wrong with a worker that carries out several runs at a time."""
    return f"worker {worker} has {threads} threads: start workers with --nthreads 1"


def has_another(worker: str, other: str) -> str:
    """What is wrong with a worker whose results may differ."""
    return f"worker {worker} has {other}"


def limit_threads(threads: int) -> None:
    numba = sys.modules.get("numba")
    if numba is None:
        os.environ.update(thread_limits(threads))
    else:  # it refuses another value of its variable once it has started its threads
        numba.set_num_threads(min(threads, numba.config.NUMBA_NUM_THREADS))
