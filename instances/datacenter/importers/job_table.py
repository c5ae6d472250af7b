"""Jobs of a trace as a table: when each arrived, how long it ran, what it requested."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from ....core.arrays import BoolArray, FloatArray, IntArray
from ....core.errors import InputError
from ....core.files.outputs import write_bytes
from ....core.values import ByValue
from ..datacenter import Datacenter


@dataclass(frozen=True, eq=False)
class JobTable(ByValue):
    """Jobs in the order of their arrivals.

    Parameters
    ----------
    arrival
        Time of arrival (s), shape (jobs,).
    duration
        Duration (s), shape (jobs,).
    request
        Request, shape (jobs, resources).
    wants
        Row of `allowed` that tells where each job may run, shape (jobs,).
    allowed
        Whether jobs may run on a configuration, shape (rows, configurations).
    """

    arrival: FloatArray
    duration: FloatArray
    request: FloatArray
    wants: IntArray
    allowed: BoolArray

    @property
    def jobs(self) -> int:
        return len(self.arrival)

    def within(self, start: float, stop: float) -> JobTable:
        """Keep the jobs that arrive in an interval of time.

        `start`: beginning (s), included.
        `stop`: end (s), excluded.
        Raises `InputError` if there are none.
        """
        chosen = (self.arrival >= start) & (self.arrival < stop)
        if not chosen.any():
            raise InputError(f"window: no job arrives from {start:g} to {stop:g} s")
        return self.where(chosen)

    def where(self, chosen: BoolArray) -> JobTable:
        return replace(
            self,
            arrival=self.arrival[chosen],
            duration=self.duration[chosen],
            request=self.request[chosen],
            wants=self.wants[chosen],
        )


def by_arrival(table: JobTable) -> JobTable:
    order = np.argsort(table.arrival, kind="stable")
    return replace(
        table,
        arrival=table.arrival[order],
        duration=table.duration[order],
        request=table.request[order],
        wants=table.wants[order],
    )


def write_jobs(
    path: str | Path, datacenter: Datacenter, table: JobTable, job_class: IntArray
) -> None:
    """Write the jobs that have a class as CSV: arrival and duration (s), class, requests.

    The file is written atomically, compressed if the name ends in `.gz`.

    `job_class`: class of each job, -1 for none, shape (jobs,).
    """
    lines = [",".join(("arrival", "duration", "class", *datacenter.resources))]
    rows = zip(
        table.arrival.tolist(),
        table.duration.tolist(),
        job_class.tolist(),
        table.request.tolist(),
        strict=True,
    )
    for arrival, duration, number, request in rows:
        if number >= 0:
            amounts = (f"{amount:.12g}" for amount in request)
            name = datacenter.classes[number]
            lines.append(",".join((f"{arrival:.12g}", f"{duration:.12g}", name, *amounts)))
    write_bytes(path, "\n".join([*lines, ""]).encode())
