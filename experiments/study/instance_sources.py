"""Instances by generators and files, and methods by name, with all defaults filled in.

An instance is made of its source only where it is needed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

from ...core.errors import InputError
from ...core.files.inputs import read_bytes
from ...instances.generators import GENERATORS
from .instance_files import InstanceFile
from .parameters import of_generator, of_method, of_workload
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
    known = of_generator(generator).known
    sources = []
    for values in product(*swept.values()):
        given, jobs = dict(parameters), dict(workload or {})
        for name, value in zip(swept, values, strict=True):
            (given if name in known else jobs)[name] = value
        sources += with_seeds(generator, given, jobs, seeds)
    return sources


def with_seeds(
    generator: str, given: Mapping[str, Any], jobs: Mapping[str, Any], seeds: Iterable[int]
) -> list[InstanceSource]:
    """Instances that differ in nothing but the seed; one of them if nothing is drawn.

    `seeds`: the seeds, for the generator and the jobs, unless these have their own.
    """
    takes = of_generator(generator)
    source = InstanceSource(generator, takes.filled(given), tuple(given))
    draws = "seed" in takes.known and "seed" not in given
    return _asked(source, GENERATORS.lookup(generator).takes, jobs, seeds, draws=draws)


def read_in(
    file: InstanceFile, seeds: Iterable[int], workload: Mapping[str, Any] | None = None
) -> list[InstanceSource]:
    """Instances in a file, which differ in nothing but the seed of the workload."""
    source = InstanceSource(
        parameters={"file": file.name}, shown=("file",), path=file.path, digest=file.digest
    )
    return _asked(source, file.family, workload or {}, seeds, draws=False)


def _asked(
    source: InstanceSource,
    family: str,
    jobs: Mapping[str, Any],
    seeds: Iterable[int],
    *,
    draws: bool,
) -> list[InstanceSource]:
    """A source with a workload, for each seed if the source draws or the workload does."""
    takes = of_workload(family)
    takes.check_known(jobs)
    asked = takes.filled(jobs)
    files = digests(asked)
    asks = "seed" in takes.known and "seed" not in jobs
    seed_column = ["seed"] if draws or asks else []
    shown = tuple(dict.fromkeys([*source.shown, *jobs, *seed_column]))
    return [
        replace(
            source,
            parameters={**source.parameters, "seed": seed} if draws else source.parameters,
            shown=shown,
            workload={**asked, "seed": seed} if asks else asked,
            files=files,
        )
        for seed in (seeds if draws or asks else [0])
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
    families = {"Datacenter": "datacenter", "Hierarchy": "hierarchy"}
    return thing, families.get(type(thing).__name__, "mapreduce")


def _tuples(value: Any) -> Any:
    """A value with lists as tuples, as dataclasses of parameters have them."""
    return tuple(_tuples(item) for item in value) if isinstance(value, list | tuple) else value


def called(
    kind: Kind, name: str, *, time_limit: float | None = None, threads: int = 1, **parameters: Any
) -> MethodCall:
    """A method of a registry, or `solve` (with a limit in seconds), with its parameters: those that
    differ from the defaults, and those that shall be columns."""
    every = of_method(kind, name).filled(parameters)
    return MethodCall(kind, name, every, tuple(parameters), time_limit, threads)
