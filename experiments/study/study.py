"""Studies: blocks of instances and methods, and the runs that they make together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from ...core.errors import InputError
from .identity import canonical, name_of
from .workload import name_of_file

Values = Mapping[str, Any]
"""Values by name, as JSON can hold them."""

Kind = Literal["heuristic", "function", "solve", "policy", "allocator"]
"""What a method is: a heuristic of the registry, a function of the user's own, `slotwise.solve`, a
dispatching policy, an allocator of fair shares."""

TIME_LIMIT = 60.0
"""Seconds that `solve` and functions get unless the study says otherwise."""


@dataclass(frozen=True)
class InstanceSource:
    """Where one instance comes from: a generator or a file.

    Parameters
    ----------
    generator
        Name of the generator, empty for a file.
    parameters
        All parameters of the generator with their defaults filled in, the seed among them; of a
        file `file`, what the study calls it, which is no part of its identity.
    shown
        The parameters that are columns of the tables, in their order.
    path
        The file, for messages and for reading it.
    digest
        SHA-256 of the file's content.
    workload
        Of a datacenter or a hierarchy: keys of `workload.WORKLOADS`, defaults filled in.
    files
        SHA-256 of the files that the workload names, by key, see `workload.digests`.
    """

    generator: str = ""
    parameters: Values = field(default_factory=dict)
    shown: tuple[str, ...] = ()
    path: str = ""
    digest: str = ""
    workload: Values = field(default_factory=dict)
    files: Values = field(default_factory=dict)

    @property
    def identity(self) -> dict[str, Any]:
        """What makes it another instance. A file is its content, whatever it is called."""
        what: dict[str, Any] = (
            {"generator": self.generator, "parameters": dict(self.parameters)}
            if self.generator
            else {"sha256": self.digest}
        )
        if self.workload:
            what["workload"] = {**self.workload, **self.files}
        return what

    @property
    def columns(self) -> dict[str, Any]:
        """What the tables say of it. Of a workload's files the name, wherever they are."""
        names = {key: name_of_file(str(self.workload[key])) for key in self.files}
        every = {**self.workload, **names, **self.parameters}
        return {name: every[name] for name in self.shown}


@dataclass(frozen=True)
class MethodCall:
    """A method with its parameters.

    Parameters
    ----------
    kind
        What it is.
    name
        Its name in the registry; of a function `file.py:function` or `module:function`.
    parameters
        Its parameters, defaults filled in.
    shown
        The parameters that are columns of the tables; `time_limit` and `threads` may be, too.
    time_limit
        Seconds for `solve` and functions, None for none.
    threads
        Threads for `solve` and functions.
    digest
        Of a function: SHA-256 of its sources.
    folder
        Of a function in a file: the folder of the file.
    sources
        Of a function in a file: the text of it and of those beside it that it imports, by name
        below `folder`. What runs is what was read.
    """

    kind: Kind
    name: str
    parameters: Values = field(default_factory=dict)
    shown: tuple[str, ...] = ()
    time_limit: float | None = None
    threads: int = 1
    digest: str = ""
    folder: str = ""
    sources: Mapping[str, str] = field(default_factory=dict, repr=False)

    @property
    def identity(self) -> dict[str, Any]:
        """What makes it another method."""
        what: dict[str, Any] = {
            "kind": self.kind,
            "name": self.name,
            "parameters": dict(self.parameters),
        }
        if self.kind in ("solve", "function"):
            what |= {"time_limit": self.time_limit, "threads": self.threads}
        if self.digest:
            what["sha256"] = self.digest
        return what

    @property
    def columns(self) -> dict[str, Any]:
        """What the tables say of its parameters."""
        every = {"time_limit": self.time_limit, "threads": self.threads, **self.parameters}
        return {name: every[name] for name in self.shown}


@dataclass(frozen=True)
class Run:
    """One method on one instance."""

    id: str
    """Its name, see `name_of`."""
    order: int
    """Its place in the study, from 0."""
    instance: InstanceSource
    method: MethodCall
    """`instance`, `method`: what runs on what."""


@dataclass(frozen=True)
class Unit:
    """One instance with its runs: what a worker is given."""

    instance: InstanceSource
    """The instance, made once for all runs."""
    runs: tuple[Run, ...]
    """The runs, at least one."""
    bounds: tuple[str, ...] = ()
    """Names of the lower bounds that are recorded with each run."""


@dataclass(frozen=True)
class Block:
    """Instances, and methods that all run on each of them.

    Parameters
    ----------
    instances, methods
        Of each at least one.
    """

    instances: Sequence[InstanceSource]
    methods: Sequence[MethodCall]


@dataclass(frozen=True)
class Study:
    """What is to be run.

    Parameters
    ----------
    name
        Its name.
    blocks
        The blocks. A run that is in several blocks is run once. Two settings of a method differ in
        what they show.
    bounds
        Names of lower bounds in `BOUNDS` that are recorded with each run of a MapReduce instance,
        valid or not; `lower_bound` is the best valid one in any case.
    """

    name: str
    blocks: Sequence[Block]
    bounds: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        shown: dict[str, MethodCall] = {}
        for method in (method for block in self.blocks for method in block.methods):
            columns = {"kind": method.kind, "name": method.name, "columns": method.columns}
            other = shown.setdefault(canonical(columns), method)
            if canonical(other.identity) != canonical(method.identity):
                raise InputError(
                    f"{method.kind} {method.name!r} is there with two settings that no column of "
                    "the tables tells apart: name in `shown` what differs"
                )

    @cached_property
    def units(self) -> tuple[Unit, ...]:
        """One unit per instance, its runs in the order in which the study names them first."""
        runs_of: dict[str, dict[str, Run]] = {}
        sources: dict[str, InstanceSource] = {}
        count = 0
        for block in self.blocks:
            methods = [(method, canonical(method.identity)) for method in block.methods]
            for source in block.instances:
                key = canonical(source.identity)
                sources.setdefault(key, source)
                runs = runs_of.setdefault(key, {})
                for method, text in methods:
                    name = name_of(key, text)
                    if name not in runs:
                        runs[name] = Run(name, count, sources[key], method)
                        count += 1
        return tuple(
            Unit(sources[key], tuple(runs.values()), self.bounds) for key, runs in runs_of.items()
        )

    @cached_property
    def runs(self) -> tuple[Run, ...]:
        """All runs in the order of the study."""
        every = [run for unit in self.units for run in unit.runs]
        return tuple(sorted(every, key=lambda run: run.order))

    @property
    def seeds(self) -> list[int]:
        """The seeds of instances and workloads, ascending."""
        sources = (unit.instance for unit in self.units)
        drawn = (part.get("seed") for one in sources for part in (one.parameters, one.workload))
        return sorted({seed for seed in drawn if seed is not None})


def joined(name: str, studies: Iterable[Study]) -> Study:
    """One study of several; what they have in common is run once."""
    studies = list(studies)
    bounds = dict.fromkeys(bound for study in studies for bound in study.bounds)
    return Study(name, [block for study in studies for block in study.blocks], tuple(bounds))
