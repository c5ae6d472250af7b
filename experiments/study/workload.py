"""What a study asks of a datacenter or a hierarchy beside the thing itself: its workload.

The fields of the dataclasses here are the keys of a workload with their types and defaults;
`parameters_of` lists them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from ...core.errors import InputError
from ...core.files.examples import is_example
from ...core.files.inputs import read_bytes
from ...core.parameters import parameter
from ...heuristics.datacenter import GAMMA_UNITS, WARM_UP
from ...solvers.datacenter.jobs_asked import JobsAsked

PLAN_TIME = 5.0
"""Seconds for whole machines in the plans of studies: long enough that few plans depend on it."""

FROM_TRACE = "trace:"
"""Before the file in `durations`."""


@dataclass(frozen=True)
class JobsWorkload:
    """The jobs that arrive at a datacenter, as in `slotwise simulate`."""

    load: float | None = parameter(
        None, "Arrivals as a part of the highest rate; 0.95 if there is no rate and no trace."
    )
    rate: float | None = parameter(None, "Arrivals per time unit instead.")
    trace: str | None = parameter(None, "File of jobs to be replayed instead.")
    compress: float = parameter(1.0, "Jobs of the trace arrive so many times as fast.")
    jobs: int | None = parameter(
        None, "Number of jobs; by default 37 mean durations of arrivals, or the whole trace."
    )
    seed: int = parameter(0, "Seed of the jobs and of the policies' own draws.")
    noise: float = parameter(0.0, "Coefficient of variation of the jobs' demands.")
    durations: str = parameter(
        "exponential", "Law of durations: exponential, constant, lognormal:CV or trace:FILE."
    )
    batch: int = parameter(0, "So many jobs more arrive at time 0.")
    start: str = parameter("empty", "empty, or full: jobs run at time 0 as in the steady state.")
    warm_up: float = parameter(WARM_UP, "Part of the jobs that is not measured.")
    scale: float = parameter(1.0, "Part of the machines of a file.")
    guidance: str | None = parameter(None, "File with the plan; by default it is made.")
    plan_time: float = parameter(PLAN_TIME, "Limit for whole machines of a plan.", unit="s")


@dataclass(frozen=True)
class TreeWorkload:
    """What happens at a hierarchy."""

    events: str | None = parameter(None, "File of leaves that arrive and leave.")
    repeats: int = parameter(1, "Times that each method is run; its seconds are the least.")


@dataclass(frozen=True)
class PolicyParameters:
    """Parameters of dispatching policies, as in `slotwise simulate`."""

    gamma: str = parameter(
        GAMMA_UNITS[0], f"Unit of remaining work in Tetris's score: {', '.join(GAMMA_UNITS)}."
    )
    sample: int | None = parameter(None, "Machines that an arriving job looks at; all by default.")


WORKLOADS: dict[str, type[JobsWorkload | TreeWorkload]] = {
    "datacenter": JobsWorkload,
    "hierarchy": TreeWorkload,
}
"""By what a generator or file gives; a MapReduce instance has no workload."""

FILES = ("trace", "guidance", "events")
"""Keys that name files; `durations` may."""


def asked_jobs(asked: JobsWorkload) -> JobsAsked:
    return JobsAsked(**{each.name: getattr(asked, each.name) for each in fields(JobsAsked)})


def _paths(workload: Mapping[str, Any]) -> dict[str, str]:
    """The files that a workload names, by key."""
    paths = {key: str(workload[key]) for key in FILES if workload.get(key)}
    durations = str(workload.get("durations", ""))
    if durations.startswith(FROM_TRACE):
        paths["durations"] = durations.removeprefix(FROM_TRACE)
    return paths


def digests(workload: Mapping[str, Any]) -> dict[str, str]:
    """SHA-256 of the content of each file that a workload names, by key; empty if it names none.

    Raises `InputError` for a file that cannot be read.
    """
    paths = _paths(workload).items()
    return {key: hashlib.sha256(read_bytes(path)).hexdigest() for key, path in paths}


def check_same_files(workload: Mapping[str, Any], known: Mapping[str, Any]) -> None:
    """Check that the files of a workload are still those of the study.

    Raises `InputError` if one has changed, or is not here.
    """
    for key, digest in digests(workload).items() if known else ():
        if known.get(key) != digest:
            raise InputError(f"{key}: {workload[key]} is another file here than in the study")


def beside(workload: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """A workload whose files are looked for in a folder, unless their paths are absolute."""
    moved = dict(workload)
    for key, path in _paths(workload).items():
        place = path if is_example(path) else str(folder / path)
        moved[key] = f"{FROM_TRACE}{place}" if key == "durations" else place
    return moved


def name_of_file(value: str) -> str:
    """A key's value with the name of its file only, wherever the file is."""
    law = FROM_TRACE if value.startswith(FROM_TRACE) else ""
    return law + Path(value.removeprefix(law)).name
