"""Studies as TOML: what is tried on what, with which seeds and in which time."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePath
from typing import Any

from ...core.advice import kind_hint
from ...core.calls import checked
from ...core.errors import InputError, one_line
from ...core.files.examples import FOLDER, is_example
from ...core.files.inputs import STANDARD, decoded, file_name, read_bytes
from ...formulations.mapreduce.bounds import BOUNDS
from ...instances.datacenter.datacenter import Datacenter
from ...instances.datacenter.guidance_file import read_guidance
from ...instances.datacenter.workload import poisson
from ...instances.hierarchy.events import read_events
from ...instances.hierarchy.hierarchy import Hierarchy
from .identity import canonical
from .instance_sources import made
from .instance_tables import Instances, instances_of
from .method_tables import FAMILY, Budget, check_threads, check_time_limit, methods_of
from .parameters import or_one_of
from .study import TIME_LIMIT, Block, InstanceSource, MethodCall, Study
from .workload import JobsWorkload, TreeWorkload, asked_jobs

KEYS = ("name", "seeds", "time_limit", "threads", "bounds", "instances", "methods")
MOST_SEEDS = 1_000_000


@checked
def read_study(path: str | Path) -> Study:
    """Read a study from a TOML file; `docs/how-to/campaigns.md` describes it.

    The files of instances and functions that it names are looked up from its folder. Functions are
    loaded, and the first instance of each table is made, so that what is wrong shows now.

    Parameters
    ----------
    path
        The file; `-` is stdin.

    Returns
    -------
    Study
        The study.

    Raises
    ------
    InputError
        One line that names file, table and key.
    """
    return study_of_text(read_study_text(path), path)


def read_study_text(path: str | Path) -> str:
    """The text of a study's file. Raises `InputError`."""
    return decoded(read_bytes(path), path)


def study_of_text(text: str, path: str | Path) -> Study:
    """As `read_study`, of a file that has been read already."""
    with _within(f"{path}: "):
        try:
            document = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise InputError(f"not TOML: {error}{kind_hint(text)}") from None
        except RecursionError:
            raise InputError("not TOML: nested too deeply") from None
        return make_study(document, folder_of(path), name=name_of_file(path))


@checked
def make_study(document: Mapping[str, Any], folder: str | Path = ".", *, name: str = "") -> Study:
    """Make a study of what a study's file holds, as dictionaries and lists.

    Parameters
    ----------
    document
        The keys and tables of the file; `instances` and `methods` are lists of dictionaries.
    folder
        Where the files that it names are looked up from.
    name
        Name of the study, unless the document has one.

    Returns
    -------
    Study
        The study.

    Raises
    ------
    InputError
        One line that names table and key.
    """
    folder = Path(folder).absolute()
    for key in document:
        if key not in KEYS:
            raise InputError(f"unknown key {key!r}{or_one_of(key, KEYS)}")
    called = document.get("name", name or "study")
    if not isinstance(called, str) or not called:
        raise InputError(f"name: need a text, got {called!r}")
    seeds, bounds = _seeds(document.get("seeds", 1)), _bounds(document.get("bounds", []))
    budget = Budget(
        check_time_limit(document.get("time_limit", TIME_LIMIT)),
        check_threads(document.get("threads", 1)),
    )
    tables = {key: _tables(document, key) for key in ("instances", "methods")}
    instances: list[list[Instances]] = []
    for number, table in enumerate(tables["instances"], 1):
        with _within(f"[[instances]] {number}: "):
            instances.append(instances_of(table, seeds, folder))
    methods: list[MethodCall] = []
    for number, table in enumerate(tables["methods"], 1):
        with _within(f"[[methods]] {number}: "):
            calls = methods_of(table, budget, folder)
            _check_family(calls[0], instances)
            methods += calls
    sources = [source for group in instances for part in group for source in part.sources]
    _check_distinct(sources, methods)
    for number, group in enumerate(instances, 1):
        with _within(f"[[instances]] {number}: "):
            try_first(group[0].sources[0])
    return Study(called, [Block(sources, methods)], bounds)


