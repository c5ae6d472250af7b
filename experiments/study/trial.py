"""The first instance of a table, made before anything runs."""

from __future__ import annotations

from ...core.errors import InputError, one_line
from ...instances.datacenter.datacenter import Datacenter
from ...instances.datacenter.guidance_file import read_guidance
from ...instances.datacenter.workload import poisson
from ...instances.hierarchy.events import read_events
from ...instances.hierarchy.hierarchy import Hierarchy
from .instance_sources import made
from .study import InstanceSource
from .workload import JobsWorkload, TreeWorkload, asked_jobs


def try_first(source: InstanceSource) -> None:
    """Make an instance, and of a datacenter look at how its jobs are drawn.

    Raises `InputError` if it cannot be made, for whatever reason.
    """
    try:
        thing, _ = made(source)
        try:
            if isinstance(thing, Datacenter):
                _look_at_jobs(thing, JobsWorkload(**source.workload))
            elif isinstance(thing, Hierarchy):
                asked = TreeWorkload(**source.workload)
                if asked.repeats < 1:
                    raise InputError(f"repeats: need at least 1, got {asked.repeats}")
                if asked.events is not None:
                    read_events(asked.events, thing)
        except InputError as error:
            raise InputError(f"workload.{error}") from None
    except InputError:
        raise
    except Exception as failure:
        raise InputError(one_line(f"{type(failure).__name__}: {failure}")) from failure


def _look_at_jobs(datacenter: Datacenter, asked: JobsWorkload) -> None:
    if asked.load is not None and asked.load <= 0:
        raise InputError(f"load: need a number > 0, got {asked.load}")
    if not 0 <= asked.warm_up < 1:
        raise InputError(f"warm_up: need a part from 0 to below 1, got {asked.warm_up}")
    part, jobs = datacenter.part(asked.scale), asked_jobs(asked)
    jobs.check()
    if asked.guidance is not None:
        read_guidance(asked.guidance, part)
    if jobs.replayed(part) is None:
        poisson(
            part,
            1.0 if asked.rate is None else asked.rate,
            1 if asked.jobs is None else asked.jobs,
            seed=asked.seed,
            noise=asked.noise,
            durations=asked.durations,
            batch=asked.batch,
        )
