"""Units on a Dask cluster: what it says of clusters that will not do, and what it makes of units.

The schedulers here are real but live in this process; `test_deaths.py` has processes.
"""

import socket
import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("distributed")

from distributed import LocalCluster
from studies import run_here

import slotwise
from slotwise.core.errors import InputError
from slotwise.experiments.engine import dask_cluster as module
from slotwise.experiments.engine.campaign import Options, run_study
from slotwise.experiments.engine.dask_cluster import AHEAD, ClusterBackend, LostCluster
from slotwise.experiments.engine.record import Record
from slotwise.experiments.engine.tables import results_frame
from slotwise.experiments.study.instance_sources import called, drawn
from slotwise.experiments.study.study import Block, Study, Unit
from slotwise.experiments.study.study_file import make_study
from slotwise.instances.mapreduce.generators.ljr import small

OWN = {"instances": [{"generator": "ljr", "jobs": 4, "nodes": 3}]}


def study(seeds: int = 8) -> Study:
    """Small instances under two heuristics."""
    instances = drawn("ljr", range(seeds), jobs=4, nodes=3, map_slots=2)
    return Study("s", [Block(instances, [called("heuristic", name) for name in ("EFSS", "TBS")])])


def scheduler(workers: int = 0, threads: int = 1) -> LocalCluster:
    """A scheduler in this process."""
    return LocalCluster(
        n_workers=workers,
        threads_per_worker=threads,
        processes=False,
        protocol="tcp://",
        dashboard_address=":0",
    )


@pytest.fixture(scope="module", autouse=True)
def nothing_compiles() -> None:
    """Dask gives its thread ten seconds; kernels that other tests compile can take longer."""
    for thread in threading.enumerate():
        if thread.name == "slotwise work":
            thread.join()


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """A scheduler with two workers."""
    with scheduler(2) as here:
        yield here.scheduler_address


def carried_out(address: str, units: Iterable[Unit]) -> dict[str, Record]:
    """The records of units."""
    backend = ClusterBackend(address)
    try:
        return {record.run: record for record in backend.records(units)}
    finally:
        backend.close()


def refused(address: str) -> str:
    """What is said of the cluster."""
    with pytest.raises(InputError) as error:
        ClusterBackend(address)
    return str(error.value)


def test_nobody_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "CONNECTING", 0.5)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{free.getsockname()[1]}"
    assert refused(address) == f"{address}: no Dask scheduler answers there"
    for word in ("nonsense://1", "tcp://nowhere.invalid:1", "tcp://127.0.0.1:port"):
        assert refused(word) == f"{word}: no Dask scheduler answers there"


def test_a_folder_is_not_begun_in_vain(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "CONNECTING", 0.5)
    options = Options(dask="nonsense://1", file=b"name = 's'")
    with pytest.raises(InputError, match="no Dask scheduler answers there"):
        run_study(study(), tmp_path / "new", options)
    assert list(tmp_path.iterdir()) == []


def test_without_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "CONNECTING", 1.0)
    with scheduler() as here:
        assert refused(here.scheduler_address).endswith(": the scheduler has no workers")


def test_workers_with_several_threads() -> None:
    with scheduler(1, threads=4) as here:
        (worker,) = here.workers.values()
        assert refused(here.scheduler_address) == (
            f"{here.scheduler_address}: worker {worker.address} has 4 threads: "
            "start workers with --nthreads 1"
        )


@dataclass
class Fingerprint:
    """One here, and another one on the workers that it is sent to."""

    here: dict[str, str]
    there: dict[str, str]

    def __call__(self) -> dict[str, str]:
        return self.here

    def __reduce__(self) -> Any:
        return partial, (dict, self.there)


@pytest.mark.parametrize("name", ["slotwise", "numpy"])
def test_workers_of_another_build(address: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same version, but other sources or another library."""
    ours = module.fingerprint()
    other = ours | {name: "0.1.0 0123456789ab"}
    backend = ClusterBackend(address)
    with monkeypatch.context() as patch:
        patch.setattr(module, "fingerprint", Fingerprint(other, ours))
        assert refused(address).endswith(f" has {name} {ours[name]}, here is 0.1.0 0123456789ab")
    # One that came later is asked by its first unit.
    backend.fingerprint = other
    try:
        with pytest.raises(LostCluster, match=r"here is 0\.1\.0 01.*; what is finished is kept"):
            list(backend.records(study(1).units))
    finally:
        backend.close()


def test_workers_without_slotwise(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    class Elsewhere(Fingerprint):
        def __reduce__(self) -> Any:
            return import_module, ("slotwise_elsewhere",)

    ours = module.fingerprint()
    monkeypatch.setattr(module, "fingerprint", Elsewhere(ours, ours))
    told = refused(address)
    assert told.startswith(f"{address}: a worker has another slotwise or none (")
    assert "slotwise_elsewhere" in told


def test_records_are_those_of_one_process(address: str) -> None:
    every = study()
    here = run_here(every)
    there = results_frame(every, carried_out(address, every.units))
    assert there.equals(here[there.columns])


def test_units_are_taken_a_few_ahead(address: str) -> None:
    taken: list[Unit] = []

    def units() -> Iterator[Unit]:
        for unit in study(20).units:
            taken.append(unit)
            yield unit

    backend = ClusterBackend(address)
    try:
        records = backend.records(units())
        next(records)
        assert len(taken) == AHEAD * 2
        next(records)  # of the same unit
        assert len(taken) == AHEAD * 2
        next(records)
        assert len(taken) == AHEAD * 2 + 1
    finally:
        backend.close()


def test_a_lost_scheduler_is_no_failed_run() -> None:
    with scheduler(1) as here:
        backend = ClusterBackend(here.scheduler_address)
        records = backend.records(study(20).units)
        ended = [next(records)]
    with pytest.raises(LostCluster, match=r"^lost the scheduler; what is finished is kept, run"):
        ended.extend(records)
    backend.close()
    assert not any(record.failed for record in ended)


def test_functions_come_from_installed_modules(address: str, tmp_path: Path) -> None:
    every = make_study(OWN | {"methods": [{"function": "poison:works"}]})
    (record,) = carried_out(address, every.units).values()
    assert record.makespan == run_here(every)["makespan"].item()
    (tmp_path / "own.py").write_text("def rule(one): return one\n")
    in_a_file = make_study(OWN | {"methods": [{"function": "own.py:rule"}]}, tmp_path)
    with pytest.raises(InputError, match=r"^function 'own\.py:rule' is in a file, which workers"):
        run_study(in_a_file, tmp_path / "new", Options(dask=address))
    assert not (tmp_path / "new").exists()


def test_files_of_instances_are_those_of_the_study(address: str, tmp_path: Path) -> None:
    for seed in range(3):
        slotwise.write(small(3, 2, seed=seed), tmp_path / f"{seed}.json")
    tables = {"instances": [{"files": "*.json"}], "methods": [{"heuristic": "EFSS"}]}
    every = make_study(tables, tmp_path)
    changed, gone = tmp_path / "0.json", tmp_path / "1.json"
    changed.write_text(changed.read_text() + " ")
    gone.unlink()
    # Records come in the order in which the workers end.
    errors = sorted(record.error for record in carried_out(address, every.units).values())
    assert errors == sorted(run_here(every)["error"])
    assert errors[:2] == ["", f"{changed}: has changed since the study was read"]