def folder_of(path: str | Path) -> Path:
    """The folder that the names in a study's file start from."""
    if is_example(path):
        return FOLDER
    return Path() if str(path) == STANDARD else Path(path).parent


def name_of_file(path: str | Path) -> str:
    """The name of a study that does not say one: that of its file."""
    return "study" if str(path) == STANDARD else PurePath(file_name(path)).stem


@contextmanager
def _within(place: str) -> Iterator[None]:
    """Within it, messages begin with the place."""
    try:
        yield
    except InputError as error:
        raise InputError(f"{place}{error}") from None


def _seeds(given: Any) -> Sequence[int]:
    if isinstance(given, int) and not isinstance(given, bool) and 1 <= given <= MOST_SEEDS:
        return range(given)
    if not isinstance(given, list | tuple) or not given or not all(map(_is_seed, given)):
        raise InputError(f"seeds: need a number of seeds >= 1 or a list of them, got {given!r}")
    twice = next((seed for seed in given if given.count(seed) > 1), None)
    if twice is not None:
        raise InputError(f"seeds: {twice} is there twice")
    return list(given)


def _is_seed(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _bounds(given: Any) -> tuple[str, ...]:
    names = [given] if isinstance(given, str) else given
    if not isinstance(names, list | tuple) or not all(isinstance(name, str) for name in names):
        raise InputError(f"bounds: need a list of names, got {given!r}")
    for name in names:
        if name not in BOUNDS.names:
            raise InputError(f"bounds: unknown bound {name!r}{or_one_of(name, BOUNDS.names)}")
    return tuple(dict.fromkeys(names))


def _tables(document: Mapping[str, Any], key: str) -> Sequence[Mapping[str, Any]]:
    tables = document.get(key, [])
    if isinstance(tables, Mapping):
        raise InputError(f"{key}: write [[{key}]], with two brackets")
    if not isinstance(tables, list | tuple) or not tables:
        raise InputError(f"needs at least one [[{key}]]")
    for table in tables:
        if not isinstance(table, Mapping):
            raise InputError(f"{key}: need tables, [[{key}]], got {table!r}")
    return tables


def _check_family(call: MethodCall, instances: Sequence[Sequence[Instances]]) -> None:
    """Raise `InputError` for a method that is for other instances than there are."""
    for number, group in enumerate(instances, 1):
        for part in group:
            if part.family != FAMILY[call.kind]:
                what = "solve" if call.kind == "solve" else f"{call.kind} {call.name!r}"
                fitting = [repr(kind) for kind, family in FAMILY.items() if family == part.family]
                raise InputError(
                    f"{what} is for {FAMILY[call.kind]} instances, and [[instances]] {number} has "
                    f"{part.family} ones: they need {' or '.join(fitting)}"
                )


def _check_distinct(sources: Sequence[InstanceSource], methods: Sequence[MethodCall]) -> None:
    """Raise `InputError` if a run is there twice."""
    calls: set[str] = set()
    for call in methods:
        if (text := canonical(call.identity)) in calls:
            raise InputError(_twice(call, 1))
        calls.add(text)
    seen: dict[str, int] = {}
    for number, source in enumerate(sources, 1):
        first = seen.setdefault(canonical(source.identity), number)
        if first != number:
            more = f", {_told(sources[first - 1])}, which is also {_told(source)}"
            raise InputError(_twice(methods[0], first) + more)


def _twice(call: MethodCall, number: int) -> str:
    name = f"{call.name} {dict(call.parameters)}" if call.parameters else call.name
    return f"the same run is there twice: {name} on instance {number}"


def _told(source: InstanceSource) -> str:
    columns = ", ".join(f"{name} {value}" for name, value in source.columns.items())
    return f"{source.generator} {columns}".strip()


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
