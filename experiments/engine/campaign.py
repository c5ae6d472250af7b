"""The driver of a campaign: give out units, keep each record, export the tables."""

from __future__ import annotations

import hashlib
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path

from ...core.errors import InputError, OutputError
from ...core.files.outputs import write_bytes
from ..study.study import Study, Unit
from .backends.protocol import KEPT, Backend, LostCluster
from .build import check_build
from .contradictions import Judge
from .export import check_libraries, export
from .manifest import Manifest
from .record import Record
from .store import NAME, Store
from .watchdog import GRACE

COPY = "campaign.toml"
"""Name of the study's file in a folder."""

EXPORT = 30.0
"""Seconds between two exports of the tables."""

FINISHED, INTERRUPTED, LOST, STOPPED = "finished", "interrupted", "lost the scheduler", "failed"
"""How a session ends."""


@dataclass(frozen=True)
class State:
    """How far a campaign is."""

    runs: int
    ended: int
    failed: int
    """`runs`, `ended`, `failed`: runs of the study, those that have ended, in this session or
    before, and those of them that failed."""
    fresh: int
    """Runs that ended in this session."""
    elapsed: float
    """Seconds since the session began."""
    left: float | None
    """Seconds until all have ended, None as long as nobody knows."""


@dataclass(frozen=True)
class Options:
    """How a study is carried out."""

    workers: int | None = None
    """Processes side by side, by default one for as many cores as a run has threads."""
    dask: str | None = None
    """Address of a Dask scheduler, instead of this machine."""
    retry: bool = False
    """Run the failed runs again."""
    anyway: bool = False
    """Go on in a folder of another build of slotwise."""
    file: bytes | None = None
    """What the study's file holds; the folder gets a copy."""
    on_progress: Callable[[State], None] | None = None
    """Called about ten times a second at most, and at the end."""
    on_note: Callable[[str], None] = warnings.warn
    """Called with what the user should know at once; by default it is a warning."""
    stop: threading.Event | None = None
    """Once it is set, the session ends as on Ctrl-C."""
    grace: float = GRACE
    """Seconds beyond one and a half times its time limit that a run gets until it is ended."""
    backend: Callable[[], Backend] | None = None
    """Makes the place where units run; by default `workers` and `dask` say which."""


