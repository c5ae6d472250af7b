"""Jobs of a trace as a table, and as a CSV file (`slotwise import … --jobs`)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from ...core.arrays import BoolArray, FloatArray, IntArray
from ...core.errors import InputError
from ...core.files.outputs import write_bytes
from ...core.values import ByValue
from ..csv_files import named_rows
from .datacenter import Datacenter

SECONDS = {"s": 1.0, "min": 60.0, "h": 3600.0, "d": 86400.0}
"""Time units of a datacenter into which a trace in seconds can be converted."""


@dataclass(frozen=True, eq=False)
class JobTable(ByValue):
    """When each job arrived, how long it ran, what it requested, in the order of arrivals."""

    arrival: FloatArray
    """Time of arrival (s), shape (jobs,)."""
    duration: FloatArray
    """Duration (s), shape (jobs,)."""
    request: FloatArray
    """Request, shape (jobs, resources)."""
    wants: IntArray
    """Row of `allowed` that tells where each job may run, shape (jobs,)."""
    allowed: BoolArray
    """Whether jobs may run on a configuration, shape (rows, configurations)."""

    @property
    def jobs(self) -> int:
        return len(self.arrival)

    def within(self, start: float, stop: float) -> JobTable:
        """The jobs that arrive from `start` to before `stop` (s). Raises `InputError` for none."""
        chosen = (self.arrival >= start) & (self.arrival < stop)
        if not chosen.any():
            raise InputError(f"window: no job arrives from {start:g} to {stop:g} s")
        return self.where(chosen)

    def by_arrival(self) -> JobTable:
        return self.where(np.argsort(self.arrival, kind="stable"))

    def where(self, chosen: BoolArray | IntArray) -> JobTable:
        """Some of the jobs, or all in another order."""
        columns = ("arrival", "duration", "request", "wants")
        return replace(self, **{name: getattr(self, name)[chosen] for name in columns})


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


def seconds_of_unit(path: str | Path, datacenter: Datacenter) -> float:
    """Seconds in the datacenter's time unit, for the jobs of a file.

    Raises `InputError` if the time unit is unknown.
    """
    if datacenter.time_unit not in SECONDS:
        raise InputError(
            f"{path}: a trace is in seconds, and the datacenter's time unit "
            f"{datacenter.time_unit!r} is none of {', '.join(SECONDS)}"
        )
    return SECONDS[datacenter.time_unit]


def read_jobs(path: str | Path, datacenter: Datacenter) -> tuple[FloatArray, IntArray]:
    """Read a table of jobs.

    `path`: CSV file with the columns `arrival` and `duration` (s), `class`, and one per resource.
    Returns arrival, duration and demands, shape (jobs, 2 + R), and classes, shape (jobs,), in the
    file's order.
    Raises `InputError` if something is wrong; the message names file, line and column.
    """
    numbers = ("arrival", "duration", *datacenter.resources)
    classes = {name: k for k, name in enumerate(datacenter.classes)}
    rows: list[list[float]] = []
    job_class: list[int] = []
    for line, fields in named_rows(path, (*numbers, "class")):
        if fields["class"] not in classes:
            raise InputError(f"{path}: line {line}: unknown class {fields['class']!r}")
        for name in numbers:
            try:
                value = float(fields[name])
            except ValueError:
                value = np.nan
            if not (np.isfinite(value) and (value >= 0 or name == "arrival")):
                got = f"need a number >= 0, got {fields[name]!r}"
                raise InputError(f"{path}: line {line}, {name}: {got}")
        rows.append([float(fields[name]) for name in numbers])
        job_class.append(classes[fields["class"]])
    if not rows:
        raise InputError(f"{path}: no jobs")
    return np.array(rows), np.array(job_class, dtype=np.int64)
