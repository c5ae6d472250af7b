"""Units on a Dask cluster: what it says of clusters that will not do, and what it makes of units.

The schedulers here are real but live in this process; `test_deaths.py` has processes.
"""

import socket
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

pytest.importorskip("distributed")

from distributed import LocalCluster

import slotwise
from slotwise.core.background import THREAD
from slotwise.core.errors import InputError
from slotwise.experiments.engine.backends import cluster as module
from slotwise.experiments.engine.backends.cluster import AHEAD, ClusterBackend
from slotwise.experiments.engine.backends.protocol import LostCluster
from slotwise.experiments.engine.build import build_name
from slotwise.experiments.engine.campaign import Options, run_study
from slotwise.experiments.engine.in_process import run_here
from slotwise.experiments.engine.record import Record
from slotwise.experiments.engine.tables import results_frame
from slotwise.experiments.study.instance_sources import called, drawn
from slotwise.experiments.study.study import Block, MethodCall, Study, Unit
from slotwise.experiments.study.study_file import make_study
from slotwise.instances.mapreduce.generators.ljr import small


def study(seeds: int = 8) -> Study:
    """Small instances under two heuristics."""
    instances = drawn("ljr", range(seeds), jobs=4, nodes=3, map_slots=2)
    return Study("s", [Block(instances, [called("heuristic", name) for name in ("EFSS", "TBS")])])


def nap(seconds: float) -> Unit:
    """A unit that takes so long."""
    source = f"import time\ndef nap(one): time.sleep({seconds})\n"
    call = MethodCall("function", "nap.py:nap", digest="nap", sources={"nap.py": source})
    return Study("nap", [Block(drawn("ljr", [0], jobs=1, nodes=3), [call])]).units[0]


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
        if thread.name == THREAD:
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


@pytest.mark.parametrize("name", ["slotwise", "numpy"])
def test_workers_of_another_build(address: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same version, but other sources or another library."""
    ours = dict(module.fingerprint())
    monkeypatch.setattr(module, "fingerprint", lambda: ours | {name: "0.1.0 0123456789ab"})
    told = f" has {name} {ours[name]}, here is 0.1.0 0123456789ab; --anyway takes it"
    assert refused(address).endswith(told)
    backend = ClusterBackend(address, anyway=True)
    # One that came later is asked by its first unit.
    backend.fingerprint = ours | {name: "0.1.0 0123456789ab"}
    try:
        with pytest.raises(LostCluster, match="--anyway takes it; what is finished is kept"):
            list(backend.records(study(1).units))
        backend.fingerprint = None
        assert {record.build for record in backend.records(study(1).units)} == {build_name()}
    finally:
        backend.close()


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


def of_files(folder: Path) -> Study:
    """Two instances in files, under a function in a file that imports another one."""
    for seed in range(2):
        slotwise.write(small(3, 2, seed=seed), folder / f"{seed}.json")
    (folder / "own.py").write_text("from rest import best\ndef rule(one): return best(one)\n")
    (folder / "rest.py").write_text(
        "import slotwise\ndef best(one): return slotwise.heuristic(one, 'EFSS').schedule\n"
    )
    tables = {"instances": [{"files": "*.json"}], "methods": [{"function": "own.py:rule"}]}
    return make_study(tables, folder)


def test_files_go_with_the_units(tmp_path: Path) -> None:
    every = of_files(tmp_path)
    here = run_here(every)

    def units() -> Iterator[Unit]:
        yield nap(0.5)
        yield from every.units
        for file in tmp_path.iterdir():  # the only worker still has its nap
            file.unlink()

    with scheduler(1) as cluster:
        records = carried_out(cluster.scheduler_address, units())
    there = results_frame(every, records)
    assert here["status"].tolist() == ["feasible"] * 2
    assert there.equals(here[there.columns])


def test_what_is_wrong_with_a_file_is_said_of_the_drivers(address: str, tmp_path: Path) -> None:
    every = of_files(tmp_path)
    changed, gone = tmp_path / "0.json", tmp_path / "1.json"
    changed.write_text(changed.read_text() + " ")
    gone.unlink()
    # Records come in the order in which the workers end.
    errors = sorted(record.error for record in carried_out(address, every.units).values())
    assert errors == run_here(every)["error"].tolist()
    assert errors[0] == f"{changed}: has changed since the study was read"