@dataclass(frozen=True)
class Ended:
    """How a session ended."""

    folder: Path
    how: str
    """finished, interrupted, lost the scheduler, or failed."""
    state: State
    """How far it got."""
    reason: str = ""
    """What to tell of a session that could not go on, and of tables that could not be written."""
    records: Mapping[str, Record] = field(default_factory=dict, repr=False)
    """The records of the study by run."""

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C, SIGTERM or the `stop` of the options ended it."""
        return self.how == INTERRUPTED

    @property
    def complete(self) -> bool:
        """Whether all runs are there and none failed."""
        return self.state.ended == self.state.runs and not self.state.failed


def run_study(study: Study, folder: Path, options: Options | None = None) -> Ended:
    """Carry out what a folder lacks of a study, and export the tables.

    A `KeyboardInterrupt` ends the session: what has ended is kept and exported.

    `folder`: the folder, made if there is none.
    Raises `InputError` if the folder cannot be used or a library is not installed.
    """
    options = options or Options()
    if options.workers is not None and options.dask is not None:
        raise InputError("workers is for this machine: a Dask cluster has its own")
    check_libraries()
    is_new = not folder.exists()
    _make(folder)
    with ExitStack() as stack:
        try:
            store = stack.enter_context(Store(folder))
            if store.damage:
                options.on_note(store.damage)
            if not options.anyway:
                check_build(folder, store.records)
            if options.file is not None:
                write_bytes(folder / COPY, options.file)
            session = _Session(study, folder, options, store)
        except InputError:
            stack.close()
            if is_new:  # nothing has run, such as for an address where nobody answers
                for name in (NAME, COPY):
                    (folder / name).unlink(missing_ok=True)
                with suppress(OSError):
                    folder.rmdir()
            raise
        return session.run()


def open_units(study: Study, records: dict[str, Record], *, retry: bool = False) -> Iterator[Unit]:
    """The units that have runs to do, without those that are done, in the order of the hash of
    their first run.

    It is a shuffle that is always the same: the runs that have ended are a fair sample of all.

    Yields the units.
    """
    parts = [part for unit in study.units for part in _parts(unit)]
    for unit in sorted(parts, key=lambda unit: unit.runs[0].id):
        runs = tuple(
            run for run in unit.runs if run.id not in records or (retry and records[run.id].failed)
        )
        if runs:
            yield replace(unit, runs=runs)


def _parts(unit: Unit) -> Iterator[Unit]:
    """The unit with all that is short, and one for each `solve`.

    To solve an instance takes far longer than to make it once more.
    """
    short = tuple(run for run in unit.runs if run.method.kind != "solve")
    if short:
        yield replace(unit, runs=short)
    for run in unit.runs:
        if run.method.kind == "solve":
            yield replace(unit, runs=(run,))


class _Session:
    """One go at a study, from the first open unit to the last export."""

    def __init__(self, study: Study, folder: Path, options: Options, store: Store) -> None:
        self.study, self.folder, self.options, self.store = study, folder, options, store
        known = {run.id for run in study.runs}
        self.records = {name: record for name, record in store.records.items() if name in known}
        self.judge = Judge(study, self.records.values())
        self.units = list(open_units(study, self.records, retry=options.retry))
        self.open = sum(len(unit.runs) for unit in self.units)
        self.failed = {name for name, record in self.records.items() if record.failed}
        self.clock = Clock(self.open)
        self.told, self.unwritten = 0.0, ""
        if self.units:
            store.begin()
        self.backend = self._backend() if self.units else None
        self.manifest = Manifest(folder, study, self._settings(self.backend))

    def run(self) -> Ended:
        how, reason = STOPPED, ""
        try:
            try:
                self._write("running")
                how = self._take(self.backend) if self.backend else FINISHED
            finally:
                if self.backend is not None:
                    self.backend.close()
        except KeyboardInterrupt:
            how = INTERRUPTED
        except LostCluster as lost:
            how, reason = LOST, str(lost)
        except OutputError as failure:
            reason = f"{failure}; {KEPT}"
        finally:
            self._write(how)
        self._tell(always=True)
        return Ended(self.folder, how, self._state(), reason or self.unwritten, self.records)

    def _take(self, backend: Backend) -> str:
        """Keep the records of the units as they come."""
        written = time.monotonic()
        for record in backend.records(self.units):
            self._keep(record)
            if time.monotonic() - written >= EXPORT:
                self._write("running")
                written = time.monotonic()
            if self.options.stop is not None and self.options.stop.is_set():
                return INTERRUPTED
        return FINISHED

    def _write(self, how: str) -> None:
        """Write the tables. The runs are kept without them, so that a failure ends nothing."""
        try:
            if self.clock.done or how != "running":
                export(self.study, self.records, self.folder)
            self.manifest.write(self.records, how)
        except Exception as failure:
            reason = f"the tables cannot be written: {failure}"
            if not self.unwritten:
                self.options.on_note(f"{reason}; the campaign goes on, and tries again")
            self.unwritten = f"{reason}; all runs are kept, --table writes them again"
        else:
            self.unwritten = ""

    def _keep(self, record: Record) -> None:
        judged = self.judge.judged(record)
        for each in judged:
            kept = self.store.add(each)
            self.records[kept.run] = kept
            (self.failed.add if kept.failed else self.failed.discard)(kept.run)
        if judged[-1].failed and not record.failed:
            self.options.on_note(judged[-1].error)
        self.clock.count()
        self._tell()

    def _tell(self, *, always: bool = False) -> None:
        if self.options.on_progress is not None:
            now = time.monotonic()
            if always or now - self.told >= 0.1:
                self.told = now
                self.options.on_progress(self._state())

    def _state(self) -> State:
        return State(
            len(self.study.runs),
            len(self.records),
            len(self.failed),
            self.clock.done,
            self.clock.elapsed,
            self.clock.left,
        )

    def _backend(self) -> Backend:
        options = self.options
        if options.backend is not None:
            return options.backend()
        if options.dask is not None:
            module = import_module(".backends.cluster", __package__)
            self._check_functions()
            cluster: Backend = module.ClusterBackend(options.dask, self._threads(), options.grace)
            return cluster
        from .backends.local import LocalBackend, workers_for

        threads = self._threads()
        workers = workers_for(threads, options.workers)
        return LocalBackend(min(workers, len(self.units)), threads, options.grace)

    def _check_functions(self) -> None:
        """Raise `InputError` for functions in files, which workers of a cluster do not get."""
        for run in (run for unit in self.units for run in unit.runs):
            if run.method.sources:
                raise InputError(
                    f"function {run.method.name!r} is in a file, which workers of a cluster do not "
                    "get: install it there as part of a package, and name it 'module:function'"
                )

    def _threads(self) -> int:
        return max((run.method.threads for unit in self.units for run in unit.runs), default=1)

    def _settings(self, backend: Backend | None) -> dict[str, object]:
        file = self.options.file
        return {
            "backend": self.options.dask or "this machine",
            "workers": backend.workers if backend else 0,
            "threads": self._threads(),
            "file_sha256": hashlib.sha256(file).hexdigest() if file else None,
        }


class Clock:
    """The time that is left, from how long runs took since the first one ended.

    What comes before it is the start of the workers and compiling, which does not come again.
    """

    def __init__(self, runs: int) -> None:
        self.runs, self.done = runs, 0
        self._began = time.monotonic()
        self._first: tuple[float, int] | None = None

    def count(self) -> None:
        self.done += 1
        if self._first is None:
            self._first = time.monotonic(), 1

    @property
    def elapsed(self) -> float:
        """Seconds since the session began."""
        return time.monotonic() - self._began

    @property
    def left(self) -> float | None:
        """Seconds until all runs have ended, None as long as nobody knows."""
        if self.done >= self.runs:
            return 0.0
        if self._first is None or self.done <= self._first[1]:
            return None
        since, first = self._first
        return (time.monotonic() - since) / (self.done - first) * (self.runs - self.done)


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise InputError(f"{folder}: is no folder") from None
    except OSError as failure:
        raise InputError(f"{folder}: {failure.strerror}") from None
