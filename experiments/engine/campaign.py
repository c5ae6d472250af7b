"""Carry out what a folder lacks of a study: keep each record, and export the tables."""

from __future__ import annotations

import hashlib
import re
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from ...core.calls import checked
from ...core.errors import InputError, OutputError
from ...core.files.inputs import read_bytes
from ...core.files.outputs import write_bytes
from ..study.study import Study, Unit
from ..study.study_file import read_study
from .build import check_build
from .contradictions import Judge
from .dask_cluster import KEPT, ClusterBackend, LostCluster
from .manifest import Manifest
from .processes import LocalBackend, workers_for
from .progress import State, shown
from .record import Record
from .store import NAME, Store
from .tables import check_libraries, export, read_runs
from .worker import GRACE

if TYPE_CHECKING:
    import pandas as pd

COPY, ENDING = "campaign.toml", ".runs"
"""Name of the study's file in a folder, and how folders end that the user does not name."""

EXPORT = 30.0
"""Seconds between two exports of the tables."""

FINISHED, INTERRUPTED, LOST, STOPPED = "finished", "interrupted", "lost the scheduler", "failed"
"""How a session ends."""


class Backend(Protocol):
    """A place where units run."""

    workers: int

    def records(self, units: Iterable[Unit]) -> Iterator[Record]:
        """The records of all units, in any order, each as soon as it is known.

        The units are taken one by one, only a few ahead of what runs. A run whose process died or
        was ended by its time limit comes as a record with the status `crashed`; the other runs of
        its unit come as they end. Raises `LostCluster` if the cluster is gone.
        """

    def close(self) -> None:
        """End all workers, also after Ctrl-C, and leave no process behind."""


@dataclass(frozen=True)
class Options:
    """How a study is carried out; the first four as of `campaign`."""

    workers: int | None = None
    dask: str | None = None
    retry: bool = False
    anyway: bool = False
    file: bytes | None = None
    """What the study's file holds; the folder gets a copy."""
    on_progress: Callable[[State], None] | None = None
    """Called about ten times a second at most, and at the end."""
    on_note: Callable[[str], None] = warnings.warn
    """Called with what the user should know at once; by default it is a warning."""
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
        """Whether Ctrl-C or SIGTERM ended it."""
        return self.how == INTERRUPTED

    @property
    def complete(self) -> bool:
        """Whether all runs are there and none failed."""
        return self.state.ended == self.state.runs and not self.state.failed


@checked
def campaign(
    study: Study | str | Path,
    folder: str | Path | None = None,
    *,
    workers: int | None = None,
    dask: str | None = None,
    retry: bool = False,
    anyway: bool = False,
    quiet: bool = False,
) -> pd.DataFrame:
    """Run what a folder lacks of a study, on all cores or a cluster.

    Parameters
    ----------
    study
        A study, or the TOML file that it is in: docs/how-to/campaigns.md.
    folder
        Where runs and tables are kept; by default the name of the file or the study, with `.runs`.
    workers
        Processes side by side; by default as many as the cores allow.
    dask
        Address of a Dask scheduler, whose workers are used instead: they need the same slotwise
        and libraries, and functions of your own from an installed package.
    retry
        Run failed runs again.
    anyway
        Go on in a folder of another build of slotwise.
    quiet
        Show no progress.

    Returns
    -------
    pandas.DataFrame
        One row for each run, as `slotwise.read_runs` gives it.

    Raises
    ------
    InputError
        If the study or the folder cannot be used, or the disk is full. What has ended is kept.
    KeyboardInterrupt
        After Ctrl-C. What has ended is kept, and the next call goes on from there.
    LostCluster
        If the Dask scheduler is gone. What has ended is kept.
    """
    file = None
    if not isinstance(study, Study):
        path = Path(study)
        file, study = read_bytes(path), read_study(path)
        folder = path.with_suffix(ENDING) if folder is None else folder
    if folder is None:
        folder = re.sub(r"[^\w.-]+", "-", study.name).strip("-") + ENDING
    with shown(hidden=quiet) as progress:
        options = Options(workers, dask, retry, anyway, file, progress)
        ended = run_study(study, Path(folder), options)
    if ended.interrupted:
        raise KeyboardInterrupt
    if ended.reason:
        raise (LostCluster if ended.how == LOST else InputError)(ended.reason)
    return read_runs(folder)


