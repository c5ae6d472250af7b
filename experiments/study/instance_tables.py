"""`[[instances]]`: tables of a study's file that say which instances there are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ...core.errors import InputError
from ...instances.generators import GENERATORS
from .instance_files import found_files
from .instance_sources import read_in, with_seeds
from .parameters import Takes, of_generator, of_workload, or_one_of
from .study import InstanceSource
from .sweeps import Setting, settings_of
from .workload import WORKLOADS, beside

JOBS = "workload"
"""The table within the table that says what is asked of a datacenter or a hierarchy."""

OF_FILES = ("files", "sweep", "cases", JOBS)


class Instances(NamedTuple):
    """Instances of one family: mapreduce, datacenter or hierarchy."""

    family: str
    sources: Sequence[InstanceSource]


def instances_of(table: Mapping[str, Any], seeds: Sequence[int], folder: Path) -> list[Instances]:
    """The instances of a table.

    Raises `InputError` if something is wrong with the table.
    """
    if ("generator" in table) == ("files" in table):
        raise InputError("needs either 'generator' or 'files'")
    if "files" in table:
        return _of_files(table, seeds, folder)
    return [_generated(table, seeds, folder)]


def _generated(table: Mapping[str, Any], seeds: Sequence[int], folder: Path) -> Instances:
    name = table["generator"]
    if not isinstance(name, str):
        raise InputError(f"generator: need a name, got {name!r}")
    if name not in GENERATORS.names:
        raise InputError(f"unknown generator {name!r}{or_one_of(name, GENERATORS.names)}")
    takes, family = of_generator(name), GENERATORS.lookup(name).takes
    rest = {key: value for key, value in table.items() if key != "generator"}
    sources = []
    for setting in settings_of(rest, (JOBS,) if family in WORKLOADS else ()):
        given, jobs = _parted(setting)
        given = _fitting(takes, given)
        for parameter in takes.required:
            if parameter not in given and parameter != "seed":
                raise InputError(f"generator {name!r} needs {parameter!r}")
        sources += with_seeds(name, given, _jobs(jobs, family, folder), seeds)
    return Instances(family, sources)


def _of_files(table: Mapping[str, Any], seeds: Sequence[int], folder: Path) -> list[Instances]:
    for key in table:
        if key not in OF_FILES:
            guess = or_one_of(key, OF_FILES)
            raise InputError(f"{key!r} is for generators, and here are files{guess}")
    rest = {key: value for key, value in table.items() if key != "files"}
    settings = settings_of(rest, (JOBS,))
    instances = []
    for file in found_files(table["files"], folder):
        sources: list[InstanceSource] = []
        for setting in settings:
            own, jobs = _parted(setting)
            if own:
                raise InputError(f"{min(own)!r} is for generators, and here are files")
            sources += read_in(file, seeds, _jobs(jobs, file.family, folder))
        instances.append(Instances(file.family, sources))
    return instances


def _parted(setting: Setting) -> tuple[Setting, Setting]:
    """A setting's own keys, and those of its jobs."""
    begin = f"{JOBS}."
    jobs = {key.removeprefix(begin): v for key, v in setting.items() if key.startswith(begin)}
    return {key: v for key, v in setting.items() if not key.startswith(begin)}, jobs


def _jobs(jobs: Setting, family: str, folder: Path) -> Setting:
    """What is given of a workload, checked; its files are looked for in the folder."""
    if family not in WORKLOADS:
        if jobs:
            raise InputError(
                f"{JOBS}: is for {' and '.join(WORKLOADS)} instances, and here are {family} ones"
            )
        return {}
    takes = of_workload(family)
    takes.check_known(jobs, f"key of {JOBS}")
    if sum(jobs.get(key) is not None for key in ("load", "rate", "trace")) > 1:
        raise InputError(f"{JOBS}: load, rate and trace exclude one another")
    try:
        return beside(_fitting(takes, jobs), folder)
    except InputError as error:
        raise InputError(f"{JOBS}.{error}") from None


def _fitting(takes: Takes, given: Setting) -> Setting:
    takes.check_known(given)
    return {key: takes.fitting(key, value) for key, value in given.items()}
