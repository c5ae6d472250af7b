"""Blocks in Python: instances by generators and methods by name, with all defaults filled in.

An instance is made of its source only where it is needed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from typing import Any

from ...core.errors import InputError
from ...core.files.inputs import read_bytes
from ...instances.generators import GENERATORS
from .files import InstanceFile
from .parameters_of_methods import of_generator, of_method, of_workload
from .study import InstanceSource, Kind, MethodCall
from .workload import digests


def drawn(
    generator: str,
    seeds: Iterable[int],
    *,
    sweep: Mapping[str, Sequence[Any]] | None = None,
    workload: Mapping[str, Any] | None = None,
    **parameters: Any,
) -> list[InstanceSource]:
    """Instances of a generator: every combination of the swept values, with every seed.

    `sweep`: values by parameter of the generator or key of the workload; the last varies fastest.
    `workload`: of a datacenter or a hierarchy: keys of `workload.WORKLOADS` that differ from the
    defaults.
    Returns the instances. The columns of the tables are the parameters that are given, and the
    seed.
    """
    swept, seeds = dict(sweep or {}), list(seeds)
    names = of_generator(generator).known
    sources = []
    for values in product(*swept.values()):
        own = dict(zip(swept, values, strict=True))
        given = {**parameters, **{k: v for k, v in own.items() if k in names}}
        jobs = {**(workload or {}), **{k: v for k, v in own.items() if k not in names}}
        sources += with_seeds(generator, given, jobs, seeds)
    return sources


def with_seeds(
    generator: str, given: Mapping[str, Any], jobs: Mapping[str, Any], seeds: Iterable[int]
) -> list[InstanceSource]:
    """Instances that differ in nothing but the seed; one of them if nothing is drawn.

    `seeds`: the seeds, for the generator and the jobs, unless these have their own.
    """
    takes, workload = of_generator(generator), of_workload(GENERATORS.lookup(generator).takes)
    workload.check_known(jobs)
    shown = tuple(dict.fromkeys([*given, *jobs]))
    own, of_jobs = takes.filled(given), workload.filled(jobs)
    files = digests(of_jobs)
    generator_has, jobs_have = (
        "seed" in known and "seed" not in values
        for known, values in ((takes.known, given), (workload.known, jobs))
    )
    if not generator_has and not jobs_have:
        return [InstanceSource(generator, own, shown, workload=of_jobs, files=files)]
    return [
        InstanceSource(
            generator,
            {**own, "seed": seed} if generator_has else own,
            tuple(dict.fromkeys([*shown, "seed"])),
            workload={**of_jobs, "seed": seed} if jobs_have else of_jobs,
            files=files,
        )
        for seed in seeds
    ]


def read_in(
    file: InstanceFile,
    seeds: Iterable[int],
    workload: Mapping[str, Any] | None = None,
) -> list[InstanceSource]:
    """Instances in a file, which differ in nothing but the seed of the workload.

    `seeds`: the seeds, for jobs that have none of their own.
    `workload`: keys of `workload.WORKLOADS` that differ from the defaults.
    Returns the instances; one of them if there is nothing to draw.
    """
    takes, given = of_workload(file.family), dict(workload or {})
    takes.check_known(given)
    asked = takes.filled(given)
    seeded = [{"seed": seed} for seed in seeds]
    return [
        InstanceSource(
            parameters={"file": file.name},
            shown=tuple(dict.fromkeys(["file", *given, *own])),
            path=file.path,
            digest=file.digest,
            workload={**asked, **own},
            files=digests(asked),
        )
        for own in (seeded if "seed" in takes.known and "seed" not in given else [{}])
    ]


def made(source: InstanceSource) -> tuple[Any, str]:
    """The instance, and which family it is of: mapreduce, datacenter or hierarchy.

    Raises `InputError` if its file is not that of the study any more.
    """
    if source.generator:
        entry = GENERATORS.lookup(source.generator)
        arguments = {name: _tuples(value) for name, value in source.parameters.items()}
        return entry.load()(**arguments), entry.takes
    from ...reports.documents.read_write import read

    if source.digest not in ("", hashlib.sha256(read_bytes(source.path)).hexdigest()):
        raise InputError(f"{source.path}: has changed since the study was read")
    thing = read(source.path)
    return thing, {"Datacenter": "datacenter", "Hierarchy": "hierarchy"}.get(
        type(thing).__name__, "mapreduce"
    )


def _tuples(value: Any) -> Any:
    """A value with lists as tuples, as dataclasses of parameters have them."""
    return tuple(_tuples(item) for item in value) if isinstance(value, list | tuple) else value


def called(
    kind: Kind,
    name: str,
    *,
    time_limit: float | None = None,
    threads: int = 1,
    **parameters: Any,
) -> MethodCall:
    """A method of a registry, or `solve`, with its parameters.

    `time_limit`: seconds, for `solve`.
    `**parameters`: those that differ from the defaults, and those that shall be columns.
    """
    every = of_method(kind, name).filled(parameters)
    return MethodCall(kind, name, every, tuple(parameters), time_limit, threads)