def run_study(study: Study, folder: Path, options: Options | None = None) -> Ended:
    """Carry out what a folder, made if there is none, lacks of a study, and export the tables.

    A `KeyboardInterrupt` ends the session: what has ended is kept and exported.

    Raises `InputError` if the folder cannot be used or a library is not installed.
    """
    options = options or Options()
    if options.workers is not None and options.dask is not None:
        raise InputError("workers is for this machine: a Dask cluster has its own")
    check_libraries()
    is_new = not folder.exists()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise InputError(f"{folder}: is no folder") from None
    except OSError as failure:
        raise InputError(f"{folder}: {failure.strerror}") from None
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


def open_units(study: Study, records: Mapping[str, Record], *, retry: bool = False) -> list[Unit]:
    """The units that have runs to do, without those that are done, in the order of the hash of
    their first run: a shuffle that is always the same, so that the runs that have ended are a fair
    sample of all.

    Each `solve` is a unit of its own: it takes far longer than to make the instance once more.
    """
    units = []
    for unit in study.units:
        short = tuple(run for run in unit.runs if run.method.kind != "solve")
        parts = [short, *((run,) for run in unit.runs if run.method.kind == "solve")]
        units += [replace(unit, runs=runs) for runs in parts if runs]
    units.sort(key=lambda unit: unit.runs[0].id)
    open_ones = []
    for unit in units:
        runs = tuple(
            run for run in unit.runs if run.id not in records or (retry and records[run.id].failed)
        )
        if runs:
            open_ones.append(replace(unit, runs=runs))
    return open_ones


class _Session:
    """One go at a study, from the first open unit to the last export."""

    def __init__(self, study: Study, folder: Path, options: Options, store: Store) -> None:
        self.study, self.folder, self.options, self.store = study, folder, options, store
        known = {run.id for run in study.runs}
        self.records = {name: record for name, record in store.records.items() if name in known}
        self.judge = Judge(study, self.records.values())
        self.units = open_units(study, self.records, retry=options.retry)
        self.open = sum(len(unit.runs) for unit in self.units)
        self.failed = {name for name, record in self.records.items() if record.failed}
        self.done, self.began = 0, time.monotonic()
        self.first, self.told = 0.0, 0.0
        self.unwritten = ""
        if self.units:
            store.begin()
        runs = [run for unit in self.units for run in unit.runs]
        threads = max((run.method.threads for run in runs), default=1)
        self.backend = self._backend(threads) if self.units else None
        settings = {
            "backend": options.dask or "this machine",
            "workers": self.backend.workers if self.backend else 0,
            "threads": threads,
            "file_sha256": hashlib.sha256(options.file).hexdigest() if options.file else None,
        }
        self.manifest = Manifest(folder, study, settings)

    def run(self) -> Ended:
        how, reason = STOPPED, ""
        try:
            try:
                self._write("running")
                if self.backend:
                    self._take(self.backend)
                how = FINISHED
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

    def _take(self, backend: Backend) -> None:
        """Keep the records of the units as they come."""
        written = time.monotonic()
        for record in backend.records(self.units):
            self._keep(record)
            if time.monotonic() - written >= EXPORT:
                self._write("running")
                written = time.monotonic()

    def _write(self, how: str) -> None:
        """Write the tables. The runs are kept without them, so that a failure ends nothing."""
        try:
            if self.done or how != "running":
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
        self.done += 1
        if self.done == 1:
            self.first = time.monotonic()
        self._tell()

    def _tell(self, *, always: bool = False) -> None:
        now = time.monotonic()
        if self.options.on_progress is not None and (always or now - self.told >= 0.1):
            self.told = now
            self.options.on_progress(self._state())

    def _state(self) -> State:
        left = None if self.done < self.open else 0.0
        if 1 < self.done < self.open:
            # What came before the first run is compiling, which does not come again.
            each = (time.monotonic() - self.first) / (self.done - 1)
            left = each * (self.open - self.done)
        elapsed = time.monotonic() - self.began
        counts = len(self.study.runs), len(self.records), len(self.failed), self.done
        return State(*counts, elapsed, left)

    def _backend(self, threads: int) -> Backend:
        options = self.options
        if options.backend is not None:
            return options.backend()
        if options.dask is None:
            workers = workers_for(threads, options.workers)
            return LocalBackend(min(workers, len(self.units)), threads, options.grace)
        for run in (run for unit in self.units for run in unit.runs):
            if run.method.sources:
                raise InputError(
                    f"function {run.method.name!r} is in a file, which workers of a cluster do not "
                    "get: install it there as part of a package, and name it 'module:function'"
                )
        return ClusterBackend(options.dask, threads, options.grace)
