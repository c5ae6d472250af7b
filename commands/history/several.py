"""Several histories: each audited by itself, side by side, those known from before not again."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...core.errors import InputError
from ...core.files.examples import is_example
from ...core.files.inputs import STANDARD, raw_input
from ...experiments.engine.backends.protocol import Backend, LostCluster
from ...experiments.engine.campaign import Clock as Pace
from ...experiments.engine.campaign import State
from ...experiments.engine.kinds.audits import DOCUMENT
from ...experiments.engine.perform import perform
from ...experiments.engine.progress import Show, shown
from ...experiments.engine.record import Record
from ...experiments.study.identity import identity
from ...experiments.study.study import InstanceSource, MethodCall, Run, Unit
from ...report.history.nights import Audits
from ..console import tell
from .kept_audits import KeptAudits

if TYPE_CHECKING:
    from ..process.interrupts import Signals
    from .asked import Asked

_CHUNK = 1 << 20


@dataclass(frozen=True)
class Place:
    """Where audits run: so many processes of this machine, or a Dask cluster; and whether what was
    audited before is taken from the user's cache."""

    workers: int | None = None
    dask: str | None = None
    cached: bool = True


class Several:
    """Audits of several histories, as far as they are known."""

    def __init__(self, histories: Sequence[Path], asked: Asked, limit: float, place: Place) -> None:
        self.histories, self.place = histories, place
        self.method = _method(asked, limit)
        self.kept = KeptAudits() if place.cached else None
        self.audits: dict[int, dict[str, Any]] = {}
        self.failures: dict[int, str] = {}

    def run(self, signals: Signals, *, hidden: bool) -> Audits:
        """Audit all; a signal ends it with those that have ended."""
        with shown(hidden=hidden) as show:
            signals.interrupt()
            why = "interrupted"
            try:
                with suppress(KeyboardInterrupt):
                    self._take(self._open_units(), show)
            except LostCluster as lost:
                why = str(lost)
            signals.hold_if_came()
        every = {**self.audits, **self.failures}
        left = tuple(str(path) for k, path in enumerate(self.histories) if k not in every)
        if left:
            count = f"{len(left)} of {len(self.histories)} histories are left"
            tell([f"{why}: {count}"], quiet=hidden)
        return Audits(_in_order(self.audits), _in_order(self.failures), left)

    def _open_units(self) -> list[Unit]:
        """What is not known yet, the largest first: the last to end is a small one."""
        units = []
        for k, path in enumerate(self.histories):
            try:
                run = self._run_of(k, path)
            except InputError as failure:
                self.failures[k] = str(failure)
                continue
            except OSError as failure:
                self.failures[k] = f"{path}: {failure.strerror or failure}"
                continue
            known = self.kept.load(run) if self.kept else None
            if known is None:
                units.append((_size(path), Unit(run.instance, (run,))))
            else:
                self.audits[k] = known
        return [unit for _, unit in sorted(units, key=lambda pair: -pair[0])]

    def _run_of(self, k: int, path: Path) -> Run:
        if not (is_example(path) or path.is_dir() or path.is_file()):
            exists = path.exists() or str(path) == STANDARD
            what = "only one history can come through a pipe" if exists else "there is no such file"
            raise InputError(f"{path}: {what}")
        if self.place.dask is not None and path.is_dir():
            raise InputError(f"{path}: a folder does not go to a cluster: audit it on this machine")
        source = InstanceSource(path=str(path), digest=digest_of(path))
        return Run(identity(source.identity, self.method.identity), k, source, self.method)

    def _take(self, units: list[Unit], show: Show | None) -> None:
        runs = {run.order: run for unit in units for run in unit.runs}
        before, pace = len(self.histories) - len(units), Pace(len(units))
        for record in _records(units, self.place):
            audit = record.measures.get(DOCUMENT)
            if audit is None:
                self.failures[record.order] = _failure(record, self.histories[record.order])
            else:
                self.audits[record.order] = audit
                self._keep(runs[record.order], audit)
            pace.count()
            if show is not None:
                ended, failed = before + pace.done, len(self.failures)
                every = len(self.histories)
                show(State(every, ended, failed, pace.done, pace.elapsed, pace.left))

    def _keep(self, run: Run, audit: dict[str, Any]) -> None:
        """Keep an audit, unless its log has grown meanwhile or is gone."""
        with suppress(InputError, OSError):
            if self.kept is not None and digest_of(run.instance.path) == run.instance.digest:
                self.kept.save(run, audit)


def digest_of(path: str | Path) -> str:
    """SHA-256 of a history: of a file's content, of a folder's files with their names."""
    digest = hashlib.sha256()
    if is_example(path) or not Path(path).is_dir():
        _add(digest, path)
    else:
        for file in sorted(file for file in Path(path).rglob("*") if file.is_file()):
            digest.update(f"{file.relative_to(path)} {file.stat().st_size} ".encode())
            _add(digest, file)
    return digest.hexdigest()


def _add(digest: Any, path: str | Path) -> None:
    with raw_input(path) as stream:
        while chunk := stream.read(_CHUNK):
            digest.update(chunk)


def _size(path: Path) -> int:
    files = path.rglob("*") if path.is_dir() else [path]
    return sum(file.stat().st_size for file in files if file.is_file())


def _method(asked: Asked, limit: float) -> MethodCall:
    reading = asdict(asked.reading)
    more = {}
    if asked.reading.topology is not None:
        reading["topology"] = str(asked.reading.topology)
        more["topology_sha256"] = digest_of(asked.reading.topology)
    parameters = {
        "judging": asdict(asked.judging),
        "reading": reading,
        "window": asdict(asked.window),
        "overheads": asked.overheads,
        **more,
    }
    return MethodCall("audit", "audit", parameters, time_limit=limit)


def _records(units: list[Unit], place: Place) -> Iterator[Record]:
    """The records as they end."""
    if not units:
        return
    backend = _backend(len(units), place)
    if backend is None:
        yield from one_by_one(units)
        return
    try:
        yield from backend.records(units)
    finally:
        backend.close()


def one_by_one(units: list[Unit]) -> Iterator[Record]:
    """The records of units that are carried out in this process."""
    for unit in units:
        yield from perform(unit)


def _backend(units: int, place: Place) -> Backend | None:
    if place.dask is not None:
        from ...experiments.engine.backends.cluster import ClusterBackend

        return ClusterBackend(place.dask)
    try:
        from ...experiments.engine.backends.local import LocalBackend, workers_for

        workers = min(workers_for(1, place.workers), units)
    except ImportError:  # without the extra that has joblib
        return None
    return LocalBackend(workers) if workers > 1 else None


def _failure(record: Record, path: Path) -> str:
    error = record.error
    return error if str(path) in error else f"{path}: {error}"


def _in_order(values: dict[int, Any]) -> tuple[Any, ...]:
    return tuple(values[k] for k in sorted(values))
