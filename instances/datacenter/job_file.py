"""Tables of jobs as CSV files (`slotwise import … --jobs`)."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ...core.advice import kind_hint
from ...core.arrays import FloatArray, IntArray
from ...core.errors import InputError
from ...core.files.inputs import read_text
from .datacenter import Datacenter

SECONDS = {"s": 1.0, "min": 60.0, "h": 3600.0, "d": 86400.0}
"""Time units of a datacenter into which a trace in seconds can be converted."""


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
    content = read_text(path)
    lines = content.splitlines()
    header = lines[0].split(",") if lines else []
    numbers = ("arrival", "duration", *datacenter.resources)
    for name in (*numbers, "class"):
        if name not in header:
            raise InputError(f"{path}: line 1: no column {name!r}{kind_hint(content)}")
    columns = [header.index(name) for name in numbers]
    class_column = header.index("class")
    classes = {name: k for k, name in enumerate(datacenter.classes)}
    rows: list[list[float]] = []
    job_class: list[int] = []
    for line, text in enumerate(lines[1:], start=2):
        fields = text.split(",")
        if len(fields) != len(header):
            raise InputError(f"{path}: line {line}: {len(fields)} fields, need {len(header)}")
        if fields[class_column] not in classes:
            raise InputError(f"{path}: line {line}: unknown class {fields[class_column]!r}")
        try:
            row = [float(fields[column]) for column in columns]
        except ValueError:
            raise InputError(f"{path}: line {line}: need numbers, got {text!r}") from None
        for name, value in zip(numbers, row, strict=True):
            if not (np.isfinite(value) and (value >= 0 or name == "arrival")):
                raise InputError(f"{path}: line {line}, {name}: need a number >= 0, got {value}")
        rows.append(row)
        job_class.append(classes[fields[class_column]])
    if not rows:
        raise InputError(f"{path}: no jobs")
    return np.array(rows), np.array(job_class, dtype=np.int64)
