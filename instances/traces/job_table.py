"""Jobs of a trace as a table: when each arrived, how long it ran, what it asked for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from ..arrays import BoolArray, FloatArray, IntArray
from ..datacenter.datacenter import Datacenter
from ..errors import InputError
from ..files.outputs import write_bytes


@dataclass(frozen=True, eq=False)
class JobTable:
    """Jobs by arrival. `arrival` and `duration` in s, `request` (jobs, resources).

    `wants` (jobs,) is the row of `allowed` (rows, configurations) that tells where a job may run.
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
        """The jobs that arrive in `start <= arrival < stop`. Raises `InputError` if none does."""
        chosen = (self.arrival >= start) & (self.arrival < stop)
        if not chosen.any():
            raise InputError(f"window: no job arrives from {start:g} to {stop:g} s")
        return self.where(chosen)

    def where(self, chosen: BoolArray) -> JobTable:
        """The jobs with True in `chosen`, shape (jobs,)."""
        return replace(
            self,
            arrival=self.arrival[chosen],
            duration=self.duration[chosen],
            request=self.request[chosen],
            wants=self.wants[chosen],
        )


def by_arrival(table: JobTable) -> JobTable:
    """The same jobs in the order of their arrivals."""
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
    """Write the jobs that have a class as CSV: arrival and duration in s, class, requests.

    Atomically; compressed if the name ends in `.gz`.
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
